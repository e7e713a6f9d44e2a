/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program file from an enemy. The first byte says how the input is used:
 *
 *	0  it is the file, in a buffer and as mapped     2  it is the .debug_frame of a good file, packed or not
 *	1  it is the .eh_frame of a good file            3  it changes bytes of a good file
 *	                                                 4  it is the instructions of one function
 *
 * Whatever comes of it must be sorted, within limits, and answer for any address; and a walk over it must end.
 */
#include "../unit/unwind/elf_builder.h"

#include "base/memory.h"
#include "unwind/rows.h"
#include "unwind/walk.h"

#include <zlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int read_nothing(void *context, void *to, __u32 size, __u64 address)
{
	(void)context;
	memset(to, (int)(address >> 3 & 0x7f), size);
	return address & 0x8000 ? -1 : 0;
}

static void check_table(const struct unwind_table *table)
{
	struct unwind_mapping mapping = { .start = 0, .end = UINT64_MAX, .table = table };
	struct unwind_process process = { .mappings = &mapping, .count = 1, .memory = { .read = read_nothing } };
	struct unwind_state state = { .sp = 0x1000, .bp = 0x2000, .bp_known = 1, .pc_is_exact = 1, .registers_known = 1 };
	struct unwind_frame frames[32];
	size_t count;

	assert(table->count > 0 && table->count <= UNWIND_ROW_LIMIT);
	assert(table->base == 0 || !unwind_table_row(table, table->base - 1));
	for (size_t i = 0; i < table->count; i++) {
		const struct unwind_row *row = &table->rows[i];

		assert(i == 0 ? row->pc == 0 : row->pc > row[-1].pc);
		assert(i == 0 || row->kind != row[-1].kind || row->cfa != row[-1].cfa || row->rbp != row[-1].rbp);
		assert((row->kind & 15) <= UNWIND_OTHER_STACK && row->kind >> 4 <= UNWIND_RBP_UNKNOWN);
		assert(unwind_table_row(table, table->base + row->pc) == row);
		if (i % 16 == 0) {
			state.pc = table->base + row->pc;
			(void)unwind_walk(&process, state, 32, frames, &count);
			assert(count <= 32);
		}
	}
}

static void check(int result, struct unwind_tables *tables)
{
	if (result < 0)
		return;
	assert(tables->count > 0);
	for (size_t i = 0; i < tables->count; i++) {
		assert(i == 0 || tables->tables[i].base > tables->tables[i - 1].base);
		check_table(&tables->tables[i]);
	}
	unwind_tables_free(tables);
}

static void read_image(const void *bytes, size_t size)
{
	struct unwind_tables tables;

	check(unwind_tables_read(bytes, size, &tables), &tables);
	check(unwind_tables_read_memory(bytes, size, &tables), &tables);
}

static void build(struct elf_builder *elf)
{
	(void)elf_build(elf);
	read_image(elf->file.bytes, elf->file.size);
}

/* Where .eh_frame leads by its search table as well, which counts in what `data` says. */
static void as_eh_frame(struct elf_builder *elf, const uint8_t *data, size_t size)
{
	elf->no_sections = size && (data[0] & 1);
	PUT(&elf->header, 1, 0x1b, 0x03, 0x3b);
	if (size && (data[0] & 2))
		memset(elf->header.bytes + 2, 0xff, 2);
	put_number(&elf->header, (uint64_t)(ELF_EH - (ELF_HEADER + 4)), 4);
	put_number(&elf->header, size / 4, 4);
	for (size_t i = 0; i < size; i += 4) {
		put_number(&elf->header, 0, 4);
		put_number(&elf->header, ELF_EH + i - ELF_HEADER, 4);
	}
	put(&elf->eh, data, size);
	build(elf);
}

static void as_debug_frame(struct elf_builder *elf, const uint8_t *data, size_t size)
{
	Elf64_Chdr header = { .ch_type = ELFCOMPRESS_ZLIB, .ch_size = size, .ch_addralign = 1 };
	uLongf packed = compressBound(size);
	void *memory = xmalloc(packed);

	if (size && (data[0] & 1) && compress(memory, &packed, data, size) == Z_OK) {
		put(&elf->debug, &header, sizeof(header));
		put(&elf->debug, memory, packed);
		elf->debug_flags = SHF_COMPRESSED;
	} else {
		put(&elf->debug, data, size);
		elf->debug_name = size && (data[0] & 2) ? ".zdebug_frame" : NULL;
	}
	free(memory);
	build(elf);
}

static void add_function(struct elf_builder *elf, const uint8_t *instructions, size_t size, const char *letters)
{
	size_t entry = cie_begin(&elf->eh, false, 1, letters, 0x1b);

	entry_end(&elf->eh, entry);
	entry = fde_begin(&elf->eh, 0, ELF_CODE, 0x1000);
	put(&elf->eh, instructions, size);
	entry_end(&elf->eh, entry);
}

static void as_changes(struct elf_builder *elf, const uint8_t *data, size_t size)
{
	add_function(elf, (const uint8_t *)"\x41\x0e\x10\x86\x02\x43\x0d\x06\x02\x64\x0c\x07\x08\xc6", 14, "zR");
	(void)elf_build(elf);
	for (; size >= 3; data += 3, size -= 3) {
		size_t at = data[0] | (size_t)data[1] << 8;

		/* what matters is the first 300 bytes, and all from .eh_frame on */
		at = at < 300 ? at : ELF_EH + (at - 300) % (elf->file.size - ELF_EH);
		elf->file.bytes[at] = data[2];
	}
	read_image(elf->file.bytes, elf->file.size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct elf_builder elf = { 0 };

	if (!size)
		return 0;
	switch (data[0] % 5) {
	case 0: read_image(data + 1, size - 1); break;
	case 1: as_eh_frame(&elf, data + 1, size - 1); break;
	case 2: as_debug_frame(&elf, data + 1, size - 1); break;
	case 3: as_changes(&elf, data + 1, size - 1); break;
	default: add_function(&elf, data + 1, size - 1, data[0] & 1 ? "zR" : "zRS"); build(&elf);
	}
	elf_builder_done(&elf);
	return 0;
}
