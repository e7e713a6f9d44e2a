/* SPDX-License-Identifier: Apache-2.0 */
#include "format/native_schema.h"

#include "base/cleanup.h"
#include "base/memory.h"
#include "test.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Tests run from the top of the source. */
static char *page_read(void)
{
	FILE *file = fopen("doc/format.md", "re");
	char *text = xcalloc(1, 256 * 1024);

	assert_non_null(file);
	assert_true(fread(text, 1, 256 * 1024 - 1, file) > 1000);
	(void)fclose(file);
	return text;
}

/* The page's row of that name in a table, as a text of its own. */
static char *page_row(const char *page, const char *name)
{
	CLEANUP_TEXT char *start = xasprintf("\n| `%s` |", name);
	const char *row = strstr(page, start);

	if (!row)
		print_error("doc/format.md has no row '%s'\n", name);
	assert_non_null(row);
	return xstrndup(row + 1, strcspn(row + 1, "\n"));
}

TEST(the_page_has_every_table_and_column)
{
	CLEANUP_TEXT char *page = page_read();

	for (int table = 0; table < TABLE_COUNT; table++) {
		CLEANUP_TEXT char *row = page_row(page, native_tables[table].name);

		for (int i = 0; native_tables[table].columns[i]; i++) {
			const char *definition = native_tables[table].columns[i];
			bool quoted = *definition == '"';
			CLEANUP_TEXT char *column = xasprintf("`%.*s`", (int)strcspn(definition + quoted, "\" "),
							      definition + quoted);

			if (!strstr(row, column))
				print_error("%s has no %s\n", row, column);
			assert_non_null(strstr(row, column));
		}
	}
}

TEST(the_page_has_every_segment_and_column_with_its_codec)
{
	static const char *const codecs[] = { "", "varint", "delta", "real" };
	CLEANUP_TEXT char *page = page_read();

	for (int kind = 0; kind < KIND_COUNT; kind++) {
		const struct segment_shape *shape = &native_shapes[kind];
		CLEANUP_TEXT char *row = page_row(page, shape->kind);

		for (size_t i = 0; i < shape->column_count; i++) {
			CLEANUP_TEXT char *column = xasprintf("%u `%s` %s", shape->columns[i].id,
							      shape->columns[i].name,
							      codecs[shape->columns[i].codec]);

			if (!strstr(row, column))
				print_error("%s has no %s\n", row, column);
			assert_non_null(strstr(row, column));
		}
	}
}

TEST(numbers_of_columns_are_given_once)
{
	for (int kind = 0; kind < KIND_COUNT; kind++)
		for (size_t i = 0; i < native_shapes[kind].column_count; i++)
			for (size_t j = 0; j < i; j++)
				assert_int_not_equal(native_shapes[kind].columns[i].id,
						     native_shapes[kind].columns[j].id);
}
