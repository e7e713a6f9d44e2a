/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A Go program's table from an enemy. The first byte says how the rest is used: 0 it is the table; 1 the table of a file with
 * sections, 2 of one without; 3 it changes bytes of a good table. Whatever comes of it, names end inside, functions do not
 * end before they start, values move on, and the rows made of it are sorted.
 */
#include "../unit/unwind/gopclntab_builder.h"

#include "unwind/rows.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_values(const struct gopclntab *table, const struct go_function *function, uint32_t offset)
{
	struct go_values values;
	uint64_t before = function->start;

	go_values_begin(&values, table, offset, function);
	while (go_values_next(&values)) {
		assert(values.from == before && values.to > values.from && values.to <= function->end);
		before = values.to;
	}
}

static void check_table(const uint8_t *bytes, size_t size)
{
	struct gopclntab table;
	struct go_function function, found;
	int32_t file = 0;

	if (gopclntab_open(bytes, size, &table) < 0)
		return;
	assert((2 * table.count + 1) * 4 <= size);
	for (size_t i = 0; i < table.count; i++) {
		if (!gopclntab_function(&table, i, &function))
			continue;
		assert(function.start < function.end && function.name + strlen(function.name) < (const char *)bytes + size);
		check_values(&table, &function, function.rsp);
		check_values(&table, &function, function.line);
		(void)go_value_at(&table, function.file, &function, function.start, &file);
		(void)gopclntab_path(&table, &function, file);
		if (gopclntab_find(&table, function.start, &found))
			assert(found.start <= function.start && found.end > function.start);
	}
}

static void check_rows(const uint8_t *bytes, size_t size, bool sections)
{
	struct elf_builder elf = { .no_sections = !sections, .debug_name = ".gopclntab" };
	struct unwind_tables tables;

	put(sections ? &elf.debug : &elf.eh, bytes, size);
	(void)elf_build(&elf);
	if (unwind_tables_read(elf.file.bytes, elf.file.size, &tables) == 0) {
		for (size_t i = 1; i < tables.tables[0].count; i++)
			assert(tables.tables[0].rows[i].pc > tables.tables[0].rows[i - 1].pc);
		unwind_tables_free(&tables);
	}
	elf_builder_done(&elf);
}

static void check_changes(const uint8_t *data, size_t size)
{
	struct go_builder go = { .version = (enum gopclntab_version)(size ? data[0] % 3 : 0), .text = ELF_CODE };

	put_number(&go.units, go_text(&go.files, "/src/main.go"), 4);
	go_add(&go, (struct go_added){ .name = "main.main", .rsp = go_values(&go, "\x02\x04\x30\x10\x2f\x0c", 6),
				       .file = go_values(&go, "\x02\x40", 2), .line = go_values(&go, "\x14\x08\x01\x08", 4) });
	go_add(&go, (struct go_added){ .start = 0x40, .name = "runtime.mcall", .flags = GO_WRITES_RSP, .rsp = 1 });
	go_add(&go, (struct go_added){ .start = 0x60, .name = "runtime.sigreturn", .rsp = 1 });
	(void)go_build(&go, 0x80);
	for (; size >= 3; data += 3, size -= 3)
		go.table.bytes[(data[0] | (size_t)data[1] << 8) % go.table.size] = data[2];
	check_table(go.table.bytes, go.table.size);
	check_rows(go.table.bytes, go.table.size, true);
	go_builder_done(&go);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (!size)
		return 0;
	switch (data[0] & 3) {
	case 0: check_table(data + 1, size - 1); break;
	case 1: check_rows(data + 1, size - 1, true); break;
	case 2: check_rows(data + 1, size - 1, false); break;
	default: check_changes(data + 1, size - 1);
	}
	return 0;
}
