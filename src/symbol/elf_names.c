/* SPDX-License-Identifier: Apache-2.0 */
#include "symbol/elf_names.h"

#include <gelf.h>

struct elf_names elf_names_of(Elf_Scn *section, size_t limit)
{
	GElf_Shdr header;
	Elf_Data *data;

	if (!section || !gelf_getshdr(section, &header) || header.sh_type != SHT_STRTAB || header.sh_size > limit)
		return (struct elf_names){ 0 };
	data = elf_getdata(section, NULL);
	if (!data || !data->d_buf || !data->d_size || ((const char *)data->d_buf)[data->d_size - 1] != '\0')
		return (struct elf_names){ 0 };
	return (struct elf_names){ data->d_buf, data->d_size };
}

struct elf_names elf_names_of_sections(Elf *elf)
{
	size_t index;

	return elf_getshdrstrndx(elf, &index) < 0 ? (struct elf_names){ 0 } : elf_names_of(elf_getscn(elf, index), ELF_NAME_BYTES_LIMIT);
}
