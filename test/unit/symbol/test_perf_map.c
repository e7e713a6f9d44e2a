/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include <string.h>

#include "symbol/generated.h"

static struct generated_codes *parse(const char *text)
{
	struct generated_codes *codes = generated_codes_new();

	assert_int_equal(perf_map_parse(text, strlen(text), codes), 0);
	return codes;
}

static void is_row(const struct generated_codes *codes, size_t at, uint64_t start, uint64_t end, const char *name)
{
	assert_true(at < codes->count);
	assert_int_equal(codes->rows[at].start, start);
	assert_int_equal(codes->rows[at].end, end);
	assert_int_equal(codes->rows[at].name_size, strlen(name));
	assert_memory_equal(codes->rows[at].name, name, strlen(name));
}

TEST(lines_of_node_and_of_java_are_read)
{
	CLEANUP(generated_codes) struct generated_codes *codes = parse(
		"7f3c0a1000 40 LazyCompile:*handle /srv/my app.js:12:3\n"
		"0x00007f6cc85f8d60 0x00000000000002d8 java.lang.String java.util.HashMap.get(java.lang.Object)\n"
		"7F00 a x\r\n");

	assert_int_equal(codes->count, 3);
	assert_int_equal(codes->malformed, 0);
	is_row(codes, 0, 0x7f3c0a1000, 0x7f3c0a1040, "LazyCompile:*handle /srv/my app.js:12:3");
	is_row(codes, 1, 0x7f6cc85f8d60, 0x7f6cc85f9038, "java.lang.String java.util.HashMap.get(java.lang.Object)");
	is_row(codes, 2, 0x7f00, 0x7f0a, "x");
}

TEST(damaged_lines_are_counted_and_left_out)
{
	CLEANUP(generated_codes) struct generated_codes *codes = parse(
		"\n\nzz 40 a\n1000 zz b\n1000\n1000 40\n1000 40 \n1000 0 empty\nffffffffffffffff 2 wraps\n"
		"11112222333344445 1 long\n 1000 1 blank first\n-1 1 minus\n0x 1 none\n1000 10 good\n");

	assert_int_equal(codes->count, 1);
	assert_int_equal(codes->malformed, 11);
	is_row(codes, 0, 0x1000, 0x1010, "good");
}

TEST(a_line_that_is_still_being_written_is_left_out)
{
	CLEANUP(generated_codes) struct generated_codes *codes = parse("1000 10 whole\n2000 10 hal");

	assert_int_equal(codes->count, 1);
	assert_int_equal(codes->malformed, 0);
}

TEST(a_name_is_cut_at_its_limit)
{
	char line[4096] = "1000 10 ";
	CLEANUP(generated_codes) struct generated_codes *codes = NULL;

	memset(line + 8, 'n', sizeof(line) - 10);
	line[sizeof(line) - 2] = '\n';
	codes = parse(line);
	assert_int_equal(codes->count, 1);
	assert_int_equal(codes->rows[0].name_size, GENERATED_NAME_LIMIT);
}
