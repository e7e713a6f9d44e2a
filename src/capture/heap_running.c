/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A probe on an instruction that the kernel must single-step took 15 us and more where it took 0.4 us on one that it emulates: of
 * malloc(), called a million times a second, the one stops a service and the other halves its speed. So a process is refused where one of the
 * four functions that every program calls has no such instruction near its entry (work/elf_reach.c); the rarer ones are then
 * left out and named.
 */
#include "capture/heap_running.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "capture/harvest_file.h"
#include "wire/wire.h"
#include "work/elf_place.h"
#include "work/place.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "crosscut.skel.h"

enum { PROCESS_LIMIT = 16, FUNCTIONS = 9, LINK_LIMIT = PROCESS_LIMIT * FUNCTIONS * 2, TRODDEN_TIMES = 200, TRODDEN_ROUNDS = 10 };

static const struct { const char *name; enum wire_heap_call call; bool required; } functions[FUNCTIONS] = {
	{ "malloc", WIRE_HEAP_MALLOC, true }, { "calloc", WIRE_HEAP_CALLOC, true }, { "realloc", WIRE_HEAP_REALLOC, true },
	{ "free", 0, true }, { "memalign", WIRE_HEAP_ALIGNED, false }, { "aligned_alloc", WIRE_HEAP_ALIGNED, false },
	{ "posix_memalign", WIRE_HEAP_POSIX, false }, { "valloc", WIRE_HEAP_MALLOC, false }, { "pvalloc", WIRE_HEAP_MALLOC, false },
};

/* Offsets in the allocator's file; 0: no probe. */
struct allocator { char path[96]; char name[256]; uint64_t offsets[FUNCTIONS]; };

struct heap_running {
	struct bpf_link *links[LINK_LIMIT];
	size_t link_count;
	struct heap_running_cost cost;
	struct text missing;
};

/* --- Where the allocator is ------------------------------------------------------------------------------------- */

enum standing { NO_ALLOCATOR, OF_C_LIBRARY, OF_LIBRARY, OF_PROGRAM };

static enum standing standing_of(const struct harvested_mapping *mapping, const char *program, const unsigned char *bytes, size_t size)
{
	const char *name = strrchr(mapping->path, '/') + 1;
	size_t length = strlen(mapping->path);
	struct elf_place place;

	if (!strncmp(name, "ld-linux", 8) || !elf_place_function(bytes, size, "malloc", &place) ||
	    !elf_place_function(bytes, size, "free", &place))
		return NO_ALLOCATOR;
	if (!strncmp(mapping->path, program, length) && (!program[length] || mapping->deleted))
		return OF_PROGRAM;
	return !strncmp(name, "libc.", 5) || !strncmp(name, "libc-", 5) || !strncmp(name, "ld-musl", 7) ? OF_C_LIBRARY : OF_LIBRARY;
}

struct search { pid_t pid; char program[4096]; enum standing best; struct allocator *ret; };

/* The link in map_files leads to the file even where its name is gone. */
static void look_at(void *context, const struct harvested_mapping *mapping)
{
	struct search *search = context;
	struct allocator seen = { .path = "" };
	const unsigned char *bytes;
	enum standing standing;
	struct error ignored;
	size_t size;

	if (*mapping->path != '/')
		return;
	(void)snprintf(seen.path, sizeof(seen.path), "/proc/%d/map_files/%" PRIx64 "-%" PRIx64, (int)search->pid, mapping->start, mapping->end);
	(void)snprintf(seen.name, sizeof(seen.name), "%.255s", mapping->path);
	if (elf_place_open(seen.path, &bytes, &size, &ignored) < 0)
		return;
	standing = standing_of(mapping, search->program, bytes, size);
	(void)munmap((void *)(uintptr_t)bytes, size);
	if (standing > search->best) {
		search->best = standing;
		*search->ret = seen;
	}
}

static int find_file(pid_t pid, struct allocator *ret, struct error *err)
{
	struct search search = { .pid = pid, .ret = ret };
	char name[64];
	int count;

	(void)snprintf(name, sizeof(name), "/proc/%d/exe", (int)pid);
	if (readlink(name, search.program, sizeof(search.program) - 1) < 0)
		*search.program = '\0';
	count = mappings_walk(pid, look_at, &search);
	if (search.best != NO_ALLOCATOR)
		return 0;
	fail(err, FAILURE_CANNOT, -ENOENT, "cannot sample the heap of process %d", (int)pid);
	if (count <= 0)
		return error_because(err, "it maps nothing: it has ended");
	error_because(err, "no file that it maps names malloc and free");
	return error_try(err, "--with resident,faults shows how its memory grows");
}

static int refuse(pid_t pid, const struct allocator *allocator, const char *function, struct error *err)
{
	fail(err, FAILURE_CANNOT, -EOPNOTSUPP, "cannot sample the heap of process %d", (int)pid);
	error_because(err, "'%s' in '%s' has no instruction near its entry that the kernel emulates: a probe would cost about %d ns a call in place of %d",
		      function, allocator->name, PLACE_DEAR_NS, PLACE_CHEAP_NS);
	return error_try(err, "crosscut record --with heap -- COMMAND; --with resident,faults shows how memory grows without it");
}

static bool is_taken(const struct allocator *allocator, size_t before)
{
	for (size_t i = 0; i < before; i++)
		if (allocator->offsets[i] == allocator->offsets[before])
			return true;
	return false;
}

/* missing: appended to; may be NULL. */
static int find_allocator(pid_t pid, struct allocator *ret, struct text *missing, struct error *err)
{
	const unsigned char *bytes;
	size_t size;
	int r = find_file(pid, ret, err);

	if (!r)
		r = elf_place_open(ret->path, &bytes, &size, err);
	if (r < 0)
		return r;
	for (size_t i = 0; i < FUNCTIONS && !r; i++) {
		struct elf_place place;
		bool there = elf_place_function(bytes, size, functions[i].name, &place);

		if (there && elf_place_reach(bytes, size, &place))
			ret->offsets[i] = place.offset;
		else if (functions[i].required)
			r = refuse(pid, ret, functions[i].name, err);
		else if (there && missing)
			text_print(missing, "%s%s", missing->size ? ", " : "", functions[i].name);
		if (ret->offsets[i] && is_taken(ret, i))
			ret->offsets[i] = 0;                    /* two names of one function */
	}
	(void)munmap((void *)(uintptr_t)bytes, size);
	return r;
}

int heap_running_check(const pid_t *pids, size_t count, struct error *err)
{
	int r = 0;

	if (count > PROCESS_LIMIT) {
		fail(err, FAILURE_USAGE, -E2BIG, "more than %d processes whose heap would be sampled", PROCESS_LIMIT);
		return error_try(err, "fewer with --pid");
	}
	if (geteuid())                                  /* whose loading of the kernel half will say what is missing */
		return 0;
	for (size_t i = 0; i < count && !r; i++) {
		struct allocator allocator = { .path = "" };

		r = find_allocator(pids[i], &allocator, NULL, err);
	}
	return r;
}

/* --- The probes ------------------------------------------------------------------------------------------------- */

static int put(struct heap_running *running, const struct bpf_program *program, pid_t pid, const char *path, uint64_t offset,
	       bool at_return, uint64_t cookie, struct error *err)
{
	LIBBPF_OPTS(bpf_uprobe_opts, options, .retprobe = at_return, .bpf_cookie = cookie);
	struct bpf_link *link = bpf_program__attach_uprobe_opts(program, pid, path, offset, &options);

	if (!link) {
		fail(err, FAILURE_CANNOT, -errno, "cannot put a probe into process %d", (int)pid);
		error_because(err, "%s", strerror(errno));
		return error_try(err, "crosscut doctor");
	}
	running->links[running->link_count++] = link;
	return 0;
}

static int put_all(struct heap_running *running, struct crosscut_bpf *bpf, pid_t pid, struct error *err)
{
	struct allocator allocator = { .path = "" };
	int r = find_allocator(pid, &allocator, &running->missing, err);

	/* Returns first: an entry whose return is not seen would be taken for a call that never ends. */
	for (size_t i = 0; i < FUNCTIONS && !r; i++)
		if (allocator.offsets[i] && functions[i].call)
			r = put(running, bpf->progs.heap_given, pid, allocator.path, allocator.offsets[i], true, 0, err);
	for (size_t i = 0; i < FUNCTIONS && !r; i++)
		if (allocator.offsets[i])
			r = put(running, functions[i].call ? bpf->progs.heap_asked : bpf->progs.heap_freed, pid, allocator.path,
				allocator.offsets[i], false, functions[i].call, err);
	return r;
}

/* --- What they cost --------------------------------------------------------------------------------------------- */

/* Begins as malloc() does, with a push. */
__attribute__((naked, noinline, aligned(64))) static void trodden(void)
{
	__asm__("pushq %rbp\n\tpopq %rbp\n\tret");
}

static void look_for_trodden(void *context, const struct harvested_mapping *mapping)
{
	uint64_t at = (uintptr_t)trodden, *offset = context;

	if (at >= mapping->start && at < mapping->end)
		*offset = at - mapping->start + mapping->offset;
}

/* The least of some rounds: whatever else runs can only add. */
static double tread(void)
{
	uint64_t least = UINT64_MAX;

	for (int round = 0; round < TRODDEN_ROUNDS; round++) {
		uint64_t before = clock_now_ns(), spent;

		for (int i = 0; i < TRODDEN_TIMES; i++)
			trodden();
		spent = clock_now_ns() - before;
		least = spent < least ? spent : least;
	}
	return (double)least / TRODDEN_TIMES;
}

static void measure(struct heap_running *running, struct crosscut_bpf *bpf)
{
	struct heap_running own = { .link_count = 0 };
	double bare = tread();
	struct error ignored;
	uint64_t offset = 0;

	(void)mappings_walk(getpid(), look_for_trodden, &offset);
	if (!offset || put(&own, bpf->progs.heap_freed, getpid(), "/proc/self/exe", offset, false, 0, &ignored) < 0)
		return;
	running->cost.freed_ns = tread() - bare;
	(void)bpf_link__destroy(own.links[0]);
	own.link_count = 0;
	if (put(&own, bpf->progs.heap_given, getpid(), "/proc/self/exe", offset, true, 0, &ignored) < 0)
		return;
	if (!put(&own, bpf->progs.heap_asked, getpid(), "/proc/self/exe", offset, false, WIRE_HEAP_MALLOC, &ignored)) {
		running->cost.asked_ns = tread() - bare;
		(void)bpf_link__destroy(own.links[1]);
	}
	(void)bpf_link__destroy(own.links[0]);
}

int heap_running_open(struct heap_running **ret, struct crosscut_bpf *bpf, const pid_t *pids, size_t count, struct error *err)
{
	CLEANUP(heap_running) struct heap_running *running = xcalloc(1, sizeof(*running));
	int r = heap_running_check(pids, count, err);

	running->missing = TEXT(256);
	if (r < 0)
		return r;
	measure(running, bpf);
	for (size_t i = 0; i < count && !r; i++)
		r = put_all(running, bpf, pids[i], err);
	if (r < 0)
		return r;
	*ret = take(running);
	return 0;
}

void heap_running_free(struct heap_running *running)
{
	if (!running)
		return;
	for (size_t i = running->link_count; i-- > 0;)
		(void)bpf_link__destroy(running->links[i]);
	text_done(&running->missing);
	free(running);
}

struct heap_running_cost heap_running_cost(const struct heap_running *running)
{
	return running->cost;
}

const char *heap_running_missing(const struct heap_running *running)
{
	return running->missing.size ? text_string(&running->missing) : "";
}
