/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include <errno.h>

#include "gopclntab_builder.h"

static struct go_builder go;
static struct gopclntab table;
static uint8_t *copy;

/* Two functions: main.main from 0, runtime.goexit from 0x40 to 0x60; opened in a copy of exactly its size. */
static int open_built(enum gopclntab_version version)
{
	size_t size;

	go = (struct go_builder){ .version = version, .text = ELF_CODE };
	put_number(&go.units, UINT32_MAX, 4);
	put_number(&go.units, go_text(&go.files, "/src/main.go"), 4);
	go_add(&go, (struct go_added){ .name = "main.main", .rsp = go_values(&go, "\x02\x04\x30\x10\x2f\x04", 6),
				       .file = go_values(&go, "\x04\x40", 2), .line = go_values(&go, "\x14\x08\x01\x08", 4) });
	go_add(&go, (struct go_added){ .start = 0x40, .name = "runtime.goexit", .flags = GO_TOP_FRAME | GO_ASSEMBLY });
	size = go_build(&go, 0x60);
	copy = malloc(size);
	memcpy(copy, go.table.bytes, size);
	return gopclntab_open(copy, size, &table);
}

static void done(void)
{
	free(copy);
	go_builder_done(&go);
}

static void assert_functions(void)
{
	struct go_function function;

	assert_int_equal(table.count, 2);
	assert_true(gopclntab_find(&table, ELF_CODE + 0x3f, &function));
	assert_string_equal(function.name, "main.main");
	assert_int_equal(function.start, ELF_CODE);
	assert_int_equal(function.end, ELF_CODE + 0x40);
	assert_int_equal(function.flags, 0);
	assert_true(gopclntab_find(&table, ELF_CODE + 0x40, &function));
	assert_string_equal(function.name, "runtime.goexit");
	assert_int_equal(function.flags, GO_TOP_FRAME | GO_ASSEMBLY);
	assert_false(gopclntab_find(&table, ELF_CODE - 1, &function));
	assert_false(gopclntab_find(&table, ELF_CODE + 0x60, &function));
}

TEST(functions_are_found_in_each_version)
{
	for (enum gopclntab_version version = GOPCLNTAB_1_16; version <= GOPCLNTAB_1_20; version++) {
		assert_int_equal(open_built(version), 0);
		assert_int_equal(table.version, version);
		assert_functions();
		done();
	}
}

TEST(values_hold_from_one_change_to_the_next)
{
	struct go_function function;
	int32_t value;

	assert_int_equal(open_built(GOPCLNTAB_1_18), 0);
	assert_true(gopclntab_find(&table, ELF_CODE, &function));
	assert_true(go_value_at(&table, function.rsp, &function, ELF_CODE, &value));
	assert_int_equal(value, 0);
	assert_true(go_value_at(&table, function.rsp, &function, ELF_CODE + 4, &value));
	assert_int_equal(value, 24);
	assert_true(go_value_at(&table, function.rsp, &function, ELF_CODE + 23, &value));
	assert_int_equal(value, 0);
	assert_false(go_value_at(&table, function.rsp, &function, ELF_CODE + 24, &value));
	assert_true(go_value_at(&table, function.line, &function, ELF_CODE + 8, &value));
	assert_int_equal(value, 8);
	assert_false(go_value_at(&table, 0, &function, ELF_CODE, &value));
	assert_false(go_value_at(&table, UINT32_MAX, &function, ELF_CODE, &value));
	done();
}

TEST(a_list_may_begin_with_no_change_and_ends_with_one)
{
	struct go_values values;
	struct go_function function;

	go = (struct go_builder){ .version = GOPCLNTAB_1_20, .text = ELF_CODE };
	go_add(&go, (struct go_added){ .name = "f", .rsp = go_values(&go, "\x00\x05\x03\x05", 4) });
	go_build(&go, 0x10);
	assert_int_equal(gopclntab_open(go.table.bytes, go.table.size, &table), 0);
	assert_true(gopclntab_function(&table, 0, &function));
	go_values_begin(&values, &table, function.rsp, &function);
	assert_true(go_values_next(&values));
	assert_int_equal(values.value, -1);
	assert_true(go_values_next(&values));
	assert_int_equal(values.value, -3);
	assert_int_equal(values.from, ELF_CODE + 5);
	assert_int_equal(values.to, ELF_CODE + 10);
	assert_false(go_values_next(&values));
	assert_false(values.cursor.bad);
	go_builder_done(&go);
}

TEST(a_file_number_becomes_a_path)
{
	struct go_function function;

	assert_int_equal(open_built(GOPCLNTAB_1_18), 0);
	assert_true(gopclntab_function(&table, 0, &function));
	assert_string_equal(gopclntab_path(&table, &function, 1), "/src/main.go");
	assert_null(gopclntab_path(&table, &function, 0));      /* its place says that it has none */
	assert_null(gopclntab_path(&table, &function, -1));
	assert_null(gopclntab_path(&table, &function, INT32_MAX));
	done();
}

TEST(a_name_begins_where_another_ends)
{
	assert_int_equal(open_built(GOPCLNTAB_1_18), 0);
	assert_string_equal(gopclntab_name(&table, 0), "main.main");
	assert_null(gopclntab_name(&table, 5));
	assert_null(gopclntab_name(&table, UINT64_MAX));
	done();
}

TEST(other_versions_and_other_bytes_are_refused)
{
	uint8_t header[16] = { 0xfb, 0xff, 0xff, 0xff, 0, 0, 1, 8 };

	assert_true(gopclntab_begins(header));
	assert_int_equal(gopclntab_open(header, sizeof(header), &table), -ENOTSUP);     /* Go 1.2 */
	header[0] = 0xf0;
	header[7] = 4;
	assert_false(gopclntab_begins(header));
	assert_int_equal(gopclntab_open(header, sizeof(header), &table), -EBADMSG);
	assert_int_equal(gopclntab_open(header, 3, &table), -EBADMSG);
}

/* Every byte in turn is another, and every length a shorter one: whatever is read lies inside, which a sanitizer checks. */
static void read_all(const uint8_t *bytes, size_t size)
{
	struct go_function function;
	int32_t value;

	if (gopclntab_open(bytes, size, &table) < 0)
		return;
	for (size_t i = 0; i < table.count; i++)
		if (gopclntab_function(&table, i, &function)) {
			(void)strlen(function.name);
			(void)go_value_at(&table, function.rsp, &function, function.end - 1, &value);
			(void)go_value_at(&table, function.file, &function, function.start, &value);
			(void)gopclntab_path(&table, &function, value);
		}
}

TEST(damage_is_never_read_past)
{
	size_t size;

	assert_int_equal(open_built(GOPCLNTAB_1_18), 0);
	size = go.table.size;
	for (size_t at = 0; at < size; at++)
		for (unsigned int value = 0; value < 256; value += 51) {
			uint8_t before = copy[at];

			copy[at] = (uint8_t)value;
			read_all(copy, size);
			copy[at] = before;
		}
	for (size_t length = 0; length < size; length++) {
		uint8_t *shorter = malloc(length + 1);

		memcpy(shorter, copy, length);
		read_all(shorter, length);
		free(shorter);
	}
	done();
}

TEST(more_functions_than_there_are_bytes_for_are_refused)
{
	assert_int_equal(open_built(GOPCLNTAB_1_18), 0);
	copy[9] = 1;                                            /* 258 of them */
	assert_int_equal(gopclntab_open(copy, go.table.size, &table), -EBADMSG);
	memset(copy + 8, 0xff, 8);
	assert_int_equal(gopclntab_open(copy, go.table.size, &table), -EBADMSG);
	done();
}
