/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as a file of one format, which then is the whole fuzzer:
 *
 *	#include "fuzz_reader.h"
 *	FUZZ_READER(pprof)
 *
 * Whatever is read is whole (profile_broken), every name and stack can be walked, and it is not nothing; whatever is
 * refused says why. Rows are bounded by the input: a small file cannot fill the memory. The bytes come through the
 * decoders, too; a compressed file may hold a thousand times its size, so its rows are not counted.
 */
#include "base/error.h"
#include "format/format.h"
#include "format/input.h"
#include "profile/profile.h"

#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#ifndef FUZZ_ROWS_PER_BYTE
#define FUZZ_ROWS_PER_BYTE 4
#endif
enum { FUZZ_ROWS_ALWAYS = 4096 };

static void fuzz_walk(const struct profile *profile)
{
	char name[64];

	for (uint32_t i = 1; i < profile_frame_count(profile); i++)
		(void)profile_frame_name(profile, (struct frame_id){ i }, name, sizeof(name));
	for (size_t i = 0; i < profile_cell_count(profile); i++)
		(void)profile_dimension_root(profile, profile_cell_dimension(profile, profile_cell_at(profile, i)));
}

static size_t fuzz_rows(const struct profile *profile)
{
	return profile_frame_count(profile) + profile_stack_count(profile) + profile_cell_count(profile) +
	       profile_slice_count(profile) + profile_thread_count(profile) + profile_mapping_count(profile) +
	       profile_symbol_count(profile) + profile_interval_count(profile) + profile_process_count(profile);
}

static int fuzz_read(const struct format *format, const uint8_t *data, size_t size)
{
	CLEANUP(input) struct input *input = input_memory(data, size, "fuzz");
	CLEANUP(profile) struct profile *profile = NULL;
	struct error err = { 0 };
	const unsigned char *head;
	size_t head_size;

	head = input_peek(input, 64 * 1024, &head_size);
	(void)format->recognise(head, head_size);
	if (!format_read_as(format, input, &profile, &err)) {
		const char *broken = profile_broken(profile);

		if (broken)
			(void)fprintf(stderr, "broken: %s\n", broken);
		assert(!broken);
		assert(profile_cell_count(profile) || profile_interval_count(profile));
		assert(*input_encoding(input) ||
		       fuzz_rows(profile) < FUZZ_ROWS_ALWAYS + size * FUZZ_ROWS_PER_BYTE);
		fuzz_walk(profile);
	} else {
		assert(err.kind == FAILURE_WORK && *err.what && *err.why);
	}
	return 0;
}

#define FUZZ_READER(name)                                                      \
	extern const struct format name##_format;                              \
	int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)           \
	{                                                                      \
		return fuzz_read(&name##_format, data, size);                \
	}
