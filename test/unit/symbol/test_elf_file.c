/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "costly.h"
#include "fixture.h"
#include "symbol/elf_file.h"
#include "symbol/table.h"

static unsigned char *read_file(const char *path, size_t *ret_size)
{
	FILE *file = fopen(path, "re");
	unsigned char *bytes;
	struct stat status;

	assert_non_null(file);
	assert_int_equal(fstat(fileno(file), &status), 0);
	*ret_size = (size_t)status.st_size;
	bytes = malloc(*ret_size);
	assert_int_equal(fread(bytes, 1, *ret_size, file), *ret_size);
	(void)fclose(file);
	return bytes;
}

TEST(a_build_id_is_read_from_a_file_and_from_an_image)
{
	char hex[BUILD_ID_SIZE];
	unsigned char *bytes;
	size_t size;

	fixture_make("-Wl,--build-id=0x0123456789abcdef");
	assert_int_equal(elf_build_id(fixture_path, hex), 0);
	assert_string_equal(hex, "0123456789abcdef");
	bytes = read_file(fixture_path, &size);
	assert_int_equal(elf_build_id_of_image(bytes, size, hex), 0);
	assert_string_equal(hex, "0123456789abcdef");
	free(bytes);
	fixture_run("objcopy --only-keep-debug %s %s/debug", fixture_path, fixture_folder);
	(void)snprintf(fixture_path, sizeof(fixture_path), "%s/debug", fixture_folder);
	assert_int_equal(elf_build_id(fixture_path, hex), 0);
	assert_string_equal(hex, "0123456789abcdef");
	fixture_remove();
}

TEST(a_build_id_is_found_among_notes)
{
	static const uint32_t notes[] = { 5, 1, 7, 0x41414141, 0x41, 0x42,           /* padded to four bytes each */
					  4, 3, 3, 0x00554e47, 0x00c0ffee };
	char hex[BUILD_ID_SIZE] = "";

	assert_int_equal(elf_build_id_of_notes(notes, sizeof(notes), hex), 0);
	assert_string_equal(hex, "eeffc0");
	assert_int_equal(elf_build_id_of_notes(notes, sizeof(notes) - 1, hex), -ENOENT);
	assert_int_equal(elf_build_id_of_notes(notes, 24, hex), -ENOENT);
	assert_int_equal(elf_build_id_of_notes(notes, 0, hex), -ENOENT);
}

TEST(a_file_without_build_id_has_an_empty_one)
{
	char hex[BUILD_ID_SIZE] = "x";

	fixture_make("-Wl,--build-id=none");
	assert_int_equal(elf_build_id(fixture_path, hex), 0);
	assert_string_equal(hex, "");
	fixture_remove();
}

TEST(what_is_no_elf_file_is_refused)
{
	char hex[BUILD_ID_SIZE];
	struct elf_file *elf = NULL;

	assert_int_equal(elf_build_id("/etc/passwd", hex), -ENOEXEC);
	assert_int_equal(elf_build_id("/nonexistent", hex), -ENOENT);
	assert_int_equal(elf_build_id("/dev/zero", hex), -ENOEXEC);
	assert_int_equal(elf_build_id("/tmp", hex), -ENOEXEC);
	assert_int_equal(elf_build_id_of_image("", 0, hex), -ENOEXEC);
	assert_int_equal(elf_file_open_path("/etc/passwd", &elf), -ENOEXEC);
	assert_null(elf);
}

TEST(a_fifo_at_the_path_does_not_block)
{
	char folder[] = "/tmp/crosscut-fifo-XXXXXX", path[64], hex[BUILD_ID_SIZE];

	assert_non_null(mkdtemp(folder));
	(void)snprintf(path, sizeof(path), "%s/fifo", folder);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(elf_build_id(path, hex), -ENOEXEC);
	(void)unlink(path);
	(void)rmdir(folder);
}

TEST(an_offset_outside_every_segment_has_no_address)
{
	CLEANUP(elf_file) struct elf_file *elf = NULL;
	uint64_t address = 0;

	fixture_make("-Wl,--build-id");
	assert_int_equal(elf_file_open_path(fixture_path, &elf), 0);
	assert_false(elf_file_address(elf, 1ull << 40, &address));
	assert_false(elf_file_address(elf, UINT64_MAX, &address));
	assert_true(elf_file_address(elf, 0, &address));
	fixture_remove();
}

/* Text at another address than offset: as in programs that are linked to a fixed address. */
TEST(an_offset_becomes_an_address_by_its_segment)
{
	CLEANUP(elf_file) struct elf_file *elf = NULL;
	CLEANUP(symbol_table) struct symbol_table *table = symbol_table_new();
	uint64_t offset, address = 0;
	void *object;

	fixture_make("-Wl,--build-id -Wl,-Ttext-segment=0x400000");
	object = fixture_load();
	offset = fixture_offset_of(object, "fixture_global");
	assert_int_equal(elf_file_open_path(fixture_path, &elf), 0);
	assert_true(elf_file_address(elf, offset, &address));
	assert_true(address >= 0x400000 && address != offset);
	assert_true(elf_file_add_functions(elf, table) > 0);
	symbol_table_build(table);
	assert_string_equal(symbol_table_name(table, address), "fixture_al");
	(void)dlclose(object);
	fixture_remove();
}

TEST(a_section_is_read_up_to_the_room_given)
{
	CLEANUP(elf_file) struct elf_file *elf = NULL;
	char bytes[8] = "";

	fixture_make("-Wl,--build-id");
	assert_int_equal(elf_file_open_path(fixture_path, &elf), 0);
	assert_int_equal(elf_file_section(elf, ".comment", bytes, 4), 4);
	assert_memory_equal(bytes, "GCC:", 4);
	assert_int_equal(elf_file_section(elf, ".nonexistent", bytes, 4), 0);
	fixture_remove();
}

static void read_all_of(const unsigned char *bytes, size_t size)
{
	CLEANUP(elf_file) struct elf_file *elf = NULL;
	CLEANUP(symbol_table) struct symbol_table *table = symbol_table_new();
	char name[256], section[64];
	uint32_t checksum;
	uint64_t address;

	if (elf_file_open_image(bytes, size, &elf) < 0)
		return;
	(void)elf_file_add_functions(elf, table);
	symbol_table_build(table);
	for (uint64_t at = 0; at < 0x3000; at += 64)
		if (elf_file_address(elf, at, &address))
			(void)symbol_table_name(table, address);
	(void)elf_file_debug_link(elf, name, &checksum);
	(void)elf_file_section(elf, ".comment", section, sizeof(section));
}

TEST(a_damaged_file_never_leads_outside_of_it)
{
	uint32_t random = 7;
	unsigned char *bytes;
	size_t size;

	fixture_make("-Wl,--build-id");
	fixture_run("objcopy --strip-debug %s && objcopy --add-gnu-debuglink=%s/fixture.c %s", fixture_path, fixture_folder,
		    fixture_path);
	bytes = read_file(fixture_path, &size);
	for (size_t cut = 0; cut < size; cut += 97)
		read_all_of(bytes, cut);
	for (int round = 0; round < 3000; round++) {
		size_t places[4];
		unsigned char kept[4];

		for (int i = 0; i < 4; i++) {
			random = random * 1664525 + 1013904223;
			places[i] = random % 3 ? (random >> 8) % 0x400 % size : size - 1 - (random >> 8) % 0xa00 % size;
			kept[i] = bytes[places[i]];
			bytes[places[i]] = random & 16 ? 0xff : (unsigned char)(random >> 24);
		}
		read_all_of(bytes, size);
		for (int i = 3; i >= 0; i--)
			bytes[places[i]] = kept[i];
	}
	free(bytes);
	fixture_remove();
}

TEST(a_name_that_does_not_end_is_not_searched_for_its_end_at_each_section)
{
	enum { NAMES = 64 << 20 };
	char *names = malloc(NAMES);
	CLEANUP(elf_file) struct elf_file *elf = NULL;
	unsigned char *bytes;
	size_t size;

	memset(names, 'a', NAMES);
	memcpy(names, ".text", 6);
	bytes = costly_make(&(struct costly){ names, NAMES, .count = 60000,
		.repeated = { .sh_type = SHT_PROGBITS, .sh_offset = COSTLY_CONTENT, .sh_size = 8 } }, &size);
	assert_int_equal(elf_file_open_image(bytes, size, &elf), 0);
	assert_false(elf_file_has_section(elf, ".text"));      /* the last name does not end: none is believed */
	assert_false(elf_file_has_section(elf, ".data"));
	free(bytes);
	free(names);
}

static size_t resident_pages(void)
{
	FILE *file = fopen("/proc/self/statm", "re");
	size_t pages = 0;

	assert_non_null(file);
	assert_int_equal(fscanf(file, "%*u %zu", &pages), 1);
	(void)fclose(file);
	return pages;
}

TEST(notes_to_which_many_headers_point_are_not_kept_for_each)
{
	static unsigned char notes[64 << 10];
	CLEANUP(elf_file) struct elf_file *elf = NULL;
	int fd = memfd_create("notes", MFD_CLOEXEC);
	size_t before = resident_pages(), size;
	unsigned char *bytes = costly_make(&(struct costly){ notes, sizeof(notes), .count = 1000,
		.repeated = { .sh_type = SHT_NOTE, .sh_offset = COSTLY_CONTENT, .sh_size = sizeof(notes) } }, &size);

	assert_int_equal(write(fd, bytes, size), size);
	assert_int_equal(elf_file_open(fd, &elf), 0);
	assert_true(resident_pages() < before + (16 << 20) / 4096);
	assert_string_equal(elf_file_build_id(elf), "");
	free(bytes);
}

TEST(symbols_to_which_many_headers_point_are_not_read_for_each)
{
	enum { COUNT = 10 };
	struct { Elf64_Sym symbols[COUNT]; char names[8]; } content = { .names = "\0name" };
	CLEANUP(elf_file) struct elf_file *elf = NULL;
	CLEANUP(symbol_table) struct symbol_table *table = symbol_table_new();
	unsigned char *bytes;
	size_t size;

	for (unsigned i = 0; i < COUNT; i++)
		content.symbols[i] = (Elf64_Sym){ .st_name = sizeof(content.symbols) + 1, .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
						  .st_shndx = 1, .st_value = 16 * i, .st_size = 16 };
	bytes = costly_make(&(struct costly){ &content, sizeof(content), .count = 1000,
		.repeated = { .sh_type = SHT_SYMTAB, .sh_offset = COSTLY_CONTENT, .sh_size = sizeof(content.symbols),
			      .sh_entsize = sizeof(*content.symbols), .sh_link = 1 } }, &size);
	assert_int_equal(elf_file_open_image(bytes, size, &elf), 0);
	(void)elf_file_add_functions(elf, table);
	symbol_table_build(table);
	assert_string_equal(symbol_table_name(table, 5), "name");
	assert_in_range(symbol_table_count(table), COUNT, 10 * COUNT);
	free(bytes);
}
