/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rows of a file are read when a copied stack first needs its process, and kept for the whole recording, by path and
 * build: many processes map the same libraries. A file of which another build lies there now has no rows, so that a walk
 * ends there and says why. Registers are x86-64's; stacks of other machines keep the address they were taken at.
 */
#include "format/perf_unwind.h"

#include "base/cleanup.h"
#include "base/map.h"
#include "base/memory.h"
#include "format/perf_elf.h"
#include "format/perf_session.h"
#include "format/perf_space.h"
#include "profile/profile.h"
#include "unwind/walk.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH_LIMIT = 512, FILE_LIMIT = 4096, ROWS_LIMIT = 64 << 20, ABI_64 = 2, REGISTER_COUNT = 24 };

struct source {                         /* one file */
	struct unwind_tables tables;
	struct perf_elf elf;
};

struct perf_unwind {
	struct map *by_file;             /* file id → index in sources */
	struct source *sources;
	size_t count, room;
	struct unwind_mapping *mappings; /* of the process walked last */
	size_t mapping_count, mapping_room;
	uint32_t version;                /* of its space */
	uint64_t addresses[DEPTH_LIMIT];
	uint8_t methods[DEPTH_LIMIT];
	uint64_t rows;                   /* of all files */
};

static struct perf_unwind *unwind_new(void)
{
	struct perf_unwind *unwind = xcalloc(1, sizeof(*unwind));

	unwind->by_file = map_new(sizeof(uint32_t));
	return unwind;
}

void perf_unwind_free(struct perf_unwind *unwind)
{
	if (!unwind)
		return;
	for (size_t i = 0; i < unwind->count; i++)
		unwind_tables_free(&unwind->sources[i].tables);
	free(unwind->sources);
	free(unwind->mappings);
	map_free(unwind->by_file);
	free(unwind);
}

/* --- Files ------------------------------------------------------------------------------------------------------------ */

static void source_read(struct perf_session *session, struct file_id id, struct source *ret)
{
	const struct file *file = profile_file_at(session->profile, id.index);
	const char *path = profile_text(session->profile, file->path);
	const char *build_id = profile_text(session->profile, file->build_id);
	CLEANUP_FD int fd = *path == '/' ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY) : -1;

	*ret = (struct source){ 0 };
	if (fd < 0 || perf_elf_read(fd, &ret->elf) < 0 || (*build_id && strcmp(build_id, ret->elf.build_id) != 0))
		return;
	(void)unwind_tables_read_file(fd, &ret->tables);
}

static const struct source *source_of(struct perf_session *session, struct file_id file)
{
	struct perf_unwind *unwind = session->unwind;
	bool added = false;
	uint32_t *index = unwind->count < FILE_LIMIT && unwind->rows < ROWS_LIMIT ? map_put(unwind->by_file, &file.index, &added)
										  : map_find(unwind->by_file, &file.index);
	struct source *source;

	if (!index)
		return NULL;
	if (added) {
		*index = (uint32_t)unwind->count;
		grow(unwind->sources, unwind->count, unwind->room);
		source = &unwind->sources[unwind->count++];
		source_read(session, file, source);
		for (size_t i = 0; i < source->tables.count; i++)
			unwind->rows += source->tables.tables[i].count;
	}
	return &unwind->sources[*index];
}

/* --- A process -------------------------------------------------------------------------------------------------------- */

static void mapping_add(struct perf_unwind *unwind, struct unwind_mapping mapping)
{
	if (mapping.start >= mapping.end)
		return;
	grow(unwind->mappings, unwind->mapping_count, unwind->mapping_room);
	unwind->mappings[unwind->mapping_count++] = mapping;
}

/* A file of several tables is several mappings, each from its table's base to the next one's. */
static void map_add(struct perf_session *session, const struct perf_map *map)
{
	const struct source *source = source_of(session, map->file);
	uint64_t bias = source ? map->start - perf_elf_address(&source->elf, map->offset) : 0, at = map->start;

	for (size_t i = 0; source && i < source->tables.count; i++) {
		const struct unwind_table *table = &source->tables.tables[i];
		uint64_t end = i + 1 < source->tables.count ? table[1].base + bias : map->end;

		if (end > map->end)
			end = map->end;
		if (end <= at)
			continue;
		mapping_add(session->unwind, (struct unwind_mapping){ .start = at, .end = end, .bias = bias, .table = table });
		at = end;
	}
	mapping_add(session->unwind, (struct unwind_mapping){ .start = at, .end = map->end });
}

/* Tables belong to sources, which move as more are read: so all are read before the mappings point to any. */
static void process_turn_to(struct perf_session *session, const struct perf_process *process)
{
	struct perf_unwind *unwind = session->unwind;
	const struct perf_space *space = process->space;

	if (unwind->mapping_count && unwind->version == space->version)
		return;
	unwind->mapping_count = 0;
	unwind->version = space->version;
	for (size_t i = 0; i < space->count; i++)
		(void)source_of(session, space->maps[i].file);
	for (size_t i = 0; i < space->count; i++)
		map_add(session, &space->maps[i]);
}

/* --- A stack ---------------------------------------------------------------------------------------------------------- */

struct copied { const uint8_t *bytes; uint64_t start, size; };

static int copied_read(void *context, void *to, __u32 size, __u64 address)
{
	const struct copied *copied = context;

	if (address < copied->start || address - copied->start > copied->size || size > copied->size - (address - copied->start))
		return -1;
	memcpy(to, copied->bytes + (address - copied->start), size);
	return 0;
}

/* The kernel's order of registers (asm/perf_regs.h) → DWARF's numbers. */
static const int8_t dwarf_of[REGISTER_COUNT] = { 0, 3, 2, 1, 4, 5, 6, 7, -1, -1, -1, -1, -1, -1, -1, -1,
						 8, 9, 10, 11, 12, 13, 14, 15 };
enum { KERNEL_BP = 6, KERNEL_SP = 7, KERNEL_IP = 8 };

static bool registers_read(const struct perf_session *session, const struct perf_event *event, const struct perf_sample *sample,
			   struct unwind_state *ret)
{
	const uint64_t needed = 1 << KERNEL_BP | 1 << KERNEL_SP | 1 << KERNEL_IP;
	uint64_t mask = event->attribute.user_registers;
	const uint8_t *at = sample->user_registers;

	*ret = (struct unwind_state){ .pc_is_exact = 1, .registers_known = 1, .bp_known = 1, .method = UNWIND_BY_LEAF };
	if ((mask & needed) != needed || sample->user_abi != ABI_64 || session->swapped)
		return false;
	for (unsigned i = 0; i < REGISTER_COUNT; i++) {
		uint64_t word;

		if (!(mask >> i & 1))
			continue;
		word = perf_word(at, false);
		at += 8;
		if (dwarf_of[i] >= 0)
			ret->registers[dwarf_of[i]] = word;
		if (i == KERNEL_IP)
			ret->pc = word;
	}
	ret->sp = ret->registers[UNWIND_DWARF_RSP];
	ret->bp = ret->registers[UNWIND_DWARF_RBP];
	return true;
}

static const uint8_t statuses[UNWIND_STATUS_COUNT] = {
	[UNWIND_GOES_ON] = STACK_FAILED, [UNWIND_COMPLETE] = STACK_COMPLETE, [UNWIND_TRUNCATED] = STACK_TRUNCATED,
	[UNWIND_NO_MAPPING] = STACK_NO_MAPPING, [UNWIND_NO_TABLE] = STACK_NO_TABLE, [UNWIND_NO_ROW] = STACK_NO_ROW,
	[UNWIND_UNSUPPORTED_ROW] = STACK_UNSUPPORTED_ROW, [UNWIND_FAULT] = STACK_FAULT, [UNWIND_STUCK] = STACK_STUCK,
	[UNWIND_ZERO_PC] = STACK_ZERO_PC, [UNWIND_NO_PROCESS] = STACK_NO_PROCESS, [UNWIND_COMPATIBLE] = STACK_COMPATIBLE,
};
static const uint8_t methods[UNWIND_METHOD_COUNT] = {
	[UNWIND_BY_NOTHING] = METHOD_NONE, [UNWIND_BY_LEAF] = METHOD_LEAF, [UNWIND_BY_ROW] = METHOD_CFI,
	[UNWIND_BY_GENERATED_ROW] = METHOD_GENERATED, [UNWIND_BY_FRAME_POINTER] = METHOD_FRAME_POINTER,
	[UNWIND_BY_GUESS] = METHOD_GUESS, [UNWIND_BY_SIGNAL] = METHOD_SIGNAL,
};

/* A stack that was longer than what perf copied of it ends where the copy does: cut, not broken. */
static uint8_t status_of(enum unwind_status status, const struct perf_sample *sample, uint64_t copied)
{
	if (status == UNWIND_FAULT && sample->user_stack_size == copied)
		return STACK_TRUNCATED;
	return statuses[status];
}

bool perf_unwind_walk(struct perf_session *session, struct perf_process *process, const struct perf_event *event,
		      const struct perf_sample *sample, struct perf_walk *ret)
{
	struct unwind_frame frames[DEPTH_LIMIT];
	struct copied copied = { sample->user_stack, 0, sample->user_stack_size };
	struct unwind_process walked;
	struct unwind_state state;
	struct perf_unwind *unwind;
	enum unwind_status status;

	if (!process->space || !registers_read(session, event, sample, &state))
		return false;
	if (!session->unwind)
		session->unwind = unwind_new();
	unwind = session->unwind;
	process_turn_to(session, process);
	copied.start = state.sp;
	walked = (struct unwind_process){ .mappings = unwind->mappings, .count = unwind->mapping_count,
					  .memory = { copied_read, &copied } };
	status = unwind_walk(&walked, state, DEPTH_LIMIT, frames, &ret->count);
	for (size_t i = 0; i < ret->count; i++) {
		unwind->addresses[i] = frames[i].address;
		unwind->methods[i] = methods[frames[i].method];
		if (i > 1 && frames[i].method == UNWIND_BY_SIGNAL)      /* the handler was made to go back exactly there */
			unwind->methods[i - 1] = METHOD_SIGNAL;
	}
	ret->addresses = unwind->addresses;
	ret->methods = unwind->methods;
	ret->status = status_of(status, sample, sample->user_stack_asked);
	return ret->count > 0;
}
