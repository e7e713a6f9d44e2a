/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What changed in a tick is published at its end: a new run of mappings takes the place of the old one at once, and the old
 * one is used again only when no walk can be reading it.
 */
#include "capture/unwinding.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>

#include "base/clock.h"
#include "base/map.h"
#include "base/memory.h"
#include "capture/unwind_catalogue.h"
#include "capture/unwind_store.h"
#include "probe/space.h"
#include "unwind/walk.h"

#include "crosscut.skel.h"

enum { VIEW_BYTES = 4 << 20 };           /* rows that stay mapped from one copied stack to the next */
enum { NO_RUN = UINT32_MAX, MISSING_LIMIT = 256, RUN_LIMIT = 8192, LOOKS_MOST = 6 };
#define LOOK_AGAIN_NS 1000000000ull

/* Mappings as the kernel has them. A child that was forked shares its parent's. */
struct run { uint32_t first, count, users; };

struct generated { uint64_t start, end; struct unwind_place place; };

struct process {
	uint32_t pid, run;
	bool dirty;
	uint32_t looks;                         /* in vain, since its image began: each next one waits twice as long */
	uint64_t looked_ns;
	struct generated *generated;
	size_t generated_count, generated_room;
};

struct unwinding {
	struct unwind_store *store;
	struct unwind_catalogue *catalogue;
	int processes_fd, missing_fd;
	struct spaces *spaces;                  /* their file ids are those of the catalogue */
	struct map *by_pid;
	struct process *processes;
	size_t process_count, process_room;
	uint32_t *dirty;
	size_t dirty_count, dirty_room;
	struct run *runs;
	size_t run_count, run_room;
	struct wire_unwind_mapping *entries;    /* of the process at hand */
	size_t entry_count, entry_room;
	uint64_t copies_walked;
};

static void mark_files(void *context, bool *used)
{
	const struct unwinding *unwinding = context;

	for (size_t i = 0; i < unwinding->process_count; i++) {
		size_t count;
		const struct space_mapping *list = spaces_list(unwinding->spaces, unwinding->processes[i].pid, &count);

		for (size_t k = 0; k < count; k++)
			used[list[k].file.index] = true;
	}
}

static void mark_dirty(struct unwinding *unwinding, struct process *process)
{
	if (process->dirty)
		return;
	process->dirty = true;
	grow(unwinding->dirty, unwinding->dirty_count, unwinding->dirty_room);
	unwinding->dirty[unwinding->dirty_count++] = (uint32_t)(process - unwinding->processes);
}

/* Whoever has mapped a file that has rows at last is told of them. */
static void file_loaded(void *context, uint32_t file)
{
	struct unwinding *unwinding = context;

	for (size_t i = 0; i < unwinding->process_count; i++) {
		size_t count;
		const struct space_mapping *list = spaces_list(unwinding->spaces, unwinding->processes[i].pid, &count);

		for (size_t k = 0; k < count; k++)
			if (list[k].file.index == file)
				mark_dirty(unwinding, &unwinding->processes[i]);
	}
}

int unwinding_open(struct unwinding **ret, struct crosscut_bpf *bpf, struct harvest *harvest, struct error *err)
{
	CLEANUP(unwinding) struct unwinding *unwinding = xcalloc(1, sizeof(*unwinding));
	int r = unwind_store_open(&unwinding->store, bpf_map__fd(bpf->maps.unwind_chunks), bpf_map__fd(bpf->maps.unwind_mappings),
				  bpf_map__max_entries(bpf->maps.unwind_mappings), err);

	if (r < 0)
		return r;
	unwinding->catalogue = unwind_catalogue_new(&(struct unwind_catalogue_options){
		.store = unwinding->store, .harvest = harvest, .mark = mark_files, .loaded = file_loaded, .context = unwinding });
	unwinding->processes_fd = bpf_map__fd(bpf->maps.unwind_processes);
	unwinding->missing_fd = bpf_map__fd(bpf->maps.unwind_missing);
	unwinding->spaces = spaces_new();
	unwinding->by_pid = map_new(sizeof(uint32_t));
	*ret = take(unwinding);
	return 0;
}

void unwinding_free(struct unwinding *unwinding)
{
	if (!unwinding)
		return;
	for (size_t i = 0; i < unwinding->process_count; i++)
		free(unwinding->processes[i].generated);
	unwind_catalogue_free(unwinding->catalogue);
	unwind_store_free(unwinding->store);
	spaces_free(unwinding->spaces);
	map_free(unwinding->by_pid);
	free(unwinding->processes);
	free(unwinding->dirty);
	free(unwinding->runs);
	free(unwinding->entries);
	free(unwinding);
}

/* --- Processes -------------------------------------------------------------------------------------------------- */

static struct process *process_find(const struct unwinding *unwinding, uint32_t pid)
{
	const uint32_t *index = map_find(unwinding->by_pid, &pid);

	return index ? &unwinding->processes[*index] : NULL;
}

static struct process *process_get(struct unwinding *unwinding, uint32_t pid)
{
	bool added;
	uint32_t *index = map_put(unwinding->by_pid, &pid, &added);

	if (added) {
		*index = (uint32_t)unwinding->process_count;
		grow(unwinding->processes, unwinding->process_count, unwinding->process_room);
		unwinding->processes[unwinding->process_count++] = (struct process){ .pid = pid, .run = NO_RUN };
	}
	return &unwinding->processes[*index];
}

static uint32_t run_new(struct unwinding *unwinding, struct run run)
{
	for (size_t i = 0; i < unwinding->run_count; i++)
		if (!unwinding->runs[i].users) {
			unwinding->runs[i] = run;
			return (uint32_t)i;
		}
	grow(unwinding->runs, unwinding->run_count, unwinding->run_room);
	unwinding->runs[unwinding->run_count++] = run;
	return (uint32_t)unwinding->run_count - 1;
}

static void release_run(struct unwinding *unwinding, struct process *process)
{
	struct run *run = process->run == NO_RUN ? NULL : &unwinding->runs[process->run];

	process->run = NO_RUN;
	if (run && !--run->users)
		unwind_store_give_run(unwinding->store, run->first, run->count);
}

/* BPF_EXIST: not where the kernel half knows better, since an exec that we have yet to hear of took the entry away. */
static int tell_kernel(struct unwinding *unwinding, const struct process *process, uint64_t flags)
{
	struct wire_unwind_process wire = { 0 };

	if (process->run != NO_RUN)
		wire = (struct wire_unwind_process){ unwinding->runs[process->run].first, unwinding->runs[process->run].count };
	return bpf_map_update_elem(unwinding->processes_fd, &process->pid, &wire, flags);
}

static void forget(struct unwinding *unwinding, struct process *process)
{
	release_run(unwinding, process);
	process->dirty = false;
	process->looks = 0;
	process->looked_ns = 0;
	for (size_t i = 0; i < process->generated_count; i++)
		unwind_store_give_rows(unwinding->store, process->generated[i].place);
	process->generated_count = 0;
	(void)bpf_map_delete_elem(unwinding->processes_fd, &process->pid);
}

static bool is_known(const struct unwinding *unwinding, uint32_t pid, const struct space_mapping *mapping)
{
	const struct space_mapping *known = spaces_find(unwinding->spaces, pid, mapping->start);

	return known && known->start == mapping->start && known->end == mapping->end && known->offset == mapping->offset &&
	       known->file.index == mapping->file.index;
}

void unwinding_map(struct unwinding *unwinding, uint32_t pid, const struct wire_mapping *mapping, const char *path,
		   const char *build_id)
{
	struct space_mapping row = { .start = mapping->start, .end = mapping->end, .offset = mapping->offset };
	struct process *process;

	row.file.index = unwind_catalogue_find(unwinding->catalogue, pid, mapping, path, build_id);
	process = process_get(unwinding, pid);
	if (!is_known(unwinding, pid, &row)) {
		spaces_add(unwinding->spaces, pid, row);
		process->looks = 0;
	} else if (process->run != NO_RUN) {
		return;
	}
	mark_dirty(unwinding, process);
}

void unwinding_fork(struct unwinding *unwinding, uint32_t pid, uint32_t parent)
{
	struct process *child, *from;

	if (pid == parent || !process_find(unwinding, parent))
		return;
	child = process_get(unwinding, pid);
	from = process_find(unwinding, parent);
	release_run(unwinding, child);
	spaces_copy(unwinding->spaces, pid, parent);
	if (from->run == NO_RUN || from->dirty || from->generated_count) {
		mark_dirty(unwinding, child);
		return;
	}
	child->run = from->run;
	unwinding->runs[child->run].users++;
	if (tell_kernel(unwinding, child, BPF_EXIST))
		release_run(unwinding, child);
}

void unwinding_exec(struct unwinding *unwinding, uint32_t pid)
{
	struct process *process = process_find(unwinding, pid);

	if (!process)
		return;
	spaces_exec(unwinding->spaces, pid);
	forget(unwinding, process);
}

void unwinding_exit(struct unwinding *unwinding, uint32_t pid)
{
	struct process *process = process_find(unwinding, pid);

	if (!process) {                                 /* the kernel half may know it by its parent */
		(void)bpf_map_delete_elem(unwinding->processes_fd, &pid);
		return;
	}
	spaces_drop(unwinding->spaces, pid);
	forget(unwinding, process);
}

void unwinding_generated(struct unwinding *unwinding, uint32_t pid, uint64_t start, uint64_t end, const struct unwind_row *rows,
			 size_t count)
{
	struct process *process = process_get(unwinding, pid);
	struct generated generated = { .start = start, .end = end };
	size_t at = 0;

	while (at < process->generated_count && process->generated[at].start != start)
		at++;
	if (count && !unwind_store_put_rows(unwinding->store, rows, count, &generated.place))
		return;                                 /* no room: what is there stays */
	if (at < process->generated_count)
		unwind_store_give_rows(unwinding->store, process->generated[at].place);
	mark_dirty(unwinding, process);
	if (!count) {
		if (at < process->generated_count)
			process->generated[at] = process->generated[--process->generated_count];
		return;
	}
	if (at == process->generated_count) {
		grow(process->generated, process->generated_count, process->generated_room);
		process->generated_count++;
	}
	process->generated[at] = generated;
}

/* --- Publishing ------------------------------------------------------------------------------------------------- */

static void add_entry(struct unwinding *unwinding, struct wire_unwind_mapping entry)
{
	if (entry.end <= entry.start)
		return;
	grow(unwinding->entries, unwinding->entry_count, unwinding->entry_room);
	unwinding->entries[unwinding->entry_count++] = entry;
}

/* Each table of the file from its base to the next one's. */
static void add_file_entries(struct unwinding *unwinding, const struct unwind_catalogue_file *file, const struct space_mapping *mapping)
{
	uint64_t at = mapping->start, address, bias;

	if (!unwind_segments_address(file->segments, file->segment_count, mapping->offset, &address)) {
		add_entry(unwinding, (struct wire_unwind_mapping){ .start = at, .end = mapping->end });
		return;
	}
	bias = mapping->start - address;
	for (size_t i = 0; i < file->table_count; i++) {
		const struct unwind_catalogue_table *table = &file->tables[i];
		uint64_t begin = table->base + bias, end = i + 1 < file->table_count ? table[1].base + bias : mapping->end;

		if (end <= at || begin >= mapping->end)
			continue;
		if (begin > at)
			add_entry(unwinding, (struct wire_unwind_mapping){ .start = at, .end = begin });
		at = begin > at ? begin : at;
		end = end < mapping->end ? end : mapping->end;
		add_entry(unwinding, (struct wire_unwind_mapping){
			.start = at, .end = end, .bias = begin, .chunk = table->place.chunk, .first = table->place.first,
			.count = table->place.count });
		at = end;
	}
	add_entry(unwinding, (struct wire_unwind_mapping){ .start = at, .end = mapping->end });
}

static int compare_generated(const void *left, const void *right)
{
	const struct generated *a = left, *b = right;

	return a->start < b->start ? -1 : a->start > b->start;
}

static void add_anonymous_entries(struct unwinding *unwinding, const struct process *process, const struct space_mapping *mapping)
{
	uint64_t at = mapping->start;

	for (size_t i = 0; i < process->generated_count; i++) {
		const struct generated *generated = &process->generated[i];
		uint64_t end = generated->end < mapping->end ? generated->end : mapping->end;

		if (end <= at || generated->start >= mapping->end)
			continue;
		if (generated->start > at)
			add_entry(unwinding, (struct wire_unwind_mapping){ .start = at, .end = generated->start });
		add_entry(unwinding, (struct wire_unwind_mapping){
			.start = generated->start > at ? generated->start : at, .end = end, .bias = generated->start,
			.chunk = generated->place.chunk, .first = generated->place.first, .count = generated->place.count,
			.generated = 1 });
		at = end;
	}
	add_entry(unwinding, (struct wire_unwind_mapping){ .start = at, .end = mapping->end });
}

static void list_entries(struct unwinding *unwinding, struct process *process)
{
	size_t count;
	const struct space_mapping *list = spaces_list(unwinding->spaces, process->pid, &count);

	unwinding->entry_count = 0;
	if (process->generated_count)
		qsort(process->generated, process->generated_count, sizeof(*process->generated), compare_generated);
	for (size_t i = 0; i < count; i++) {
		const struct unwind_catalogue_file *file = unwind_catalogue_at(unwinding->catalogue, list[i].file.index);

		if (file->table_count)
			add_file_entries(unwinding, file, &list[i]);
		else
			add_anonymous_entries(unwinding, process, &list[i]);
	}
}

/* A process that has a run had an entry: where it is gone, the kernel half saw an exec that we have yet to hear of. */
static void publish(struct unwinding *unwinding, struct process *process)
{
	struct run run = { .users = 1 };
	bool had_run = process->run != NO_RUN;

	process->dirty = false;
	list_entries(unwinding, process);
	run.count = (uint32_t)(unwinding->entry_count < RUN_LIMIT ? unwinding->entry_count : RUN_LIMIT);
	if (!unwind_store_put_run(unwinding->store, unwinding->entries, run.count, &run.first) && had_run)
		return;                                 /* no room: what is there stays */
	release_run(unwinding, process);
	if (run.count)
		process->run = run_new(unwinding, run);
	(void)tell_kernel(unwinding, process, had_run ? BPF_EXIST : BPF_ANY);
}

void unwinding_publish(struct unwinding *unwinding)
{
	unwind_catalogue_go_on(unwinding->catalogue);
	for (size_t i = 0; i < unwinding->dirty_count; i++)
		if (unwinding->processes[unwinding->dirty[i]].dirty)
			publish(unwinding, &unwinding->processes[unwinding->dirty[i]]);
	unwinding->dirty_count = 0;
	unwind_store_collect(unwinding->store, clock_now_ns());
	unwind_store_unmap(unwinding->store, 0);
}

void unwinding_missing(struct unwinding *unwinding, void (*call)(void *context, uint32_t pid), void *context)
{
	uint64_t now_ns = clock_now_ns();
	uint32_t pids[MISSING_LIMIT], pid = 0;
	size_t count = 0;

	while (count < MISSING_LIMIT && !bpf_map_get_next_key(unwinding->missing_fd, count ? &pids[count - 1] : NULL, &pid))
		pids[count++] = pid;
	for (size_t i = 0; i < count; i++) {
		struct process *process = process_get(unwinding, pids[i]);

		if (process->looked_ns && process->looked_ns + (LOOK_AGAIN_NS << process->looks) > now_ns)
			continue;
		(void)bpf_map_delete_elem(unwinding->missing_fd, &pids[i]);
		process->looks += process->looks < LOOKS_MOST;
		process->looked_ns = now_ns;
		release_run(unwinding, process);        /* its entry may be gone: it is to be told anew */
		mark_dirty(unwinding, process);
		call(context, pids[i]);
	}
}

/* --- Stacks that were copied -------------------------------------------------------------------------------------- */

struct copied {
	const struct wire_stack_copy *copy;
	uint64_t from, to;
	const struct unwind_process *space;
};

/* From the copy; what lies outside is asked of the process, if it still lives and it is code, which a guess looks at: the
 * stack beyond the copy is another one by now. */
static int read_copied(void *context, void *to, __u32 size, __u64 address)
{
	const struct copied *copied = context;
	struct iovec here = { .iov_base = to, .iov_len = size }, there = { .iov_base = (void *)(uintptr_t)address, .iov_len = size };

	if (address >= copied->from && address <= copied->to && size <= copied->to - address) {
		memcpy(to, (const char *)(copied->copy + 1) + (address - copied->from), size);
		return 0;
	}
	if (!unwind_mapping_at(copied->space, address))
		return -1;
	return process_vm_readv((pid_t)copied->copy->process, &here, 1, &there, 1, 0) == (ssize_t)size ? 0 : -1;
}

static void set_registers(const struct wire_stack_copy *copy, struct unwind_state *state)
{
	*state = (struct unwind_state){ .pc = copy->registers[UNWIND_REGISTERS], .sp = copy->registers[UNWIND_DWARF_RSP],
					.bp = copy->registers[UNWIND_DWARF_RBP], .pc_is_exact = 1, .registers_known = 1,
					.bp_known = 1, .method = UNWIND_BY_LEAF };
	memcpy(state->registers, copy->registers, sizeof(state->registers));
}

/* The walk in user space wants what the kernel's wants. */
static size_t list_mappings(struct unwinding *unwinding, struct unwind_mapping **ret, struct unwind_table **ret_tables)
{
	struct unwind_mapping *mappings = xcalloc(unwinding->entry_count + 1, sizeof(*mappings));
	struct unwind_table *tables = xcalloc(unwinding->entry_count + 1, sizeof(*tables));

	for (size_t i = 0; i < unwinding->entry_count; i++) {
		const struct wire_unwind_mapping *entry = &unwinding->entries[i];
		struct unwind_place place = { entry->chunk, entry->first, entry->count };
		const struct unwind_row *rows = entry->count ? unwind_store_rows(unwinding->store, place) : NULL;

		tables[i] = (struct unwind_table){ .rows = (struct unwind_row *)(uintptr_t)rows, .count = entry->count };
		mappings[i] = (struct unwind_mapping){ .start = entry->start, .end = entry->end, .bias = entry->bias,
						       .table = rows ? &tables[i] : NULL, .generated = entry->generated };
	}
	*ret = mappings;
	*ret_tables = tables;
	return unwinding->entry_count;
}

void unwinding_walk(struct unwinding *unwinding, const struct wire_stack_copy *copy, uint32_t depth, struct unwinding_stack *ret)
{
	struct process *process = process_find(unwinding, copy->process);
	struct unwind_process space = { 0 };
	struct copied copied = { .copy = copy, .from = copy->registers[UNWIND_DWARF_RSP], .space = &space };
	struct unwind_frame frames[WIRE_STACK_DEPTH_LIMIT];
	struct unwind_state state;
	size_t count = 1;

	space.memory = (struct unwind_memory){ .read = read_copied, .context = &copied };
	set_registers(copy, &state);
	*ret = (struct unwinding_stack){ .stack = { .head = { .kind = WIRE_STACK, .reserved = WIRE_FROM_COPY, .time_ns = copy->head.time_ns }, .id = copy->id,
						    .process = copy->process, .status = UNWIND_NO_PROCESS } };
	frames[0] = (struct unwind_frame){ .address = state.pc, .method = UNWIND_BY_LEAF };
	if (process && sizeof(*copy) + copy->bytes <= copy->head.size) {
		CLEANUP_TEXT struct unwind_mapping *mappings = NULL;
		CLEANUP_TEXT struct unwind_table *tables = NULL;

		copied.to = copied.from + copy->bytes;
		unwind_store_unmap(unwinding->store, VIEW_BYTES);
		list_entries(unwinding, process);
		space.count = list_mappings(unwinding, &mappings, &tables);
		space.mappings = mappings;
		if (depth > WIRE_STACK_DEPTH_LIMIT)
			depth = WIRE_STACK_DEPTH_LIMIT;
		ret->stack.status = (uint8_t)unwind_walk(&space, state, depth, frames, &count);
		unwinding->copies_walked++;
	}
	for (size_t i = 0; i < count; i++)
		ret->addresses[i] = frames[i].address | (uint64_t)frames[i].method << WIRE_METHOD_SHIFT;
	ret->stack.depth = (uint16_t)count;
	ret->stack.head.size = (uint32_t)(sizeof(ret->stack) + count * sizeof(*ret->addresses));
}

void unwinding_statistics(const struct unwinding *unwinding, struct unwinding_statistics *ret)
{
	*ret = (struct unwinding_statistics){ .rows = unwind_store_row_count(unwinding->store),
					      .bytes = unwind_store_bytes(unwinding->store),
					      .processes = unwinding->process_count, .copies_walked = unwinding->copies_walked };
	unwind_catalogue_statistics(unwinding->catalogue, &ret->catalogue);
}
