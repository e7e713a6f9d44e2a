/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What changed in a tick is published at its end: a new run of mappings takes the place of the old one at once, and the old
 * one is used again only when no walk can be reading it.
 */
#include "capture/unwinding_state.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/map.h"
#include "base/memory.h"
#include "capture/unwind_catalogue.h"
#include "capture/unwind_store.h"

#include "crosscut.skel.h"

enum { NO_RUN = UINT32_MAX, MISSING_LIMIT = 256, RUN_LIMIT = 8192, LOOKS_MOST = 6 };
#define LOOK_AGAIN_NS 1000000000ull

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

static void mark_dirty(struct unwinding *unwinding, struct unwinding_process *process)
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
	free(unwinding->free);
	free(unwinding->dirty);
	free(unwinding->runs);
	free(unwinding->entries);
	free(unwinding);
}

/* --- Processes -------------------------------------------------------------------------------------------------- */

struct unwinding_process *unwinding_find(const struct unwinding *unwinding, uint32_t pid)
{
	const uint32_t *index = map_find(unwinding->by_pid, &pid);

	return index ? &unwinding->processes[*index] : NULL;
}

static struct unwinding_process *process_get(struct unwinding *unwinding, uint32_t pid)
{
	bool added;
	uint32_t *index = map_put(unwinding->by_pid, &pid, &added);

	if (!added)
		return &unwinding->processes[*index];
	if (unwinding->free_count) {
		*index = unwinding->free[--unwinding->free_count];
	} else {
		grow(unwinding->processes, unwinding->process_count, unwinding->process_room);
		*index = (uint32_t)unwinding->process_count++;
	}
	unwinding->seen++;
	unwinding->processes[*index] = (struct unwinding_process){ .pid = pid, .run = NO_RUN };
	return &unwinding->processes[*index];
}

static uint32_t run_new(struct unwinding *unwinding, struct unwinding_run run)
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

static void release_run(struct unwinding *unwinding, struct unwinding_process *process)
{
	struct unwinding_run *run = process->run == NO_RUN ? NULL : &unwinding->runs[process->run];

	process->run = NO_RUN;
	if (run && !--run->users)
		unwind_store_give_run(unwinding->store, run->first, run->count);
}

/* BPF_EXIST: not where the kernel half knows better, since an exec that we have yet to hear of took the entry away. */
static int tell_kernel(struct unwinding *unwinding, const struct unwinding_process *process, uint64_t flags)
{
	struct wire_unwind_process wire = { 0 };

	if (process->run != NO_RUN)
		wire = (struct wire_unwind_process){ unwinding->runs[process->run].first, unwinding->runs[process->run].count };
	return bpf_map_update_elem(unwinding->processes_fd, &process->pid, &wire, flags);
}

static void forget(struct unwinding *unwinding, struct unwinding_process *process)
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
	struct unwinding_process *process;

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
	struct unwinding_process *child, *from;

	if (pid == parent || !unwinding_find(unwinding, parent))
		return;
	child = process_get(unwinding, pid);
	from = unwinding_find(unwinding, parent);
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
	struct unwinding_process *process = unwinding_find(unwinding, pid);

	if (!process)
		return;
	spaces_exec(unwinding->spaces, pid);
	forget(unwinding, process);
}

void unwinding_exit(struct unwinding *unwinding, uint32_t pid)
{
	struct unwinding_process *process = unwinding_find(unwinding, pid);

	if (!process) {                                 /* the kernel half may know it by its parent */
		(void)bpf_map_delete_elem(unwinding->processes_fd, &pid);
		return;
	}
	spaces_forget(unwinding->spaces, pid);
	forget(unwinding, process);
	free(process->generated);
	*process = (struct unwinding_process){ .run = NO_RUN };
	grow(unwinding->free, unwinding->free_count, unwinding->free_room);
	unwinding->free[unwinding->free_count++] = (uint32_t)(process - unwinding->processes);
	(void)map_remove(unwinding->by_pid, &pid);
}

void unwinding_generated(struct unwinding *unwinding, uint32_t pid, uint64_t start, uint64_t end, const struct unwind_row *rows,
			 size_t count)
{
	struct unwinding_process *process = process_get(unwinding, pid);
	struct unwinding_generated generated = { .start = start, .end = end };
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

static uint32_t file_of(const struct space_mapping *mapping)
{
	return mapping->file.index & INT32_MAX;
}

/* Each table of the file from its base to the next one's. */
static void add_file_entries(struct unwinding *unwinding, const struct unwind_catalogue_file *file, const struct space_mapping *mapping)
{
	uint64_t at = mapping->start, address, bias;

	if (!unwind_segments_address(file->segments, file->segment_count, mapping->offset, &address)) {
		add_entry(unwinding, (struct wire_unwind_mapping){ .start = at, .end = mapping->end, .file = file_of(mapping) });
		return;
	}
	bias = mapping->start - address;
	for (size_t i = 0; i < file->table_count; i++) {
		const struct unwind_catalogue_table *table = &file->tables[i];
		uint64_t begin = table->base + bias, end = i + 1 < file->table_count ? table[1].base + bias : mapping->end;

		if (end <= at || begin >= mapping->end)
			continue;
		if (begin > at)
			add_entry(unwinding, (struct wire_unwind_mapping){ .start = at, .end = begin, .file = file_of(mapping) });
		at = begin > at ? begin : at;
		end = end < mapping->end ? end : mapping->end;
		add_entry(unwinding, (struct wire_unwind_mapping){
			.start = at, .end = end, .bias = begin, .chunk = table->place.chunk, .first = table->place.first,
			.count = table->place.count, .file = file_of(mapping) });
		at = end;
	}
	add_entry(unwinding, (struct wire_unwind_mapping){ .start = at, .end = mapping->end, .file = file_of(mapping) });
}

static int compare_generated(const void *left, const void *right)
{
	const struct unwinding_generated *a = left, *b = right;

	return a->start < b->start ? -1 : a->start > b->start;
}

static void add_anonymous_entries(struct unwinding *unwinding, const struct unwinding_process *process, const struct space_mapping *mapping)
{
	uint64_t at = mapping->start;

	for (size_t i = 0; i < process->generated_count; i++) {
		const struct unwinding_generated *generated = &process->generated[i];
		uint64_t end = generated->end < mapping->end ? generated->end : mapping->end;

		if (end <= at || generated->start >= mapping->end)
			continue;
		if (generated->start > at)
			add_entry(unwinding, (struct wire_unwind_mapping){ .start = at, .end = generated->start, .file = file_of(mapping) });
		add_entry(unwinding, (struct wire_unwind_mapping){
			.start = generated->start > at ? generated->start : at, .end = end, .bias = generated->start,
			.chunk = generated->place.chunk, .first = generated->place.first, .count = generated->place.count,
			.generated = 1, .file = file_of(mapping) });
		at = end;
	}
	add_entry(unwinding, (struct wire_unwind_mapping){ .start = at, .end = mapping->end, .file = file_of(mapping) });
}

void unwinding_list_entries(struct unwinding *unwinding, struct unwinding_process *process)
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
static void publish(struct unwinding *unwinding, struct unwinding_process *process)
{
	struct unwinding_run run = { .users = 1 };
	bool had_run = process->run != NO_RUN;

	process->dirty = false;
	unwinding_list_entries(unwinding, process);
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
}

void unwinding_missing(struct unwinding *unwinding, void (*call)(void *context, uint32_t pid), void *context)
{
	uint64_t now_ns = clock_now_ns();
	uint32_t pids[MISSING_LIMIT], pid = 0;
	size_t count = 0;

	while (count < MISSING_LIMIT && !bpf_map_get_next_key(unwinding->missing_fd, count ? &pids[count - 1] : NULL, &pid))
		pids[count++] = pid;
	for (size_t i = 0; i < count; i++) {
		struct unwinding_process *process = process_get(unwinding, pids[i]);

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

void unwinding_statistics(const struct unwinding *unwinding, struct unwinding_statistics *ret)
{
	*ret = (struct unwinding_statistics){ .rows = unwind_store_row_count(unwinding->store),
					      .bytes = unwind_store_bytes(unwinding->store),
					      .processes = unwinding->seen, .copies_walked = unwinding->copies_walked };
	unwind_catalogue_statistics(unwinding->catalogue, &ret->catalogue);
}
