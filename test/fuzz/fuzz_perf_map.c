/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a perf map: every row that comes out lies within the bytes and covers something. */
#include "symbol/generated.h"

#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	CLEANUP(generated_codes) struct generated_codes *codes = generated_codes_new();

	assert(perf_map_parse(bytes, size, codes) == 0);
	for (size_t i = 0; i < codes->count; i++) {
		const struct generated_code *row = &codes->rows[i];

		assert(row->end > row->start && row->name_size > 0 && row->name_size <= GENERATED_NAME_LIMIT);
		assert(row->name >= (const char *)bytes && row->name + row->name_size <= (const char *)bytes + size);
	}
	return 0;
}
