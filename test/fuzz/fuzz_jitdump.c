/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as a jitdump: as they are, and behind a header, so that the fuzzer works on records. Every row that comes out
 * lies within the bytes, covers something, and none is older than the one before it.
 */
#include "symbol/generated.h"

#include <assert.h>
#include <string.h>

#include "base/memory.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void parse(const char *bytes, size_t size)
{
	CLEANUP(generated_codes) struct generated_codes *codes = generated_codes_new();

	(void)jitdump_parse(bytes, size, codes);
	for (size_t i = 0; i < codes->line_count; i++)
		assert(!codes->lines[i].path_size ||
		       (codes->lines[i].path >= bytes && codes->lines[i].path + codes->lines[i].path_size <= bytes + size));
	for (size_t i = 0; i < codes->count; i++) {
		const struct generated_code *row = &codes->rows[i];

		assert(row->end > row->start && row->name_size > 0 && row->name_size <= GENERATED_NAME_LIMIT);
		assert(row->name >= bytes && row->name + row->name_size <= bytes + size);
		assert(!i || row->since_ns >= codes->rows[i - 1].since_ns);
		assert(row->first_line + (size_t)row->line_count <= codes->line_count);
		for (uint64_t at = row->start; row->line_count && at < row->end && at - row->start < 256; at += 16)
			(void)generated_line_of(codes, row, at);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	static const uint32_t header[10] = { 0x4a695444, 1, sizeof(header), 62 };
	CLEANUP_TEXT char *whole = xmalloc(sizeof(header) + size);

	memcpy(whole, header, sizeof(header));
	if (size)
		memcpy(whole + sizeof(header), bytes, size);
	parse(whole, sizeof(header) + size);
	parse((const char *)bytes, size);
	return 0;
}
