/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/auxv.h>
#include <unistd.h>
#include <zlib.h>

#include "elf_builder.h"
#include "unwind/rows.h"

#define KIND(cfa, rbp) ((cfa) | (rbp) << 4)

static struct elf_builder elf;
static struct unwind_tables tables;

/* Builds and reads a copy of exactly its size, so that a sanitizer sees what reads past its end. */
static int read_built(void)
{
	size_t size = elf_build(&elf);
	uint8_t *copy = malloc(size);
	int r;

	memcpy(copy, elf.file.bytes, size);
	r = unwind_tables_read(copy, size, &tables);
	free(copy);
	return r;
}

static void done(void)
{
	unwind_tables_free(&tables);
	elf_builder_done(&elf);
	elf = (struct elf_builder){ 0 };
}

/* One function of 256 bytes, with these instructions. */
static void build_function(const uint8_t *instructions, size_t size, const char *letters)
{
	size_t cie = cie_begin(&elf.eh, false, 1, letters, 0x1b), fde;

	entry_end(&elf.eh, cie);
	fde = fde_begin(&elf.eh, 0, ELF_CODE, 256);
	put(&elf.eh, instructions, size);
	entry_end(&elf.eh, fde);
	assert_int_equal(read_built(), 0);
}
#define FUNCTION(...)                                                          \
	do {                                                                   \
		static const uint8_t list[] = { __VA_ARGS__ };                 \
		build_function(list, sizeof(list), "zR");                      \
	} while (0)

static void assert_row(uint64_t address, unsigned int kind, unsigned int cfa, int rbp)
{
	const struct unwind_row *row = unwind_table_row(&tables.tables[0], address);

	assert_non_null(row);
	assert_int_equal(row->kind, kind);
	assert_int_equal(row->cfa, cfa);
	assert_int_equal(row->rbp, rbp);
}

/* --- What functions say ----------------------------------------------------------------------------------------- */

TEST(a_frame_grows_and_is_left)
{
	FUNCTION(0x41, 0x0e, 16, 0x86, 2,               /* push rbp */
		 0x43, 0x0d, 6,                         /* mov rsp, rbp */
		 0x02, 100, 0x0c, 7, 8,                 /* leave: rsp + 8, and rbp is the caller's again */
		 0xc6);
	assert_int_equal(tables.count, 1);
	assert_int_equal(tables.tables[0].count, 5);
	assert_null(unwind_table_row(&tables.tables[0], ELF_CODE - 1));
	assert_row(ELF_CODE, UNWIND_RSP, 1, 0);
	assert_row(ELF_CODE + 1, KIND(UNWIND_RSP, UNWIND_RBP_AT_CFA), 2, -2);
	assert_row(ELF_CODE + 3, KIND(UNWIND_RSP, UNWIND_RBP_AT_CFA), 2, -2);
	assert_row(ELF_CODE + 4, KIND(UNWIND_RBP, UNWIND_RBP_AT_CFA), 2, -2);
	assert_row(ELF_CODE + 104, UNWIND_RSP, 1, 0);
	assert_row(ELF_CODE + 255, UNWIND_RSP, 1, 0);
	assert_row(ELF_CODE + 256, UNWIND_NONE, 0, 0);
	assert_row(UINT64_MAX, UNWIND_NONE, 0, 0);
	assert_int_equal(tables.tables[0].statistics.descriptions, 1);
	assert_int_equal(tables.tables[0].statistics.rows_before_merge, 4);
	assert_int_equal(tables.tables[0].statistics.covered_bytes, 256);
	assert_int_equal(tables.tables[0].statistics.text_bytes, ELF_CODE_SIZE);
	assert_false(tables.tables[0].statistics.from_debug_frame);
	done();
}

TEST(a_register_that_no_row_tells_of_changes_nothing)
{
	FUNCTION(0x41, 0x83, 3, 0x42, 0x05, 12, 4, 0x43, 0x2e, 16, 0x44, 0x07, 13);
	assert_int_equal(tables.tables[0].count, 2);
	assert_int_equal(tables.tables[0].statistics.rows_before_merge, 5);
	done();
}

TEST(each_way_to_advance_moves_by_code_alignment)
{
	size_t cie, fde;

	cie = entry_begin(&elf.eh, false, 0, 4);
	PUT(&elf.eh, 1, 'z', 'R', 0, 4, 0x78, 16, 1, 0x1b, 0x0c, 7, 8, 0x90, 1);        /* four bytes a unit */
	entry_end(&elf.eh, cie);
	fde = fde_begin(&elf.eh, 0, ELF_CODE, 0x4000);
	PUT(&elf.eh, 0x41, 0x0e, 16, 0x02, 1, 0x0e, 24, 0x03, 1, 0, 0x0e, 32, 0x04, 1, 0, 0, 0, 0x0e, 40,
	    0x1d, 1, 0, 0, 0, 0, 0, 0, 0, 0x0e, 48);
	put_number(&elf.eh, 0x01, 1);                                                   /* DW_CFA_set_loc */
	put_number(&elf.eh, ELF_CODE + 0x100 - (ELF_EH + elf.eh.size), 4);
	PUT(&elf.eh, 0x0e, 56);
	entry_end(&elf.eh, fde);
	assert_int_equal(read_built(), 0);
	for (unsigned int i = 0; i < 6; i++) {
		assert_row(ELF_CODE + 4 * i, UNWIND_RSP, i + 1, 0);
		assert_row(ELF_CODE + 4 * i + 3, UNWIND_RSP, i + 1, 0);
	}
	assert_row(ELF_CODE + 0xff, UNWIND_RSP, 6, 0);
	assert_row(ELF_CODE + 0x100, UNWIND_RSP, 7, 0);
	done();
}

TEST(what_is_remembered_is_restored_with_its_cfa)
{
	FUNCTION(0x41, 0x0e, 16, 0x86, 2, 0x42, 0x0a, 0x0e, 8, 0xc6, 0x43, 0x0b);
	assert_row(ELF_CODE + 3, UNWIND_RSP, 1, 0);
	assert_row(ELF_CODE + 6, KIND(UNWIND_RSP, UNWIND_RBP_AT_CFA), 2, -2);
	done();
}

TEST(signed_offsets_count_in_data_alignment)
{
	FUNCTION(0x41, 0x12, 7, 0x7d, 0x11, 6, 2,       /* def_cfa_sf rsp, -3 * -8; offset_extended_sf rbp, 2 */
		 0x42, 0x13, 0x7c, 0x2f, 6, 3);         /* def_cfa_offset_sf -4 * -8; GNU_negative_offset_extended */
	assert_row(ELF_CODE + 1, KIND(UNWIND_RSP, UNWIND_RBP_AT_CFA), 3, -2);
	assert_row(ELF_CODE + 3, KIND(UNWIND_RSP, UNWIND_RBP_AT_CFA), 4, 3);
	done();
}

TEST(an_rbp_that_is_no_word_of_the_stack_is_unknown)
{
	FUNCTION(0x41, 0x14, 6, 1,                      /* val_offset */
		 0x41, 0x15, 6, 1, 0x41, 0x07, 6,       /* val_offset_sf; undefined */
		 0x41, 0x09, 6, 3,                      /* in rbx */
		 0x41, 0x16, 6, 2, 0x76, 8,             /* val_expression */
		 0x41, 0x10, 6, 2, 0x77, 8,             /* *(rsp + 8) */
		 0x41, 0x05, 6, 0xff, 1,                /* too far from the CFA for eight bits */
		 0x41, 0x08, 6);                        /* same value */
	for (unsigned int i = 1; i <= 7; i++)
		assert_row(ELF_CODE + i, KIND(UNWIND_RSP, UNWIND_RBP_UNKNOWN), 1, 0);
	assert_row(ELF_CODE + 8, UNWIND_RSP, 1, 0);
	done();
}

TEST(a_frame_that_aligns_its_stack)
{
	FUNCTION(0x41, 0x0c, 10, 0,                     /* lea 8(rsp), r10: CFA = r10 */
		 0x41, 0x10, 6, 2, 0x76, 0,             /* rbp at *(rbp + 0) */
		 0x41, 0x0f, 3, 0x76, 0x78, 0x06,       /* CFA = *(rbp - 8) */
		 0x41, 0x0c, 10, 0);
	assert_row(ELF_CODE + 1, UNWIND_REGISTER, 10, 0);
	assert_row(ELF_CODE + 2, KIND(UNWIND_REGISTER, UNWIND_RBP_AT_RBP), 10, 0);
	assert_row(ELF_CODE + 3, KIND(UNWIND_AT_RBP, UNWIND_RBP_AT_RBP), (uint16_t)(-1 * 16), 0);
	done();
}

/* A frame counted from rbx, and two functions that save it in places of their own; from ELF_CODE + 16 and + 32 they are called. */
static void build_callers(uint64_t first, uint64_t second)
{
	const uint64_t callees[] = { first, second };
	size_t cie = cie_begin(&elf.eh, false, 1, "zR", 0x1b), fde, size;

	entry_end(&elf.eh, cie);
	fde = fde_begin(&elf.eh, 0, ELF_CODE, 256);
	PUT(&elf.eh, 0x41, 0x0e, 16, 0x83, 2, 0x43, 0x0d, 3);                   /* push rbx; mov rsp, rbx */
	entry_end(&elf.eh, fde);
	fde = fde_begin(&elf.eh, 0, ELF_CODE + 256, 64);
	PUT(&elf.eh, 0x42, 0x0e, 16, 0x41, 0x0e, 24, 0x83, 3, 0x51, 0xc3);      /* push r12; push rbx; … pop rbx */
	entry_end(&elf.eh, fde);
	fde = fde_begin(&elf.eh, 0, ELF_CODE + 320, 64);
	PUT(&elf.eh, 0x41, 0x0e, 16, 0x83, 2);
	entry_end(&elf.eh, fde);
	size = elf_build(&elf);
	for (unsigned int i = 0; i < 2; i++) {
		uint64_t at = ELF_CODE + 16 * (i + 1);
		int32_t distance = (int32_t)(callees[i] - at - 5);

		if (!callees[i])
			continue;
		elf.file.bytes[at] = 0xe8;
		memcpy(elf.file.bytes + at + 1, &distance, sizeof(distance));
	}
	assert_int_equal(unwind_tables_read(elf.file.bytes, size, &tables), 0);
}

TEST(a_frame_counted_from_rbx_is_found_by_where_what_it_calls_saves_rbx)
{
	static const struct { uint64_t first, second; int words; } cases[] = {
		{ 0, 0, 0 },
		{ ELF_CODE + 256, 0, -3 },
		{ 0, ELF_CODE + 320, -2 },
		{ ELF_CODE + 256, ELF_CODE + 256, -3 },
		{ ELF_CODE + 256, ELF_CODE + 320, 0 },                          /* they differ */
		{ ELF_CODE + 260, ELF_CODE + 320, -2 },                         /* no function begins there: it is no call */
		{ ELF_CODE, 0, -2 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		build_callers(cases[i].first, cases[i].second);
		assert_row(ELF_CODE + 1, UNWIND_RSP, 2, 0);
		assert_row(ELF_CODE + 4, UNWIND_REGISTER, 3 | 2 << 8, cases[i].words);
		done();
	}
}

TEST(a_cfa_that_the_stack_holds_with_a_sum_in_each_spelling)
{
	FUNCTION(0x41, 0x0f, 5, 0x77, 40, 0x06, 0x23, 8,        /* breg7 40, deref, plus_uconst 8: OpenSSL */
		 0x41, 0x0f, 5, 0x77, 48, 0x06, 0x40, 0x22,     /* … lit16, plus */
		 0x41, 0x0f, 6, 0x77, 56, 0x06, 0x08, 24, 0x22, /* … const1u 24, plus */
		 0x41, 0x0f, 2, 0x77, 32,                       /* breg7 32 */
		 0x41, 0x0f, 4, 0x76, 8, 0x23, 8);              /* breg6 8, plus_uconst 8 */
	assert_row(ELF_CODE + 1, UNWIND_AT_RSP, 5 << 4 | 1, 0);
	assert_row(ELF_CODE + 2, UNWIND_AT_RSP, 6 << 4 | 2, 0);
	assert_row(ELF_CODE + 3, UNWIND_AT_RSP, 7 << 4 | 3, 0);
	assert_row(ELF_CODE + 4, UNWIND_RSP, 4, 0);
	assert_row(ELF_CODE + 5, UNWIND_RBP, 2, 0);
	done();
}

TEST(the_linkers_expression_for_its_plt)
{
	FUNCTION(0x41, 0x0f, 11, 0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22,
		 0x41, 0x0f, 11, 0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x3a, 0x2a, 0x33, 0x24, 0x22);
	assert_row(ELF_CODE + 1, UNWIND_PLT, 11, 0);
	assert_row(ELF_CODE + 2, UNWIND_PLT, 10, 0);
	done();
}

TEST(rules_that_do_not_fit_are_unsupported)
{
	FUNCTION(0x41, 0x0f, 6, 0x77, 8, 0x79, 0, 0x22, 0x06,   /* rsp + 8 + r9 … */
		 0x41, 0x0f, 3, 0x70, 0, 0x06,                  /* *(rax) */
		 0x41, 0x0f, 3, 0x77, 4, 0x06,                  /* half a word */
		 0x41, 0x0f, 5, 0x77, 0, 0x06, 0x23, 128,       /* its number is cut short */
		 0x41, 0x0c, 7, 12,                             /* a CFA of no whole words */
		 0x41, 0x0c, 7, 0xc0, 0x84, 0x3d,               /* a frame of a million bytes */
		 0x41, 0x0c, 6, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0xff, 1,
		 0x41, 0x0c, 40, 8,                             /* no such register */
		 0x41, 0x0c, 10, 0x80, 0x20);                   /* r10 + 4096 */
	for (unsigned int i = 1; i <= 9; i++)
		assert_row(ELF_CODE + i, UNWIND_UNSUPPORTED, 0, 0);
	assert_int_equal(tables.tables[0].statistics.unsupported, 9);
	done();
}

TEST(a_return_address_elsewhere)
{
	FUNCTION(0x41, 0x09, 16, 5, 0x0e, 0,            /* vfork: in rdi, CFA = rsp */
		 0x41, 0x0e, 8,
		 0x41, 0x05, 16, 3,                     /* *(CFA - 24) */
		 0x41, 0x05, 16, 1, 0x05, 7, 2,         /* the caller's rsp is on another stack */
		 0x41, 0x08, 7,
		 0x41, 0x14, 7, 0,                      /* val_offset rsp, 0: as always */
		 0x41, 0x07, 16);                       /* the outermost frame */
	assert_row(ELF_CODE + 1, UNWIND_RETURN_REGISTER, 5, 0);
	assert_row(ELF_CODE + 2, UNWIND_RETURN_REGISTER, 5 | 1 << 8, 0);
	assert_row(ELF_CODE + 3, UNWIND_UNSUPPORTED, 0, 0);
	assert_row(ELF_CODE + 4, UNWIND_UNSUPPORTED, 0, 0);
	assert_row(ELF_CODE + 5, UNWIND_UNSUPPORTED, 0, 0);
	assert_row(ELF_CODE + 6, UNWIND_RSP, 1, 0);
	assert_row(ELF_CODE + 7, UNWIND_STOP, 0, 0);
	done();
}

TEST(a_signal_frame_is_linuxs_only_if_its_cfa_is_in_the_sigcontext)
{
	static const uint8_t list[] = { 0x41, 0x0f, 4, 0x77, 0xa0, 1, 0x06 };

	build_function(list, sizeof(list), "zRS");
	assert_row(ELF_CODE, UNWIND_RSP, 1, 0);
	assert_row(ELF_CODE + 1, UNWIND_SIGNAL, 0, 0);
	done();
	build_function(list, sizeof(list), "zR");
	assert_row(ELF_CODE + 1, UNWIND_AT_RSP, 20 << 4, 0);
	done();
}

TEST(damage_is_unknown_from_where_it_stands)
{
	FUNCTION(0x41, 0x0e, 16, 0x41, 0x3f, 0x41, 0x0e, 8);            /* no such instruction */
	assert_row(ELF_CODE + 1, UNWIND_RSP, 2, 0);
	assert_row(ELF_CODE + 2, UNWIND_UNSUPPORTED, 0, 0);
	assert_row(ELF_CODE + 255, UNWIND_UNSUPPORTED, 0, 0);
	done();
	FUNCTION(0x41, 0x0b);                                           /* nothing was remembered */
	assert_row(ELF_CODE + 1, UNWIND_UNSUPPORTED, 0, 0);
	done();
	FUNCTION(0x41, 0x0f, 100, 0x77);                                /* longer than what is left */
	assert_row(ELF_CODE + 1, UNWIND_UNSUPPORTED, 0, 0);
	done();
}

TEST(remembering_has_a_limit)
{
	uint8_t list[64];

	memset(list, 0x0a, sizeof(list));
	build_function(list, sizeof(list), "zR");
	assert_row(ELF_CODE, UNWIND_UNSUPPORTED, 0, 0);
	done();
}

TEST(a_rule_ends_where_its_code_does)
{
	FUNCTION(0x03, 0, 2, 0x0e, 16);                                 /* advances 512 bytes in 256 */
	assert_int_equal(tables.tables[0].count, 2);
	assert_row(ELF_CODE + 256, UNWIND_NONE, 0, 0);
	done();
}

/* --- Where they are described ----------------------------------------------------------------------------------- */

static void add_function(uint64_t start, uint64_t size, uint8_t cfa)
{
	size_t fde;

	if (!elf.eh.size)
		entry_end(&elf.eh, cie_begin(&elf.eh, false, 1, "zR", 0x1b));
	fde = fde_begin(&elf.eh, 0, start, size);
	put(&elf.eh, (uint8_t[]){ 0x0e, cfa }, 2);
	entry_end(&elf.eh, fde);
}

static void add_debug_function(uint64_t start, uint64_t size, uint8_t cfa)
{
	size_t fde;

	if (!elf.debug.size)
		entry_end(&elf.debug, cie_begin(&elf.debug, true, 1, "", 0));
	fde = debug_fde_begin(&elf.debug, 0, start, size);
	put(&elf.debug, (uint8_t[]){ 0x0e, cfa }, 2);
	entry_end(&elf.debug, fde);
}

TEST(functions_are_sorted_and_only_a_long_gap_is_unknown)
{
	add_function(ELF_CODE + 0x300, 16, 32);
	add_function(ELF_CODE, 16, 8);
	add_function(ELF_CODE + 31, 16, 16);                    /* 15 bytes after the first */
	add_function(ELF_CODE + 63, 16, 24);                    /* 16 bytes after the second */
	assert_int_equal(read_built(), 0);
	assert_int_equal(tables.tables[0].count, 7);
	assert_row(ELF_CODE + 30, UNWIND_RSP, 1, 0);
	assert_row(ELF_CODE + 31, UNWIND_RSP, 2, 0);
	assert_row(ELF_CODE + 47, UNWIND_NONE, 0, 0);
	assert_row(ELF_CODE + 63, UNWIND_RSP, 3, 0);
	assert_row(ELF_CODE + 79, UNWIND_NONE, 0, 0);
	assert_row(ELF_CODE + 0x30f, UNWIND_RSP, 4, 0);
	done();
}

TEST(both_sections_are_merged_and_eh_frame_wins)
{
	add_debug_function(ELF_CODE, 16, 80);
	add_debug_function(ELF_CODE + 16, 16, 16);
	add_debug_function(0, 16, 88);                          /* discarded by the linker, which leaves 0 … */
	add_debug_function(UINT64_MAX, 16, 88);                 /* … or a number that is no address */
	add_function(ELF_CODE, 16, 8);
	assert_int_equal(read_built(), 0);
	assert_int_equal(tables.tables[0].count, 3);
	assert_row(ELF_CODE, UNWIND_RSP, 1, 0);
	assert_row(ELF_CODE + 16, UNWIND_RSP, 2, 0);
	assert_int_equal(tables.tables[0].statistics.descriptions, 2);
	assert_int_equal(tables.tables[0].statistics.dropped, 3);
	assert_true(tables.tables[0].statistics.from_debug_frame);
	done();
}

TEST(a_function_ends_where_the_next_begins)
{
	add_function(ELF_CODE, 64, 8);
	add_function(ELF_CODE + 32, 8, 16);
	assert_int_equal(read_built(), 0);
	assert_row(ELF_CODE + 32, UNWIND_RSP, 2, 0);
	assert_row(ELF_CODE + 40, UNWIND_NONE, 0, 0);
	assert_int_equal(tables.tables[0].statistics.covered_bytes, 40);
	done();
}

TEST(debug_frame_in_versions_3_and_4_and_in_64_bits)
{
	size_t cie, fde;

	entry_end(&elf.debug, cie_begin(&elf.debug, true, 3, "", 0));
	fde = debug_fde_begin(&elf.debug, 0, ELF_CODE, 16);
	entry_end(&elf.debug, fde);
	cie = elf.debug.size;
	entry_end(&elf.debug, cie_begin(&elf.debug, true, 4, "", 0));
	fde = debug_fde_begin(&elf.debug, cie, ELF_CODE + 16, 16);
	PUT(&elf.debug, 0x0e, 16);
	entry_end(&elf.debug, fde);
	cie = elf.debug.size;
	fde = entry_begin(&elf.debug, true, UINT64_MAX, 8);
	PUT(&elf.debug, 4, 0, 8, 0, 1, 0x78, 16, 0x0c, 7, 24, 0x90, 1);
	entry_end_of(&elf.debug, fde, true);
	fde = entry_begin(&elf.debug, true, cie, 8);
	put_number(&elf.debug, ELF_CODE + 32, 8);
	put_number(&elf.debug, 16, 8);
	entry_end_of(&elf.debug, fde, true);
	assert_int_equal(read_built(), 0);
	assert_row(ELF_CODE, UNWIND_RSP, 1, 0);
	assert_row(ELF_CODE + 16, UNWIND_RSP, 2, 0);
	assert_row(ELF_CODE + 32, UNWIND_RSP, 3, 0);
	done();
}

static void pack_debug(bool is_gnu)
{
	uLongf packed = compressBound(elf.debug.size);
	uint8_t *memory = malloc(packed), size[8];
	Elf64_Chdr header = { .ch_type = ELFCOMPRESS_ZLIB, .ch_size = elf.debug.size, .ch_addralign = 8 };

	assert_int_equal(compress(memory, &packed, elf.debug.bytes, elf.debug.size), Z_OK);
	for (int i = 0; i < 8; i++)
		size[i] = (uint8_t)(elf.debug.size >> (56 - 8 * i));
	elf.debug.size = 0;
	if (is_gnu) {
		put(&elf.debug, "ZLIB", 4);
		put(&elf.debug, size, 8);
		elf.debug_name = ".zdebug_frame";
	} else {
		put(&elf.debug, &header, sizeof(header));
		elf.debug_flags = SHF_COMPRESSED;
	}
	put(&elf.debug, memory, packed);
	free(memory);
}

TEST(debug_frame_may_be_compressed_in_both_ways)
{
	for (int is_gnu = 0; is_gnu < 2; is_gnu++) {
		add_debug_function(ELF_CODE, 16, 16);
		pack_debug(is_gnu);
		assert_int_equal(read_built(), 0);
		assert_row(ELF_CODE, UNWIND_RSP, 2, 0);
		done();
	}
}

TEST(a_size_that_zlib_cannot_have_packed_is_not_allocated)
{
	uint64_t lie = (uint64_t)200 << 20;

	add_debug_function(ELF_CODE, 16, 16);
	pack_debug(false);
	memcpy(elf.debug.bytes + offsetof(Elf64_Chdr, ch_size), &lie, sizeof(lie));
	assert_int_equal(read_built(), -ENODATA);
	done();
}

/* Version 1, .eh_frame from here in 4 bytes, the number of functions in 4, the table from the header in 4. */
static void build_header(bool has_table)
{
	size_t count = 2;

	PUT(&elf.header, 1, 0x1b);
	put(&elf.header, has_table ? "\x03\x3b" : "\xff\xff", 2);
	put_number(&elf.header, ELF_EH - (ELF_HEADER + 4), 4);
	if (!has_table)
		return;
	put_number(&elf.header, count, 4);
	for (size_t i = 0, at = 0; i < count; i++) {
		uint32_t length;

		memcpy(&length, elf.eh.bytes + at, 4);
		at += length + 4;
		put_number(&elf.header, 0, 4);                  /* where the function is: the description says it */
		put_number(&elf.header, ELF_EH + at - ELF_HEADER, 4);
	}
}

TEST(without_sections_the_search_table_leads_to_the_functions)
{
	for (int has_table = 0; has_table < 2; has_table++) {
		elf.no_sections = true;
		add_function(ELF_CODE, 16, 8);
		add_function(ELF_CODE + 16, 16, 16);
		build_header(has_table);
		put(&elf.eh, has_table ? "\xff\xff\xff" : "\0\0\0\0garbage", has_table ? 3 : 11);
		assert_int_equal(read_built(), 0);
		assert_row(ELF_CODE, UNWIND_RSP, 1, 0);
		assert_row(ELF_CODE + 16, UNWIND_RSP, 2, 0);
		assert_int_equal(tables.tables[0].count, 3);
		unwind_tables_free(&tables);
		assert_int_equal(unwind_tables_read_memory(elf.file.bytes, elf.file.size, &tables), -ENODATA);
		memmove(elf.file.bytes + ELF_HEADER - ELF_CODE, elf.file.bytes + ELF_HEADER, elf.file.size - ELF_HEADER);
		assert_int_equal(unwind_tables_read_memory(elf.file.bytes, elf.file.size - ELF_CODE, &tables), 0);
		assert_row(ELF_CODE + 16, UNWIND_RSP, 2, 0);
		done();
	}
}

/* encoding, size, and what the number counts from */
static const struct { uint8_t encoding, size; uint64_t from; } encodings[] = {
	{ 0x00, 8, 0 }, { 0x02, 2, 0 }, { 0x03, 4, 0 }, { 0x04, 8, 0 }, { 0x08, 8, 0 }, { 0x0a, 2, 0 }, { 0x0b, 4, 0 }, { 0x0c, 8, 0 },
	{ 0x1a, 2, UINT64_MAX }, { 0x1b, 4, UINT64_MAX }, { 0x1c, 8, UINT64_MAX }, { 0x10, 8, UINT64_MAX },
	{ 0x23, 4, ELF_CODE }, { 0x2b, 4, ELF_CODE },
};

TEST(each_encoding_of_a_pointer)
{
	for (size_t i = 0; i < sizeof(encodings) / sizeof(encodings[0]); i++) {
		uint64_t from = encodings[i].from, start = ELF_CODE + 0x40;
		size_t fde;

		entry_end(&elf.eh, cie_begin(&elf.eh, false, 1, "zR", encodings[i].encoding));
		fde = entry_begin(&elf.eh, false, elf.eh.size + 4, 4);
		/* 16 bits do not reach so far back: the number wraps, as their owner would have it */
		if (from == UINT64_MAX)
			from = ELF_EH + elf.eh.size;
		if (encodings[i].size == 2 && from)
			start = 0;
		put_number(&elf.eh, start - from, encodings[i].size);
		put_number(&elf.eh, 16, encodings[i].size);
		PUT(&elf.eh, 0);
		entry_end(&elf.eh, fde);
		assert_int_equal(read_built(), start ? 0 : -ENODATA);
		if (start)
			assert_row(start, UNWIND_RSP, 1, 0);
		done();
	}
}

TEST(leb_and_aligned_pointers)
{
	size_t fde;

	entry_end(&elf.eh, cie_begin(&elf.eh, false, 1, "zR", 0x01));
	fde = entry_begin(&elf.eh, false, elf.eh.size + 4, 4);
	PUT(&elf.eh, 0x80, 0x20, 16, 0);                        /* uleb 4096 */
	entry_end(&elf.eh, fde);
	assert_int_equal(read_built(), 0);
	assert_row(ELF_CODE, UNWIND_RSP, 1, 0);
	done();
	entry_end(&elf.eh, cie_begin(&elf.eh, false, 1, "zR", 0x50));
	fde = entry_begin(&elf.eh, false, elf.eh.size + 4, 4);
	put_zeros(&elf.eh, (elf.eh.size + 7) & ~(size_t)7);
	put_number(&elf.eh, ELF_CODE + 8, 8);
	put_number(&elf.eh, 16, 8);
	PUT(&elf.eh, 0);
	entry_end(&elf.eh, fde);
	assert_int_equal(read_built(), 0);
	assert_row(ELF_CODE + 8, UNWIND_RSP, 1, 0);
	done();
}

TEST(a_start_that_lies_elsewhere_is_not_guessed)
{
	size_t fde;

	entry_end(&elf.eh, cie_begin(&elf.eh, false, 1, "zR", 0x80));
	fde = entry_begin(&elf.eh, false, elf.eh.size + 4, 4);
	put_number(&elf.eh, ELF_CODE, 8);
	put_number(&elf.eh, 16, 8);
	PUT(&elf.eh, 0);
	entry_end(&elf.eh, fde);
	assert_int_equal(read_built(), -ENODATA);
	done();
}

TEST(a_personality_is_skipped)
{
	size_t cie = entry_begin(&elf.eh, false, 0, 4), fde;

	PUT(&elf.eh, 1, 'z', 'P', 'L', 'R', 0, 1, 0x78, 16, 7, 0x9b, 1, 2, 3, 4, 0x1b, 0x1b, 0x0c, 7, 8, 0x90, 1);
	entry_end(&elf.eh, cie);
	fde = fde_begin(&elf.eh, 0, ELF_CODE, 16);
	entry_end(&elf.eh, fde);
	assert_int_equal(read_built(), 0);
	assert_row(ELF_CODE, UNWIND_RSP, 1, 0);
	done();
}

/* --- Sizes ------------------------------------------------------------------------------------------------------ */

TEST(more_rows_than_a_table_holds_are_split_by_address)
{
	enum { ROWS = UNWIND_ROW_LIMIT + 1000 };
	size_t fde;

	elf.code_size = 0x400000;
	entry_end(&elf.debug, cie_begin(&elf.debug, true, 1, "", 0));
	fde = debug_fde_begin(&elf.debug, 0, ELF_CODE, 0x300000);
	for (unsigned int i = 0; i < ROWS; i++)
		put(&elf.debug, (uint8_t[]){ 0x0e, i % 2 ? 16 : 24, 0x41 }, 3);
	entry_end(&elf.debug, fde);
	assert_int_equal(read_built(), 0);
	assert_int_equal(tables.count, 2);
	assert_int_equal(tables.tables[0].count, UNWIND_ROW_LIMIT);
	assert_int_equal(tables.tables[1].base, ELF_CODE + UNWIND_ROW_LIMIT);
	assert_int_equal(tables.tables[1].rows[0].pc, 0);
	assert_int_equal(tables.tables[0].statistics.rows_before_merge, ROWS + 1);
	assert_int_equal(tables.tables[1].statistics.rows_before_merge, 0);
	done();
}

TEST(code_of_more_than_4_gib_is_split)
{
	elf.code_size = (uint64_t)6 << 30;
	add_debug_function(ELF_CODE, 16, 8);
	add_debug_function(ELF_CODE + ((uint64_t)5 << 30), 16, 16);
	assert_int_equal(read_built(), 0);
	assert_int_equal(tables.count, 2);
	assert_int_equal(tables.tables[1].base, ELF_CODE + ((uint64_t)5 << 30));
	assert_int_equal(unwind_table_row(&tables.tables[1], tables.tables[1].base)->cfa, 2);
	assert_row(tables.tables[1].base - 1, UNWIND_NONE, 0, 0);
	done();
}

/* 20,000 descriptions, each of which names a common entry of its own that would carry out all the bytes after it. */
TEST(common_entries_that_overlap_cannot_make_reading_slow)
{
	enum { COUNT = 20000, NOPS = 200000 };
	size_t cie = cie_begin(&elf.debug, true, 1, "", 0);

	for (unsigned int i = 0; i < COUNT; i++) {
		put_number(&elf.debug, COUNT * 16 + NOPS, 4);           /* a length, an id, a version, nothing more: */
		PUT(&elf.debug, 0xff, 0xff, 0xff, 0xff, 1, 0, 1, 0x78, 16, 0, 0, 0);
	}
	put_zeros(&elf.debug, elf.debug.size + COUNT * 16 + NOPS);
	entry_end(&elf.debug, cie);
	for (unsigned int i = 0; i < COUNT; i++)
		entry_end(&elf.debug, debug_fde_begin(&elf.debug, 21 + 16 * i, ELF_CODE + i, 1));
	(void)read_built();
	done();
}

/* --- Damage ----------------------------------------------------------------------------------------------------- */

TEST(what_is_no_program_for_this_processor_is_refused)
{
	add_function(ELF_CODE, 16, 8);
	(void)elf_build(&elf);
	assert_int_equal(unwind_tables_read("#!/bin/sh\n", 10, &tables), -ENOEXEC);
	assert_int_equal(unwind_tables_read(NULL, 0, &tables), -ENOEXEC);
	assert_int_equal(unwind_tables_read(elf.file.bytes, sizeof(Elf64_Ehdr) - 1, &tables), -ENOEXEC);
	elf.file.bytes[EI_CLASS] = ELFCLASS32;
	assert_int_equal(unwind_tables_read(elf.file.bytes, elf.file.size, &tables), -ENOEXEC);
	elf.file.bytes[EI_CLASS] = ELFCLASS64;
	elf.file.bytes[offsetof(Elf64_Ehdr, e_machine)] = EM_AARCH64;
	assert_int_equal(unwind_tables_read(elf.file.bytes, elf.file.size, &tables), -ENOEXEC);
	done();
	assert_int_equal(read_built(), -ENODATA);
	done();
}

TEST(a_file_cut_anywhere_or_changed_anywhere_is_survived)
{
	size_t size;

	add_function(ELF_CODE, 16, 8);
	add_function(ELF_CODE + 64, 16, 16);
	add_debug_function(ELF_CODE + 128, 16, 16);
	build_header(true);
	size = elf_build(&elf);
	for (size_t cut = 0; cut < size; cut += cut < 300 || cut > ELF_HEADER ? 1 : 4096) {
		uint8_t *copy = malloc(cut + 1);

		memcpy(copy, elf.file.bytes, cut);
		if (unwind_tables_read(copy, cut, &tables) == 0)
			unwind_tables_free(&tables);
		free(copy);
	}
	for (size_t at = 0; at < size; at += at < 300 || at > ELF_HEADER ? 1 : 4096)
		for (int value = 0; value < 256; value += 51) {
			uint8_t before = elf.file.bytes[at];

			elf.file.bytes[at] = (uint8_t)value;
			if (unwind_tables_read(elf.file.bytes, size, &tables) == 0)
				unwind_tables_free(&tables);
			if (unwind_tables_read_memory(elf.file.bytes, size, &tables) == 0)
				unwind_tables_free(&tables);
			elf.file.bytes[at] = before;
		}
	done();
}

/* --- The world's ------------------------------------------------------------------------------------------------ */


TEST(this_program_is_read_alike_from_its_file_from_a_buffer_and_without_sections)
{
	int fd = open("/proc/self/exe", O_RDONLY);
	off_t size = lseek(fd, 0, SEEK_END);
	uint8_t *copy = malloc((size_t)size);
	struct unwind_tables other;

	assert_int_equal(pread(fd, copy, (size_t)size, 0), size);
	assert_int_equal(unwind_tables_read(copy, (size_t)size, &tables), 0);
	assert_int_equal(unwind_tables_read_file(fd, &other), 0);
	assert_int_equal(other.count, tables.count);
	assert_int_equal(other.tables[0].count, tables.tables[0].count);
	assert_memory_equal(other.tables[0].rows, tables.tables[0].rows, other.tables[0].count * sizeof(struct unwind_row));
	assert_int_equal(lseek(fd, 0, SEEK_CUR), size);
	assert_true(tables.tables[0].count > 100);
	unwind_tables_free(&other);
	memset(copy + offsetof(Elf64_Ehdr, e_shoff), 0, 8);             /* and by way of PT_GNU_EH_FRAME */
	assert_int_equal(unwind_tables_read(copy, (size_t)size, &other), 0);
	assert_int_equal(other.tables[0].count, tables.tables[0].count);
	assert_memory_equal(other.tables[0].rows, tables.tables[0].rows, other.tables[0].count * sizeof(struct unwind_row));
	unwind_tables_free(&other);
	free(copy);
	(void)close(fd);
	done();
}

TEST(the_vdso_is_read_from_memory)
{
	const uint8_t *vdso = (const uint8_t *)getauxval(AT_SYSINFO_EHDR);

	if (!vdso)
		skip();
	assert_int_equal(unwind_tables_read_memory(vdso, 4096, &tables), 0);
	assert_int_equal(tables.count, 1);
	assert_true(tables.tables[0].count > 10);
	assert_int_equal(tables.tables[0].statistics.unsupported, 0);
	done();
}

TEST(a_folder_is_no_program)
{
	int fd = open("/", O_RDONLY);

	assert_int_equal(unwind_tables_read_file(fd, &tables), -ENOEXEC);
	(void)close(fd);
	assert_int_equal(unwind_tables_read_file(-1, &tables), -ENOEXEC);
}
