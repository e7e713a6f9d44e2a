/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Storing one row: values are bound in the order of the schema's columns and enter the digest in
 * the same move, so that what is stored and what is digested cannot differ.
 */
#include "format/native_writer.h"

#include "base/memory.h"
#include "base/text.h"
#include "format/digest.h"
#include "format/native_file.h"

#include <assert.h>
#include <sqlite3.h>
#include <string.h>

enum { SQL_LIMIT = 16 * 1024 };

static size_t column_count(const struct native_table_row *table)
{
	size_t count = 0;

	while (table->columns[count])
		count++;
	return count;
}

static int table_create(struct native *native, const struct native_table_row *table)
{
	struct text sql = TEXT(SQL_LIMIT);
	int r;

	text_print(&sql, "CREATE TABLE %s(  -- %s\n", table->name, table->meaning);
	for (size_t i = 0; table->columns[i]; i++)
		text_print(&sql, "  %s%s\n", table->columns[i], table->columns[i + 1] ? "," : "");
	text_print(&sql, ")");
	r = native_run(native->db, text_string(&sql));
	text_done(&sql);
	return r;
}

/* Rows with a key of their own may be stored again, in their place. */
static int insert_prepare(struct native *native, enum native_table number)
{
	const struct native_table_row *table = &native_tables[number];
	size_t count = column_count(table);
	struct text sql = TEXT(SQL_LIMIT);
	int r;

	text_print(&sql, "INSERT %sINTO %s VALUES(", number == TABLE_META ? "" : "OR REPLACE ",
		   table->name);
	for (size_t i = 0; i < count; i++)
		text_print(&sql, i ? ",?" : "?");
	text_print(&sql, ")%s",
		   number == TABLE_META ? " ON CONFLICT(key) DO UPDATE SET value = excluded.value"
					: "");
	r = sqlite3_prepare_v3(native->db, text_string(&sql), -1, SQLITE_PREPARE_PERSISTENT,
			       &native->inserts[number], NULL);
	text_done(&sql);
	return r == SQLITE_OK ? 0 : -1;
}

int native_tables_open(struct native *native, bool create)
{
	for (int i = 0; create && i < TABLE_COUNT; i++)
		if (table_create(native, &native_tables[i]) < 0)
			return -1;
	for (int i = 0; create && native_views[i]; i++)
		if (native_run(native->db, native_views[i]) < 0)
			return -1;
	for (int i = 0; i < TABLE_COUNT; i++)
		if (insert_prepare(native, (enum native_table)i) < 0)
			return -1;
	return 0;
}

void native_tables_close(struct native *native)
{
	for (int i = 0; i < TABLE_COUNT; i++) {
		(void)sqlite3_finalize(native->inserts[i]);      /* its failure was the step's */
		native->inserts[i] = NULL;
	}
}

void row_begin(struct native *native, enum native_table table)
{
	native->current = native->inserts[table];
	native->column = 0;
	if (native->digest)
		digest_row(native->digest, native_tables[table].name);
}

/* After a failure nothing more is bound or stepped: the database must keep its reason as the last
 * one. */
#define bind(native, type, ...)                                                                   \
	do {                                                                                      \
		int at = ++(native)->column;                                                      \
		if (!(native)->failed)                                                            \
			(native)->failed =                                                        \
				sqlite3_bind_##type((native)->current, at, __VA_ARGS__) != 0; \
	} while (0)

void row_number(struct native *native, uint64_t value)
{
	bind(native, int64, (int64_t)value);
	if (native->digest)
		digest_number(native->digest, value);
}

void row_real(struct native *native, double value)
{
	bind(native, double, value);
	if (native->digest)
		digest_real(native->digest, value);
}

void row_text(struct native *native, const char *text)
{
	size_t size = strlen(text);

	bind(native, text64, text, size, SQLITE_STATIC, SQLITE_UTF8);
	if (native->digest)
		digest_text(native->digest, text, size);
}

void row_blob(struct native *native, const void *bytes, size_t size)
{
	bind(native, blob64, bytes, size, SQLITE_STATIC);
	if (native->digest)
		digest_blob(native->digest, bytes, size);
}

void row_end(struct native *native)
{
	if (native->failed)
		return;
	assert(native->column == sqlite3_bind_parameter_count(native->current));
	native->failed = sqlite3_step(native->current) != SQLITE_DONE;
	if (!native->failed)
		(void)sqlite3_reset(native->current);
}
