/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include <errno.h>
#include <fcntl.h>

#include "base/error.h"
#include "fixture.h"
#include "symbol/elf_file.h"
#include "symbol/folder.h"

static bool has_section(int fd, const char *name)
{
	CLEANUP(elf_file) struct elf_file *elf = NULL;

	assert_true(fd >= 0);
	assert_int_equal(elf_file_open(fd, &elf), 0);
	return elf_file_has_section(elf, name);
}

TEST(files_are_found_by_build_id_whatever_they_are_called)
{
	struct error err;

	fixture_make("-Wl,--build-id=0x11223344");
	fixture_run("cd %s && mkdir -p a/b && objcopy --only-keep-debug fixture.so a/b/whatever && strip -s fixture.so && mv fixture.so a/x.txt && "
		    "ln -s . a/loop && echo no >a/none && mkfifo a/fifo", fixture_folder);
	CLEANUP(symbol_folder) struct symbol_folder *folder = symbol_folder_scan(fixture_folder, &err);

	assert_non_null(folder);
	assert_int_equal(symbol_folder_count(folder), 2);
	assert_true(has_section(symbol_folder_binary(folder, "11223344"), ".text"));
	assert_true(has_section(symbol_folder_debug(folder, "11223344"), ".debug_info"));
	assert_int_equal(symbol_folder_binary(folder, "11223345"), -ENOENT);
	assert_int_equal(symbol_folder_debug(folder, ""), -ENOENT);
	fixture_remove();
}

TEST(a_folder_that_is_none_is_said)
{
	struct error err = { 0 };

	assert_null(symbol_folder_scan("/nonexistent/folder", &err));
	assert_int_equal(err.code, -ENOENT);
	assert_null(symbol_folder_scan("/etc/passwd", &err));
	assert_int_equal(err.code, -ENOTDIR);
}
