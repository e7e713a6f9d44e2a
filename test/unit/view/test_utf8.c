/* SPDX-License-Identifier: Apache-2.0 */
#include "view/utf8.h"

#include <string.h>

#include "base/text.h"
#include "test.h"

static const char *cut(const char *text, unsigned width)
{
	static struct text to = TEXT(4096);

	text_clear(&to);
	utf8_append(&to, text, width);
	return text_string(&to);
}

TEST(overlong_forms_surrogates_and_beyond_are_invalid)
{
	static const char *const bad[] = { "\xc0\xaf", "\xe0\x80\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xff", "\x80", "\xc3" };
	uint32_t character;

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		assert_int_equal(utf8_decode(bad[i], strlen(bad[i]), &character), 1);
		assert_int_equal(character, UTF8_INVALID);
	}
	assert_int_equal(utf8_decode("\xf0\x9f\x94\xa5", 4, &character), 4);
	assert_int_equal(character, 0x1f525);
	assert_int_equal(utf8_decode("\xf0\x9f\x94", 3, &character), 1);
}

TEST(widths_are_a_terminals)
{
	assert_int_equal(utf8_width("abc"), 3);
	assert_int_equal(utf8_width("größe"), 5);
	assert_int_equal(utf8_width("表示"), 4);
	assert_int_equal(utf8_width("e\xcc\x81"), 1);
	assert_int_equal(utf8_width("\x1b[31m"), 5);
}

TEST(a_long_name_loses_its_middle)
{
	assert_string_equal(cut("abcdefghij", 10), "abcdefghij");
	assert_string_equal(cut("abcdefghijk", 7), "abc…ijk");
	assert_string_equal(cut("abcdefghijk", 6), "abc…jk");
	assert_string_equal(cut("abcdefghijk", 1), "…");
	assert_string_equal(cut("abcdefghijk", 0), "");
}

TEST(a_cut_never_splits_a_character_nor_exceeds_the_width)
{
	static const char name[] = "表示処理::größe::表示処理::e\xcc\x81tat";

	for (unsigned width = 0; width < 40; width++) {
		const char *text = cut(name, width);
		uint32_t character;

		assert_true(utf8_width(text) <= width);
		for (size_t at = 0; text[at]; at += utf8_decode(text + at, strlen(text + at), &character))
			assert_int_not_equal((utf8_decode(text + at, strlen(text + at), &character), character), UTF8_INVALID);
	}
}

TEST(what_could_steer_a_terminal_is_shown_as_a_question_mark)
{
	assert_string_equal(cut("a\x1b[31mb\r\n", 20), "a?[31mb??");
	assert_string_equal(cut("\xff\xc2\x9b\xe2\x80\xae", 20), "???");
}
