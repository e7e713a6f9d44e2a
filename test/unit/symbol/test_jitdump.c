/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include <errno.h>
#include <string.h>

#include "base/text.h"
#include "symbol/generated.h"

struct dump { struct text bytes; };

static void put32(struct dump *dump, uint32_t value)
{
	text_append(&dump->bytes, &value, sizeof(value));
}

static void put64(struct dump *dump, uint64_t value)
{
	text_append(&dump->bytes, &value, sizeof(value));
}

static struct dump dump_begin(uint32_t magic, uint64_t flags)
{
	struct dump dump = { TEXT(1 << 20) };

	put32(&dump, magic), put32(&dump, 1), put32(&dump, 40), put32(&dump, 62), put32(&dump, 0), put32(&dump, 1234);
	put64(&dump, 1), put64(&dump, flags);
	return dump;
}

static void put_load(struct dump *dump, uint64_t time, uint64_t address, uint64_t size, uint64_t index, const char *name)
{
	static const char code[64];

	put32(dump, 0), put32(dump, (uint32_t)(16 + 40 + strlen(name) + 1 + (size & 63))), put64(dump, time);
	put32(dump, 1234), put32(dump, 1234), put64(dump, address), put64(dump, address), put64(dump, size), put64(dump, index);
	text_append(&dump->bytes, name, strlen(name) + 1);
	text_append(&dump->bytes, code, size & 63);
}

static void put_move(struct dump *dump, uint64_t time, uint64_t from, uint64_t to, uint64_t size, uint64_t index)
{
	put32(dump, 1), put32(dump, 16 + 48), put64(dump, time);
	put32(dump, 1234), put32(dump, 1234), put64(dump, to), put64(dump, from), put64(dump, to), put64(dump, size);
	put64(dump, index);
}

struct entry { uint64_t address; uint32_t line; const char *path; };

static void put_lines(struct dump *dump, uint64_t address, const struct entry *entries, size_t count)
{
	size_t size = 16 + 16;

	for (size_t i = 0; i < count; i++)
		size += 16 + strlen(entries[i].path) + 1;
	put32(dump, 2), put32(dump, (uint32_t)size), put64(dump, 90), put64(dump, address), put64(dump, count);
	for (size_t i = 0; i < count; i++) {
		put64(dump, entries[i].address), put32(dump, entries[i].line), put32(dump, 1);
		text_append(&dump->bytes, entries[i].path, strlen(entries[i].path) + 1);
	}
}

static int parse(const struct dump *dump, struct generated_codes *into)
{
	return jitdump_parse(text_string(&dump->bytes), dump->bytes.size, into);
}

static void is_row(const struct generated_codes *codes, size_t at, uint64_t start, uint64_t since_ns, const char *name)
{
	assert_true(at < codes->count);
	assert_int_equal(codes->rows[at].start, start);
	assert_int_equal(codes->rows[at].since_ns, since_ns);
	assert_int_equal(codes->rows[at].name_size, strlen(name));
	assert_memory_equal(codes->rows[at].name, name, strlen(name));
}

enum { MAGIC = 0x4a695444 };

TEST(code_that_was_loaded_and_moved_has_its_name_and_time)
{
	struct dump dump = dump_begin(MAGIC, 0);
	CLEANUP(generated_codes) struct generated_codes *codes = generated_codes_new();

	put_load(&dump, 100, 0x1000, 33, 7, "add");
	put32(&dump, 4), put32(&dump, 16 + 8), put64(&dump, 150), put64(&dump, 0);      /* a kind that is passed over */
	put_move(&dump, 200, 0x1000, 0x2000, 33, 7);
	assert_int_equal(parse(&dump, codes), 0);
	assert_int_equal(codes->count, 2);
	is_row(codes, 0, 0x1000, 100, "add");
	is_row(codes, 1, 0x2000, 200, "add");
	assert_int_equal(codes->rows[1].end, 0x2000 + 33);
	assert_int_equal(codes->malformed, 0);
	text_done(&dump.bytes);
}

TEST(rows_are_in_the_order_of_their_time)
{
	struct dump dump = dump_begin(MAGIC, 0);
	CLEANUP(generated_codes) struct generated_codes *codes = generated_codes_new();

	put_load(&dump, 300, 0x1000, 16, 1, "late");
	put_load(&dump, 100, 0x1000, 16, 2, "early");
	assert_int_equal(parse(&dump, codes), 0);
	is_row(codes, 0, 0x1000, 100, "early");
	is_row(codes, 1, 0x1000, 300, "late");
	text_done(&dump.bytes);
}

TEST(times_of_another_clock_are_not_believed)
{
	struct dump dump = dump_begin(MAGIC, 1);
	CLEANUP(generated_codes) struct generated_codes *codes = generated_codes_new();

	put_load(&dump, 100, 0x1000, 16, 1, "add");
	assert_int_equal(parse(&dump, codes), 0);
	is_row(codes, 0, 0x1000, 0, "add");
	text_done(&dump.bytes);
}

TEST(what_is_no_jitdump_is_refused)
{
	struct dump swapped = dump_begin(0x4454694a, 0), other = dump_begin(0x464c457f, 0);
	CLEANUP(generated_codes) struct generated_codes *codes = generated_codes_new();

	assert_int_equal(parse(&swapped, codes), -ENOTSUP);
	assert_int_equal(parse(&other, codes), -ENOEXEC);
	assert_int_equal(jitdump_parse("", 0, codes), -ENOEXEC);
	assert_int_equal(codes->count, 0);
	text_done(&swapped.bytes);
	text_done(&other.bytes);
}

/* Every length up to the whole: a dump may be read while it is written. */
TEST(a_dump_cut_anywhere_gives_what_was_whole)
{
	struct dump dump = dump_begin(MAGIC, 0);
	size_t rows = 0;

	put_load(&dump, 100, 0x1000, 20, 1, "add");
	put_load(&dump, 200, 0x2000, 20, 2, "subtract");
	for (size_t size = 40; size <= dump.bytes.size; size++) {
		CLEANUP(generated_codes) struct generated_codes *codes = generated_codes_new();

		assert_int_equal(jitdump_parse(text_string(&dump.bytes), size, codes), 0);
		assert_true(codes->count >= rows);
		rows = codes->count;
	}
	assert_int_equal(rows, 2);
	text_done(&dump.bytes);
}

TEST(records_that_lie_are_counted)
{
	struct dump dump = dump_begin(MAGIC, 0);
	CLEANUP(generated_codes) struct generated_codes *codes = generated_codes_new();

	put_load(&dump, 100, UINT64_MAX - 4, 32, 1, "wraps");
	put_move(&dump, 100, 0x1000, 0x2000, 16, 99);                                   /* of code that nobody loaded */
	put32(&dump, 0), put32(&dump, 16), put64(&dump, 100);                           /* a load without a body */
	put32(&dump, 0), put32(&dump, 8), put64(&dump, 100);                            /* smaller than its own head */
	assert_int_equal(parse(&dump, codes), 0);
	assert_int_equal(codes->count, 0);
	assert_int_equal(codes->malformed, 4);
	text_done(&dump.bytes);
}

static void is_line(const struct generated_codes *codes, size_t row, uint64_t address, uint32_t line, const char *path)
{
	const struct generated_line *found = generated_line_of(codes, &codes->rows[row], address);

	assert_non_null(found);
	assert_int_equal(found->line, line);
	assert_int_equal(found->path_size, strlen(path));
	assert_memory_equal(found->path, path, strlen(path));
}

TEST(lines_belong_to_the_code_that_is_loaded_next_and_move_with_it)
{
	static const struct entry entries[] = { { 0x1004, 3, "/srv/a.js" }, { 0x1010, 4, "\xff" }, { 0x1010, 9, "/srv/b.js" } };
	struct dump dump = dump_begin(MAGIC, 0);
	CLEANUP(generated_codes) struct generated_codes *codes = generated_codes_new();

	put_lines(&dump, 0x1000, entries, 2);
	put_load(&dump, 100, 0x1000, 33, 7, "add");
	put_load(&dump, 110, 0x3000, 33, 8, "without");
	put_lines(&dump, 0x5000, entries + 2, 1);                                       /* of code that never comes */
	put_load(&dump, 120, 0x4000, 33, 9, "another");
	put_move(&dump, 200, 0x1000, 0x2000, 33, 7);
	assert_int_equal(parse(&dump, codes), 0);
	assert_int_equal(codes->count, 4);
	assert_null(generated_line_of(codes, &codes->rows[0], 0x1003));
	is_line(codes, 0, 0x1004, 3, "/srv/a.js");
	is_line(codes, 0, 0x1020, 4, "/srv/a.js");
	is_line(codes, 3, 0x200f, 3, "/srv/a.js");
	assert_null(generated_line_of(codes, &codes->rows[1], 0x3010));
	assert_null(generated_line_of(codes, &codes->rows[2], 0x4010));
	text_done(&dump.bytes);
}

TEST(lines_that_lie_end_their_list)
{
	static const struct entry entries[] = { { 0x1008, 3, "a.js" }, { 0x1004, 4, "a.js" }, { 0x100c, 5, "a.js" } };
	struct dump dump = dump_begin(MAGIC, 0);
	CLEANUP(generated_codes) struct generated_codes *codes = generated_codes_new();

	put_lines(&dump, 0x1000, entries, 3);
	put_load(&dump, 100, 0x1000, 33, 7, "add");
	put32(&dump, 2), put32(&dump, 16 + 16), put64(&dump, 90), put64(&dump, 0x2000), put64(&dump, 1u << 31);
	put_load(&dump, 100, 0x2000, 33, 8, "none");
	put32(&dump, 2), put32(&dump, 16 + 8), put64(&dump, 90), put64(&dump, 0);
	assert_int_equal(parse(&dump, codes), 0);
	assert_int_equal(codes->malformed, 3);
	is_line(codes, 0, 0x1020, 3, "a.js");
	assert_null(generated_line_of(codes, &codes->rows[1], 0x2000));
	text_done(&dump.bytes);
}

TEST(lines_as_v8_writes_them_are_moved_back_and_garbage_is_no_path)
{
	static const struct entry entries[] = { { 0x1040, 3, "a.js" }, { 0x1044, 4, "\xcf\xd1" }, { 0x10c0, 5, "a.js" } };
	struct dump dump = dump_begin(MAGIC, 0);
	CLEANUP(generated_codes) struct generated_codes *codes = generated_codes_new();

	put_lines(&dump, 0x1000, entries, 3);
	put_load(&dump, 100, 0x1000, 33, 7, "add");
	assert_int_equal(parse(&dump, codes), 0);
	is_line(codes, 0, 0x1003, 3, "a.js");
	is_line(codes, 0, 0x1020, 4, "");
	text_done(&dump.bytes);
}
