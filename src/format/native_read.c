/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The reader of capture files, and their row in the table of formats. It takes slice after slice,
 * checks each against its digest, and reads a file that was never sealed up to its last complete
 * slice.
 */
#include "base/cleanup.h"
#include "base/error.h"
#include "base/memory.h"
#include "format/content.h"
#include "format/digest.h"
#include "format/format.h"
#include "format/input.h"
#include "format/native.h"
#include "format/native_file.h"
#include "format/native_reader.h"
#include "profile/profile.h"

#include <errno.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

extern const struct format native_format;

/* A real capture spends more than a byte on four rows; small files may hold this many in any case.
 */
enum { ROWS_ALWAYS = 2 << 20, ROWS_PER_BYTE = 4 };

static void cursors_open(struct reader *reader)
{
	for (int table = 0; table < TABLE_COUNT; table++)
		if (table != TABLE_TOTAL && table != TABLE_GATE)
			cursor_open(reader, (enum native_table)table);
}

static void reader_done(struct reader *reader)
{
	for (int table = 0; table < TABLE_COUNT; table++)
		cursor_close(&reader->cursors[table]);
	native_input_done(&reader->input);
	free(reader->strings);
}

static void digest_begin(struct reader *reader)
{
	sha256_init(&reader->sha);
	sha256_add(&reader->sha, reader->chain, sizeof(reader->chain));
}

/* In the order in which native_write.c stores them. */
static void read_contents(struct reader *reader, uint32_t stored)
{
	read_strings(reader, stored);
	read_definitions(reader, stored);
	read_files(reader, stored);
	read_stack_segments(reader, stored);
	read_objects(reader, stored);
	read_evidence(reader, stored);
	read_mappings(reader, stored);
	read_fact_segments(reader, stored);
	read_counts(reader, stored);
	read_guard_steps(reader, stored);
}

/* --- Slices ----------------------------------------------------------------------------------- */

/* Adds slices up to the next that has a digest, and copies that; false at the end. */
static bool slices_ahead(struct reader *reader, unsigned char ret_digest[SHA256_SIZE])
{
	struct cursor *cursor = &reader->cursors[TABLE_SLICE];
	size_t size = 0;

	for (; !size && cursor_has_any(reader, cursor); cursor_step(reader, cursor)) {
		size_t next = profile_slice_count(reader->profile);
		uint64_t start, end;
		const void *digest;

		take_id(reader, cursor, next);
		start = take_number(reader, cursor);
		end = take_number(reader, cursor);
		digest = take_blob(reader, cursor, &size);
		if (size && size != SHA256_SIZE)
			reader_damaged(reader, "slice %zu has a digest of another size", next);
		if (start > end)
			reader_damaged(reader, "slice %zu ends before it starts", next);
		if (reader->code < 0)
			return false;
		memcpy(ret_digest, digest, size);
		reader_placed(reader, cursor, profile_slice(reader->profile, start, end).index,
			      next);
	}
	return reader->code >= 0 && size;
}

static void digest_compare(struct reader *reader, const unsigned char *digest, const char *what,
			   size_t number)
{
	if (reader->code >= 0 && memcmp(digest, reader->chain, SHA256_SIZE))
		reader_damaged(reader, "%s %zu is not what was recorded (its digest differs)", what,
			       number);
}

static void read_slices(struct reader *reader)
{
	struct profile *profile = reader->profile;
	unsigned char digest[SHA256_SIZE];
	size_t first = 1;

	while (slices_ahead(reader, digest)) {
		size_t last = profile_slice_count(profile) - 1;

		digest_begin(reader);
		read_contents(reader, (uint32_t)last);
		for (; first <= last; first++) {
			digest_row(&reader->sha, "slice");
			digest_number(&reader->sha, first);
			digest_number(&reader->sha, profile_slice_at(profile, first)->start_ns);
			digest_number(&reader->sha, profile_slice_at(profile, first)->end_ns);
		}
		sha256_end(&reader->sha, reader->chain);
		digest_compare(reader, digest, "slice", last);
	}
}

/* --- The seal --------------------------------------------------------------------------------- */

static void table_digest(struct reader *reader, enum native_table table)
{
	struct cursor *cursor = &reader->cursors[table];

	cursor_close(cursor);
	cursor_open(reader, table);
	for (; cursor_has_any(reader, cursor); cursor_step(reader, cursor)) {
		const char *key = table == TABLE_META ? take_text(reader, cursor) : "";

		if (strcmp(key, "sealed") && strcmp(key, "digest"))
			digest_statement(&reader->sha, native_tables[table].name, cursor->statement,
					 1);
	}
}

/* The sealing transaction is numbered as one more slice, and has its digest in meta. */
static void read_seal(struct reader *reader)
{
	char hex[2 * SHA256_SIZE + 1];

	digest_begin(reader);
	read_contents(reader, (uint32_t)profile_slice_count(reader->profile));
	table_digest(reader, TABLE_CLASS);
	table_digest(reader, TABLE_TOTAL);
	table_digest(reader, TABLE_PROCESS);
	table_digest(reader, TABLE_THREAD);
	table_digest(reader, TABLE_META);
	sha256_end(&reader->sha, reader->chain);
	for (int i = 0; i < SHA256_SIZE; i++)
		(void)snprintf(hex + 2 * i, 3, "%02x", reader->chain[i]);
	if (reader->code >= 0 && strcmp(hex, reader->digest))
		reader_damaged(reader, "its seal is not the one that was set (its digest differs)");
}

static void nothing_left(struct reader *reader)
{
	for (int table = 0; table < TABLE_COUNT; table++)
		if (native_tables[table].cover == COVER_SLICE && reader->cursors[table].row)
			reader_damaged(reader, "table '%s' has rows of no slice",
				       native_tables[table].name);
}

/* Threads that lived when the recorder was killed: they are known to have lived until the last
 * slice's end. */
static bool is_ledger_cell(const struct profile *profile, const struct cell *cell)
{
	const struct measure *measure = profile_measure_at(profile, cell->measure.index);
	struct dimension_id id = profile_cell_dimension(profile, cell);
	enum dimension_kind kind = profile_dimension_at(profile, id.index)->kind;

	if (measure->role != ROLE_TOTAL)
		return false;
	return cell->evidence.index || (kind >= DIMENSION_RUNNING && kind <= DIMENSION_IDLE);
}

/* What a thread was doing when the recorder was killed was not stored yet: it is unknown, and said to be. */
static void add_unstored(struct profile *profile, uint32_t thread, uint64_t ns, struct slice_id slice)
{
	struct measure measure = { .dimension = profile_dimension(profile, dimension_row_find(NULL, "unknown")),
				   .role = ROLE_TOTAL, .weighting = WEIGHTING_EXACT,
				   .source = profile_string(profile, "unsealed") };

	profile_add_cell(profile, (struct cell){ .slice = slice, .thread = { thread }, .count = 1, .value = ns, .maximum = ns,
						 .measure = profile_measure(profile, measure) });
}

static void threads_end(struct reader *reader)
{
	struct profile *profile = reader->profile;
	size_t count = profile_thread_count(profile);
	struct slice_id slice = { (uint32_t)profile_slice_count(profile) - 1 };
	uint64_t end_ns = profile_slice_at(profile, slice.index)->end_ns, *stored = xcalloc(count, sizeof(*stored));

	for (size_t i = 0; i < profile_cell_count(profile); i++) {
		const struct cell *cell = profile_cell_at(profile, i);

		if (is_ledger_cell(profile, cell))
			stored[cell->thread.index] += cell->value;
	}
	for (uint32_t i = 1; i < count; i++) {
		struct thread *thread = profile_thread_edit(profile, (struct thread_id){ i });

		if (thread->end_ns || thread->outside || thread->start_ns > end_ns)
			continue;
		thread->end_ns = end_ns;
		if (end_ns - thread->start_ns > stored[i])
			add_unstored(profile, i, end_ns - thread->start_ns - stored[i], slice);
	}
	free(stored);
}

static void read_file(struct reader *reader)
{
	const char *broken;

	cursors_open(reader);
	read_meta(reader);
	read_processes(reader);
	read_threads(reader);
	read_slices(reader);
	read_classes(reader);
	if (reader->sealed)
		read_seal(reader);
	else
		threads_end(reader);
	nothing_left(reader);
	read_symbols(reader);
	broken = reader->code >= 0 ? profile_broken(reader->profile) : NULL;
	if (broken)
		reader_damaged(reader, "%s", broken);
}

static int file_read(const char *path, struct profile *into, struct error *err)
{
	struct reader reader = { .path = path, .profile = into, .err = err };
	struct stat status = { 0 };
	int r = native_input_open(&reader.input, path, err);

	if (r < 0)
		return r;
	/* it was just opened; without a size only small files are read */
	(void)stat(path, &status);
	reader.row_budget = ROWS_ALWAYS + (uint64_t)status.st_size * ROWS_PER_BYTE;
	reader.code = native_check_version(reader.input.db, path, err);
	if (reader.code >= 0)
		read_file(&reader);
	reader_done(&reader);
	return reader.code;
}

/* SQLite opens by path: what comes compressed or by a pipe is laid down first. */
static int native_read(struct input *input, struct profile *into, struct error *err)
{
	CLEANUP_TEXT char *spooled = NULL;
	int r;

	if (input_path(input))
		return file_read(input_path(input), into, err);
	r = input_spool(input, INPUT_WHOLE_LIMIT, &spooled, err);
	if (r < 0)
		return r;
	r = file_read(spooled, into, err);
	(void)unlink(spooled);                   /* best effort: it lies among temporary files */
	return r;
}

/* The head of every SQLite file, and the application id in it. */
static int native_recognise(const void *head, size_t size)
{
	const unsigned char *bytes = head;
	uint32_t id;

	if (size < 72 || memcmp(bytes, "SQLite format 3", 16))
		return 0;
	id = (uint32_t)bytes[68] << 24 | (uint32_t)bytes[69] << 16 | (uint32_t)bytes[70] << 8 |
	     bytes[71];
	return id == NATIVE_APPLICATION_ID ? 100 : 0;
}

const struct format native_format = {
	.name = "native",
	.summary = "crosscut's own capture file",
	.suffix = ".xcut",
	.recognise = native_recognise,
	.read = native_read,
	.write = native_write,
	.keeps = KEEPS_ALL,
};
