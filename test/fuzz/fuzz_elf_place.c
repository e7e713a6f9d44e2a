/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a program to put probes into: a place that is found lies in the file, or is found to be none. */
#include "work/elf_place.h"

#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct elf_place places[ELF_PLACE_LIMIT];
	size_t count = elf_place_usdt(bytes, size, "crosscut", "end", places);

	assert(count <= ELF_PLACE_LIMIT);
	for (size_t i = 0; i < count; i++)
		(void)elf_place_is_cheap(bytes, size, &places[i]);
	if (elf_place_function(bytes, size, "main", &places[0]) && elf_place_is_cheap(bytes, size, &places[0]))
		assert(places[0].offset < size);
	return 0;
}
