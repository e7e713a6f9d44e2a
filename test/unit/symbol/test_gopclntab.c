/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include <stdio.h>
#include <unistd.h>

#include "../unwind/gopclntab_builder.h"
#include "base/error.h"
#include "profile/profile.h"
#include "symbol/symbol.h"

/* main.main from 0 to 0x40, in lines 9 and 8 of /src/main.go; runtime.goexit from 0x40 to 0x60, of which no more is known. */
static void write_program(char path[64])
{
	struct go_builder go = { .version = GOPCLNTAB_1_18, .text = ELF_CODE };
	struct elf_builder elf = { .debug_name = ".gopclntab" };
	int fd;

	put_number(&go.units, go_text(&go.files, "/src/main.go"), 4);
	go_add(&go, (struct go_added){ .name = "main.(*T).Method", .rsp = go_values(&go, "\x02\x40", 2), .file = go_values(&go, "\x02\x40", 2),
				       .line = go_values(&go, "\x14\x08\x01\x38", 4) });
	go_add(&go, (struct go_added){ .start = 0x40, .name = "runtime.goexit" });
	(void)go_build(&go, 0x60);
	put(&elf.debug, go.table.bytes, go.table.size);
	elf_build(&elf);
	strcpy(path, "/tmp/crosscut-go-XXXXXX");
	fd = mkstemp(path);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, elf.file.bytes, elf.file.size), (ssize_t)elf.file.size);
	(void)close(fd);
	elf_builder_done(&elf);
	go_builder_done(&go);
}

TEST(functions_of_a_stripped_go_program_have_names_and_lines)
{
	char path[64], text[256];
	struct symbol_options options = { 0 };
	struct symbol_statistics statistics;
	struct frame_id method, entry, exit_frame, beyond;
	struct error err;
	struct file_id file;

	write_program(path);
	CLEANUP(profile) struct profile *profile = profile_new();
	file = profile_file(profile, path, "");
	method = profile_frame(profile, (struct frame){ .file = file, .offset = ELF_CODE + 0x20, .method = METHOD_CFI });
	entry = profile_frame(profile, (struct frame){ .file = file, .offset = ELF_CODE + 1, .method = METHOD_LEAF });
	exit_frame = profile_frame(profile, (struct frame){ .file = file, .offset = ELF_CODE + 0x41, .method = METHOD_CFI });
	beyond = profile_frame(profile, (struct frame){ .file = file, .offset = ELF_CODE + 0x60, .method = METHOD_LEAF });
	assert_int_equal(symbol_resolve(profile, &options, &statistics, &err), 0);
	profile_freeze(profile);
	(void)unlink(path);
	assert_string_equal(profile_frame_name(profile, method, text, sizeof(text)), "main.(*T).Method");
	assert_string_equal(profile_frame_name(profile, entry, text, sizeof(text)), "main.(*T).Method");
	assert_string_equal(profile_frame_name(profile, exit_frame, text, sizeof(text)), "runtime.goexit");
	assert_non_null(strstr(profile_frame_name(profile, beyond, text, sizeof(text)), "+0x"));
	assert_int_equal(statistics.unresolved, 1);
	assert_int_equal(statistics.frames_lines, 2);
	assert_int_equal(statistics.calls_inlined, 0);
}
