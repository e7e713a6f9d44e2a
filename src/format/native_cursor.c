/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Running through one table of a capture file. Rows come in the order of their rowids without any
 * sorting, so that reading needs no memory that grows with the file; every value is checked for
 * type and range as it is taken.
 */
#include "format/native_reader.h"

#include "base/cleanup.h"
#include "base/error.h"
#include "base/memory.h"
#include "format/digest.h"
#include "profile/profile.h"

#include <errno.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void reader_damaged(struct reader *reader, const char *why, ...)
{
	char text[384];
	va_list arguments;

	if (reader->code < 0)
		return;
	va_start(arguments, why);
	(void)vsnprintf(text, sizeof(text), why, arguments);
	va_end(arguments);
	fail(reader->err, FAILURE_WORK, -EBADMSG, "cannot read '%s'", reader->path);
	error_because(reader->err, "the file is damaged: %s", text);
	reader->code = error_try(reader->err, "an undamaged copy of the file");
}

static void reader_failed(struct reader *reader)
{
	if (reader->code >= 0)
		reader->code = native_fail(reader->input.db, "read", reader->path, reader->err);
}

static const char *cursor_name(const struct cursor *cursor)
{
	return native_tables[cursor->table].name;
}

/* A plain table with plain columns: nothing that would compute while it is read. */
static bool table_is_plain(struct reader *reader, const char *name)
{
	CLEANUP_TEXT char *sql = xasprintf(
		"SELECT count(*) FROM sqlite_schema WHERE name = '%s' AND type = 'table' AND "
		"rootpage > 0"
		" AND NOT EXISTS (SELECT 1 FROM pragma_table_xinfo('%s') WHERE hidden)",
		name, name);

	return native_ask(reader->input.db, sql) == 1;
}

/* Where a column of the schema stands in the statement; -1 where it is not there. */
static int column_find(sqlite3_stmt *statement, const char *definition)
{
	bool quoted = *definition == '"';
	size_t size = strcspn(definition + quoted, quoted ? "\"" : " ");

	for (int i = 1; i < sqlite3_column_count(statement); i++) {
		const char *name = sqlite3_column_name(statement, i);

		if (name && strlen(name) == size && !memcmp(name, definition + quoted, size))
			return i;
	}
	return -1;
}

void cursor_open(struct reader *reader, enum native_table table)
{
	const struct native_table_row *row = &native_tables[table];
	struct cursor *cursor = &reader->cursors[table];
	CLEANUP_TEXT char *sql = xasprintf("SELECT rowid, * FROM %s", row->name);

	*cursor = (struct cursor){ .table = table };
	if (reader->code < 0)
		return;
	if (!table_is_plain(reader, row->name)) {
		reader_damaged(reader, "it has no table '%s'", row->name);
		return;
	}
	if (sqlite3_prepare_v2(reader->input.db, sql, -1, &cursor->statement, NULL) != SQLITE_OK) {
		reader_failed(reader);
		return;
	}
	for (int i = 0; row->columns[i]; i++) {
		cursor->columns[i] = column_find(cursor->statement, row->columns[i]);
		if (cursor->columns[i] < 0)
			reader_damaged(reader, "table '%s' has no column '%.*s'", row->name,
				       (int)strcspn(row->columns[i], " "), row->columns[i]);
	}
	cursor_step(reader, cursor);
}

void cursor_close(struct cursor *cursor)
{
	(void)sqlite3_finalize(cursor->statement);       /* its failure was the step's */
	cursor->statement = NULL;
	cursor->row = false;
}

/* The slice a row was stored with: of segments the first column, elsewhere the last. */
static void cursor_stored(struct reader *reader, struct cursor *cursor)
{
	uint32_t before = cursor->stored;

	if (native_tables[cursor->table].cover != COVER_SLICE)
		return;
	cursor->at = 0;
	while (cursor->table != TABLE_SEGMENT &&
	       native_tables[cursor->table].columns[cursor->at + 1])
		cursor->at++;
	cursor->stored = take_below(reader, cursor, UINT32_MAX);
	if (cursor->stored < before || !cursor->stored)
		reader_damaged(reader, "row %lld of table '%s' is out of order",
			       (long long)cursor->rowid, cursor_name(cursor));
}

void cursor_step(struct reader *reader, struct cursor *cursor)
{
	int64_t before = cursor->rowid;
	bool first = !cursor->row;
	int code;

	cursor->row = false;
	if (reader->code < 0)
		return;
	code = sqlite3_step(cursor->statement);
	if (code == SQLITE_DONE)
		return;
	if (code != SQLITE_ROW) {
		reader_failed(reader);
		return;
	}
	cursor->row = true;
	cursor->rowid = sqlite3_column_int64(cursor->statement, 0);
	if (!first && cursor->rowid <= before)
		reader_damaged(reader, "row %lld of table '%s' is out of order",
			       (long long)cursor->rowid, cursor_name(cursor));
	cursor_stored(reader, cursor);
	cursor->at = 0;
}

bool cursor_has(struct reader *reader, struct cursor *cursor, uint32_t stored)
{
	if (reader->code < 0 || !cursor->row || cursor->stored != stored)
		return false;
	cursor->at = 0;
	digest_statement(&reader->sha, cursor_name(cursor), cursor->statement, 1);
	return true;
}

bool cursor_has_any(struct reader *reader, struct cursor *cursor)
{
	cursor->at = 0;
	return reader->code >= 0 && cursor->row;
}

static int column_of_type(struct reader *reader, struct cursor *cursor, int type)
{
	int at = cursor->at++, column = cursor->columns[at];

	if (reader->code < 0)
		return -1;
	if (sqlite3_column_type(cursor->statement, column) == type)
		return column;
	reader_damaged(reader, "row %lld of table '%s' has a wrong type of '%.*s'",
		       (long long)cursor->rowid, cursor_name(cursor),
		       (int)strcspn(native_tables[cursor->table].columns[at], " "),
		       native_tables[cursor->table].columns[at]);
	return -1;
}

uint64_t take_number(struct reader *reader, struct cursor *cursor)
{
	int column = column_of_type(reader, cursor, SQLITE_INTEGER);

	return column < 0 ? 0 : (uint64_t)sqlite3_column_int64(cursor->statement, column);
}

uint32_t take_below(struct reader *reader, struct cursor *cursor, uint64_t limit)
{
	int at = cursor->at;
	uint64_t value = take_number(reader, cursor);

	if (reader->code >= 0 && value < limit)
		return (uint32_t)value;
	reader_damaged(reader, "row %lld of table '%s' has a '%.*s' that does not exist",
		       (long long)cursor->rowid, cursor_name(cursor),
		       (int)strcspn(native_tables[cursor->table].columns[at], " "),
		       native_tables[cursor->table].columns[at]);
	return 0;
}

bool take_truth(struct reader *reader, struct cursor *cursor)
{
	return take_below(reader, cursor, 2) != 0;
}

const char *take_text(struct reader *reader, struct cursor *cursor)
{
	int column = column_of_type(reader, cursor, SQLITE_TEXT);
	const char *text;

	if (column < 0)
		return "";
	text = (const char *)sqlite3_column_text(cursor->statement, column);
	if (!text || sqlite3_column_bytes(cursor->statement, column) > NATIVE_TEXT_LIMIT) {
		reader_damaged(reader, "row %lld of table '%s' has a text that is too long",
			       (long long)cursor->rowid, cursor_name(cursor));
		return "";
	}
	return text;
}

struct string_id take_string(struct reader *reader, struct cursor *cursor)
{
	return profile_string(reader->profile, take_text(reader, cursor));
}

const void *take_blob(struct reader *reader, struct cursor *cursor, size_t *ret_size)
{
	int column = column_of_type(reader, cursor, SQLITE_BLOB);
	const void *bytes;

	*ret_size = 0;
	if (column < 0)
		return "";
	bytes = sqlite3_column_blob(cursor->statement, column);
	*ret_size = bytes ? (size_t)sqlite3_column_bytes(cursor->statement, column) : 0;
	return bytes ? bytes : "";
}

void take_id(struct reader *reader, struct cursor *cursor, size_t next)
{
	reader_placed(reader, cursor, take_below(reader, cursor, UINT32_MAX), next);
}

void reader_placed(struct reader *reader, struct cursor *cursor, uint32_t id, size_t expected)
{
	if (id != expected)
		reader_damaged(reader, "row %lld of table '%s' is out of order or there twice",
			       (long long)cursor->rowid, cursor_name(cursor));
}
