/* SPDX-License-Identifier: Apache-2.0 */
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

#include "test.h"

TEST(an_empty_text_is_no_null_pointer)
{
	struct text text = TEXT(16);

	assert_string_equal(text_string(&text), "");
	text_done(&text);
}

TEST(a_text_grows_by_what_is_printed_and_appended)
{
	struct text text = TEXT(4096);

	for (int i = 0; i < 100; i++)
		text_print(&text, "%d,", i);
	text_append(&text, "end", 3);
	assert_int_equal(text.size, 10 * 2 + 90 * 3 + 3);
	assert_string_equal(text_string(&text) + text.size - 6, "99,end");
	assert_false(text.cut);
	text_done(&text);
}

TEST(what_does_not_fit_is_cut_and_said)
{
	struct text text = TEXT(8);

	text_append(&text, "12345", 5);
	assert_false(text.cut);
	text_print(&text, "%s", "67890");
	assert_true(text.cut);
	assert_true(text.size <= 8);
	assert_int_equal(strncmp(text_string(&text), "1234567", 7), 0);
	text_append(&text, "x", 1);
	assert_true(text.size <= 8);
	text_done(&text);
}

TEST(a_cleared_text_can_be_filled_again)
{
	struct text text = TEXT(8);

	text_print(&text, "0123456789");
	text_clear(&text);
	assert_false(text.cut);
	text_print(&text, "ab");
	assert_string_equal(text_string(&text), "ab");
	text_done(&text);
}

TEST(a_taken_text_belongs_to_the_taker)
{
	struct text text = TEXT(64);
	char *taken;

	text_print(&text, "mine");
	taken = text_take(&text);
	assert_string_equal(taken, "mine");
	assert_string_equal(text_string(&text), "");
	free(taken);
	taken = text_take(&text);
	assert_string_equal(taken, "");
	free(taken);
	text_done(&text);
}
