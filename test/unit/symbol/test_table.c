/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "symbol/table.h"

static void add(struct symbol_table *table, uint64_t start, uint64_t end, const char *name, bool global)
{
	symbol_table_add(table, &(struct symbol_function){ .start = start, .end = end, .name = name, .global = global });
}

TEST(an_empty_table_names_nothing)
{
	CLEANUP(symbol_table) struct symbol_table *table = symbol_table_new();

	symbol_table_build(table);
	assert_null(symbol_table_name(table, 0));
	assert_null(symbol_table_name(table, UINT64_MAX));
}

TEST(a_function_covers_its_size_and_nothing_more)
{
	CLEANUP(symbol_table) struct symbol_table *table = symbol_table_new();

	add(table, 200, 210, "second", true);
	add(table, 100, 110, "first", true);
	symbol_table_build(table);
	assert_null(symbol_table_name(table, 99));
	assert_string_equal(symbol_table_name(table, 100), "first");
	assert_string_equal(symbol_table_name(table, 109), "first");
	assert_null(symbol_table_name(table, 110));
	assert_null(symbol_table_name(table, 199));
	assert_string_equal(symbol_table_name(table, 209), "second");
	assert_null(symbol_table_name(table, 210));
}

TEST(a_function_without_size_covers_nothing_and_is_a_label_at_its_very_address)
{
	CLEANUP(symbol_table) struct symbol_table *table = symbol_table_new();

	add(table, 300, 300, "later", true);
	add(table, 100, 100, "local", false);
	add(table, 100, 100, "global", true);
	add(table, 100, 90, "backwards", true);
	symbol_table_build(table);
	assert_null(symbol_table_name(table, 100));
	assert_string_equal(symbol_table_label(table, 100), "global");
	assert_string_equal(symbol_table_label(table, 300), "later");
	assert_null(symbol_table_label(table, 99));
	assert_null(symbol_table_label(table, 101));
	assert_null(symbol_table_label(table, 301));
	assert_int_equal(symbol_table_count(table), 0);
}

TEST(of_nested_functions_the_innermost_is_meant)
{
	CLEANUP(symbol_table) struct symbol_table *table = symbol_table_new();

	add(table, 0, 100, "outer", true);
	add(table, 20, 60, "middle", false);
	add(table, 30, 40, "inner", false);
	symbol_table_build(table);
	assert_string_equal(symbol_table_name(table, 19), "outer");
	assert_string_equal(symbol_table_name(table, 29), "middle");
	assert_string_equal(symbol_table_name(table, 39), "inner");
	assert_string_equal(symbol_table_name(table, 40), "middle");
	assert_string_equal(symbol_table_name(table, 60), "outer");
	assert_null(symbol_table_name(table, 100));
}

TEST(functions_that_overlap_do_not_hide_the_gap_behind_them)
{
	CLEANUP(symbol_table) struct symbol_table *table = symbol_table_new();

	add(table, 0, 10, "a", true);
	add(table, 5, 20, "b", true);
	add(table, 15, 16, "c", true);
	symbol_table_build(table);
	assert_string_equal(symbol_table_name(table, 4), "a");
	assert_string_equal(symbol_table_name(table, 9), "b");
	assert_string_equal(symbol_table_name(table, 15), "c");
	assert_string_equal(symbol_table_name(table, 16), "b");
	assert_null(symbol_table_name(table, 20));
}

TEST(of_aliases_the_global_then_the_shorter_then_the_first_in_the_alphabet_is_preferred)
{
	CLEANUP(symbol_table) struct symbol_table *table = symbol_table_new();

	add(table, 0, 10, "r", false);
	add(table, 0, 10, "__libc_read", true);
	add(table, 0, 10, "read", true);
	add(table, 0, 10, "raed", true);
	symbol_table_build(table);
	assert_string_equal(symbol_table_name(table, 3), "raed");
}

/* Against the plain rule, on functions laid at random. */
TEST(any_address_has_the_name_that_a_walk_over_all_functions_gives)
{
	enum { COUNT = 300, SPACE = 2000 };
	static struct symbol_function functions[COUNT];
	static char names[COUNT][16];
	CLEANUP(symbol_table) struct symbol_table *table = symbol_table_new();
	uint32_t random = 1;

	for (int i = 0; i < COUNT; i++) {
		random = random * 1664525 + 1013904223;
		functions[i].start = 2 + (random >> 8) % SPACE;
		random = random * 1664525 + 1013904223;
		functions[i].end = functions[i].start + 1 + (random >> 8) % 60;
		(void)snprintf(names[i], sizeof(names[i]), "f%04d", i);
		functions[i].name = names[i];
		functions[i].global = true;
		symbol_table_add(table, &functions[i]);
	}
	symbol_table_build(table);
	for (uint64_t at = 0; at < SPACE + 100; at++) {
		const struct symbol_function *best = NULL;
		const char *name = symbol_table_name(table, at);

		for (int i = 0; i < COUNT; i++) {
			const struct symbol_function *f = &functions[i];

			if (at < f->start || at >= f->end)
				continue;
			if (!best || f->start > best->start || (f->start == best->start && f->end < best->end))
				best = f;
		}
		if (best)
			assert_string_equal(name, best->name);
		else
			assert_null(name);
	}
}

/* Each of very many comparisons would read both names to their ends. */
TEST(long_names_for_one_stretch_are_not_read_to_their_ends)
{
	CLEANUP(symbol_table) struct symbol_table *table = symbol_table_new();
	enum { LONG = 64 << 20, COUNT = 20000 };
	char *name = malloc(LONG + 1);

	memset(name, 'a', LONG);
	name[LONG] = '\0';
	for (int i = 0; i < COUNT; i++)
		add(table, 100, 200, name + i % 7, true);
	add(table, 100, 200, "short", true);
	symbol_table_build(table);
	assert_string_equal(symbol_table_name(table, 150), "short");
	free(name);
}

TEST(names_that_are_its_own_outlive_those_they_came_from)
{
	CLEANUP(symbol_table) struct symbol_table *table = symbol_table_new();
	char outer[] = "outer", inner[] = "inner", label[] = "label", large[] = "a_very_long_name";

	add(table, 100, 200, outer, true);
	add(table, 120, 130, inner, true);
	add(table, 300, 300, label, true);
	add(table, 400, 410, large, true);
	symbol_table_build(table);
	symbol_table_own_names(table, 6);
	outer[0] = inner[0] = label[0] = large[0] = 'x';
	assert_string_equal(symbol_table_name(table, 110), "outer");
	assert_string_equal(symbol_table_name(table, 125), "inner");
	assert_string_equal(symbol_table_name(table, 199), "outer");
	assert_string_equal(symbol_table_label(table, 300), "label");
	assert_string_equal(symbol_table_name(table, 405), "a_very");
	assert_null(symbol_table_name(table, 200));
}

TEST(an_empty_table_has_no_names_to_own)
{
	CLEANUP(symbol_table) struct symbol_table *table = symbol_table_new();

	symbol_table_build(table);
	symbol_table_own_names(table, 6);
	assert_null(symbol_table_name(table, 0));
}
