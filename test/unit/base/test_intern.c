/* SPDX-License-Identifier: Apache-2.0 */
#include "base/intern.h"

#include <stdio.h>

#include "test.h"

TEST(the_empty_text_is_always_number_zero)
{
	CLEANUP(intern) struct intern *intern = intern_new();

	assert_int_equal(intern_count(intern), 1);
	assert_int_equal(intern_put(intern, ""), 0);
	assert_int_equal(intern_put(intern, NULL), 0);
	assert_string_equal(intern_text(intern, 0), "");
	assert_int_equal(intern_count(intern), 1);
}

TEST(equal_texts_have_one_number_and_it_is_dense)
{
	CLEANUP(intern) struct intern *intern = intern_new();

	assert_int_equal(intern_put(intern, "a"), 1);
	assert_int_equal(intern_put(intern, "b"), 2);
	assert_int_equal(intern_put(intern, "a"), 1);
	assert_int_equal(intern_count(intern), 3);
	assert_int_equal(intern_find(intern, "b"), 2);
	assert_int_equal(intern_find(intern, "c"), UINT32_MAX);
	assert_int_equal(intern_count(intern), 3);
}

TEST(a_piece_ends_at_its_size_or_at_a_zero_byte)
{
	CLEANUP(intern) struct intern *intern = intern_new();
	uint32_t id = intern_put_size(intern, "parse_more", 5);

	assert_string_equal(intern_text(intern, id), "parse");
	assert_int_equal(intern_put_size(intern, "parse\0junk", 10), id);
}

TEST(texts_stay_where_they_are_while_thousands_come)
{
	CLEANUP(intern) struct intern *intern = intern_new();
	const char *first = intern_text(intern, intern_put(intern, "first"));
	char name[32];

	for (int i = 0; i < 20000; i++) {
		(void)snprintf(name, sizeof(name), "name-%d", i);
		assert_int_equal(intern_put(intern, name), i + 2);
	}
	assert_ptr_equal(intern_text(intern, 1), first);
	assert_string_equal(first, "first");
	assert_string_equal(intern_text(intern, 20001), "name-19999");
	assert_string_equal(intern_text(intern, 20002), "");
	assert_int_equal(intern_find(intern, "name-12345"), 12347);
}
