/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Source of the order of fields: perf_event_open(2) and perf_output_sample() of Linux. Counts come from the file: each is
 * held against the bytes that are left before anything is skipped by it.
 */
#include "format/perf_sample.h"

#include <errno.h>

enum { WORD = 8, BRANCH_WORDS = 3 };

/* count words, or NULL where they do not fit; so the product cannot overflow. */
static const uint8_t *words_take(struct perf_bytes *body, uint64_t count)
{
	return perf_take(body, count > UINT32_MAX ? UINT64_MAX : count * WORD);
}

static unsigned read_value_words(uint64_t format)
{
	return 1u + !!(format & PERF_READ_ID) + !!(format & PERF_READ_LOST);
}

static void read_take(const struct perf_attribute *attribute, struct perf_bytes *body, struct perf_sample *ret)
{
	uint64_t format = attribute->read_format;
	unsigned times = !!(format & PERF_READ_ENABLED) + !!(format & PERF_READ_RUNNING);

	if (!(format & PERF_READ_GROUP)) {
		(void)words_take(body, read_value_words(format) + times);
		return;
	}
	ret->read_count = perf_u64(body);
	(void)words_take(body, times);
	ret->reads = ret->read_count > UINT32_MAX ? words_take(body, UINT64_MAX)
						  : words_take(body, ret->read_count * read_value_words(format));
}

bool perf_sample_group_value(const struct perf_attribute *attribute, const struct perf_sample *sample, bool swapped,
			     uint64_t index, struct perf_read *ret)
{
	const uint8_t *at;

	if (!sample->reads || index >= sample->read_count || !(attribute->read_format & PERF_READ_ID))
		return false;
	at = sample->reads + index * read_value_words(attribute->read_format) * WORD;
	*ret = (struct perf_read){ perf_word(at, swapped), perf_word(at + WORD, swapped) };
	return true;
}

static void raw_take(struct perf_bytes *body, struct perf_sample *ret)
{
	ret->raw_size = perf_u32(body);
	ret->raw = perf_take(body, ret->raw_size);
}

static void branches_take(const struct perf_attribute *attribute, struct perf_bytes *body, struct perf_sample *ret)
{
	ret->branch_count = perf_u64(body);
	if (attribute->branch_type & PERF_BRANCH_HAS_INDEX)
		(void)perf_u64(body);
	(void)words_take(body, ret->branch_count > UINT32_MAX ? UINT64_MAX : ret->branch_count * BRANCH_WORDS);
	if (attribute->branch_type & PERF_BRANCH_HAS_COUNTERS)
		(void)words_take(body, ret->branch_count);
}

static const uint8_t *registers_take(struct perf_bytes *body, uint64_t mask, uint64_t *ret_abi)
{
	*ret_abi = perf_u64(body);
	return *ret_abi ? words_take(body, (unsigned)__builtin_popcountll(mask)) : NULL;
}

static void user_stack_take(struct perf_bytes *body, struct perf_sample *ret)
{
	uint64_t size = perf_u64(body), there;

	if (!size)
		return;
	ret->user_stack = perf_take(body, size);
	there = perf_u64(body);
	ret->user_stack_size = there < size ? there : size;
	ret->user_stack_asked = size;
}

/* The fields that have one word or less, up to the first list. */
static void head_take(uint64_t type, struct perf_bytes *body, struct perf_sample *ret)
{
	if (type & PERF_HAS_IDENTIFIER)
		ret->id = perf_u64(body);
	if (type & PERF_HAS_IP)
		ret->ip = perf_u64(body);
	if (type & PERF_HAS_TID) {
		ret->pid = perf_u32(body);
		ret->tid = perf_u32(body);
	}
	if (type & PERF_HAS_TIME)
		ret->time_ns = perf_u64(body);
	if (type & PERF_HAS_ADDRESS)
		ret->address = perf_u64(body);
	if (type & PERF_HAS_ID)
		ret->id = perf_u64(body);
	if (type & PERF_HAS_STREAM)
		ret->stream = perf_u64(body);
	if (type & PERF_HAS_CPU) {
		ret->cpu = perf_u32(body);
		(void)perf_u32(body);
	}
	if (type & PERF_HAS_PERIOD)
		ret->period = perf_u64(body);
	ret->has_time = type & PERF_HAS_TIME;
	ret->has_period = type & PERF_HAS_PERIOD;
}

static void lists_take(const struct perf_attribute *attribute, struct perf_bytes *body, struct perf_sample *ret)
{
	uint64_t type = attribute->sample_type;

	if (type & PERF_HAS_READ)
		read_take(attribute, body, ret);
	if (type & PERF_HAS_CALLCHAIN) {
		ret->chain_count = perf_u64(body);
		ret->chain = words_take(body, ret->chain_count);
	}
	if (type & PERF_HAS_RAW)
		raw_take(body, ret);
	if (type & PERF_HAS_BRANCHES)
		branches_take(attribute, body, ret);
	if (type & PERF_HAS_USER_REGISTERS)
		ret->user_registers = registers_take(body, attribute->user_registers, &ret->user_abi);
	if (type & PERF_HAS_USER_STACK)
		user_stack_take(body, ret);
}

static void tail_take(const struct perf_attribute *attribute, struct perf_bytes *body, struct perf_sample *ret)
{
	uint64_t type = attribute->sample_type, abi;

	if (type & (PERF_HAS_WEIGHT | PERF_HAS_WEIGHTS))
		ret->weight = perf_u64(body);
	if (type & PERF_HAS_DATA_SOURCE)
		ret->data_source = perf_u64(body);
	if (type & PERF_HAS_TRANSACTION)
		ret->transaction = perf_u64(body);
	if (type & PERF_HAS_KERNEL_REGISTERS)
		(void)registers_take(body, attribute->kernel_registers, &abi);
	if (type & PERF_HAS_PHYSICAL)
		ret->physical = perf_u64(body);
	if (type & PERF_HAS_CGROUP)
		ret->cgroup = perf_u64(body);
	if (type & PERF_HAS_DATA_PAGE)
		ret->data_page = perf_u64(body);
	if (type & PERF_HAS_CODE_PAGE)
		ret->code_page = perf_u64(body);
	if (type & PERF_HAS_AUX)
		(void)perf_take(body, perf_u64(body));
}

int perf_sample_read(const struct perf_attribute *attribute, uint16_t misc, struct perf_bytes body, struct perf_sample *ret)
{
	*ret = (struct perf_sample){ .misc = misc };
	head_take(attribute->sample_type, &body, ret);
	lists_take(attribute, &body, ret);
	tail_take(attribute, &body, ret);
	return body.failed ? -EBADMSG : 0;
}

/* They end the record, so they are found from behind. */
void perf_sample_id_read(const struct perf_attribute *attribute, struct perf_bytes body, struct perf_sample *ret)
{
	enum { IN_ALL = PERF_HAS_TID | PERF_HAS_TIME | PERF_HAS_ID | PERF_HAS_STREAM | PERF_HAS_CPU | PERF_HAS_IDENTIFIER };
	uint64_t type = attribute->sample_type & IN_ALL;
	size_t size = WORD * (unsigned)__builtin_popcountll(type);

	*ret = (struct perf_sample){ 0 };
	if (!attribute->has_sample_ids || perf_bytes_left(&body) < size)
		return;
	body.at = body.end - size;
	head_take(type & ~(uint64_t)PERF_HAS_IDENTIFIER, &body, ret);
	if (type & PERF_HAS_IDENTIFIER)
		ret->id = perf_u64(&body);
}
