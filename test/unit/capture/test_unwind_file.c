/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of our own files: where their segments lie, and that a program ends at its entry. */
#include "test.h"

#include "capture/unwind_file.h"
#include "symbol/vdso.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

static const struct unwind_row *row_of(const struct unwind_file *file, uint64_t address)
{
	for (size_t i = file->tables.count; i-- > 0;)
		if (file->tables.tables[i].base <= address)
			return unwind_table_row(&file->tables.tables[i], address);
	return NULL;
}

TEST(an_offset_of_a_mapping_becomes_an_address_of_the_file_even_where_pages_are_shared)
{
	static const struct unwind_segment segments[] = { { 0x1234, 0x2000, 0x401234 }, { 0x5000, 0x100, 0x806000 } };
	uint64_t address;

	assert_true(unwind_segments_address(segments, 2, 0x1000, &address));
	assert_int_equal(address, 0x401000);
	assert_true(unwind_segments_address(segments, 2, 0x50ff, &address));
	assert_int_equal(address, 0x8060ff);
	assert_false(unwind_segments_address(segments, 2, 0x4000, &address));
}

TEST(the_loader_which_says_nothing_of_its_start_code_ends_there)
{
	struct unwind_file file;
	Elf64_Ehdr header;
	int fd = open("/lib64/ld-linux-x86-64.so.2", O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		skip();
	assert_int_equal(pread(fd, &header, sizeof(header), 0), sizeof(header));
	assert_int_equal(unwind_file_read(fd, &file), 0);
	assert_true(file.segment_count > 0);
	assert_int_equal(row_of(&file, header.e_entry)->kind & 15, UNWIND_STOP);
	assert_int_equal(row_of(&file, header.e_entry + 8)->kind & 15, UNWIND_STOP);
	for (size_t i = 1; i < file.tables.tables[0].count; i++)
		assert_true(file.tables.tables[0].rows[i - 1].pc < file.tables.tables[0].rows[i].pc);
	unwind_file_done(&file);
	(void)close(fd);
}

TEST(the_vdso_has_rows_as_it_lies_in_memory)
{
	struct unwind_file file;
	size_t size = 0;
	const void *image = vdso_image(&size);

	if (!image)
		skip();
	assert_int_equal(unwind_file_read_memory(image, size, &file), 0);
	assert_true(file.tables.count > 0 && file.tables.tables[0].count > 1);
	unwind_file_done(&file);
}

TEST(what_is_no_program_is_said_to_be_none)
{
	struct unwind_file file;
	int fd = open("/etc/passwd", O_RDONLY | O_CLOEXEC);
	static const char zeros[4096];

	assert_int_equal(unwind_file_read(fd, &file), -ENOEXEC);
	assert_int_equal(unwind_file_read_memory(zeros, sizeof(zeros), &file), -ENOEXEC);
	(void)close(fd);
}
