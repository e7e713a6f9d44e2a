/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the two rings in the order that wire/heap_channel.h asks for. What was claimed and not published is waited for for a
 * second: its writer may have been killed. Of samples all that were claimed by then are given up, since how long one is stands
 * in it. What is read is copied first and checked after, since the target can
 * write to it at any time.
 */
#include "capture/heap.h"

#include "base/error.h"
#include "base/memory.h"
#include "capture/batch.h"
#include "wire/heap_channel.h"
#include "wire/wire.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { PATIENCE = 10, NEW_S = 60 };     /* readings; seconds */

struct ring_reader { uint64_t stuck_at; unsigned stuck; uint64_t skipped; };

/* A process, and how far the rings were claimed when that was known. */
struct ended { uint32_t process; uint64_t time_ns, events, samples; };

struct heap {
	struct heap_channel *channel;
	char path[64];
	int fd;                         /* locked for as long as somebody reads */
	char *environment[3];
	struct ring_reader events, samples;
	uint64_t seen;
	struct ended *ended;            /* not told yet */
	size_t ended_count, ended_room;
	struct { struct wire_stack_copy copy; uint8_t stack[HEAP_STACK_BYTES]; } stack;
	bool busy;
};

#define channel_place "/dev/shm/crosscut-heap-"

static const char shim_name[] = "libcrosscut-heap.so";

/* Beside the program where it was built, in the folder of libraries where it was installed. */
static char *find_shim(struct error *err)
{
	static const char *const places[] = { "", "../lib/crosscut/" };
	char program[PATH_MAX];
	ssize_t size = readlink("/proc/self/exe", program, sizeof(program) - 1);
	char *slash;

	program[size > 0 ? size : 0] = '\0';
	slash = strrchr(program, '/');
	if (slash)
		slash[1] = '\0';
	for (size_t i = 0; i < ARRAY_LENGTH(places); i++) {
		char *path = xasprintf("%s%s%s", program, places[i], shim_name);

		if (!access(path, R_OK))
			return path;
		free(path);
	}
	fail(err, FAILURE_CANNOT, -ENOENT, "cannot find the heap shim");
	error_because(err, "%s lies neither beside this program nor in ../lib/crosscut", shim_name);
	error_try(err, "make, or make install");
	return NULL;
}

/* What a recorder that was killed left lying: its lock went with it. One that was just made may not have its lock yet. */
static void sweep(void)
{
	glob_t found;

	if (glob(channel_place "*", GLOB_NOSORT, NULL, &found))
		return;
	for (size_t i = 0; i < found.gl_pathc; i++) {
		int fd = open(found.gl_pathv[i], O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
		struct stat about;

		if (fd >= 0 && !fstat(fd, &about) && about.st_mtime < time(NULL) - NEW_S && !flock(fd, LOCK_EX | LOCK_NB))
			(void)unlink(found.gl_pathv[i]);
		if (fd >= 0)
			(void)close(fd);
	}
	globfree(&found);
}

static int create(struct heap *heap, uid_t owner, struct error *err)
{
	uint64_t random = 0;

	sweep();
	(void)!getrandom(&random, sizeof(random), 0);
	(void)snprintf(heap->path, sizeof(heap->path), channel_place "%016llx", (unsigned long long)random);
	heap->fd = open(heap->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (heap->fd < 0)
		return fail(err, FAILURE_CANNOT, -errno, "cannot share memory with the command at '%s'", heap->path);
	/* All of it is there from the beginning: memory that runs out later would end the target. */
	if (flock(heap->fd, LOCK_EX | LOCK_NB) || posix_fallocate(heap->fd, 0, sizeof(*heap->channel)) ||
	    (owner != geteuid() && fchown(heap->fd, owner, (gid_t)-1)))
		fail(err, FAILURE_CANNOT, -errno, "cannot share memory with the command");
	else
		heap->channel = mmap(NULL, sizeof(*heap->channel), PROT_READ | PROT_WRITE, MAP_SHARED, heap->fd, 0);
	if (heap->channel && heap->channel != MAP_FAILED)
		return 0;
	if (heap->channel == MAP_FAILED)
		fail(err, FAILURE_CANNOT, -errno, "cannot share memory with the command");
	heap->channel = NULL;
	return err->code;
}

int heap_open(struct heap **ret, uint64_t mean_bytes, uid_t owner, struct error *err)
{
	CLEANUP(heap) struct heap *heap = xcalloc(1, sizeof(*heap));
	CLEANUP_TEXT char *shim = find_shim(err);
	const char *others = getenv("LD_PRELOAD");
	int r;

	heap->fd = -1;
	r = shim ? create(heap, owner, err) : err->code;
	if (r < 0)
		return r;
	heap->channel->magic = HEAP_CHANNEL_MAGIC;
	heap->channel->version = HEAP_CHANNEL_VERSION;
	heap->channel->size = sizeof(*heap->channel);
	heap->channel->mean_bytes = mean_bytes;
	heap->environment[0] = xasprintf("%s=%s", HEAP_CHANNEL_VARIABLE, heap->path);
	heap->environment[1] = xasprintf("LD_PRELOAD=%s%s%s", shim, others && *others ? ":" : "", others ? others : "");
	*ret = take(heap);
	return 0;
}

void heap_free(struct heap *heap)
{
	if (!heap)
		return;
	if (heap->channel) {
		__atomic_store_n(&heap->channel->closed, 1, __ATOMIC_RELEASE);
		(void)munmap(heap->channel, sizeof(*heap->channel));
	}
	if (heap->fd >= 0 && *heap->path)
		(void)unlink(heap->path);
	if (heap->fd >= 0)
		(void)close(heap->fd);
	free(heap->ended);
	free(heap->environment[0]);
	free(heap->environment[1]);
	free(heap);
}

const char *const *heap_environment(const struct heap *heap)
{
	return (const char *const *)heap->environment;
}

/* Whether the next one is there to be read. One that stays unpublished for too long is passed over; whole: with all behind it. */
static bool is_ready(struct heap_ring *ring, struct ring_reader *reader, uint64_t ready, bool whole)
{
	uint64_t read = __atomic_load_n(&ring->read, __ATOMIC_RELAXED);

	if (ready == read + 1)
		return true;
	reader->stuck = reader->stuck_at == read ? reader->stuck + 1 : 1;
	reader->stuck_at = read;
	if (reader->stuck > PATIENCE) {
		reader->skipped++;
		__atomic_store_n(&ring->read, whole ? __atomic_load_n(&ring->next, __ATOMIC_ACQUIRE) : read + 1, __ATOMIC_RELEASE);
	}
	return false;
}

static bool has_more(const struct heap_ring *ring, uint64_t *ret)
{
	*ret = __atomic_load_n(&ring->read, __ATOMIC_RELAXED);
	return __atomic_load_n(&ring->next, __ATOMIC_ACQUIRE) != *ret;
}

static void put_event(const struct heap_event *event, struct batch *into)
{
	struct wire_heap_freed freed = { .id = event->id, .process = event->process };
	struct wire_heap_process process = { .process = event->process,
					     .event = event->kind == HEAP_BEGAN ? WIRE_HEAP_BEGAN : WIRE_HEAP_REFUSED };

	if (event->kind == HEAP_FREED)
		batch_put(into, WIRE_HEAP_FREED, event->time_ns, &freed, sizeof(freed), NULL);
	else if (event->kind == HEAP_BEGAN || event->kind == HEAP_REFUSED)
		batch_put(into, WIRE_HEAP_PROCESS, event->time_ns, &process, sizeof(process), NULL);
}

/* The stack goes before what refers to it; the sort by time keeps them in this order. */
static void put_sample(struct heap *heap, const struct heap_sample *sample, const uint8_t *stack, struct batch *into)
{
	uint32_t bytes = sample->bytes & ~7u;
	struct wire_heap_sample wire = { .id = sample->id, .size = sample->size, .mean_bytes = heap->channel->mean_bytes,
					 .process = sample->process, .thread = sample->thread };

	wire.stack = (sample->id * 0x9e3779b97f4a7c15ull ^ sample->time_ns) | 1;
	heap->stack.copy = (struct wire_stack_copy){
		.head = { .kind = WIRE_STACK_COPY, .size = (uint32_t)sizeof(heap->stack.copy) + bytes, .time_ns = sample->time_ns },
		.id = wire.stack, .process = sample->process, .bytes = bytes };
	memcpy(heap->stack.copy.registers, sample->registers, sizeof(heap->stack.copy.registers));
	memcpy(heap->stack.stack, stack, bytes);
	batch_add(into, &heap->stack, heap->stack.copy.head.size);
	batch_put(into, WIRE_HEAP_SAMPLE, sample->time_ns, &wire, sizeof(wire), NULL);
}

/* How much of the ring the sample takes; 0 where that cannot be. */
static uint32_t take_sample(struct heap *heap, uint64_t read, uint64_t end_ns, struct batch *into)
{
	const uint8_t *at = heap->channel->samples + read % HEAP_SAMPLE_BYTES;
	struct heap_sample sample;

	memcpy(&sample, at, sizeof(sample));
	if (!sample.room || sample.room % HEAP_SAMPLE_STEP || sample.room > HEAP_SAMPLE_BYTES - read % HEAP_SAMPLE_BYTES)
		return 0;
	if (sample.bytes == HEAP_FILLER)
		return sample.room;
	if (sample.bytes > HEAP_STACK_BYTES || sizeof(sample) + sample.bytes > sample.room)
		return 0;
	heap->seen++;
	if (!end_ns || sample.time_ns <= end_ns)
		put_sample(heap, &sample, at + sizeof(sample), into);
	return sample.room;
}

static void read_samples(struct heap *heap, uint64_t end_ns, struct batch *into)
{
	struct heap_ring *ring = &heap->channel->sample_ring;
	uint64_t read, whole = 0;

	while (whole < HEAP_SAMPLE_BYTES && has_more(ring, &read)) {
		const uint64_t *at = (const void *)(heap->channel->samples + read % HEAP_SAMPLE_BYTES / HEAP_SAMPLE_STEP * HEAP_SAMPLE_STEP);
		uint32_t room;

		if (!is_ready(ring, &heap->samples, __atomic_load_n(at, __ATOMIC_ACQUIRE), true))
			break;
		room = take_sample(heap, read, end_ns, into);
		heap->samples.skipped += !room;
		__atomic_store_n(&ring->read, room ? read + room : __atomic_load_n(&ring->next, __ATOMIC_ACQUIRE), __ATOMIC_RELEASE);
		whole += room ? room : HEAP_SAMPLE_BYTES;
	}
	heap->busy = whole > HEAP_SAMPLE_BYTES / 16;
}

bool heap_is_busy(const struct heap *heap)
{
	return heap->busy;
}

void heap_ended(struct heap *heap, uint32_t process, uint64_t time_ns)
{
	grow(heap->ended, heap->ended_count, heap->ended_room);
	heap->ended[heap->ended_count++] = (struct ended){
		.process = process, .time_ns = time_ns, .events = __atomic_load_n(&heap->channel->event_ring.next, __ATOMIC_ACQUIRE),
		.samples = __atomic_load_n(&heap->channel->sample_ring.next, __ATOMIC_ACQUIRE) };
}

/* Objects whose ends are still in a ring would be taken for retained. */
static void tell_ended(struct heap *heap, struct batch *into)
{
	size_t kept = 0;

	for (size_t i = 0; i < heap->ended_count; i++) {
		struct ended ended = heap->ended[i];
		struct wire_heap_process wire = { .process = ended.process, .event = WIRE_HEAP_ENDED };

		if (heap->channel->event_ring.read < ended.events || heap->channel->sample_ring.read < ended.samples)
			heap->ended[kept++] = ended;
		else
			batch_put(into, WIRE_HEAP_PROCESS, ended.time_ns, &wire, sizeof(wire), NULL);
	}
	heap->ended_count = kept;
}

void heap_read(struct heap *heap, uint64_t end_ns, struct batch *into)
{
	struct heap_channel *channel = heap->channel;
	uint64_t read;

	for (unsigned i = 0; i < HEAP_EVENTS && has_more(&channel->event_ring, &read); i++) {
		struct heap_event *at = &channel->events[read % HEAP_EVENTS], event;

		if (!is_ready(&channel->event_ring, &heap->events, __atomic_load_n(&at->ready, __ATOMIC_ACQUIRE), false))
			break;
		event = *at;
		__atomic_store_n(&channel->event_ring.read, read + 1, __ATOMIC_RELEASE);
		if (!end_ns || event.time_ns <= end_ns)
			put_event(&event, into);
	}
	read_samples(heap, end_ns, into);
	tell_ended(heap, into);
}

void heap_counts(const struct heap *heap, struct heap_counts *ret)
{
	const struct heap_channel *channel = heap->channel;
	uint64_t lost = __atomic_load_n(&channel->sample_ring.lost, __ATOMIC_RELAXED) +
			__atomic_load_n(&channel->event_ring.lost, __ATOMIC_RELAXED) + heap->events.skipped + heap->samples.skipped;

	*ret = (struct heap_counts){ .seen = heap->seen + lost, .lost = lost,
				     .unsampled = __atomic_load_n(&channel->unsampled, __ATOMIC_RELAXED) };
}
