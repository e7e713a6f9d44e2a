/* SPDX-License-Identifier: Apache-2.0 */
/* Counts the entries of both, and lets the surplus of either side stand as it is. */
#include "probe/merge.h"

/* A return address lies behind its call: that of the last instruction of the evaluator is its end. */
static bool is_evaluator(uint64_t address, uint64_t start, uint64_t end)
{
	address &= (1ull << WIRE_METHOD_SHIFT) - 1;
	return address >= start && address <= end;
}

static size_t count_evaluators(const uint64_t *addresses, size_t depth, uint64_t start, uint64_t end)
{
	size_t count = 0;

	for (size_t i = 0; i < depth; i++)
		count += is_evaluator(addresses[i], start, end);
	return count;
}

/* Frames behind the last entry belong to one that was cut off, or whose end was not seen: they count as one more. */
static size_t count_entries(const struct wire_interpreted *frames, size_t count)
{
	size_t entries = 0;

	for (size_t i = 0; i < count; i++)
		entries += (frames[i].instruction & WIRE_INTERPRETED_ENTRY) || i + 1 == count;
	return entries;
}

struct merging {
	const struct wire_interpreted *frames;
	size_t count, next, made;
	struct merged *to;
};

static void put(struct merging *merging, bool interpreted, size_t index)
{
	merging->to[merging->made++] = (struct merged){ interpreted, (uint32_t)index };
}

/* The frames up to the one that the evaluator was entered for. */
static void put_entry(struct merging *merging)
{
	bool entry = false;

	while (!entry && merging->next < merging->count) {
		entry = merging->frames[merging->next].instruction & WIRE_INTERPRETED_ENTRY;
		put(merging, true, merging->next++);
	}
}

size_t merge_stack(const uint64_t *addresses, size_t depth, const struct wire_interpreted *frames, size_t count, uint64_t start,
		   uint64_t end, bool complete, struct merged *ret)
{
	struct merging merging = { .frames = frames, .count = count, .to = ret };
	size_t evaluators = count_evaluators(addresses, depth, start, end), entries = count_entries(frames, count);
	size_t surplus = complete && evaluators > entries ? evaluators - entries : 0;

	for (size_t i = 0; i < depth; i++) {
		bool evaluator = is_evaluator(addresses[i], start, end);

		if (evaluator && surplus) {
			surplus--;
			put(&merging, false, i);
		} else if (evaluator && merging.next < count) {
			put_entry(&merging);
		} else {
			put(&merging, false, i);
		}
	}
	while (!complete && merging.next < count)            /* beyond where the native walk ended */
		put_entry(&merging);
	return merging.made;
}
