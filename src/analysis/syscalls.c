/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which system calls were made, how long did they take, how did they fail, and from where? Counts, times and errors by call
 * are exact; so is the processor time inside of calls, and with it the rest of the on-CPU time: user code, and the faults and
 * interrupts in it. Call sites are sampled and say so. A site that makes thousands of small reads or writes, or of futex
 * calls, a second is named: there a buffer or a shorter critical section saves more than faster code.
 */
#include "analysis/account.h"
#include "analysis/analysis.h"
#include "analysis/figure.h"
#include "analysis/naming.h"
#include "base/map.h"
#include "base/memory.h"
#include "profile/selection.h"
#include "profile/system_call.h"
#include "result/document.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CALLS_MOST = 30, SITES_MOST = 15, ERRORS_MOST = 20, STACK_NAMES_MOST = 32, LENGTHS = 64, FINDINGS_MOST = 5 };
/* A smell: so many a second from one place, and so few bytes on average. */
enum { SMELL_PER_SECOND = 1000, SMELL_BYTES = 1024 };

enum amount { COUNT, TIME, ONCPU, BYTES, ERRORS, AMOUNTS };
static const char *const names[AMOUNTS] = { "system-calls", "system-call-time", "system-call-oncpu", "system-call-bytes",
					    "system-call-errors" };

struct length { double count, ns; };
struct call { struct object_id object; double amounts[AMOUNTS], longest_ns; struct length lengths[LENGTHS]; };
struct site { struct object_id object; struct stack_id stack; double amounts[AMOUNTS]; };
struct failure { struct object_id object; double count; };

struct calls {
	const struct question *question;
	const struct profile *profile;
	const struct account *account;
	struct naming *naming;
	struct dimension_id ids[AMOUNTS];
	struct map *call_ids, *site_ids, *failure_ids;
	struct call *calls;
	struct site *sites;
	struct failure *failures;
	size_t call_count, call_room, site_count, site_room, failure_count, failure_room;
	double sums[AMOUNTS];
};

/* The row of a key, made where it is new: which may move the list. */
#define ROW_OF(calls_, noun, key, ...)                                                               \
	({                                                                                           \
		uint32_t *at = map_put((calls_)->noun##_ids, (key), NULL);                           \
		if (!*at) {                                                                          \
			grow((calls_)->noun##s, (calls_)->noun##_count, (calls_)->noun##_room);      \
			(calls_)->noun##s[(calls_)->noun##_count++] = (struct noun){ __VA_ARGS__ };  \
			*at = (uint32_t)(calls_)->noun##_count;                                      \
		}                                                                                    \
		&(calls_)->noun##s[*at - 1];                                                         \
	})

static void add_exact(struct calls *calls, const struct cell *cell, enum amount amount)
{
	double value = (double)cell->value;
	struct call *call;

	calls->sums[amount] += value;
	if (amount == ERRORS) {
		ROW_OF(calls, failure, &cell->object.index, .object = cell->object)->count += value;
		return;
	}
	call = ROW_OF(calls, call, &cell->object.index, .object = cell->object);
	call->amounts[amount] += value;
	if (amount != TIME)
		return;
	call->longest_ns = fmax(call->longest_ns, (double)cell->maximum);
	call->lengths[cell->length_log2 & (LENGTHS - 1)].count += (double)cell->count;
	call->lengths[cell->length_log2 & (LENGTHS - 1)].ns += value;
}

static void add_sampled(struct calls *calls, const struct cell *cell, enum amount amount)
{
	uint32_t key[2] = { cell->object.index, cell->stack.index };

	if (amount != ERRORS)                   /* they have objects of their own */
		ROW_OF(calls, site, key, .object = cell->object, .stack = cell->stack)->amounts[amount] += cell_weight(cell);
}

static void add_cells(struct calls *calls)
{
	for (unsigned i = 0; i < AMOUNTS; i++)
		calls->ids[i] = profile_dimension_find(calls->profile, NULL, names[i]);
	for (size_t i = 0; i < profile_cell_count(calls->profile); i++) {
		const struct cell *cell = profile_cell_at(calls->profile, i);
		struct dimension_id id = profile_cell_dimension(calls->profile, cell);
		const struct measure *measure = profile_measure_at(calls->profile, cell->measure.index);

		if (!cell->object.index || !selection_has_cell(calls->question->selection, calls->profile, cell))
			continue;
		for (unsigned amount = 0; amount < AMOUNTS; amount++) {
			if (!calls->ids[amount].index || calls->ids[amount].index != id.index)
				continue;
			if (measure->role == ROLE_TOTAL)
				add_exact(calls, cell, amount);
			else if (measure->role == ROLE_SPLIT)
				add_sampled(calls, cell, amount);
		}
	}
}

#define COMPARE(noun, member)                                                                        \
	static int compare_##noun##s(const void *left, const void *right)                            \
	{                                                                                            \
		const struct noun *a = left, *b = right;                                             \
		if (a->member != b->member)                                                          \
			return a->member > b->member ? -1 : 1;                                       \
		return a->object.index < b->object.index ? -1 : a->object.index > b->object.index;   \
	}
COMPARE(call, amounts[TIME])
COMPARE(site, amounts[TIME])
COMPARE(failure, count)

static void sort(struct calls *calls)
{
	if (calls->call_count)
		qsort(calls->calls, calls->call_count, sizeof(*calls->calls), compare_calls);
	if (calls->site_count)
		qsort(calls->sites, calls->site_count, sizeof(*calls->sites), compare_sites);
	if (calls->failure_count)
		qsort(calls->failures, calls->failure_count, sizeof(*calls->failures), compare_failures);
}

/* --- Figures ---------------------------------------------------------------------------------------------------- */

static const char *object_name(const struct calls *calls, struct object_id object)
{
	return profile_text(calls->profile, profile_object_at(calls->profile, object.index)->name);
}

static double ratio(double sum, double count)
{
	return count > 0 ? sum / count : NAN;
}

static double per_second(const struct calls *calls, double count)
{
	return ratio(count * 1e9, calls->account->elapsed_ns);
}

/* Inside its power of two a length is taken to lie where it would if all lengths there were equally likely. */
static double quantile(const struct call *call, double fraction)
{
	double all = 0, below = 0;

	for (unsigned i = 0; i < LENGTHS; i++)
		all += call->lengths[i].count;
	for (unsigned i = 0; i < LENGTHS && all > 0; i++) {
		const struct length *at = &call->lengths[i];

		if (at->count > 0 && below + at->count >= fraction * all)
			return fmin(ldexp(1 + (fraction * all - below) / at->count, (int)i), call->longest_ns);
		below += at->count;
	}
	return NAN;
}

static const struct column length_columns[] = {
	{ "below_ns", "below", "ns", 0 }, { "count", "count", "count", COLUMN_BAR }, { "total", "total", "ns", 0 },
};

static struct table *lengths_of(const struct call *call)
{
	struct table *table = table_new(length_columns, ARRAY_LENGTH(length_columns));

	for (unsigned i = 0; i < LENGTHS; i++)
		if (call->lengths[i].count > 0)
			table_add(table, (struct value[]){ figure(ldexp(1, (int)i + 1)), figure_whole(call->lengths[i].count),
							   figure_whole(call->lengths[i].ns) });
	return table;
}

static double errors_of(const struct calls *calls, const struct call *call)
{
	const char *name = object_name(calls, call->object);
	size_t size = strlen(name);
	double sum = 0;

	for (size_t i = 0; i < calls->failure_count; i++) {
		const char *failure = object_name(calls, calls->failures[i].object);

		if (!strncmp(failure, name, size) && failure[size] == ' ')
			sum += calls->failures[i].count;
	}
	return sum;
}

/* What to say of so many calls of one kind a second; NULL where there is nothing. */
static const char *smell_of(const struct calls *calls, const char *name, const double *amounts)
{
	if (!(per_second(calls, amounts[COUNT]) >= SMELL_PER_SECOND))
		return NULL;
	if (!strcmp(name, "futex"))
		return "futex calls";
	if (!system_call_moves_bytes(name) || !(ratio(amounts[BYTES], amounts[COUNT]) <= SMELL_BYTES))
		return NULL;
	return strstr(name, "write") || strstr(name, "send") ? "small writes" : "small reads";
}

/* --- Sections --------------------------------------------------------------------------------------------------- */

static struct record *summary_of_calls(const struct calls *calls)
{
	struct record *record = record_new();
	const struct account *account = calls->account;
	struct dimension_id kernel = dimension_of_path(calls->profile, "oncpu/kernel");
	double oncpu = account_exact(account, dimension_of_path(calls->profile, "oncpu")), inside = calls->sums[ONCPU];

	record_add(record, "calls", "system calls", "count", figure_whole(calls->sums[COUNT]));
	record_add(record, "per_second", "per second", "count", figure(per_second(calls, calls->sums[COUNT])));
	record_add(record, "per_completion", "per completion", "", figure(account_per_completion(account, calls->sums[COUNT])));
	record_add(record, "errors", "errors", "count", figure_whole(calls->sums[ERRORS]));
	record_add(record, "time", "in calls, waiting included", "ns", figure_whole(calls->sums[TIME]));
	record_add(record, "oncpu", "on-CPU", "ns", figure_whole(oncpu));
	record_add(record, "oncpu_inside", "of it inside calls", "ns", figure_whole(inside));
	record_add(record, "oncpu_outside", "of it outside: user code, faults, interrupts", "ns", figure_whole(oncpu - inside));
	record_add(record, "inside_share", "share inside calls", "fraction", figure(ratio(inside, oncpu)));
	if (kernel.index)
		record_add(record, "kernel_share", "share in the kernel, sampled", "fraction",
			   figure(ratio(account_part(account, kernel).total, oncpu)));
	return record;
}

static const struct column call_columns[] = {
	{ "call", "call", "", COLUMN_LEFT },
	{ "count", "calls", "count", 0 },
	{ "per_second", "per second", "count", 0 },
	{ "per_completion", "per completion", "", 0 },
	{ "time", "time", "ns", COLUMN_BAR },
	{ "oncpu", "on CPU", "ns", 0 },
	{ "mean", "mean", "ns", 0 },
	{ "p50", "p50", "ns", 0 },
	{ "p99", "p99", "ns", 0 },
	{ "longest", "longest", "ns", 0 },
	{ "errors", "errors", "count", 0 },
	{ "bytes", "mean bytes", "bytes", 0 },
	{ "time_per_completion_ns", "time per completion", "ns", COLUMN_MACHINE },
	{ "histogram", "lengths", "", COLUMN_MACHINE },
};

static void add_call(const struct calls *calls, const struct call *call, struct table *into)
{
	const char *name = object_name(calls, call->object);
	double count = call->amounts[COUNT];

	table_add(into, (struct value[]){
		value_text(name),
		figure_whole(count),
		figure(per_second(calls, count)),
		figure(account_per_completion(calls->account, count)),
		figure_whole(call->amounts[TIME]),
		figure_whole(call->amounts[ONCPU]),
		figure(ratio(call->amounts[TIME], count)),
		figure(quantile(call, 0.5)),
		figure(quantile(call, 0.99)),
		figure_whole(call->longest_ns),
		figure_whole(errors_of(calls, call)),
		system_call_moves_bytes(name) ? figure(ratio(call->amounts[BYTES], count)) : value_none(),
		figure(account_per_completion(calls->account, call->amounts[TIME])),
		value_table(lengths_of(call)),
	});
}

static const struct column failure_columns[] = {
	{ "error", "call, error", "", COLUMN_LEFT },
	{ "count", "count", "count", COLUMN_BAR },
	{ "per_second", "per second", "count", 0 },
	{ "per_completion", "per completion", "", 0 },
};

static void add_failure(const struct calls *calls, const struct failure *failure, struct table *into)
{
	table_add(into, (struct value[]){ value_text(object_name(calls, failure->object)), figure_whole(failure->count),
					  figure(per_second(calls, failure->count)),
					  figure(account_per_completion(calls->account, failure->count)) });
}

static const struct column site_columns[] = {
	{ "call", "call", "", COLUMN_LEFT },
	{ "count", "calls", "count", 0 },
	{ "per_second", "per second", "count", 0 },
	{ "time", "time", "ns", COLUMN_BAR },
	{ "oncpu", "on CPU", "ns", 0 },
	{ "mean", "mean", "ns", 0 },
	{ "bytes", "mean bytes", "bytes", 0 },
	{ "smell", "smell", "", COLUMN_LEFT },
	{ "measured", "measured", "", COLUMN_MACHINE },
	{ "stack", "stack", "", COLUMN_CODE },
};

static void add_site(const struct calls *calls, const struct site *site, struct table *into)
{
	CLEANUP_TEXT char *stack = naming_line(calls->naming, site->stack, STACK_NAMES_MOST);
	const char *name = object_name(calls, site->object), *smell = smell_of(calls, name, site->amounts);
	double count = site->amounts[COUNT];

	table_add(into, (struct value[]){
		value_text(name),
		figure_whole(count),
		figure(per_second(calls, count)),
		figure_whole(site->amounts[TIME]),
		figure_whole(site->amounts[ONCPU]),
		figure(ratio(site->amounts[TIME], count)),
		system_call_moves_bytes(name) ? figure(ratio(site->amounts[BYTES], count)) : value_none(),
		smell ? value_text(smell) : value_none(),
		value_text("sampled"),
		value_text(stack),
	});
}

/* By site; by call alone where no stacks were taken. */
static void add_findings(const struct calls *calls, struct document *into)
{
	unsigned said = 0;

	for (size_t i = 0; i < calls->site_count && said < FINDINGS_MOST; i++) {
		const struct site *site = &calls->sites[i];
		const char *name = object_name(calls, site->object), *smell = smell_of(calls, name, site->amounts);
		CLEANUP_TEXT char *stack = smell ? naming_line(calls->naming, site->stack, STACK_NAMES_MOST) : NULL;

		if (!smell)
			continue;
		said++;
		document_add_finding(into, SEVERITY_WARNING, "%.0f %s a second (%s, %.0f bytes each) at %s",
				     per_second(calls, site->amounts[COUNT]), smell, name,
				     ratio(site->amounts[BYTES], site->amounts[COUNT]), stack);
	}
	for (size_t i = 0; i < calls->call_count && !calls->site_count && said < FINDINGS_MOST; i++) {
		const struct call *call = &calls->calls[i];
		const char *name = object_name(calls, call->object), *smell = smell_of(calls, name, call->amounts);

		said += smell != NULL;
		if (smell)
			document_add_finding(into, SEVERITY_WARNING, "%.0f %s a second (%s)",
					     per_second(calls, call->amounts[COUNT]), smell, name);
	}
	if (!calls->call_count)
		document_add_finding(into, SEVERITY_NOTE, "no system call was counted: record --with syscalls counts them");
}

#define ADD_ROWS(calls_, noun, most, into)                                                           \
	do {                                                                                         \
		for (size_t row = 0; row < (calls_)->noun##_count; row++) {                          \
			if ((into)->row_count >= (most))                                             \
				(into)->rows_left_out++;                                             \
			else                                                                         \
				add_##noun((calls_), &(calls_)->noun##s[row], (into));               \
		}                                                                                    \
	} while (0)

static void add_sections(const struct calls *calls, size_t most, struct document *into)
{
	struct table *table = table_new(call_columns, ARRAY_LENGTH(call_columns));
	struct table *sites = table_new(site_columns, ARRAY_LENGTH(site_columns));
	struct table *failures = table_new(failure_columns, ARRAY_LENGTH(failure_columns));

	ADD_ROWS(calls, call, most ? most : CALLS_MOST, table);
	ADD_ROWS(calls, site, most ? most : SITES_MOST, sites);
	ADD_ROWS(calls, failure, most ? most : ERRORS_MOST, failures);
	(void)document_add_record(into, "system_calls", "System calls", summary_of_calls(calls));
	(void)document_add_table(into, "calls", "Calls: exact; quantiles within a power of two", table);
	(void)document_add_table(into, "call_errors", "Errors: exact", failures);
	(void)document_add_table(into, "call_origins", "Where calls are made: sampled", sites);
}

static void calls_done(struct calls *calls)
{
	naming_free(calls->naming);
	map_free(calls->call_ids);
	map_free(calls->site_ids);
	map_free(calls->failure_ids);
	free(calls->calls);
	free(calls->sites);
	free(calls->failures);
}

static int syscalls_run(const struct question *question, struct document *into, struct error *err)
{
	CLEANUP(account) struct account *account = account_new(question);
	struct calls calls = { .question = question, .profile = question->profile, .account = account,
			       .naming = naming_new(question->profile), .call_ids = map_new(sizeof(uint32_t)),
			       .site_ids = map_new(2 * sizeof(uint32_t)), .failure_ids = map_new(sizeof(uint32_t)) };

	(void)err;
	add_cells(&calls);
	sort(&calls);
	if (question->alone || calls.call_count) {
		add_sections(&calls, question->most, into);
		add_findings(&calls, into);
	}
	calls_done(&calls);
	return 0;
}

extern const struct analysis analysis_syscalls;
const struct analysis analysis_syscalls = {
	.name = "syscalls",
	.asks = "which system calls were made, from where, how long, with what errors?",
	.run = syscalls_run,
	.not_by_request = "system calls are not kept by request: of these requests, --question waits has those that waited",
};
