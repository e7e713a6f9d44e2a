/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A sample carries the registers and a copy of the stack. How far a stack goes is asked once per thread; on any other stack
 * (a coroutine's) the copy ends with the page, which is there for certain.
 */
#include "shim/report.h"

#include "wire/heap_channel.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define THREAD static __thread __attribute__((tls_model("initial-exec")))

enum { PAGE = 4096, RBX = 3, RBP = 6, RSP = 7, R12 = 12 };

extern void *__libc_stack_end __attribute__((weak));

static struct heap_channel *channel;
static bool over;               /* there is none, or it is not to be used */
static uint32_t process;
THREAD uint32_t thread;
THREAD uintptr_t stack_low, stack_high;

static uint64_t now_ns(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* A slot of a ring, or false where it is full. */
static bool claim(struct heap_ring *ring, uint64_t room, uint64_t *ret)
{
	uint64_t next = __atomic_load_n(&ring->next, __ATOMIC_RELAXED);

	do {
		if (next - __atomic_load_n(&ring->read, __ATOMIC_ACQUIRE) >= room) {
			(void)__atomic_fetch_add(&ring->lost, 1, __ATOMIC_RELAXED);
			return false;
		}
	} while (!__atomic_compare_exchange_n(&ring->next, &next, next + 1, true, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED));
	*ret = next;
	return true;
}

/* Bytes of the ring of samples, in one piece, or NULL where it is full. A filler stands before it where it would wrap. */
static struct heap_sample *claim_sample(uint32_t room, uint64_t *ret)
{
	struct heap_ring *ring = &channel->sample_ring;
	uint64_t next = __atomic_load_n(&ring->next, __ATOMIC_RELAXED);
	uint32_t at, filler;

	do {
		at = (uint32_t)(next % HEAP_SAMPLE_BYTES);
		filler = at + room > HEAP_SAMPLE_BYTES ? HEAP_SAMPLE_BYTES - at : 0;
		if (next + filler + room - __atomic_load_n(&ring->read, __ATOMIC_ACQUIRE) > HEAP_SAMPLE_BYTES) {
			(void)__atomic_fetch_add(&ring->lost, 1, __ATOMIC_RELAXED);
			return NULL;
		}
	} while (!__atomic_compare_exchange_n(&ring->next, &next, next + filler + room, true, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED));
	if (filler) {
		struct heap_sample *sample = (void *)(channel->samples + at);

		sample->room = filler;
		sample->bytes = HEAP_FILLER;
		__atomic_store_n(&sample->ready, next + 1, __ATOMIC_RELEASE);
		at = 0;
	}
	*ret = next + filler;
	return (void *)(channel->samples + at);
}

static void tell(uint32_t kind, uint64_t id)
{
	struct heap_event *event;
	uint64_t number;

	if (!channel || !claim(&channel->event_ring, HEAP_EVENTS, &number))
		return;
	event = &channel->events[number % HEAP_EVENTS];
	event->time_ns = now_ns();
	event->id = id;
	event->process = process;
	event->kind = kind;
	__atomic_store_n(&event->ready, number + 1, __ATOMIC_RELEASE);
}

static struct heap_channel *map_channel(const char *path)
{
	int fd = path ? open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW) : -1;
	struct heap_channel *mapped = MAP_FAILED;
	struct stat status;

	if (fd < 0)
		return NULL;
	if (!fstat(fd, &status) && status.st_size >= (off_t)sizeof(*mapped))
		mapped = mmap(NULL, sizeof(*mapped), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	(void)close(fd);
	if (mapped == MAP_FAILED)
		return NULL;
	if (mapped->magic == HEAP_CHANNEL_MAGIC && mapped->version == HEAP_CHANNEL_VERSION && !mapped->closed)
		return mapped;
	(void)munmap(mapped, sizeof(*mapped));
	return NULL;
}

void report_open(bool refused)
{
	int error = errno;

	process = (uint32_t)getpid();
	channel = map_channel(getenv(HEAP_CHANNEL_VARIABLE));
	tell(refused ? HEAP_REFUSED : HEAP_BEGAN, 0);
	over = refused || !channel;
	errno = error;
}

void report_forked(void)
{
	process = (uint32_t)getpid();
	thread = 0;
	if (!over)
		tell(HEAP_BEGAN, 0);
}

uint64_t report_mean(void)
{
	if (over || !channel)
		return 0;
	over = __atomic_load_n(&channel->closed, __ATOMIC_RELAXED);
	return over ? 0 : channel->mean_bytes;
}

bool report_is_over(void)
{
	return over;
}

uint64_t report_seed(void)
{
	return now_ns() * 0x9e3779b97f4a7c15ull ^ (uint64_t)process << 32;
}

static void know_thread(void)
{
	pthread_attr_t attributes;
	void *low;
	size_t size;

	thread = (uint32_t)syscall(SYS_gettid);
	stack_low = stack_high = 0;
	if (thread == process) {
		stack_high = &__libc_stack_end ? (uintptr_t)__libc_stack_end : 0;
		return;                 /* it grows: what lies between the pointer and its end is there */
	}
	if (pthread_getattr_np(pthread_self(), &attributes))
		return;
	if (!pthread_attr_getstack(&attributes, &low, &size)) {
		stack_low = (uintptr_t)low;
		stack_high = stack_low + size;
	}
	(void)pthread_attr_destroy(&attributes);
}

/* The main thread's stack is at most 8 MiB by default; a pointer further below is on another one. */
static size_t readable(uintptr_t sp)
{
	uintptr_t page_end = (sp | (PAGE - 1)) + 1;
	uintptr_t low = stack_low ? stack_low : stack_high > (8u << 20) ? stack_high - (8u << 20) : 0;
	uintptr_t end = sp >= low && sp < stack_high ? stack_high : page_end;

	return end - sp < HEAP_STACK_BYTES ? end - sp : HEAP_STACK_BYTES;
}

static void fill_registers(struct heap_sample *sample, const struct report_caller *caller)
{
	memset(sample->registers, 0, sizeof(sample->registers));
	sample->registers[RBX] = caller->rbx;
	sample->registers[RBP] = caller->rbp;
	sample->registers[RSP] = caller->sp;
	sample->registers[R12] = caller->r12;
	sample->registers[R12 + 1] = caller->r13;
	sample->registers[R12 + 2] = caller->r14;
	sample->registers[R12 + 3] = caller->r15;
	sample->registers[HEAP_REGISTERS - 1] = caller->pc;
}

uint64_t report_sample(size_t size, const struct report_caller *caller)
{
	struct heap_sample *sample;
	uint32_t bytes, room;
	uint64_t at, id;

	if (!thread)
		know_thread();
	bytes = (uint32_t)readable(caller->sp);
	room = (sizeof(*sample) + bytes + HEAP_SAMPLE_STEP - 1) & ~(HEAP_SAMPLE_STEP - 1u);
	sample = claim_sample(room, &at);
	if (!sample)
		return 0;
	id = __atomic_add_fetch(&channel->next_id, 1, __ATOMIC_RELAXED);
	sample->room = room;
	sample->time_ns = now_ns();
	sample->id = id;
	sample->size = size;
	sample->process = process;
	sample->thread = thread;
	fill_registers(sample, caller);
	sample->bytes = bytes;
	memcpy(sample + 1, (const void *)caller->sp, bytes);
	__atomic_store_n(&sample->ready, at + 1, __ATOMIC_RELEASE);
	return id;
}

void report_freed(uint64_t id)
{
	int error = errno;

	if (id && !over)
		tell(HEAP_FREED, id);
	errno = error;
}

void report_unsampled(void)
{
	(void)__atomic_fetch_add(&channel->unsampled, 1, __ATOMIC_RELAXED);
}
