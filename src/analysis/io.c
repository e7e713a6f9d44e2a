/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What did the devices do, and which of their requests did threads wait for? A wait that ended with the completion of the
 * thread's own request has a chain of links, each with its length. Others are said to be unmatched, and why: they waited for
 * what somebody else had asked for (a journal, write-back, a page that was on its way), or their request was completed elsewhere.
 */
#include "analysis/account.h"
#include "analysis/analysis.h"
#include "analysis/figure.h"
#include "analysis/io_files.h"
#include "base/map.h"
#include "base/memory.h"
#include "profile/selection.h"
#include "result/document.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of one device and operation, in the order of names[]. */
enum amount { OPERATIONS, BYTES, QUEUE, DEVICE, ERRORS, RETRIES, MERGES, WAITS, WAIT_QUEUE, WAIT_DEVICE, WAIT_WAKE, WAIT_RUNNABLE, AMOUNTS };
static const struct { const char *parent, *name; } names[AMOUNTS] = {
	{ NULL, "block-operations" }, { NULL, "block-bytes" }, { "block-operations", "queue" }, { "block-operations", "device" },
	{ "block-operations", "errors" }, { "block-operations", "retries" }, { "block-operations", "merges" },
	{ "block-operations", "waits" }, { "block-operations", "wait-queue" }, { "block-operations", "wait-device" },
	{ "block-operations", "wait-wake" }, { "block-operations", "wait-runnable" },
};

struct device { struct object_id object; double amounts[AMOUNTS], longest; };

/* Waits of one rule in one class. */
struct kind { struct dimension_id class; struct string_id rule; double count, total, matched, other, elsewhere; };

struct io {
	const struct question *question;
	const struct profile *profile;
	struct dimension_id ids[AMOUNTS];
	struct map *device_index, *kind_index;
	struct device *devices;
	size_t device_count, device_room;
	struct kind *kinds;
	size_t kind_count, kind_room;
};

static void add_amount(struct io *io, const struct cell *cell, enum amount amount)
{
	bool added = false;
	uint32_t *at = map_put(io->device_index, &cell->object.index, &added);

	if (added) {
		grow(io->devices, io->device_count, io->device_room);
		io->devices[io->device_count] = (struct device){ .object = cell->object };
		*at = (uint32_t)io->device_count++;
	}
	io->devices[*at].amounts[amount] += (double)cell->value;
	if (amount == DEVICE)
		io->devices[*at].longest = fmax(io->devices[*at].longest, (double)cell->maximum);
}

static bool is_storage(const struct io *io, struct dimension_id class)
{
	const struct dimension *state = profile_dimension_at(io->profile, profile_dimension_root(io->profile, class).index);
	const char *name = profile_text(io->profile, state->name);
	const char *part = profile_text(io->profile, profile_dimension_at(io->profile, class.index)->name);

	return !strcmp(name, "disk") || (!strcmp(name, "paging") && (!strcmp(part, "major-fault") || !strcmp(part, "swap")));
}

static void add_wait(struct io *io, const struct cell *cell)
{
	const struct evidence *evidence = profile_evidence_at(io->profile, cell->evidence.index);
	uint64_t key = (uint64_t)evidence->class.index << 32 | evidence->rule.index;
	bool added = false;
	uint32_t *at = map_put(io->kind_index, &key, &added);
	double count = (double)cell->count;
	struct kind *kind;

	if (added) {
		grow(io->kinds, io->kind_count, io->kind_room);
		io->kinds[io->kind_count] = (struct kind){ .class = evidence->class, .rule = evidence->rule };
		*at = (uint32_t)io->kind_count++;
	}
	kind = &io->kinds[*at];
	kind->count += count;
	kind->total += (double)cell->value;
	if (evidence->seen.flags & EVIDENCE_OWN_BIO_DONE)
		kind->matched += count;
	else if (evidence->seen.flags & EVIDENCE_OWN_BIO)
		kind->elsewhere += count;
	else
		kind->other += count;
}

static void add_cells(struct io *io)
{
	for (unsigned i = 0; i < AMOUNTS; i++)
		io->ids[i] = profile_dimension_find(io->profile, names[i].parent, names[i].name);
	for (size_t i = 0; i < profile_cell_count(io->profile); i++) {
		const struct cell *cell = profile_cell_at(io->profile, i);
		struct dimension_id id = profile_cell_dimension(io->profile, cell);
		const struct measure *measure = profile_measure_at(io->profile, cell->measure.index);

		for (unsigned amount = 0; amount < AMOUNTS && cell->object.index; amount++)
			if (io->ids[amount].index && dimension_is(id, io->ids[amount]))
				add_amount(io, cell, amount);
		if (measure->role == ROLE_TOTAL && cell->evidence.index && is_storage(io, id) &&
		    selection_has_cell(io->question->selection, io->profile, cell))
			add_wait(io, cell);
	}
}

static double mean(double sum, double count)
{
	return count > 0 ? sum / count : NAN;
}

static const char *device_name(const struct io *io, const struct device *device)
{
	return profile_text(io->profile, profile_object_at(io->profile, device->object.index)->name);
}

static const struct column device_columns[] = {
	{ "device", "device, operation", "", COLUMN_LEFT }, { "count", "requests", "count", 0 }, { "bytes", "bytes", "bytes", 0 },
	{ "size", "mean size", "bytes", 0 }, { "queue", "in queue", "ns", 0 }, { "served", "in device", "ns", 0 },
	{ "longest", "longest", "ns", 0 }, { "merges", "merges", "count", 0 }, { "errors", "errors", "count", 0 },
	{ "retries", "retries", "count", 0 },
};

static void add_devices(const struct io *io, struct document *into)
{
	struct table *table = table_new(device_columns, ARRAY_LENGTH(device_columns));

	for (size_t i = 0; i < io->device_count; i++) {
		const struct device *device = &io->devices[i];
		const double *amounts = device->amounts;

		table_add(table, (struct value[]){
			value_text(device_name(io, device)), figure_whole(amounts[OPERATIONS]), figure_whole(amounts[BYTES]),
			figure(mean(amounts[BYTES], amounts[OPERATIONS])), figure(mean(amounts[QUEUE], amounts[OPERATIONS])),
			figure(mean(amounts[DEVICE], amounts[OPERATIONS])), figure(device->longest), figure_whole(amounts[MERGES]),
			figure_whole(amounts[ERRORS]), figure_whole(amounts[RETRIES]) });
	}
	(void)document_add_table(into, "devices", "What devices did, whoever asked: means of their requests", table);
}

static const struct column chain_columns[] = {
	{ "device", "device, operation", "", COLUMN_LEFT }, { "count", "waits", "count", 0 }, { "queue", "queue", "ns", 0 },
	{ "served", "device", "ns", 0 }, { "wake", "wake", "ns", 0 }, { "runnable", "runnable", "ns", 0 },
};

static void add_chains(const struct io *io, struct document *into)
{
	struct table *table = table_new(chain_columns, ARRAY_LENGTH(chain_columns));

	for (size_t i = 0; i < io->device_count; i++) {
		const double *amounts = io->devices[i].amounts;

		if (amounts[WAITS] > 0)
			table_add(table, (struct value[]){
				value_text(device_name(io, &io->devices[i])), figure_whole(amounts[WAITS]),
				figure(amounts[WAIT_QUEUE] / amounts[WAITS]), figure(amounts[WAIT_DEVICE] / amounts[WAITS]),
				figure(amounts[WAIT_WAKE] / amounts[WAITS]), figure(amounts[WAIT_RUNNABLE] / amounts[WAITS]) });
	}
	(void)document_add_table(into, "chains", "Waits for the thread's own request: submitted, issued, completed, woken, running", table);
}

static const struct column kind_columns[] = {
	{ "class", "class", "", COLUMN_LEFT }, { "rule", "by", "", COLUMN_LEFT }, { "count", "waits", "count", 0 },
	{ "total", "total", "ns", 0 }, { "matched", "own request", "fraction", 0 }, { "others", "of others", "fraction", 0 },
	{ "elsewhere", "own, not matched", "fraction", 0 },
};

static int compare_kinds(const void *left, const void *right)
{
	const struct kind *a = left, *b = right;

	return a->total > b->total ? -1 : a->total < b->total ? 1 : 0;
}

static void add_kinds(const struct io *io, struct document *into)
{
	struct table *table = table_new(kind_columns, ARRAY_LENGTH(kind_columns));
	char name[DIMENSION_PATH_SIZE];

	if (io->kind_count)
		qsort(io->kinds, io->kind_count, sizeof(*io->kinds), compare_kinds);
	for (size_t i = 0; i < io->kind_count; i++) {
		const struct kind *kind = &io->kinds[i];

		table_add(table, (struct value[]){
			value_text(dimension_path(io->profile, kind->class, name)), value_text(profile_text(io->profile, kind->rule)),
			figure_whole(kind->count), figure(kind->total), figure(mean(kind->matched, kind->count)),
			figure(mean(kind->other, kind->count)), figure(mean(kind->elsewhere, kind->count)) });
	}
	(void)document_add_table(into, "storage_waits", "Waits for storage: whose request ended them", table);
}

static int io_run(const struct question *question, struct document *into, struct error *err)
{
	CLEANUP(map) struct map *device_index = map_new(sizeof(uint32_t));
	CLEANUP(map) struct map *kind_index = map_new(sizeof(uint64_t));
	struct io io = { .question = question, .profile = question->profile, .device_index = device_index, .kind_index = kind_index };

	(void)err;
	add_cells(&io);
	add_devices(&io, into);
	add_chains(&io, into);
	add_kinds(&io, into);
	io_files_add(question, into);
	free(io.devices);
	free(io.kinds);
	return 0;
}

extern const struct analysis analysis_io;
const struct analysis analysis_io = {
	.name = "io",
	.asks = "what did devices do, and whose requests did threads wait for?",
	.run = io_run,
	.not_by_request = "what devices did is kept by thread and by file, not by request: of these requests, --question waits has the waits for disks",
};
