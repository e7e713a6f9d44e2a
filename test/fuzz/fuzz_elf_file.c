/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as an ELF file: its build id, its functions, its segments, its debug link and its sections. */
#include "base/cleanup.h"
#include "symbol/elf_file.h"
#include "symbol/table.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void ask_sections(struct elf_file *elf, size_t size)
{
	static const char *const names[] = { ".text", ".comment", ".gnu_debugdata", ".debug_info" };
	char bytes[64], link[256];
	uint32_t checksum;

	for (size_t i = 0; i < ARRAY_LENGTH(names); i++) {
		size_t whole_size = 0;
		CLEANUP_TEXT void *whole = elf_file_section_whole(elf, names[i], 1 << 20, &whole_size);

		assert(elf_file_section(elf, names[i], bytes, sizeof(bytes)) <= sizeof(bytes));
		assert(!whole || whole_size <= size);
		(void)elf_file_has_section(elf, names[i]);
	}
	if (elf_file_debug_link(elf, link, &checksum))
		assert(strlen(link) < sizeof(link) && !strchr(link, '/'));
}

static void ask_functions(struct elf_file *elf)
{
	CLEANUP(symbol_table) struct symbol_table *table = symbol_table_new();
	struct elf_code code[4];
	size_t count = elf_file_code(elf, code, ARRAY_LENGTH(code));
	uint64_t address, start, end;

	assert(count <= ARRAY_LENGTH(code));
	assert(elf_file_stub_code(elf, code, ARRAY_LENGTH(code)) <= ARRAY_LENGTH(code));
	(void)elf_file_add_functions(elf, table);
	(void)elf_file_add_stubs(elf, table);
	symbol_table_build(table);
	for (uint64_t offset = 0; offset < 0x4000; offset += 32) {
		const char *name;

		if (!elf_file_address(elf, offset, &address))
			continue;
		name = symbol_table_name(table, address);
		assert(!name || *name);
		assert(!name == !symbol_table_stretch(table, address, &start, &end));
		assert(!name || (start <= address && address < end));
	}
}

/* The same through a descriptor, which libelf reads instead. */
static void ask_descriptor(const uint8_t *data, size_t size)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	CLEANUP(elf_file) struct elf_file *elf = NULL;
	char hex[BUILD_ID_SIZE];

	assert(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	(void)elf_build_id_of_fd(fd, hex);
	(void)elf_file_checksum(fd);
	if (elf_file_open(fd, &elf) < 0)
		return;
	assert(elf_file_descriptor(elf) == fd);
	ask_functions(elf);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	CLEANUP(elf_file) struct elf_file *elf = NULL;
	char hex[BUILD_ID_SIZE];

	(void)elf_build_id_of_notes(data, size, hex);
	if (elf_file_open_image(data, size, &elf) < 0)
		return 0;
	assert(strlen(elf_file_build_id(elf)) < BUILD_ID_SIZE);
	ask_functions(elf);
	ask_sections(elf, size);
	ask_descriptor(data, size);
	return 0;
}
