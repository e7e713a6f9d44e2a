/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Why did threads that could run not run, and who ran instead? The sums of runnable and its parts are exact. Delays of 20 us and
 * more have a reason and a name; the rest is the difference, and said. Beside them stands what takes processors away without
 * any switch: the hypervisor's steal and the host's interrupts.
 */
#include "analysis/account.h"
#include "analysis/analysis.h"
#include "analysis/figure.h"
#include "base/map.h"
#include "base/memory.h"
#include "profile/cohort.h"
#include "profile/ready.h"
#include "profile/selection.h"
#include "result/document.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BY_MOST = 15, EDGES_MOST = 30, LENGTHS = 64 };

static const struct { const char *name, *meaning; } reasons[] = {
	{ READY_PREEMPTED, "taken off for another thread" },
	{ READY_QUEUED, "woken, another ran there" },
	{ READY_IDLE, "woken, the processor came out of idling" },
	{ READY_THROTTLED, "its cgroup's quota was used up" },
	{ READY_YIELDED, "gave way itself" },
	{ READY_UNSEEN, "cut by the window" },
};

struct delay { double ns, count, moved, longest_ns; };
struct cause { struct string_id reason, comm; struct delay delay; };           /* comm: of who had the processor */
struct pair { struct string_id reason; uint32_t thread, other; struct delay delay; };
struct length { double count, ns; };

struct runnable {
	const struct question *question;
	const struct profile *profile;
	const struct account *account;
	struct map *cause_ids, *pair_ids;
	struct cause *causes;
	struct pair *pairs;
	size_t cause_count, cause_room, pair_count, pair_room;
	struct delay totals[ARRAY_LENGTH(reasons)];
	double told_ns;
	struct length lengths[2][LENGTHS];      /* woken, preempted */
};

/* The row of a key, made where it is new: which may move the list. */
#define ROW_OF(runnable_, noun, key, ...)                                                            \
	({                                                                                           \
		uint32_t *at = map_put((runnable_)->noun##_ids, (key), NULL);                        \
		if (!*at) {                                                                          \
			grow((runnable_)->noun##s, (runnable_)->noun##_count, (runnable_)->noun##_room); \
			(runnable_)->noun##s[(runnable_)->noun##_count++] = (struct noun){ __VA_ARGS__ }; \
			*at = (uint32_t)(runnable_)->noun##_count;                                   \
		}                                                                                    \
		&(runnable_)->noun##s[*at - 1];                                                      \
	})

static void delay_add(struct delay *delay, const struct cell *cell, bool moved)
{
	delay->ns += (double)cell->value;
	delay->count += (double)cell->count;
	delay->moved += moved ? (double)cell->count : 0;
	delay->longest_ns = fmax(delay->longest_ns, (double)cell->maximum);
}

static void add_reason(struct runnable *runnable, const struct cell *cell)
{
	const struct object *object = profile_object_at(runnable->profile, cell->object.index);
	struct string_id comm = profile_thread_at(runnable->profile, cell->other.index)->comm;
	bool moved = !strcmp(profile_text(runnable->profile, object->kind), READY_MOVED);
	uint32_t cause_key[2] = { object->name.index, comm.index };
	uint32_t pair_key[3] = { object->name.index, cell->thread.index, cell->other.index };

	for (size_t i = 0; i < ARRAY_LENGTH(reasons); i++)
		if (!strcmp(reasons[i].name, profile_text(runnable->profile, object->name)))
			delay_add(&runnable->totals[i], cell, moved);
	runnable->told_ns += (double)cell->value;
	delay_add(&ROW_OF(runnable, cause, cause_key, .reason = object->name, .comm = comm)->delay, cell, moved);
	delay_add(&ROW_OF(runnable, pair, pair_key, .reason = object->name, .thread = cell->thread.index,
			  .other = cell->other.index)->delay, cell, moved);
}

/* Of the whole population: they know no thread. */
static void add_length(struct runnable *runnable, const struct cell *cell, bool preempted)
{
	struct length *length = &runnable->lengths[preempted][cell->length_log2 & (LENGTHS - 1)];

	length->count += (double)cell->count;
	length->ns += (double)cell->value;
}

static void add_cells(struct runnable *runnable)
{
	const struct profile *profile = runnable->profile;
	struct dimension_id preempted = dimension_of_path(profile, "runnable/preempted"), woken = dimension_of_path(profile, "runnable/woken");

	for (size_t i = 0; i < profile_cell_count(profile); i++) {
		const struct cell *cell = profile_cell_at(profile, i);
		const struct measure *measure = profile_measure_at(profile, cell->measure.index);
		struct dimension_id id = profile_cell_dimension(profile, cell);

		if (measure->role != ROLE_DETAIL || !selection_has_cell(runnable->question->selection, profile, cell))
			continue;
		if (!strcmp(profile_text(profile, measure->source), READY_REASONS))
			add_reason(runnable, cell);
		else if (!cell->thread.index && id.index && (id.index == preempted.index || id.index == woken.index))
			add_length(runnable, cell, id.index == preempted.index);
	}
}

static int compare_causes(const void *left, const void *right)
{
	const struct cause *a = left, *b = right;

	return a->delay.ns != b->delay.ns ? (a->delay.ns > b->delay.ns ? -1 : 1) : 0;
}

static int compare_pairs(const void *left, const void *right)
{
	const struct pair *a = left, *b = right;

	return a->delay.ns != b->delay.ns ? (a->delay.ns > b->delay.ns ? -1 : 1) : 0;
}

/* --- Sections --------------------------------------------------------------------------------------------------- */

static double part_of(const struct runnable *runnable, const char *path)
{
	struct dimension_id id = dimension_of_path(runnable->profile, path);

	return id.index ? account_part(runnable->account, id).total : 0;
}

static struct value meta_of(const struct runnable *runnable, const char *key)
{
	uint64_t number = profile_meta_number(runnable->profile, key, UINT64_MAX);

	return number == UINT64_MAX ? value_none() : value_integer((int64_t)number);
}

static struct record *summary_of_delays(const struct runnable *runnable)
{
	struct record *record = record_new();
	const struct account *account = runnable->account;
	struct tally all = account_state(account, dimension_of_path(runnable->profile, "runnable"));
	struct dimension_id migrations = dimension_of_path(runnable->profile, "migrations");

	record_add(record, "runnable", "runnable", "ns", figure_whole(all.total));
	record_add(record, "per_completion", "per completion", "ns", figure(account_per_completion(account, all.total)));
	record_add(record, "preempted", "preempted or gave way", "ns", figure_whole(part_of(runnable, "runnable/preempted")));
	record_add(record, "woken", "woken and queued", "ns", figure_whole(part_of(runnable, "runnable/woken")));
	record_add(record, "throttled", "throttled by quota", "ns", figure_whole(part_of(runnable, "runnable/throttled")));
	record_add(record, "told", "share with a reason (20 us and more)", "fraction",
		   figure(all.total > 0 ? runnable->told_ns / all.total : NAN));
	record_add(record, "migrations", "migrations", "count",
		   migrations.index ? figure_whole(account_state(account, migrations).total) : value_integer(0));
	record_add(record, "steal", "steal, of the whole host", "ns", meta_of(runnable, "host.steal_ns"));
	record_add(record, "interrupts", "interrupts, of the whole host", "ns", meta_of(runnable, "host.irq_ns"));
	return record;
}

static const struct column reason_columns[] = {
	{ "reason", "reason", "", COLUMN_LEFT },
	{ "total", "total", "ns", 0 },
	{ "share", "share", "fraction", COLUMN_BAR },
	{ "per_completion", "per completion", "ns", 0 },
	{ "count", "delays", "count", 0 },
	{ "mean", "mean", "ns", 0 },
	{ "longest", "longest", "ns", 0 },
	{ "moved", "moved", "fraction", 0 },
	{ "meaning", "what it means", "", COLUMN_LEFT },
};

static void add_reasons(const struct runnable *runnable, struct document *into)
{
	struct table *table = table_new(reason_columns, ARRAY_LENGTH(reason_columns));

	for (size_t i = 0; i < ARRAY_LENGTH(reasons); i++) {
		const struct delay *delay = &runnable->totals[i];

		if (delay->count > 0)
			table_add(table, (struct value[]){
				value_text(reasons[i].name), figure_whole(delay->ns), figure(delay->ns / runnable->told_ns),
				figure(account_per_completion(runnable->account, delay->ns)), figure_whole(delay->count),
				figure(delay->ns / delay->count), figure_whole(delay->longest_ns),
				figure(delay->moved / delay->count), value_text(reasons[i].meaning) });
	}
	(void)document_add_table(into, "reasons", "Reasons of delays of 20 us and more: exact", table);
}

static const char *comm_of(const struct runnable *runnable, struct string_id comm)
{
	return comm.index ? profile_text(runnable->profile, comm) : "-";
}

static const struct column cause_columns[] = {
	{ "by", "who ran instead", "", COLUMN_LEFT },
	{ "reason", "reason", "", COLUMN_LEFT },
	{ "total", "total", "ns", 0 },
	{ "share", "share", "fraction", COLUMN_BAR },
	{ "count", "delays", "count", 0 },
	{ "longest", "longest", "ns", 0 },
};

static void add_causes(const struct runnable *runnable, size_t most, struct document *into)
{
	struct table *table = table_new(cause_columns, ARRAY_LENGTH(cause_columns));

	for (size_t i = 0; i < runnable->cause_count; i++) {
		const struct cause *cause = &runnable->causes[i];

		if (table->row_count >= most) {
			table->rows_left_out++;
			continue;
		}
		table_add(table, (struct value[]){
			value_text(comm_of(runnable, cause->comm)), value_text(profile_text(runnable->profile, cause->reason)),
			figure_whole(cause->delay.ns), figure(cause->delay.ns / runnable->told_ns), figure_whole(cause->delay.count),
			figure_whole(cause->delay.longest_ns) });
	}
	(void)document_add_table(into, "preempters", "Who ran instead: the first that took its place, the last before its turn", table);
}

static const struct column pair_columns[] = {
	{ "thread", "thread", "", COLUMN_LEFT },
	{ "by", "who ran instead", "", COLUMN_LEFT },
	{ "reason", "reason", "", COLUMN_LEFT },
	{ "total", "total", "ns", COLUMN_BAR },
	{ "count", "delays", "count", 0 },
	{ "longest", "longest", "ns", 0 },
};

static struct value thread_name(const struct runnable *runnable, uint32_t thread)
{
	const struct thread *row = profile_thread_at(runnable->profile, thread);

	return thread ? value_print("%s (%u)", profile_text(runnable->profile, row->comm), row->tid) : value_text("-");
}

static void add_pairs(const struct runnable *runnable, size_t most, struct document *into)
{
	struct table *table = table_new(pair_columns, ARRAY_LENGTH(pair_columns));

	for (size_t i = 0; i < runnable->pair_count; i++) {
		const struct pair *pair = &runnable->pairs[i];

		if (table->row_count >= most) {
			table->rows_left_out++;
			continue;
		}
		table_add(table, (struct value[]){
			thread_name(runnable, pair->thread), thread_name(runnable, pair->other),
			value_text(profile_text(runnable->profile, pair->reason)), figure_whole(pair->delay.ns),
			figure_whole(pair->delay.count), figure_whole(pair->delay.longest_ns) });
	}
	(void)document_add_table(into, "ready_threads", "Threads that could run, and who ran instead", table);
}

static const struct column length_columns[] = {
	{ "below_ns", "below", "ns", 0 },
	{ "woken", "woken", "count", COLUMN_BAR },
	{ "woken_total", "total", "ns", 0 },
	{ "preempted", "preempted", "count", COLUMN_BAR },
	{ "preempted_total", "total", "ns", 0 },
};

static void add_lengths(const struct runnable *runnable, struct document *into)
{
	struct table *table = table_new(length_columns, ARRAY_LENGTH(length_columns));

	for (unsigned i = 0; i < LENGTHS; i++) {
		const struct length *woken = &runnable->lengths[0][i], *preempted = &runnable->lengths[1][i];

		if (woken->count + preempted->count > 0)
			table_add(table, (struct value[]){ figure(ldexp(1, (int)i + 1)), figure_whole(woken->count), figure_whole(woken->ns),
							   figure_whole(preempted->count), figure_whole(preempted->ns) });
	}
	(void)document_add_table(into, "delays", "Lengths of all delays of the population: exact", table);
}

static int runnable_run(const struct question *question, struct document *into, struct error *err)
{
	CLEANUP(account) struct account *account = account_new(question);
	CLEANUP(map) struct map *cause_ids = map_new(2 * sizeof(uint32_t)), *pair_ids = map_new(3 * sizeof(uint32_t));
	struct runnable runnable = { .question = question, .profile = question->profile, .account = account,
				     .cause_ids = cause_ids, .pair_ids = pair_ids };

	(void)err;
	add_cells(&runnable);
	if (runnable.cause_count) {
		qsort(runnable.causes, runnable.cause_count, sizeof(*runnable.causes), compare_causes);
		qsort(runnable.pairs, runnable.pair_count, sizeof(*runnable.pairs), compare_pairs);
	}
	(void)document_add_record(into, "ready", "Waits for a processor", summary_of_delays(&runnable));
	add_reasons(&runnable, into);
	add_causes(&runnable, question->most ? question->most : BY_MOST, into);
	add_pairs(&runnable, question->most ? question->most : EDGES_MOST, into);
	add_lengths(&runnable, into);
	if (!runnable.cause_count && cohort_is(question->profile))
		document_add_finding(into, SEVERITY_WARNING, "reasons of delays and who ran instead are not kept by request: there is their sum");
	else if (!runnable.cause_count)
		document_add_finding(into, SEVERITY_NOTE, "no delay has a reason: none was as long as 20 us, or the capture was made "
							  "--without runnable or imported");
	free(runnable.causes);
	free(runnable.pairs);
	return 0;
}

extern const struct analysis analysis_runnable;
const struct analysis analysis_runnable = {
	.name = "runnable",
	.asks = "why did threads that could run not run, and who ran instead?",
	.run = runnable_run,
};
