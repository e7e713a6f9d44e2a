/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads heap profiles of jemalloc (MALLOC_CONF=prof:true, jeprof's input).
 *
 *	heap_v2/524288
 *	  t*: 28106: 56637512 [0: 0]               all, and each thread: objects: bytes in use [in all]
 *	@ 0x5f86da8 0x5f5a1dc
 *	  t*: 13: 6688 [0: 0]
 *	  t3: 12: 6496 [0: 0]
 *	MAPPED_LIBRARIES:                          /proc/PID/maps
 *
 * What was sampled is divided by its probability, as jeprof does, from the row of all threads: the
 * sum over threads would be another estimate. jemalloc averages before that division, so that it is
 * approximate where a stack allocates many sizes (jemalloc pull request 1902); the weights say
 * "estimated". All addresses are return addresses, the first one's too.
 */
#include "format/addresses.h"
#include "format/format.h"
#include "format/heap_scale.h"
#include "format/import.h"
#include "format/input.h"
#include "format/lines.h"

#include <string.h>

extern const struct format jemalloc_format;

struct jemalloc {
	struct addresses addresses;
	int64_t rate;
	uint64_t total, seen;                    /* objects in use: as the head says, and of all stacks */
	bool all;                                /* "prof_accum": it counted what was freed, too */
};

static bool rate_read(const char *line, size_t size, int64_t *ret)
{
	static const char start[] = "heap_v2/";
	const char *at = line + sizeof(start) - 1, *end = line + size;

	return line_starts(line, size, start) && line_number(&at, end, ret) && at == end && *ret > 0;
}

static int jemalloc_recognise(const void *head, size_t size)
{
	const char *at = head, *line;
	int64_t rate;

	return line_next(&at, at + size, &line, &size) && rate_read(line, size, &rate) ? 95 : 0;
}

/* "t*: objects: bytes [objects: bytes]"; *ret_of_all: of all threads. */
static bool counts_read(const char *line, size_t size, int64_t numbers[4], bool *ret_of_all)
{
	const char *at = line, *end = line + size, *colon;

	colon = memchr(line, ':', size);
	if (!line_starts(line, size, "t") || !colon)
		return false;
	*ret_of_all = colon == line + 2 && line[1] == '*';
	at = colon + 1;
	return line_number(&at, end, &numbers[0]) && line_char(&at, end, ':') &&
	       line_number(&at, end, &numbers[1]) && line_char(&at, end, '[') &&
	       line_number(&at, end, &numbers[2]) && line_char(&at, end, ':') &&
	       line_number(&at, end, &numbers[3]) && line_char(&at, end, ']');
}

static void counts_put(struct jemalloc *read, int64_t numbers[4])
{
	struct address_sample *sample =
		&read->addresses.samples[read->addresses.sample_count - 1];

	sample->block_bytes = numbers[0] ? numbers[1] / numbers[0]
			      : numbers[2] ? numbers[3] / numbers[2]
					   : -1;
	read->all |= numbers[2] || numbers[3];
	heap_scale(&numbers[0], &numbers[1], read->rate);
	heap_scale(&numbers[2], &numbers[3], read->rate);
	memcpy(sample->numbers, (int64_t[]){ numbers[2], numbers[3], numbers[0], numbers[1] },
	       sizeof(sample->numbers));
}

/* The line that makes no sense, or 0. */
static size_t lines_read(struct jemalloc *read, const char *at, const char *end)
{
	size_t size, number = 1;
	const char *line;
	bool in_stack = false;

	while (line_next(&at, end, &line, &size)) {
		int64_t numbers[4];
		bool of_all;

		number++;
		line_trim(&line, &size);
		if (addresses_is_map_head(line, size)) {
			addresses_map_text(&read->addresses, at, (size_t)(end - at));
			return 0;
		}
		if (line_starts(line, size, "@")) {
			in_stack = true;
			(void)addresses_begin(&read->addresses);
			if (!addresses_push_text(&read->addresses, line, size, 1))
				return number;
		} else if (!size) {
			continue;
		} else if (!counts_read(line, size, numbers, &of_all)) {
			return number;
		} else if (of_all) {
			*(in_stack ? &read->seen : &read->total) += (uint64_t)numbers[0];
			if (in_stack)
				counts_put(read, numbers);
		}
	}
	return 0;
}

/* Without prof_accum nothing was counted in all: then there is only what is in use. */
static void only_in_use(struct addresses *addresses)
{
	for (size_t i = 0; i < addresses->sample_count; i++) {
		int64_t *numbers = addresses->samples[i].numbers;

		numbers[0] = numbers[2];
		numbers[1] = numbers[3];
	}
}

static size_t file_read(struct jemalloc *read, const char *at, const char *end)
{
	struct addresses_head head = {
		.source = "jemalloc",
		.types = { { "alloc_objects", "count" }, { "alloc_space", "bytes" },
			   { "inuse_objects", "count" }, { "inuse_space", "bytes" } },
		.type_count = 4,
		.weighting = WEIGHTING_ESTIMATED,
		.period_type = { "space", "bytes" },
		.drop_frames = addresses_drop_heap,
	};
	const char *line;
	size_t size, wrong;

	if (!line_next(&at, end, &line, &size) || !rate_read(line, size, &read->rate))
		return 1;
	wrong = lines_read(read, at, end);
	if (wrong)
		return wrong;
	head.period = (uint64_t)read->rate;
	if (!read->all) {
		only_in_use(&read->addresses);
		head.types[0] = head.types[2];
		head.types[1] = head.types[3];
		head.type_count = 2;
	}
	if (read->seen < read->total)
		import_warn(read->addresses.import, "the stacks hold less than the second line says: the file may be cut", "line", 2);
	import_bias(read->addresses.import, "allocation");
	addresses_into(&read->addresses, &head);
	return 0;
}

static int jemalloc_read(struct input *input, struct profile *into, struct error *err)
{
	CLEANUP(import) struct import *import = import_new(into, input, &jemalloc_format);
	struct jemalloc read = { 0 };
	const unsigned char *bytes;
	size_t size, wrong;
	int r = input_whole(input, INPUT_WHOLE_LIMIT, &bytes, &size, err);

	if (r < 0)
		return r;
	addresses_init(&read.addresses, import);
	wrong = file_read(&read, (const char *)bytes, (const char *)bytes + size);
	addresses_done(&read.addresses);
	if (wrong)
		return import_refuse(import, err, "line", wrong,
				     "it is no '@ addresses' and no 't*: objects: bytes'");
	return import_finish(import, err);
}

const struct format jemalloc_format = {
	.name = "jemalloc",
	.summary = "heap profiles of jemalloc, sampled: the weights are estimates",
	.recognise = jemalloc_recognise,
	.read = jemalloc_read,
};
