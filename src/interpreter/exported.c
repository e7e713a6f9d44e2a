/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Program headers lead to the dynamic section, that to the symbols, their names, and the GNU hash table in which a name is
 * looked up as the dynamic loader does it: a bucket, and a chain whose last link has its lowest bit set.
 */
#include "interpreter/exported.h"

#include <elf.h>
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { HEADER_LIMIT = 64, DYNAMIC_LIMIT = 512, CHAIN_LIMIT = 4096, NAME_LIMIT = 128 };

struct dynamic { uint64_t symbols, names, hash; };

static bool is_named(const char *path, size_t size, const char *name)
{
	size_t length = strlen(name);
	const char *base = path;

	for (size_t i = 0; i < size; i++)
		if (path[i] == '/')
			base = path + i + 1;
	size -= (size_t)(base - path);
	return size >= length && !memcmp(base, name, length) && (size == length || strchr("0123456789.-", base[length]));
}

uint64_t exported_base(const char *maps, const char *name)
{
	for (const char *line = maps; line && *line; line = strchr(line, '\n'), line = line ? line + 1 : NULL) {
		size_t size = strcspn(line, "\n");
		uint64_t start, offset;
		int path = 0;

		if (sscanf(line, "%" SCNx64 "-%*x %*4s %" SCNx64 " %*x:%*x %*u %n", &start, &offset, &path) != 2 || offset ||
		    (size_t)path >= size || line[path] != '/')
			continue;
		if (is_named(line + path, size - (size_t)path, name))
			return start;
	}
	return 0;
}

static int read_headers(const struct unwind_memory *memory, uint64_t base, uint64_t *ret_bias, uint64_t *ret_dynamic)
{
	Elf64_Ehdr file;
	Elf64_Phdr header;
	bool first = true;

	*ret_dynamic = 0;
	if (memory->read(memory->context, &file, sizeof(file), base))
		return -EFAULT;
	if (memcmp(file.e_ident, ELFMAG, SELFMAG) || file.e_ident[EI_CLASS] != ELFCLASS64 ||
	    file.e_phentsize != sizeof(header) || file.e_phnum > HEADER_LIMIT)
		return -ENOEXEC;
	for (unsigned i = 0; i < file.e_phnum; i++) {
		if (memory->read(memory->context, &header, sizeof(header), base + file.e_phoff + i * sizeof(header)))
			return -EFAULT;
		if (header.p_type == PT_LOAD && first) {
			*ret_bias = base - (header.p_vaddr - header.p_offset);
			first = false;
		}
		if (header.p_type == PT_DYNAMIC)
			*ret_dynamic = header.p_vaddr;
	}
	return first || !*ret_dynamic ? -ENOEXEC : 0;
}

/* The loader of glibc writes addresses over the file's numbers, that of musl does not. */
static uint64_t absolute(uint64_t value, uint64_t bias)
{
	return value < bias ? value + bias : value;
}

static int read_dynamic(const struct unwind_memory *memory, uint64_t base, struct dynamic *ret)
{
	uint64_t bias = 0, at = 0;
	Elf64_Dyn entry;
	int r = read_headers(memory, base, &bias, &at);

	if (r < 0)
		return r;
	*ret = (struct dynamic){ 0 };
	at += bias;
	for (int i = 0; i < DYNAMIC_LIMIT; i++, at += sizeof(entry)) {
		if (memory->read(memory->context, &entry, sizeof(entry), at))
			return -EFAULT;
		if (entry.d_tag == DT_NULL)
			break;
		if (entry.d_tag == DT_SYMTAB)
			ret->symbols = absolute(entry.d_un.d_ptr, bias);
		else if (entry.d_tag == DT_STRTAB)
			ret->names = absolute(entry.d_un.d_ptr, bias);
		else if (entry.d_tag == DT_GNU_HASH)
			ret->hash = absolute(entry.d_un.d_ptr, bias);
	}
	return ret->symbols && ret->names && ret->hash ? 0 : -ENOEXEC;
}

static uint32_t hash_of(const char *name)
{
	uint32_t hash = 5381;

	while (*name)
		hash = hash * 33 + (unsigned char)*name++;
	return hash;
}

static bool bears_name(const struct unwind_memory *memory, const struct dynamic *dynamic, const Elf64_Sym *symbol,
		       const char *name)
{
	size_t size = strlen(name) + 1;
	char text[NAME_LIMIT];

	return size <= sizeof(text) && symbol->st_shndx != SHN_UNDEF &&
	       !memory->read(memory->context, text, (uint32_t)size, dynamic->names + symbol->st_name) &&
	       !memcmp(text, name, size);
}

static struct exported_symbol find_one(const struct unwind_memory *memory, const struct dynamic *dynamic, uint64_t bias,
				       const char *name)
{
	static const struct exported_symbol none;
	struct { uint32_t buckets, first, bloom_words, shift; } table;
	uint32_t hash = hash_of(name), index, link;
	uint64_t buckets, chains;
	Elf64_Sym symbol;

	if (memory->read(memory->context, &table, sizeof(table), dynamic->hash) || !table.buckets)
		return none;
	buckets = dynamic->hash + sizeof(table) + (uint64_t)table.bloom_words * 8;
	chains = buckets + (uint64_t)table.buckets * 4;
	if (memory->read(memory->context, &index, sizeof(index), buckets + (uint64_t)(hash % table.buckets) * 4) ||
	    index < table.first)
		return none;
	for (int i = 0; i < CHAIN_LIMIT; i++, index++) {
		if (memory->read(memory->context, &link, sizeof(link), chains + (uint64_t)(index - table.first) * 4))
			return none;
		if ((link | 1) == (hash | 1) &&
		    !memory->read(memory->context, &symbol, sizeof(symbol), dynamic->symbols + (uint64_t)index * sizeof(symbol)) &&
		    bears_name(memory, dynamic, &symbol, name))
			return (struct exported_symbol){ symbol.st_value + bias, symbol.st_size };
		if (link & 1)
			return none;
	}
	return none;
}

int exported_find(const struct unwind_memory *memory, uint64_t base, const char *const *names, struct exported_symbol *ret,
		  size_t count)
{
	struct dynamic dynamic;
	uint64_t bias = 0, at;
	int r = read_dynamic(memory, base, &dynamic);

	if (r < 0)
		return r;
	(void)read_headers(memory, base, &bias, &at);        /* they were read a moment ago */
	for (size_t i = 0; i < count; i++)
		ret[i] = find_one(memory, &dynamic, bias, names[i]);
	return 0;
}
