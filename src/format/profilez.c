/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads CPU profiles of gperftools, of old Go and of Google's Java agent: machine words of 4 or 8
 * bytes in either byte order.
 *
 *	0 3 0 PERIOD_US 0        the head; the third word is 1 from Java
 *	COUNT DEPTH PC...        samples, leaf first
 *	0 1 0                    the end; behind it the map of the memory, or Java's names
 *
 * A return address stands behind its call, so that all but the leaf go one byte back. What the signal
 * handler left on the stack is recognised as upstream does and taken off.
 */
#include "base/map.h"
#include "base/memory.h"
#include "format/addresses.h"
#include "format/format.h"
#include "format/import.h"
#include "format/input.h"
#include "format/java_names.h"

#include <stdlib.h>
#include <string.h>

extern const struct format profilez_format;

enum { HEAD_WORDS = 5, SIMILAR_SAMPLES = 32, HANDLER_FRAMES = 2 };

struct words {
	const unsigned char *at, *end;
	size_t size;                             /* of a word: 4 or 8 */
	bool big_endian;
};

static bool word_next(struct words *words, uint64_t *ret)
{
	uint64_t word = 0;

	if ((size_t)(words->end - words->at) < words->size)
		return false;
	for (size_t i = 0; i < words->size; i++) {
		size_t at = words->big_endian ? i : words->size - 1 - i;

		word = word << 8 | words->at[at];
	}
	words->at += words->size;
	*ret = word;
	return true;
}

/* Finds the size and order of the words by the head. */
static bool head_read(struct words *words, uint64_t *ret_period_us, bool *ret_java)
{
	const unsigned char *start = words->at;

	for (unsigned form = 0; form < 4; form++) {
		uint64_t head[HEAD_WORDS];
		size_t count = 0;

		words->at = start;
		words->size = form & 2 ? 8 : 4;
		words->big_endian = form & 1;
		while (count < HEAD_WORDS && word_next(words, &head[count]))
			count++;
		if (count < HEAD_WORDS || head[0] || head[1] != 3 || head[2] > 1 || !head[3] ||
		    head[4])
			continue;
		*ret_period_us = head[3];
		*ret_java = head[2];
		return true;
	}
	return false;
}

static int profilez_recognise(const void *head, size_t size)
{
	struct words words = { .at = head, .end = (const unsigned char *)head + size };
	uint64_t period;
	bool java;

	return head_read(&words, &period, &java) ? 90 : 0;
}

/* False where the words end before they should. */
static bool samples_read(struct addresses *addresses, struct words *words, bool java,
			 int64_t period_ns)
{
	uint64_t count, depth, pc;

	while (words->at < words->end) {
		struct address_sample *sample;

		if (!word_next(words, &count) || !word_next(words, &depth) ||
		    depth > (uint64_t)(words->end - words->at) / words->size)
			return false;
		sample = addresses_begin(addresses);
		for (uint64_t i = 0; i < depth && word_next(words, &pc); i++)
			addresses_push(addresses, java || !i ? pc : pc - 1);
		if (!count && depth == 1 && !addresses->list[sample->first]) {
			addresses->sample_count--;
			addresses->count--;
			return true;
		}
		sample->numbers[0] = count > INT64_MAX ? INT64_MAX : (int64_t)count;
		if (__builtin_mul_overflow(sample->numbers[0], period_ns, &sample->numbers[1]))
			sample->numbers[1] = INT64_MAX;
	}
	return true;
}

/* The address that stands second in nearly all samples, if one does. */
static bool common_second(const struct addresses *addresses, uint64_t *ret)
{
	CLEANUP(map) struct map *counts = map_new(sizeof(uint64_t));
	size_t needed = addresses->sample_count - addresses->sample_count / SIMILAR_SAMPLES;

	for (size_t i = 0; i < addresses->sample_count; i++) {
		const struct address_sample *sample = &addresses->samples[i];
		uint64_t second;

		if (sample->count < 2)
			continue;
		second = addresses->list[sample->first + 1];
		if (++*map_put(counts, &second, NULL) < needed)
			continue;
		*ret = second;
		return true;
	}
	return false;
}

static void handler_frames_drop(struct addresses *addresses)
{
	uint64_t second;

	for (size_t n = 0; n < HANDLER_FRAMES && common_second(addresses, &second); n++)
		for (size_t i = 0; i < addresses->sample_count; i++)
			addresses_drop_second(addresses, i, second);
}

/* False where the samples end too early. */
static bool file_read(struct addresses *addresses, struct words *words)
{
	struct addresses_head head = {
		.source = "profilez",
		.types = { { "samples", "count" }, { "cpu", "nanoseconds" } },
		.type_count = 2,
		.weighting = WEIGHTING_SAMPLED,
		.period_type = { "cpu", "nanoseconds" },
		.drop_frames = addresses_drop_cpu,
	};
	uint64_t period_us;
	size_t left;
	bool java;

	if (!head_read(words, &period_us, &java))
		return false;
	head.period = period_us > INT64_MAX / 1000 ? INT64_MAX : period_us * 1000;
	if (!samples_read(addresses, words, java, (int64_t)head.period))
		return false;
	left = (size_t)(words->end - words->at);
	if (java) {
		java_names_read(addresses, (const char *)words->at, left);
	} else {
		handler_frames_drop(addresses);
		addresses_map_text(addresses, (const char *)words->at, left);
		addresses_drop_duplicate_leaf(addresses);
	}
	import_bias(addresses->import, "signal");
	addresses_into(addresses, &head);
	return true;
}

static int profilez_read(struct input *input, struct profile *into, struct error *err)
{
	CLEANUP(import) struct import *import = import_new(into, input, &profilez_format);
	const unsigned char *bytes;
	struct addresses addresses;
	struct words words = { 0 };
	bool whole;
	size_t size;
	int r = input_whole(input, INPUT_WHOLE_LIMIT, &bytes, &size, err);

	if (r < 0)
		return r;
	words.at = bytes;
	words.end = bytes + size;
	addresses_init(&addresses, import);
	whole = file_read(&addresses, &words);
	addresses_done(&addresses);
	if (!whole)
		return import_refuse(import, err, "byte", (uint64_t)(words.at - bytes),
				     "the CPU profile ends inside a sample");
	return import_finish(import, err);
}

const struct format profilez_format = {
	.name = "profilez",
	.summary = "CPU profiles of gperftools, old Go and Google's Java agent",
	.recognise = profilez_recognise,
	.read = profilez_read,
};
