/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where readelf prints "exp" for any expression, libdw gives its operations: each row of ours that came of one, or whose
 * frame is counted from a register other than rsp and rbp, beside libdw's answer for its address.
 *
 *	compare_expressions FILE...        prints each that differs, and each rule that no row can hold; then totals
 */
#include "unwind/rows.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <libelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static size_t compared, differences, unsupported;

/* breg N, deref, and a constant in two of the ways to add it. */
static bool is_loaded(const Dwarf_Op *ops, size_t count, unsigned int reg, const struct unwind_row *row)
{
	Dwarf_Word plus = 0;

	if (count < 2 || ops[0].atom != DW_OP_breg0 + reg || ops[1].atom != DW_OP_deref)
		return false;
	for (size_t i = 2; i < count; i++) {
		if (ops[i].atom == DW_OP_plus_uconst)
			plus += ops[i].number;
		else if (ops[i].atom >= DW_OP_lit0 && ops[i].atom <= DW_OP_lit31)
			plus += ops[i].atom - DW_OP_lit0;
		else if (ops[i].atom != DW_OP_plus)
			return false;
	}
	return (int64_t)ops[0].number == ((int16_t)row->cfa >> 4) * 8 && plus == (row->cfa & 15u) * 8;
}

static bool is_plt(const Dwarf_Op *ops, size_t count, const struct unwind_row *row)
{
	static const uint8_t atoms[] = { DW_OP_breg7, DW_OP_breg16, DW_OP_lit15, DW_OP_and, 0, DW_OP_ge, DW_OP_lit3, DW_OP_shl, DW_OP_plus };

	if (count != sizeof(atoms) || ops[0].number != 8 || ops[1].number != 0)
		return false;
	for (size_t i = 0; i < count; i++)
		if (ops[i].atom != (i == 4 ? DW_OP_lit0 + row->cfa : atoms[i]))
			return false;
	return true;
}

/* libdw says register + offset as one operation, of either spelling. */
static bool is_register(const Dwarf_Op *ops, size_t count, const struct unwind_row *row)
{
	unsigned int reg = row->cfa & 255, offset = row->cfa >> 8;

	if (count != 1)
		return false;
	if (ops->atom == DW_OP_bregx)
		return ops->number == reg && ops->number2 == offset * 8;
	return ops->atom == DW_OP_breg0 + reg && ops->number == offset * 8;
}

static bool same_cfa(const Dwarf_Op *ops, size_t count, const struct unwind_row *row)
{
	switch (row->kind & 15) {
	case UNWIND_AT_RSP: return is_loaded(ops, count, 7, row);
	case UNWIND_AT_RBP: return is_loaded(ops, count, 6, row);
	case UNWIND_PLT: return is_plt(ops, count, row);
	case UNWIND_REGISTER: return is_register(ops, count, row);
	case UNWIND_SIGNAL: return count == 2 && ops[0].atom == DW_OP_breg7 && ops[0].number == 160 && ops[1].atom == DW_OP_deref;
	default: return true;
	}
}

/* Of an expression of its own libdw says first that the CFA is pushed. */
static bool same_rbp(Dwarf_Frame *frame, const struct unwind_row *row)
{
	Dwarf_Op memory[3], *ops;
	size_t count;

	if (row->kind >> 4 != UNWIND_RBP_AT_RBP)
		return true;
	return dwarf_frame_register(frame, 6, memory, &ops, &count) == 0 && count == 2 && ops[0].atom == DW_OP_call_frame_cfa &&
	       ops[1].atom == DW_OP_breg6 && (int64_t)ops[1].number == row->rbp * 8;
}

static void print(const char *what, const char *path, uint64_t address, const Dwarf_Op *ops, size_t count)
{
	printf("# %s: %s at %lx:", what, path, address);
	for (size_t i = 0; i < count; i++)
		printf(" %x(%ld, %ld)", ops[i].atom, (long)ops[i].number, (long)ops[i].number2);
	printf("\n");
}

static bool is_plain(const struct unwind_row *row)
{
	unsigned int kind = row->kind & 15;

	return (kind == UNWIND_NONE || kind == UNWIND_RSP || kind == UNWIND_RBP || kind == UNWIND_STOP || kind == UNWIND_RETURN_REGISTER) &&
	       row->kind >> 4 != UNWIND_RBP_AT_RBP;
}

static void compare(const char *path, Dwarf_CFI *cfi, uint64_t address, const struct unwind_row *row)
{
	Dwarf_Frame *frame;
	Dwarf_Op *ops;
	size_t count;

	if (is_plain(row))
		return;
	compared++;
	if (dwarf_cfi_addrframe(cfi, address, &frame) != 0) {
		print("libdw has no frame", path, address, NULL, 0);
		differences++;
		return;
	}
	if (dwarf_frame_cfa(frame, &ops, &count) != 0 || !same_cfa(ops, count, row) || !same_rbp(frame, row)) {
		print("differs", path, address, ops, count);
		differences++;
	} else if ((row->kind & 15) == UNWIND_UNSUPPORTED) {
		print("unsupported", path, address, ops, count);
		unsupported++;
	}
	free(frame);
}

static void compare_file(const char *path, int fd)
{
	struct unwind_tables tables = { 0 };
	Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
	Dwarf_CFI *cfi = elf ? dwarf_getcfi_elf(elf) : NULL;           /* .eh_frame's */

	if (cfi && unwind_tables_read_file(fd, &tables) == 0)
		for (size_t t = 0; t < tables.count; t++)
			for (size_t i = 0; i < tables.tables[t].count; i++)
				compare(path, cfi, tables.tables[t].base + tables.tables[t].rows[i].pc, &tables.tables[t].rows[i]);
	unwind_tables_free(&tables);
	if (cfi)
		(void)dwarf_cfi_end(cfi);
	(void)elf_end(elf);
}

int main(int count, char **arguments)
{
	(void)elf_version(EV_CURRENT);
	for (int i = 1; i < count; i++) {
		int fd = open(arguments[i], O_RDONLY | O_CLOEXEC | O_NONBLOCK);

		if (fd >= 0) {
			compare_file(arguments[i], fd);
			(void)close(fd);
		}
	}
	printf("rows compared with libdw %zu, differences %zu, unsupported %zu\n", compared, differences, unsupported);
	return differences || !compared;
}
