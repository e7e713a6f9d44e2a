/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Our own image stands for the captured process' one if their build ids agree: so the kernel is the one captured, and
 * the process was no 32-bit one. The image is found through the auxiliary vector; its size is that of its mapping.
 */
#include "symbol/vdso.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>

#include "symbol/answer.h"
#include "symbol/elf_file.h"
#include "symbol/symbol.h"

enum { VDSO_SIZE_LIMIT = 1 << 20 };

static size_t mapping_size(uint64_t address)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	uint64_t start, end;
	size_t size = 0;
	char line[512];

	while (maps && !size && fgets(line, sizeof(line), maps))
		if (sscanf(line, "%" SCNx64 "-%" SCNx64, &start, &end) == 2 && start == address)
			size = end - start;
	if (maps)
		(void)fclose(maps);
	return size <= VDSO_SIZE_LIMIT ? size : 0;
}

const void *vdso_image(size_t *ret_size)
{
	static size_t size;
	unsigned long address = getauxval(AT_SYSINFO_EHDR);

	if (!size && address)
		size = mapping_size(address);
	*ret_size = size;
	return size ? (const void *)address : NULL;
}

static void resolve(struct symbol_module *module, struct symbol_query *queries, size_t count)
{
	CLEANUP(elf_file) struct elf_file *elf = NULL;
	size_t size = 0;
	const void *image;

	if (strcmp(module->path, "[vdso]") != 0 || !module->build_id[0])
		return;
	image = vdso_image(&size);
	if (!image || elf_file_open_image(image, size, &elf) < 0)
		return;
	if (strcmp(elf_file_build_id(elf), module->build_id) == 0)
		symbol_answer_from(module, elf, elf, queries, count);
}

const struct symbol_source symbol_source_vdso = {
	.name = "vdso",
	.summary = "functions of the code the kernel maps into each process",
	.resolve = resolve,
};
