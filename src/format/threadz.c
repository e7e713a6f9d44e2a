/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads thread listings of gperftools: where each thread stood at one moment.
 *
 *	--- threadz 1 ---
 *	--- Thread 7f794ab90940 (name: main/14748) stack: ---
 *	  PC:  0x00bc8f1c: helper(arg *)
 *	  0x0040be31: main
 *	--- Thread 7f794964e700 (name: thread1/14751) stack: ---
 *	  [same as previous thread]
 *
 * Upstream forgets the threads' names; here each stays the thread that it is.
 */
#include "format/addresses.h"
#include "format/format.h"
#include "format/import.h"
#include "format/input.h"
#include "format/lines.h"

#include <string.h>

extern const struct format threadz_format;

struct thread_lines {
	const char *at, *end, *line;
	size_t size, number;
	bool ended;
};

static bool next(struct thread_lines *lines)
{
	lines->ended = !line_next(&lines->at, lines->end, &lines->line, &lines->size);
	if (lines->ended)
		return false;
	lines->number++;
	return true;
}

/* "--- Thread 7f794ab90940 (name: main/14748) stack: ---": anything may stand around it. */
static bool thread_head(const char *line, size_t size, struct string_id *comm, uint32_t *tid,
			struct profile *profile)
{
	static const char start[] = "--- Thread ", middle[] = " (name: ", end[] = ") stack: ---";
	const char *head = memmem(line, size, start, sizeof(start) - 1), *name, *stop, *slash;
	int64_t number;

	if (!head)
		return false;
	size -= (size_t)(head - line);
	name = memmem(head, size, middle, sizeof(middle) - 1);
	stop = memmem(head, size, end, sizeof(end) - 1);
	if (!name || !stop || name > stop)
		return false;
	name += sizeof(middle) - 1;
	slash = memrchr(name, '/', (size_t)(stop - name));
	if (!slash)
		return false;
	*comm = profile_string_size(profile, name, (size_t)(slash - name));
	slash++;
	*tid = line_number(&slash, stop, &number) && number >= 0 && number <= UINT32_MAX
		       ? (uint32_t)number
		       : 0;
	return true;
}

static int threadz_recognise(const void *head, size_t size)
{
	const char *at = head, *end = at + size, *line;

	while (line_next(&at, end, &line, &size))
		if (line_starts(line, size, "--- threadz ") || line_starts(line, size, "--- Thread "))
			return 95;
		else if (!line_is_comment(line, size))
			return 0;
	return 0;
}

/* The frames of one thread. Returns whether it stands where the one before it stood. */
static bool frames_read(struct addresses *addresses, struct thread_lines *lines, bool *ret_fits)
{
	struct address_sample *sample = &addresses->samples[addresses->sample_count - 1];
	bool same = false;

	while (next(lines)) {
		line_trim(&lines->line, &lines->size);
		if (line_starts(lines->line, lines->size, "---"))
			break;
		if (memmem(lines->line, lines->size, "same as previous thread", 23))
			same = true;
		else if (!addresses_push_text(addresses, lines->line, lines->size, 0))
			*ret_fits = false;
	}
	for (uint32_t i = 1; i < sample->count; i++)
		addresses->list[sample->first + i]--;
	return same;
}

static void frames_repeat(struct addresses *addresses, size_t previous)
{
	struct address_sample *sample = &addresses->samples[addresses->sample_count - 1];

	addresses->count = sample->first;
	sample->first = addresses->samples[previous].first;
	sample->count = addresses->samples[previous].count;
}

static bool threads_read(struct addresses *addresses, struct thread_lines *lines)
{
	bool fits = true;

	while (!lines->ended && fits && !addresses_is_map_head(lines->line, lines->size)) {
		struct address_sample *sample;
		struct string_id comm;
		uint32_t tid;

		if (line_starts(lines->line, lines->size, "---- no stack trace for"))
			break;
		if (!thread_head(lines->line, lines->size, &comm, &tid, addresses->profile))
			return false;
		sample = addresses_begin(addresses);
		sample->numbers[0] = 1;
		sample->comm = comm;
		sample->tid = tid;
		if (frames_read(addresses, lines, &fits) && addresses->sample_count > 1)
			frames_repeat(addresses, addresses->sample_count - 2);
	}
	return fits;
}

static bool file_read(struct addresses *addresses, struct thread_lines *lines)
{
	static const struct addresses_head head = {
		.source = "threadz",
		.types = { { "thread", "count" } },
		.type_count = 1,
		.weighting = WEIGHTING_EXACT,
		.period_type = { "thread", "count" },
		.period = 1,
		.drop_frames = addresses_drop_cpu,
	};

	while (next(lines) && line_is_comment(lines->line, lines->size))
		;
	if (!lines->ended && line_starts(lines->line, lines->size, "--- threadz "))
		while (next(lines) && !addresses_is_map_head(lines->line, lines->size) &&
		       !line_starts(lines->line, lines->size, "-"))
			;
	if (!threads_read(addresses, lines))
		return false;
	while (!lines->ended && !addresses_is_map_head(lines->line, lines->size))
		(void)next(lines);
	addresses_map_text(addresses, lines->at, (size_t)(lines->end - lines->at));
	addresses_drop_duplicate_leaf(addresses);
	addresses_into(addresses, &head);
	return true;
}

static int threadz_read(struct input *input, struct profile *into, struct error *err)
{
	CLEANUP(import) struct import *import = import_new(into, input, &threadz_format);
	struct thread_lines lines = { 0 };
	struct addresses addresses;
	const unsigned char *bytes;
	bool whole;
	size_t size;
	int r = input_whole(input, INPUT_WHOLE_LIMIT, &bytes, &size, err);

	if (r < 0)
		return r;
	lines.at = (const char *)bytes;
	lines.end = lines.at + size;
	addresses_init(&addresses, import);
	whole = file_read(&addresses, &lines);
	addresses_done(&addresses);
	if (!whole)
		return import_refuse(import, err, "line", lines.number,
				     "it is no head of a thread and no address");
	return import_finish(import, err);
}

const struct format threadz_format = {
	.name = "threadz",
	.summary = "thread listings of gperftools: where each one stood",
	.recognise = threadz_recognise,
	.read = threadz_read,
};
