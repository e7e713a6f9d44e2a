/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as a jitdump: as they are, and behind a header, so that the fuzzer works on records. Every row that comes out
 * lies within the bytes, covers something, and none is older than the one before it; and whoever asks for an address in a
 * row gets a name.
 */
#include "symbol/generated.h"

#include "base/memory.h"
#include "profile/profile.h"
#include "symbol/symbol.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

enum { QUESTIONS = 32 };

static int compare_offsets(const void *left, const void *right)
{
	const struct symbol_query *a = left, *b = right;

	return a->offset < b->offset ? -1 : a->offset > b->offset;
}

/* Through a descriptor, as a capture has it. */
static void ask(const struct generated_codes *codes, const char *bytes, size_t size)
{
	struct generated_file file = { .path = "", .kind = GENERATED_JITDUMP, .fd = memfd_create("fuzz", MFD_CLOEXEC), .size = size };
	struct symbol_options options = { .generated = &file, .generated_count = 1 };
	CLEANUP(profile) struct profile *profile = profile_new();
	struct symbol_statistics statistics = { 0 };
	struct symbol_module module = { .path = "", .options = &options, .profile = profile,
					.statistics = &statistics };
	struct symbol_query queries[QUESTIONS] = { 0 };
	size_t count = codes->count < QUESTIONS ? codes->count : QUESTIONS;

	for (size_t i = 0; i < count; i++)
		queries[i].offset = codes->rows[i].start;
	qsort(queries, count, sizeof(*queries), compare_offsets);
	assert(file.fd >= 0 && write(file.fd, bytes, size) == (ssize_t)size);
	generated_resolve(&module, GENERATED_JITDUMP, jitdump_parse, queries, count);
	(void)close(file.fd);
	for (size_t i = 0; i < count; i++) {
		assert(queries[i].name.index);
		free(queries[i].calls);
	}
}

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
	if (codes->count)
		ask(codes, bytes, size);
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
