/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Chains are hostile: counts were held against the record before, depth has a limit here, and an address that lies in no
 * mapping becomes one frame for all, since a wild pointer must not make a million of them.
 */
#include "format/perf_stack.h"

#include "base/map.h"
#include "format/perf_sample.h"
#include "format/perf_space.h"
#include "format/perf_task.h"
#include "profile/profile.h"

#include <stdio.h>

enum { DEPTH_LIMIT = 1024, KNOWN_LIMIT = 1 << 20, MARK_HIGHEST = 4095 };
enum { MARK_HYPERVISOR = 32, MARK_KERNEL = 128, MARK_USER = 512, MARK_DEFERRED = 640, MARK_GUEST = 2048,
       MARK_GUEST_KERNEL = 2176, MARK_GUEST_USER = 2560 };

void perf_stacks_init(struct perf_stacks *stacks, struct profile *profile, bool swapped)
{
	*stacks = (struct perf_stacks){ .profile = profile, .known = map_new(2 * sizeof(uint64_t)), .swapped = swapped };
	stacks->unmapped = profile_file(profile, "[unmapped]", NULL);
}

void perf_stacks_done(struct perf_stacks *stacks)
{
	map_free(stacks->known);
	perf_space_release(stacks->kernel);
}

/* --- One frame -------------------------------------------------------------------------------------------------------- */

static struct frame_id kernel_frame(struct perf_stacks *stacks, uint64_t address, enum frame_method method)
{
	const struct perf_map *map = perf_space_find(stacks->kernel, address);

	if (!stacks->kernel_file.index)
		stacks->kernel_file = profile_file(stacks->profile, "[kernel]", NULL);
	return profile_frame(stacks->profile, (struct frame){
		.file = stacks->kernel_file, .offset = address, .name = map ? map->name : (struct string_id){ 0 }, .method = method });
}

static struct frame_id user_frame(struct perf_stacks *stacks, const struct perf_process *process, uint64_t address,
				  enum frame_method method)
{
	const struct perf_map *map = perf_space_find(process->space, address);

	if (!map) {
		stacks->unmapped_frames++;
		return profile_frame(stacks->profile, (struct frame){ .file = stacks->unmapped, .method = method });
	}
	return profile_frame(stacks->profile, (struct frame){
		.file = map->file, .offset = address - map->start + map->offset, .method = method });
}

static struct frame_id foreign_frame(struct perf_stacks *stacks, unsigned mode)
{
	static const char *const names[] = { [PERF_MODE_UNKNOWN] = "[unknown]", [PERF_MODE_HYPERVISOR] = "[hypervisor]",
					     [PERF_MODE_GUEST_KERNEL] = "[guest.kernel]", [PERF_MODE_GUEST_USER] = "[guest.user]" };
	const char *name = mode <= PERF_MODE_GUEST_USER && names[mode] ? names[mode] : "[unknown]";

	stacks->guest += mode >= PERF_MODE_HYPERVISOR;
	return profile_frame(stacks->profile, (struct frame){ .name = profile_string(stacks->profile, name),
							      .method = METHOD_IMPORTED });
}

static struct frame_id frame_of(struct perf_stacks *stacks, const struct perf_process *process, unsigned mode, uint64_t address,
				enum frame_method method)
{
	if (mode == PERF_MODE_KERNEL)
		return kernel_frame(stacks, address, method);
	return mode == PERF_MODE_USER ? user_frame(stacks, process, address, method) : foreign_frame(stacks, mode);
}

/* --- A chain ---------------------------------------------------------------------------------------------------------- */

struct chain_entry { uint64_t address; uint8_t mode, method; };
struct chain {
	struct chain_entry entries[DEPTH_LIMIT];
	size_t count;
	bool cut;
};

static unsigned mode_of_mark(uint64_t mark, unsigned otherwise)
{
	switch (mark) {
	case MARK_HYPERVISOR: return PERF_MODE_HYPERVISOR;
	case MARK_KERNEL: return PERF_MODE_KERNEL;
	case MARK_USER: return PERF_MODE_USER;
	case MARK_GUEST: case MARK_GUEST_KERNEL: return PERF_MODE_GUEST_KERNEL;
	case MARK_GUEST_USER: return PERF_MODE_GUEST_USER;
	default: return otherwise;
	}
}

/* Where the part begins stands an exact address: the interrupted one, or where the thread entered the kernel. */
static enum frame_method method_of(bool first_of_part, bool first, unsigned mode)
{
	if (first || (first_of_part && mode == PERF_MODE_USER))
		return METHOD_LEAF;
	return mode == PERF_MODE_KERNEL ? METHOD_KERNEL : METHOD_FRAME_POINTER;
}

static void chain_add(struct chain *chain, uint64_t address, unsigned mode, bool first_of_part)
{
	if (chain->count == DEPTH_LIMIT) {
		chain->cut = true;
		return;
	}
	chain->entries[chain->count] = (struct chain_entry){ address, (uint8_t)mode,
							     (uint8_t)method_of(first_of_part, !chain->count, mode) };
	chain->count++;
}

static void chain_read(struct perf_stacks *stacks, const struct perf_sample *sample, struct chain *chain)
{
	unsigned mode = sample->misc & PERF_MODE_MASK;
	bool first_of_part = true;

	chain->count = 0;
	chain->cut = false;
	for (uint64_t i = 0; i < sample->chain_count; i++) {
		uint64_t word = perf_word(sample->chain + 8 * i, stacks->swapped), mark = -word;

		if (mark <= MARK_HIGHEST && mark) {
			mode = mode_of_mark(mark, mode);
			first_of_part = true;
			if (mark == MARK_DEFERRED) {    /* what follows is a cookie, and the rest comes with the next return */
				stacks->deferred++;
				break;
			}
			continue;
		}
		chain_add(chain, word, mode, first_of_part);
		first_of_part = false;
	}
	if (!chain->count)
		chain_add(chain, sample->ip, sample->misc & PERF_MODE_MASK, true);
}

static struct stack_id chain_stack(struct perf_stacks *stacks, const struct perf_process *process, const struct chain *chain,
				   struct stack_id stack, enum stack_status status)
{
	for (size_t i = chain->count; i-- > 0;) {
		const struct chain_entry *entry = &chain->entries[i];

		stack = profile_stack(stacks->profile, stack,
				      frame_of(stacks, process, entry->mode, entry->address, entry->method), status);
	}
	return stack;
}

/* --- Stacks that come again ------------------------------------------------------------------------------------------- */

static void hash_word(uint64_t hash[2], uint64_t word)
{
	hash[0] = (hash[0] ^ word) * 0x9e3779b97f4a7c15ull;
	hash[0] ^= hash[0] >> 29;
	hash[1] = (hash[1] + word) * 0xc2b2ae3d27d4eb4full;
	hash[1] = hash[1] << 31 | hash[1] >> 33;
}

static uint32_t space_version(const struct perf_space *space)
{
	return space ? space->version : 0;
}

static void chain_hash(const struct perf_stacks *stacks, const struct perf_process *process, const struct perf_sample *sample,
		       uint64_t hash[2])
{
	hash[0] = 0x243f6a8885a308d3ull;
	hash[1] = (uint64_t)(sample->misc & PERF_MODE_MASK) + 0x13198a2e03707344ull;
	hash_word(hash, (uint64_t)space_version(stacks->kernel) << 32 | space_version(process->space));
	hash_word(hash, sample->chain_count ? sample->chain_count : sample->ip);
	for (uint64_t i = 0; i < sample->chain_count; i++)
		hash_word(hash, perf_word(sample->chain + 8 * i, false));
}

struct stack_id perf_stacks_of(struct perf_stacks *stacks, struct perf_process *process, const struct perf_sample *sample)
{
	struct chain chain;
	uint64_t hash[2];
	uint32_t *known;
	bool added;

	stacks->entries += sample->chain_count;
	chain_hash(stacks, process, sample, hash);
	if (map_count(stacks->known) >= KNOWN_LIMIT)
		map_clear(stacks->known);
	known = map_put(stacks->known, hash, &added);
	if (!added)
		return (struct stack_id){ *known };
	chain_read(stacks, sample, &chain);
	stacks->cut += chain.cut;
	*known = chain_stack(stacks, process, &chain, (struct stack_id){ 0 }, chain.cut ? STACK_TRUNCATED : STACK_UNVERIFIED).index;
	return (struct stack_id){ *known };
}

struct stack_id perf_stacks_walked(struct perf_stacks *stacks, struct perf_process *process, const struct perf_sample *sample,
				   const struct perf_walk *walk)
{
	struct stack_id stack = { 0 };
	struct chain chain;
	size_t kernel = 0;

	stacks->entries += sample->chain_count;
	chain_read(stacks, sample, &chain);
	for (size_t i = walk->count; i-- > 0;)
		stack = profile_stack(stacks->profile, stack, user_frame(stacks, process, walk->addresses[i], walk->methods[i]),
				      walk->status);
	while (kernel < chain.count && chain.entries[kernel].mode == PERF_MODE_KERNEL)
		kernel++;
	chain.count = kernel;
	return chain_stack(stacks, process, &chain, stack, walk->status);
}
