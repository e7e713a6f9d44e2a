/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows of generated code are handed on only where they changed: the kernel's tables are written anew each time. How
 * often a machine is looked at follows from what a look costs. A process
 * that was recognised stays so until it has a new image or ends; its child by fork is one more, with the same layout.
 */
#include "capture/interpreting.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/map.h"
#include "base/memory.h"
#include "base/text.h"
#include "capture/unwinding.h"
#include "interpreter/interpreter.h"
#include "wire/wire.h"

#include "crosscut.skel.h"

enum { MAPS_LIMIT = 16 << 20, EAGER_ROUNDS = 20, LAST_ROUND = 60, RANGE_LIMIT = 16, MISSING_LIMIT = 256, SCAN_SHARE = 100 };
#define SECOND_NS 1000000000ull

struct range { uint64_t start, end, digest; };

struct process {
	uint32_t pid;
	bool candidate;                              /* it maps a file of some runtime, and was not recognised yet */
	uint32_t rounds;                             /* in vain */
	uint64_t next_ns;
	const struct interpreter *row;               /* NULL: not recognised */
	struct interpreter_state *state;
	struct unwind_memory memory;
	struct range ranges[RANGE_LIMIT];
	size_t range_count;
	bool is_new;                                 /* recognised just now */
	bool changed;                                /* its code, at the last look: it is compiling, and is looked at more often */
	uint64_t scan_ns;                            /* what the last look took */
};

struct interpreting {
	struct crosscut_bpf *bpf;
	struct unwinding *unwinding;
	struct map *by_pid;
	struct process **processes;                  /* each stays where it is: states borrow its memory */
	size_t count, room;
	struct interpreting_statistics statistics;
};

struct interpreting *interpreting_new(struct crosscut_bpf *bpf, struct unwinding *unwinding)
{
	struct interpreting *interpreting = xcalloc(1, sizeof(*interpreting));

	interpreting->bpf = bpf;
	interpreting->unwinding = unwinding;
	interpreting->by_pid = map_new(sizeof(uint32_t));
	return interpreting;
}

static void forget(struct interpreting *interpreting, struct process *process)
{
	if (process->row && process->row->retract)
		process->row->retract(process->state, (pid_t)process->pid, interpreting->bpf);
	if (process->row)
		process->row->forget(process->state);
	*process = (struct process){ .pid = process->pid };
}

void interpreting_free(struct interpreting *interpreting)
{
	if (!interpreting)
		return;
	for (size_t i = 0; i < interpreting->count; i++) {
		forget(interpreting, interpreting->processes[i]);
		free(interpreting->processes[i]);
	}
	free(interpreting->processes);
	map_free(interpreting->by_pid);
	free(interpreting);
}

/* --- Who it is -------------------------------------------------------------------------------------------------- */

static struct process *find(const struct interpreting *interpreting, uint32_t pid)
{
	const uint32_t *index = map_find(interpreting->by_pid, &pid);

	return index ? interpreting->processes[*index] : NULL;
}

static struct process *get(struct interpreting *interpreting, uint32_t pid)
{
	bool added;
	uint32_t *index = map_put(interpreting->by_pid, &pid, &added);

	if (added) {
		*index = (uint32_t)interpreting->count;
		grow(interpreting->processes, interpreting->count, interpreting->room);
		interpreting->processes[interpreting->count] = xcalloc(1, sizeof(struct process));
		interpreting->processes[interpreting->count++]->pid = pid;
	}
	return interpreting->processes[*index];
}

static bool is_runtime(const char *path)
{
	static const char *const names[] = { "libjvm.so", "libpython", "python" };
	const char *slash = strrchr(path, '/');

	for (size_t i = 0; slash && i < ARRAY_LENGTH(names); i++)
		if (!strncmp(slash + 1, names[i], strlen(names[i])))
			return true;
	return false;
}

void interpreting_map(struct interpreting *interpreting, uint32_t pid, const char *path)
{
	struct process *process = is_runtime(path) ? get(interpreting, pid) : NULL;

	if (!process || process->row || process->candidate)
		return;
	process->candidate = true;
	process->rounds = 0;
	process->next_ns = 0;
}

void interpreting_fork(struct interpreting *interpreting, uint32_t pid, uint32_t parent)
{
	const struct process *from = find(interpreting, parent);

	if (pid == parent || !from || !(from->candidate || from->row))
		return;
	forget(interpreting, get(interpreting, pid));
	get(interpreting, pid)->candidate = true;
}

void interpreting_exec(struct interpreting *interpreting, uint32_t pid)
{
	struct process *process = find(interpreting, pid);

	if (process)
		forget(interpreting, process);
}

/* The last takes the place of who goes. */
void interpreting_exit(struct interpreting *interpreting, uint32_t pid)
{
	uint32_t *index = map_find(interpreting->by_pid, &pid), place;
	struct process *process, *last;

	if (!index)
		return;
	place = *index;
	process = interpreting->processes[place];
	forget(interpreting, process);
	(void)map_remove(interpreting->by_pid, &pid);
	last = interpreting->processes[--interpreting->count];
	if (last != process) {
		interpreting->processes[place] = last;
		*map_put(interpreting->by_pid, &last->pid, NULL) = place;
	}
	free(process);
}

static char *read_maps(uint32_t pid)
{
	struct text text = TEXT(MAPS_LIMIT);
	char path[64], bytes[16384];
	size_t size;
	FILE *file;

	(void)snprintf(path, sizeof(path), "/proc/%u/maps", pid);
	file = fopen(path, "re");
	while (file && (size = fread(bytes, 1, sizeof(bytes), file)) > 0)
		text_append(&text, bytes, size);
	if (file)
		(void)fclose(file);
	return text_take(&text);
}

/* Soon and often at first: a short run should not pass by. A runtime of a version that is not known is left alone. */
static bool recognise(struct interpreting *interpreting, struct process *process, uint64_t now_ns)
{
	CLEANUP_TEXT char *maps = read_maps(process->pid);
	struct interpreter_process seen = { .pid = (pid_t)process->pid, .memory = &process->memory, .maps = maps };
	char why[INTERPRETER_WHY];
	int r;

	interpreter_memory_of((pid_t)process->pid, &process->memory);
	r = interpreter_recognise(&seen, &process->row, &process->state, why);
	process->next_ns = now_ns + (++process->rounds < EAGER_ROUNDS ? 0 : SECOND_NS);
	if (r < 0)
		process->row = NULL;
	if ((r == -ENOTSUP && process->rounds >= EAGER_ROUNDS) || process->rounds >= LAST_ROUND) {
		process->candidate = false;
		interpreting->statistics.refused += r == -ENOTSUP;
	}
	if (r < 0)
		return false;
	process->candidate = false;
	process->is_new = true;
	interpreting->statistics.recognised++;
	return true;
}

/* --- Once a second ---------------------------------------------------------------------------------------------- */

struct scanning { struct interpreting *interpreting; struct process *process; };

static void put_code(void *context, uint64_t start, uint64_t end, const struct unwind_row *rows, size_t count)
{
	struct scanning *scanning = context;
	struct process *process = scanning->process;
	uint64_t digest = hash_bytes(rows, count * sizeof(*rows));
	size_t at = 0;

	scanning->interpreting->statistics.rows += count;
	while (at < process->range_count && process->ranges[at].start != start)
		at++;
	if (at < process->range_count && process->ranges[at].end == end && process->ranges[at].digest == digest)
		return;
	if (at == RANGE_LIMIT)
		return;
	process->range_count += at == process->range_count;
	process->ranges[at] = (struct range){ start, end, digest };
	process->changed = true;
	unwinding_generated(scanning->interpreting->unwinding, process->pid, start, end, rows, count);
}

static void refresh(struct interpreting *interpreting, struct process *process)
{
	struct scanning scanning = { interpreting, process };
	uint64_t begin_ns = clock_now_ns();

	process->changed = false;
	if (process->row->code) {
		(void)process->row->code(process->state, put_code, &scanning);
		interpreting->statistics.scans++;
		process->scan_ns = clock_now_ns() - begin_ns;
		interpreting->statistics.scan_ns += process->scan_ns;
	}
	if (process->row->publish)
		process->row->publish(process->state, (pid_t)process->pid, interpreting->bpf);
}

/* Threads that were born since: the kernel half met them. One that is still unknown then is none of the interpreter's, and
 * is marked so until the next look. */
static void refresh_missing(struct interpreting *interpreting)
{
	int missing = bpf_map__fd(interpreting->bpf->maps.python_missing), threads = bpf_map__fd(interpreting->bpf->maps.python_threads);
	uint32_t pids[MISSING_LIMIT], pid = 0, tid = 0;
	size_t count = 0;

	while (count < MISSING_LIMIT && !bpf_map_get_next_key(missing, count ? &pids[count - 1] : NULL, &pid))
		pids[count++] = pid;
	for (size_t i = 0; i < count; i++) {
		struct process *process = find(interpreting, pids[i]);
		struct wire_python_thread none = { .process = pids[i] };

		(void)bpf_map_lookup_elem(missing, &pids[i], &tid);
		(void)bpf_map_delete_elem(missing, &pids[i]);
		if (!process || !process->row || !process->row->publish)
			continue;
		process->row->publish(process->state, (pid_t)process->pid, interpreting->bpf);
		(void)bpf_map_update_elem(threads, &tid, &none, BPF_NOEXIST);   /* it exists: it is known by now */
	}
}

/* A machine compiles at any time, and a method without rows ends every stack through it: it is looked at as often as a
 * hundredth of a processor allows, and twice as often while it does compile. */
static uint64_t pause_after(const struct process *process)
{
	uint64_t pause_ns = process->scan_ns * (process->changed ? SCAN_SHARE / 2 : SCAN_SHARE);

	return process->row->code && pause_ns < SECOND_NS ? pause_ns : SECOND_NS;
}

void interpreting_tick(struct interpreting *interpreting,
		       void (*found)(void *context, uint32_t pid, uint64_t start, uint64_t end), void *context)
{
	uint64_t now_ns = clock_now_ns(), start, end;

	refresh_missing(interpreting);
	for (size_t i = 0; i < interpreting->count; i++) {
		struct process *process = interpreting->processes[i];

		if (process->next_ns > now_ns || !(process->candidate || process->row))
			continue;
		if (!process->row && !recognise(interpreting, process, now_ns))
			continue;
		if (process->is_new && process->row->evaluator && process->row->evaluator(process->state, &start, &end))
			found(context, process->pid, start, end);
		process->is_new = false;
		refresh(interpreting, process);
		process->next_ns = now_ns + pause_after(process);
	}
}

int interpreting_name(struct interpreting *interpreting, uint32_t pid, uint64_t code, uint64_t instruction,
		      struct interpreter_frame *ret)
{
	struct process *process = find(interpreting, pid);
	int r = -ESRCH;

	interpreting->statistics.names++;
	if (process && process->row && process->row->name_of)
		r = process->row->name_of(process->state, code, instruction, ret);
	interpreting->statistics.names_gone += r < 0;
	return r;
}

void interpreting_statistics(const struct interpreting *interpreting, struct interpreting_statistics *ret)
{
	*ret = interpreting->statistics;
	ret->processes = interpreting->count;
}
