/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Requests led back to files and threads are exact. Write-back is not led back but inferred: what workers wrote of a file is
 * shared among the threads that made its pages dirty, in proportion to how many each did. It says so.
 */
#include "analysis/io_files.h"

#include "analysis/analysis.h"
#include "analysis/figure.h"
#include "base/map.h"
#include "base/memory.h"
#include "profile/file_io.h"
#include "profile/profile.h"
#include "profile/selection.h"
#include "result/document.h"

#include <stdlib.h>
#include <string.h>

enum { FILES_MOST = 20, SUBMITTERS_MOST = 20, SHARES_MOST = 30 };
enum amount { REQUESTS, BYTES, TIME, PAGES, FOUND, MISSED, AMOUNTS };
static const char *const names[AMOUNTS] = { "file-requests", "file-bytes", "file-time", "file-dirtied", "cache-found", "cache-missed" };

/* Of one object and one thread; thread 0: of a worker of the kernel, or of all where rows are summed. */
struct row { uint32_t object, thread; double amounts[AMOUNTS], longest_ns; };
struct rows { struct row *rows; size_t count, room; struct map *ids; };

struct files {
	const struct profile *profile;
	struct rows by_file, by_thread, written_back, dirtied, cached;
};

static void rows_init(struct rows *rows)
{
	rows->ids = map_new(2 * sizeof(uint32_t));
}

static void rows_done(struct rows *rows)
{
	free(rows->rows);
	map_free(rows->ids);
}

static void rows_add(struct rows *rows, uint32_t object, uint32_t thread, enum amount amount, const struct cell *cell)
{
	uint32_t key[2] = { object, thread }, *at = map_put(rows->ids, key, NULL);
	struct row *row;

	if (!*at) {
		grow(rows->rows, rows->count, rows->room);
		rows->rows[rows->count++] = (struct row){ .object = object, .thread = thread };
		*at = (uint32_t)rows->count;
	}
	row = &rows->rows[*at - 1];
	row->amounts[amount] += (double)cell->value;
	if (amount == TIME && (double)cell->maximum > row->longest_ns)
		row->longest_ns = (double)cell->maximum;
}

static int compare_rows(const void *left, const void *right)
{
	const struct row *a = left, *b = right;

	for (unsigned i = 0; i < AMOUNTS; i++) {
		static const enum amount order[AMOUNTS] = { BYTES, PAGES, REQUESTS, TIME, MISSED, FOUND };
		enum amount amount = order[i];

		if (a->amounts[amount] != b->amounts[amount])
			return a->amounts[amount] > b->amounts[amount] ? -1 : 1;
	}
	return a->object < b->object ? -1 : a->object > b->object;
}

static void sort(struct rows *rows)
{
	if (rows->count)
		qsort(rows->rows, rows->count, sizeof(*rows->rows), compare_rows);
}

static void add_cell(struct files *files, const struct cell *cell, enum amount amount)
{
	const char *name = profile_text(files->profile, profile_object_at(files->profile, cell->object.index)->name);

	if (amount == FOUND || amount == MISSED) {
		rows_add(&files->cached, cell->object.index, 0, amount, cell);
		return;
	}
	if (amount == PAGES) {
		rows_add(&files->dirtied, cell->object.index, cell->thread.index, amount, cell);
		return;
	}
	rows_add(&files->by_file, cell->object.index, 0, amount, cell);
	if (cell->thread.index)
		rows_add(&files->by_thread, 0, cell->thread.index, amount, cell);
	else if (!strncmp(name, "write ", 6))
		rows_add(&files->written_back, cell->object.index, 0, amount, cell);
}

/* Workers are of no thread of the population, so that a choice of threads leaves them out. */
static void add_cells(struct files *files, const struct selection *selection)
{
	const struct profile *profile = files->profile;

	for (size_t i = 0; i < profile_cell_count(profile); i++) {
		const struct cell *cell = profile_cell_at(profile, i);
		const struct measure *measure = profile_measure_at(profile, cell->measure.index);
		const char *name = profile_text(profile, profile_dimension_at(profile, profile_cell_dimension(profile, cell).index)->name);

		if (!cell->object.index || strcmp(profile_text(profile, measure->source), FILE_IO) != 0 ||
		    !selection_has_cell(selection, profile, cell))
			continue;
		for (unsigned amount = 0; amount < AMOUNTS; amount++)
			if (!strcmp(names[amount], name))
				add_cell(files, cell, amount);
	}
}

static const char *object_name(const struct files *files, uint32_t object)
{
	return profile_text(files->profile, profile_object_at(files->profile, object)->name);
}

static struct value thread_name(const struct files *files, uint32_t thread)
{
	const struct thread *row = profile_thread_at(files->profile, thread);

	return value_print("%s (%u)", profile_text(files->profile, row->comm), row->tid);
}

static struct value mean(const struct row *row, enum amount amount)
{
	return figure(row->amounts[REQUESTS] > 0 ? row->amounts[amount] / row->amounts[REQUESTS] : NAN);
}

static const struct column file_columns[] = {
	{ "file", "operation, file", "", COLUMN_LEFT }, { "count", "requests", "count", 0 }, { "bytes", "bytes", "bytes", COLUMN_BAR },
	{ "size", "mean size", "bytes", 0 }, { "time", "mean time", "ns", 0 }, { "longest", "longest", "ns", 0 },
};

static void add_files(const struct files *files, size_t most, struct document *into)
{
	struct table *table = table_new(file_columns, ARRAY_LENGTH(file_columns));

	for (size_t i = 0; i < files->by_file.count; i++) {
		const struct row *row = &files->by_file.rows[i];

		if (table->row_count >= most)
			table->rows_left_out++;
		else
			table_add(table, (struct value[]){
				value_text(object_name(files, row->object)), figure_whole(row->amounts[REQUESTS]),
				figure_whole(row->amounts[BYTES]), mean(row, BYTES), mean(row, TIME), figure_whole(row->longest_ns) });
	}
	(void)document_add_table(into, "files", "Requests by file: from a piece's submission to its completion", table);
}

static const struct column submitter_columns[] = {
	{ "thread", "submitted by", "", COLUMN_LEFT }, { "count", "requests", "count", 0 }, { "bytes", "bytes", "bytes", COLUMN_BAR },
	{ "size", "mean size", "bytes", 0 }, { "time", "mean time", "ns", 0 }, { "longest", "longest", "ns", 0 },
};

static void add_submitters(const struct files *files, size_t most, struct document *into)
{
	struct table *table = table_new(submitter_columns, ARRAY_LENGTH(submitter_columns));

	for (size_t i = 0; i < files->by_thread.count; i++) {
		const struct row *row = &files->by_thread.rows[i];

		if (table->row_count >= most)
			table->rows_left_out++;
		else
			table_add(table, (struct value[]){
				thread_name(files, row->thread), figure_whole(row->amounts[REQUESTS]),
				figure_whole(row->amounts[BYTES]), mean(row, BYTES), mean(row, TIME), figure_whole(row->longest_ns) });
	}
	(void)document_add_table(into, "submitters", "Requests by the thread that submitted them, waiting for them or not", table);
}

static const struct column share_columns[] = {
	{ "file", "file", "", COLUMN_LEFT }, { "thread", "made dirty by", "", COLUMN_LEFT }, { "pages", "pages", "count", 0 },
	{ "share", "share", "fraction", COLUMN_BAR }, { "written", "written by workers", "bytes", 0 },
	{ "bytes", "of it inferred", "bytes", 0 }, { "measured", "measured", "", 0 },
};

static double pages_of(const struct files *files, uint32_t object)
{
	double pages = 0;

	for (size_t i = 0; i < files->dirtied.count; i++)
		pages += files->dirtied.rows[i].object == object ? files->dirtied.rows[i].amounts[PAGES] : 0;
	return pages;
}

static double written_back(const struct files *files, const char *file)
{
	double bytes = 0;

	for (size_t i = 0; i < files->written_back.count; i++)
		if (!strcmp(object_name(files, files->written_back.rows[i].object) + 6, file))
			bytes += files->written_back.rows[i].amounts[BYTES];
	return bytes;
}

static void add_shares(const struct files *files, size_t most, struct document *into)
{
	struct table *table = table_new(share_columns, ARRAY_LENGTH(share_columns));

	for (size_t i = 0; i < files->dirtied.count; i++) {
		const struct row *row = &files->dirtied.rows[i];
		const char *file = object_name(files, row->object);
		double share, written;

		if (table->row_count >= most) {
			table->rows_left_out++;
			continue;
		}
		share = row->amounts[PAGES] / pages_of(files, row->object);
		written = written_back(files, file);
		table_add(table, (struct value[]){ value_text(file), thread_name(files, row->thread), figure_whole(row->amounts[PAGES]),
						   figure(share), figure_whole(written), figure_whole(share * written),
						   value_text("inferred") });
	}
	(void)document_add_table(into, "write_back", "Who made pages dirty, and so what workers wrote back for whom: inferred", table);
}

static const struct column cache_columns[] = {
	{ "file", "file", "", COLUMN_LEFT }, { "reads", "reads", "count", 0 }, { "found", "in memory", "count", 0 },
	{ "missed", "fetched first", "count", 0 }, { "share", "in memory", "fraction", COLUMN_BAR },
};

static void add_cached(const struct files *files, size_t most, struct document *into)
{
	struct table *table = table_new(cache_columns, ARRAY_LENGTH(cache_columns));

	for (size_t i = 0; i < files->cached.count; i++) {
		const struct row *row = &files->cached.rows[i];
		double reads = row->amounts[FOUND] + row->amounts[MISSED];

		if (table->row_count >= most)
			table->rows_left_out++;
		else
			table_add(table, (struct value[]){ value_text(object_name(files, row->object)), figure_whole(reads),
							   figure_whole(row->amounts[FOUND]), figure_whole(row->amounts[MISSED]),
							   figure(row->amounts[FOUND] / reads) });
	}
	(void)document_add_table(into, "cached", "Reads through the page cache: which needed no device", table);
}

void io_files_add(const struct question *question, struct document *into)
{
	struct files files = { .profile = question->profile };
	size_t most = question->most;

	rows_init(&files.by_file);
	rows_init(&files.by_thread);
	rows_init(&files.written_back);
	rows_init(&files.dirtied);
	rows_init(&files.cached);
	add_cells(&files, question->selection);
	sort(&files.by_file);
	sort(&files.by_thread);
	sort(&files.dirtied);
	sort(&files.cached);
	if (files.by_file.count || files.dirtied.count) {
		add_files(&files, most ? most : FILES_MOST, into);
		add_submitters(&files, most ? most : SUBMITTERS_MOST, into);
		add_shares(&files, most ? most : SHARES_MOST, into);
	}
	if (files.cached.count)
		add_cached(&files, most ? most : FILES_MOST, into);
	rows_done(&files.by_file);
	rows_done(&files.by_thread);
	rows_done(&files.written_back);
	rows_done(&files.dirtied);
	rows_done(&files.cached);
}
