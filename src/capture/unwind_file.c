/* SPDX-License-Identifier: Apache-2.0 */
/* Only program headers are read here; the call-frame information is the parser's, which checks everything for itself. */
#include "capture/unwind_file.h"

#include <elf.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/cleanup.h"
#include "base/memory.h"

enum { PAGE = 4096, ENTRY_BYTES = 64 };

static bool is_ours(const Elf64_Ehdr *header)
{
	return !memcmp(header->e_ident, ELFMAG, SELFMAG) && header->e_ident[EI_CLASS] == ELFCLASS64 &&
	       header->e_machine == EM_X86_64 && header->e_phentsize == sizeof(Elf64_Phdr);
}

static void note_segments(const Elf64_Phdr *headers, size_t count, struct unwind_file *file)
{
	for (size_t i = 0; i < count && file->segment_count < UNWIND_SEGMENT_LIMIT; i++)
		if (headers[i].p_type == PT_LOAD && (headers[i].p_flags & PF_X))
			file->segments[file->segment_count++] = (struct unwind_segment){
				.offset = headers[i].p_offset, .size = headers[i].p_filesz, .address = headers[i].p_vaddr };
}

/* In a table of one file, after row `at`. */
static void insert_row(struct unwind_table *table, size_t at, struct unwind_row row)
{
	table->rows = xreallocarray(table->rows, table->count + 1, sizeof(row));
	memmove(&table->rows[at + 1], &table->rows[at], (table->count - at) * sizeof(row));
	table->rows[at] = row;
	table->count++;
}

/* Where a program is entered nobody called it. The C library says so of its own start code, the loader's says nothing. */
static void stop_at_entry(struct unwind_tables *tables, uint64_t entry)
{
	for (size_t i = tables->count; i-- > 0;) {
		struct unwind_table *table = &tables->tables[i];
		uint32_t pc = (uint32_t)(entry - table->base), end = pc + ENTRY_BYTES;
		size_t at = 0;

		if (entry < table->base || entry - table->base > UINT32_MAX - ENTRY_BYTES || table->count + 2 > UNWIND_ROW_LIMIT)
			continue;
		while (at < table->count && table->rows[at].pc <= pc)
			at++;
		if ((table->rows[at - 1].kind & 15) != UNWIND_NONE)
			return;
		insert_row(table, at, (struct unwind_row){ .pc = pc, .kind = UNWIND_STOP });
		if (at + 1 == table->count || table->rows[at + 1].pc > end)
			insert_row(table, at + 1, (struct unwind_row){ .pc = end });
		return;
	}
}

int unwind_file_read(int fd, struct unwind_file *ret)
{
	uint64_t begin_ns = clock_thread_cpu_ns();
	CLEANUP_TEXT Elf64_Phdr *headers = NULL;
	Elf64_Ehdr header;
	size_t size;
	int r;

	*ret = (struct unwind_file){ 0 };
	if (pread(fd, &header, sizeof(header), 0) != sizeof(header) || !is_ours(&header))
		return -ENOEXEC;
	size = header.e_phnum * sizeof(*headers);
	headers = xmalloc(size ? size : 1);
	if (pread(fd, headers, size, (off_t)header.e_phoff) != (ssize_t)size)
		return -ENOEXEC;
	note_segments(headers, header.e_phnum, ret);
	r = unwind_tables_read_file(fd, &ret->tables);
	if (!r && header.e_entry)
		stop_at_entry(&ret->tables, header.e_entry);
	ret->build_ns = clock_thread_cpu_ns() - begin_ns;
	return r;
}

int unwind_file_read_memory(const void *image, size_t size, struct unwind_file *ret)
{
	uint64_t begin_ns = clock_thread_cpu_ns();
	const Elf64_Ehdr *header = image;
	int r;

	*ret = (struct unwind_file){ 0 };
	if (size < sizeof(*header) || !is_ours(header) || header->e_phoff % 8 || header->e_phoff > size ||
	    header->e_phnum * sizeof(Elf64_Phdr) > size - header->e_phoff)
		return -ENOEXEC;
	note_segments((const void *)((const char *)image + header->e_phoff), header->e_phnum, ret);
	r = unwind_tables_read_memory(image, size, &ret->tables);
	ret->build_ns = clock_thread_cpu_ns() - begin_ns;
	return r;
}

void unwind_file_done(struct unwind_file *file)
{
	unwind_tables_free(&file->tables);
}

bool unwind_segments_address(const struct unwind_segment *segments, size_t count, uint64_t offset, uint64_t *ret)
{
	bool found = false;

	for (size_t i = 0; i < count; i++) {
		uint64_t begin = segments[i].offset & ~(uint64_t)(PAGE - 1);

		if (offset < begin || offset >= segments[i].offset + segments[i].size)
			continue;
		*ret = segments[i].address - (segments[i].offset - offset);
		if (offset == begin)            /* its own first page; another segment may end in it */
			return true;
		found = true;
	}
	return found;
}
