/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include "unit/format/imported.h"

/* Words of that size and order, and a text behind them. */
static struct text words_of(size_t size, bool big_endian, const uint64_t *words, size_t count,
			    const char *behind)
{
	struct text bytes = TEXT(1 << 16);

	for (size_t i = 0; i < count; i++)
		for (size_t j = 0; j < size; j++) {
			size_t shift = 8 * (big_endian ? size - 1 - j : j);
			unsigned char byte = (unsigned char)(words[i] >> shift);

			text_append(&bytes, &byte, 1);
		}
	text_append(&bytes, behind, strlen(behind));
	return bytes;
}

static void words_are(const uint64_t *words, size_t count, const char *behind, const char *cells)
{
	for (unsigned form = 0; form < 4; form++) {
		struct text bytes = words_of(form & 2 ? 8 : 4, form & 1, words, count, behind);
		struct profile *profile = imported("profilez", bytes.bytes, bytes.size);
		char *text = imported_cells(profile);

		assert_true(format_find("profilez")->recognise(bytes.bytes, bytes.size) > 50);
		assert_string_equal(text, cells);
		free(text);
		profile_free(profile);
		text_done(&bytes);
	}
}

TEST(words_of_both_sizes_and_orders_are_read)
{
	static const uint64_t words[] = { 0, 3, 0, 10000, 0,  2, 2, 0x11, 0x22, 3, 1,
					  0x23, 1, 2, 0x14, 0x26, 0, 1, 0 };

	words_are(words, ARRAY_LENGTH(words), "  00000010-00000018: /bin/app\n",
		  "cpu=10000000 (1) app+0x4 < 0x25\n"
		  "cpu=20000000 (2) app+0x1 < 0x21\n"
		  "cpu=30000000 (3) 0x23\n"
		  "samples=1 (1) app+0x4 < 0x25\n"
		  "samples=2 (2) app+0x1 < 0x21\n"
		  "samples=3 (3) 0x23\n");
}

TEST(the_frame_that_the_signal_left_on_every_stack_goes)
{
	static const uint64_t words[] = { 0, 3, 0, 1000, 0, 1, 3, 0x11, 0x91, 0x31,
					  1, 3, 0x15, 0x91, 0x41, 0, 1, 0 };

	words_are(words, ARRAY_LENGTH(words), "",
		  "cpu=1000000 (1) 0x11 < 0x30\ncpu=1000000 (1) 0x15 < 0x40\n"
		  "samples=1 (1) 0x11 < 0x30\nsamples=1 (1) 0x15 < 0x40\n");
}

TEST(java_names_its_places_at_the_end)
{
	static const uint64_t words[] = { 0, 3, 1, 10000, 0, 1, 2, 3, 4, 0, 1, 0 };

	words_are(words, ARRAY_LENGTH(words),
		  "\n 0x3 com.example.run (Source.java:6)\n 0x4 generated stub/JIT\n",
		  "cpu=10000000 (1) com.example.run < STUB\nsamples=1 (1) com.example.run < STUB\n");
}

TEST(a_file_that_ends_inside_a_sample_is_refused_at_its_byte)
{
	static const uint64_t words[] = { 0, 3, 0, 10000, 0, 1, 9, 0x11 };
	struct text bytes = words_of(8, false, words, ARRAY_LENGTH(words), "");
	struct profile *profile = NULL;
	struct error err = { 0 };

	assert_true(imported_as("profilez", bytes.bytes, bytes.size, &profile, &err) < 0);
	assert_non_null(strstr(err.why, "at byte 56"));
	text_done(&bytes);
}
