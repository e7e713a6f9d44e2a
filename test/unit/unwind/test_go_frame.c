/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include <errno.h>

#include "gopclntab_builder.h"
#include "unwind/rows.h"

#define KIND(cfa, rbp) ((cfa) | (rbp) << 4)

static struct go_builder go;
static struct elf_builder elf;
static struct unwind_tables tables;

static void begin(void)
{
	go = (struct go_builder){ .version = GOPCLNTAB_1_18, .text = ELF_CODE };
}

/* In a file with sections, or without; with these bytes of code at an offset. */
static int read_built(uint64_t end, bool sections, size_t at, const char *code, size_t size)
{
	uint8_t *bytes;
	int r;

	go_build(&go, end);
	elf.no_sections = !sections;
	elf.debug_name = ".gopclntab";
	put(sections ? &elf.debug : &elf.eh, go.table.bytes, go.table.size);
	elf_build(&elf);
	if (size)
		memcpy(elf.file.bytes + ELF_CODE + at, code, size);
	bytes = malloc(elf.file.size);
	memcpy(bytes, elf.file.bytes, elf.file.size);
	r = unwind_tables_read(bytes, elf.file.size, &tables);
	free(bytes);
	return r;
}

static void done(void)
{
	unwind_tables_free(&tables);
	elf_builder_done(&elf);
	elf = (struct elf_builder){ 0 };
	go_builder_done(&go);
}

static void assert_row(uint64_t offset, unsigned int kind, unsigned int cfa, int rbp)
{
	const struct unwind_row *row = unwind_table_row(&tables.tables[0], ELF_CODE + offset);

	assert_non_null(row);
	assert_int_equal(row->kind, kind);
	assert_int_equal(row->cfa, cfa);
	assert_int_equal(row->rbp, rbp);
}

/* 0 for 4 bytes, 24 for 16, 0 for 12 */
static uint32_t frame(void)
{
	return go_values(&go, "\x02\x04\x30\x10\x2f\x0c", 6);
}

TEST(a_compiled_function_keeps_rbp_right_below_its_return_address)
{
	for (int sections = 0; sections < 2; sections++) {
		begin();
		go_add(&go, (struct go_added){ .name = "main.main", .rsp = frame() });
		assert_int_equal(read_built(0x40, sections, 0, NULL, 0), 0);
		assert_row(0, UNWIND_RSP, 1, 0);
		assert_row(4, KIND(UNWIND_RSP, UNWIND_RBP_AT_CFA), 4, -2);
		assert_row(19, KIND(UNWIND_RSP, UNWIND_RBP_AT_CFA), 4, -2);
		assert_row(20, UNWIND_RSP, 1, 0);
		assert_row(0x3f, UNWIND_RSP, 1, 0);             /* padding */
		assert_row(0x40, UNWIND_NONE, 0, 0);
		done();
	}
}

TEST(of_assembly_it_is_not_known_where_rbp_is)
{
	begin();
	go_add(&go, (struct go_added){ .name = "internal/bytealg.Count", .flags = GO_ASSEMBLY, .rsp = frame() });
	assert_int_equal(read_built(0x40, true, 0, NULL, 0), 0);
	assert_row(4, KIND(UNWIND_RSP, UNWIND_RBP_UNKNOWN), 4, 0);
	done();
}

TEST(stacks_begin_in_functions_that_say_so)
{
	begin();
	go_add(&go, (struct go_added){ .name = "runtime.other", .flags = GO_TOP_FRAME, .rsp = frame() });
	go_add(&go, (struct go_added){ .start = 0x40, .name = "runtime.goexit" });     /* Go 1.16 has no flags */
	go_add(&go, (struct go_added){ .start = 0x60, .name = "main.main", .rsp = frame() });
	assert_int_equal(read_built(0x80, true, 0, NULL, 0), 0);
	assert_row(0, UNWIND_STOP, 0, 0);
	assert_row(0x5f, UNWIND_STOP, 0, 0);
	assert_row(0x60, UNWIND_RSP, 1, 0);
	done();
}

TEST(between_two_moves_into_rsp_rbp_leads_back)
{
	static const char code[] = "\x90\x48\x8b\x62\x38"                       /* mov 0x38(%rdx),%rsp */
				   "\x48\x83\xec\x10\x48\x83\xe4\xf0\xff\xd0"   /* sub, and, call */
				   "\x4c\x89\xe4\xc3";                          /* mov %r12,%rsp; ret */
	begin();
	go_add(&go, (struct go_added){ .name = "runtime.nanotime1", .flags = GO_WRITES_RSP | GO_ASSEMBLY,
				       .rsp = go_values(&go, "\x12\x20", 2) });         /* 8 all the time */
	assert_int_equal(read_built(0x20, true, 0, code, sizeof(code) - 1), 0);
	assert_row(4, KIND(UNWIND_RSP, UNWIND_RBP_UNKNOWN), 2, 0);
	assert_row(5, KIND(UNWIND_OTHER_STACK, UNWIND_RBP_AT_CFA), 2, -2);
	assert_row(17, KIND(UNWIND_OTHER_STACK, UNWIND_RBP_AT_CFA), 2, -2);
	assert_row(18, KIND(UNWIND_RSP, UNWIND_RBP_UNKNOWN), 2, 0);
	done();
}

TEST(the_schedulers_stack_begins_in_mcall_once_it_is_there)
{
	static const char code[] = "\x49\x8b\x66\x38\x50\xff\xd0";              /* mov 0x38(%r14),%rsp; push; call */

	begin();
	go_add(&go, (struct go_added){ .name = "runtime.mcall", .flags = GO_WRITES_RSP, .rsp = frame() });
	go_add(&go, (struct go_added){ .start = 0x20, .name = "runtime.gogo", .flags = GO_WRITES_RSP, .rsp = frame() });
	assert_int_equal(read_built(0x40, true, 0, code, sizeof(code) - 1), 0);
	assert_row(3, UNWIND_RSP, 1, 0);
	assert_row(4, UNWIND_STOP, 0, 0);
	assert_row(0x20, UNWIND_RSP, 1, 0);                     /* none of its moves is there to be seen */
	done();
}

TEST(of_another_that_does_not_come_back_nothing_is_known)
{
	static const char code[] = "\x48\x8b\xa3\x38\x00\x00\x00\xff\xe3";      /* mov 0x38(%rbx),%rsp; jmp */

	begin();
	go_add(&go, (struct go_added){ .name = "runtime.gogo", .flags = GO_WRITES_RSP, .rsp = frame() });
	assert_int_equal(read_built(0x40, true, 0, code, sizeof(code) - 1), 0);
	assert_row(6, KIND(UNWIND_RSP, UNWIND_RBP_UNKNOWN), 4, 0);
	assert_row(7, UNWIND_UNSUPPORTED, 0, 0);
	done();
}

TEST(a_handler_returns_to_a_frame_of_the_kernels)
{
	begin();
	go_add(&go, (struct go_added){ .name = "runtime.sigtramp", .flags = GO_TOP_FRAME, .rsp = frame() });
	go_add(&go, (struct go_added){ .start = 0x40, .name = "runtime.sigreturn", .rsp = frame() });
	assert_int_equal(read_built(0x60, true, 0x3f, "\xcc", 1), 0);
	assert_row(0, UNWIND_RSP, 1, 0);
	assert_row(0x3e, UNWIND_RSP, 1, 0);
	assert_row(0x3f, UNWIND_SIGNAL, 0, 0);                  /* where a return address is looked up */
	assert_row(0x5f, UNWIND_SIGNAL, 0, 0);
	done();
}

TEST(a_distance_that_is_no_number_of_words_is_not_guessed)
{
	begin();
	go_add(&go, (struct go_added){ .name = "main.odd", .rsp = go_values(&go, "\x02\x04\x07\x04", 4) });
	assert_int_equal(read_built(0x20, true, 0, NULL, 0), 0);
	assert_row(4, UNWIND_UNSUPPORTED, 0, 0);
	done();
}

TEST(a_function_without_distances_has_no_rows)
{
	begin();
	go_add(&go, (struct go_added){ .name = "go.buildid" });
	go_add(&go, (struct go_added){ .start = 0x40, .name = "main.main", .rsp = frame() });
	assert_int_equal(read_built(0x80, true, 0, NULL, 0), 0);
	assert_int_equal(tables.tables[0].base, ELF_CODE + 0x40);
	assert_int_equal(tables.tables[0].statistics.dropped, 1);
	done();
}

TEST(without_the_texts_start_it_is_the_sections)
{
	begin();
	go.text = 0;
	go_add(&go, (struct go_added){ .name = "main.main", .rsp = frame() });
	assert_int_equal(read_built(0x40, true, 0, NULL, 0), 0);
	assert_row(4, KIND(UNWIND_RSP, UNWIND_RBP_AT_CFA), 4, -2);
	done();
}

TEST(an_unknown_version_gives_no_rows)
{
	begin();
	go_add(&go, (struct go_added){ .name = "main.main", .rsp = frame() });
	PUT(&go.table, 0xfb, 0xff, 0xff, 0xff, 0, 0, 1, 8);
	assert_int_equal(read_built(0x40, true, 0, NULL, 0), -ENODATA);
	done();
}
