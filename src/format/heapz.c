/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads heap profiles of gperftools and of old Go: allocations by stack, in use and, where they
 * differ, in all.
 *
 *	heap profile:   144:  8498176 [   144:  8498176] @ heapz_v2/524288
 *	     1:     9216 [     1:     9216] @ 0xc635c8 0x42ecc3 0x42e14c
 *
 * The word behind "@" says how they were sampled. "heapprofile", "growth" and "fragmentation" hold
 * everything. A v2 profile took an allocation of S bytes with the probability 1 - exp(-S/rate), and
 * what it holds is divided by that, with the mean size of each row in the place of S: an estimate.
 */
#include "format/addresses.h"
#include "format/format.h"
#include "format/heap_scale.h"
#include "format/import.h"
#include "format/input.h"
#include "format/lines.h"

#include <ctype.h>
#include <string.h>

extern const struct format heapz_format;

struct heap_head {
	int64_t numbers[4];                      /* in use: objects, bytes; in all: objects, bytes */
	uint64_t seen;                           /* objects in use, of the lines below */
	uint64_t rate;                           /* 1: everything */
	bool sampled, all;                       /* "all": what was allocated differs from what is in use */
};

/* "n: bytes [n: bytes] @", blanks anywhere but inside a number. */
static bool numbers_read(const char **at, const char *end, int64_t numbers[4])
{
	return line_number(at, end, &numbers[0]) && line_char(at, end, ':') &&
	       line_number(at, end, &numbers[1]) && line_char(at, end, '[') &&
	       line_number(at, end, &numbers[2]) && line_char(at, end, ':') &&
	       line_number(at, end, &numbers[3]) && line_char(at, end, ']') &&
	       line_char(at, end, '@');
}

static bool kind_is(const char *kind, size_t size, const char *name)
{
	return size == strlen(name) && !memcmp(kind, name, size);
}

static bool kind_read(const char *at, const char *end, struct heap_head *head)
{
	const char *kind;
	int64_t rate = 0;
	size_t size = 0;

	while (at < end && *at == ' ')
		at++;
	for (kind = at; at < end && (islower((unsigned char)*at) || isdigit((unsigned char)*at) ||
				     *at == '_');
	     at++)
		size++;
	if (at < end && *at == '/') {
		at++;
		(void)line_number(&at, end, &rate);
	}
	head->rate = rate > 0 ? (uint64_t)rate : 0;
	head->sampled = kind_is(kind, size, "heapz_v2") || kind_is(kind, size, "heap_v2") ||
			kind_is(kind, size, "heap");
	if (kind_is(kind, size, "heap"))
		head->rate /= 2;                 /* Go wrote twice its rate */
	if (head->sampled)
		return true;
	head->rate = 1;
	return kind_is(kind, size, "heapprofile") || kind_is(kind, size, "growth") ||
	       kind_is(kind, size, "growthz") || kind_is(kind, size, "fragmentation") ||
	       kind_is(kind, size, "fragmentationz");
}

static bool head_read(const char *line, size_t size, struct heap_head *head)
{
	static const char start[] = "heap profile:";
	const char *at, *end = line + size;
	const int64_t *n = head->numbers;

	if (!line_starts(line, size, start))
		return false;
	at = line + sizeof(start) - 1;
	if (!numbers_read(&at, end, head->numbers) || !kind_read(at, end, head))
		return false;
	head->all = (n[2] != n[0] && n[2]) || (n[3] != n[1] && n[3]);
	return true;
}

static int heapz_recognise(const void *head, size_t size)
{
	static const char mark[] = "heap profile:";
	const char *at = head, *line;
	struct heap_head ignored = { 0 };

	if (!line_next(&at, at + size, &line, &size))
		return 0;
	if (head_read(line, size, &ignored))
		return 95;
	return size >= sizeof(mark) - 1 && !memcmp(line, mark, sizeof(mark) - 1) ? 60 : 0;     /* cut there, or of no known kind */
}

static bool pair_put(const struct heap_head *head, const int64_t pair[2], int64_t into[2],
		     int64_t *block_bytes)
{
	if (!pair[0] && pair[1])
		return false;
	into[0] = pair[0];
	into[1] = pair[1];
	if (!pair[0])
		return true;
	*block_bytes = pair[1] / pair[0];
	if (head->sampled)
		heap_scale(&into[0], &into[1], (int64_t)head->rate);
	return true;
}

static bool sample_read(struct addresses *addresses, struct heap_head *head, const char *line,
			size_t size)
{
	const char *at = line, *end = line + size;
	int64_t numbers[4], block_bytes = 0;
	struct address_sample sample = { 0 }, *row;
	int64_t *in_use = sample.numbers + (head->all ? 2 : 0);

	if (!numbers_read(&at, end, numbers) ||
	    (head->all && !pair_put(head, numbers + 2, sample.numbers, &block_bytes)) ||
	    !pair_put(head, numbers, in_use, &block_bytes))
		return false;
	head->seen += (uint64_t)numbers[0];
	row = addresses_begin(addresses);
	memcpy(row->numbers, sample.numbers, sizeof(row->numbers));
	row->block_bytes = block_bytes;
	return addresses_push_text(addresses, at, (size_t)(end - at), 1);
}

/* The line that made no sense, or 0. */
static size_t lines_read(struct addresses *addresses, struct heap_head *head, const char *at,
			 const char *end)
{
	const char *line;
	size_t size, number = 1;

	while (line_next(&at, end, &line, &size)) {
		number++;
		line_trim(&line, &size);
		if (addresses_is_map_head(line, size)) {
			addresses_map_text(addresses, at, (size_t)(end - at));
			return 0;
		}
		if (!line_is_comment(line, size) && !sample_read(addresses, head, line, size))
			return number;
	}
	return 0;
}

static struct addresses_head head_of(const struct heap_head *heap)
{
	struct addresses_head head = {
		.source = "heapz",
		.types = { { "objects", "count" }, { "space", "bytes" } },
		.type_count = 2,
		.weighting = heap->sampled && heap->rate > 1 ? WEIGHTING_ESTIMATED : WEIGHTING_EXACT,
		.period_type = { "space", "bytes" },
		.period = heap->rate,
		.drop_frames = addresses_drop_heap,
		.keep_frames = addresses_keep_heap,
	};

	if (!heap->all)
		return head;
	head.types[0].name = "alloc_objects";
	head.types[1].name = "alloc_space";
	head.types[2] = (struct addresses_type){ "inuse_objects", "count" };
	head.types[3] = (struct addresses_type){ "inuse_space", "bytes" };
	head.type_count = 4;
	return head;
}

static size_t file_read(struct addresses *addresses, const char *at, const char *end)
{
	struct heap_head heap = { 0 };
	struct addresses_head head;
	const char *line;
	size_t size, wrong;

	if (!line_next(&at, end, &line, &size) || !head_read(line, size, &heap))
		return 1;
	wrong = lines_read(addresses, &heap, at, end);
	if (wrong)
		return wrong;
	if (heap.numbers[0] > 0 && heap.seen < (uint64_t)heap.numbers[0])
		import_warn(addresses->import, "the lines hold less than the first one says: the file may be cut", "line", 1);
	import_bias(addresses->import, "allocation");
	head = head_of(&heap);
	addresses_into(addresses, &head);
	return 0;
}

static int heapz_read(struct input *input, struct profile *into, struct error *err)
{
	CLEANUP(import) struct import *import = import_new(into, input, &heapz_format);
	const unsigned char *bytes;
	struct addresses addresses;
	size_t size, wrong;
	int r = input_whole(input, INPUT_WHOLE_LIMIT, &bytes, &size, err);

	if (r < 0)
		return r;
	addresses_init(&addresses, import);
	wrong = file_read(&addresses, (const char *)bytes, (const char *)bytes + size);
	addresses_done(&addresses);
	if (wrong)
		return import_refuse(import, err, "line", wrong,
				     "it is no 'objects: bytes [objects: bytes] @ addresses'");
	return import_finish(import, err);
}

const struct format heapz_format = {
	.name = "heapz",
	.summary = "heap profiles of gperftools and old Go, as text",
	.recognise = heapz_recognise,
	.read = heapz_read,
};
