/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sampled objects are few: one per mean bytes, so powers of two cost nothing that would be seen, and one lock that is tried and
 * never waited for is enough. A piece of 64 KiB and more gives its pages back when it is freed, as the C library would.
 */
#include "shim/arena.h"

#include <string.h>
#include <sys/mman.h>

enum { CLASSES = 40, SMALLEST = 6, LARGE = 16, PAGE = 4096, TRIES = 2000 };

struct header {
	uint64_t id, size;
	char *piece;                    /* where it begins: the object may be aligned further on */
	uint64_t class;
};

uintptr_t arena_start, arena_bytes;
static uintptr_t used;
static void *given[CLASSES];
static int locked;

static bool lock(void)
{
	for (int i = 0; i < TRIES; i++) {
		if (!__atomic_exchange_n(&locked, 1, __ATOMIC_ACQUIRE))
			return true;
		__builtin_ia32_pause();
	}
	return false;
}

static void unlock(void)
{
	__atomic_store_n(&locked, 0, __ATOMIC_RELEASE);
}

void arena_open(void)
{
	for (uintptr_t bytes = 1ull << 36; bytes >= 1ull << 26 && !arena_bytes; bytes >>= 2) {
		void *range = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

		if (range == MAP_FAILED)
			continue;
		arena_start = (uintptr_t)range;
		arena_bytes = bytes;
	}
}

void arena_forked(void)
{
	unlock();
}

static char *piece_take(unsigned class, bool *ret_fresh)
{
	uintptr_t bytes = 1ull << class;
	char *piece = NULL;

	if (!lock())
		return NULL;
	*ret_fresh = !given[class];
	if (given[class]) {
		piece = given[class];
		given[class] = *(void **)(void *)piece;
	} else {
		uintptr_t at = class >= LARGE ? (used + PAGE - 1) & ~(uintptr_t)(PAGE - 1) : used;

		if (at + bytes <= arena_bytes) {
			piece = (char *)arena_start + at;
			used = at + bytes;
		}
	}
	unlock();
	return piece;
}

static struct header *header_of(const void *pointer)
{
	return (struct header *)(uintptr_t)pointer - 1;
}

void *arena_take(size_t size, size_t alignment, bool zero)
{
	size_t whole;
	unsigned class = SMALLEST;
	bool fresh;
	char *piece, *object;

	if (__builtin_add_overflow(size, sizeof(struct header) + (alignment > 16 ? alignment : 0), &whole) || whole > arena_bytes)
		return NULL;
	while (class < CLASSES && (size_t)1 << class < whole)
		class++;
	if (class == CLASSES)
		return NULL;
	piece = piece_take(class, &fresh);
	if (!piece)
		return NULL;
	object = (char *)(((uintptr_t)piece + sizeof(struct header) + alignment - 1) & ~(uintptr_t)(alignment - 1));
	/* Pages that were given back read as zero, but for the first, which holds the list. */
	if (zero && !fresh)
		memset(object, 0, class >= LARGE && size > PAGE ? PAGE : size);
	*header_of(object) = (struct header){ .size = size, .piece = piece, .class = class };
	return object;
}

void arena_give(void *pointer)
{
	struct header *header = header_of(pointer);
	unsigned class = (unsigned)header->class;
	char *piece = header->piece;

	if (class >= LARGE)
		(void)madvise(piece + PAGE, ((size_t)1 << class) - PAGE, MADV_DONTNEED);
	if (!lock())
		return;                 /* lost for good; it holds no pages worth mention */
	*(void **)(void *)piece = given[class];
	given[class] = piece;
	unlock();
}

uint64_t arena_id(const void *pointer)
{
	return header_of(pointer)->id;
}

size_t arena_size(const void *pointer)
{
	return header_of(pointer)->size;
}

bool arena_fits(const void *pointer, size_t size)
{
	const struct header *header = header_of(pointer);
	size_t room = ((size_t)1 << header->class) - (size_t)((const char *)pointer - header->piece);

	/* A quarter of it or less is not worth holding on to. */
	return size <= room && (header->class < LARGE || size >= room / 4);
}

void arena_resize(void *pointer, size_t size, uint64_t id)
{
	header_of(pointer)->size = size;
	header_of(pointer)->id = id;
}
