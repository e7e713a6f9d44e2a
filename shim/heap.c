/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The heap shim, preloaded into a command: it stands before the allocator and samples allocations by bytes. A countdown per
 * thread is drawn from an exponential distribution; the allocation in which it runs out is sampled, so that one of s bytes is
 * included with probability 1 - exp(-s / mean) whatever was allocated before it (a Poisson process over bytes, as in
 * tcmalloc and Go). All others pay one comparison and one subtraction.
 *
 * Sampled objects live in an address range of their own (shim/arena.c), so that free() tells them by one comparison. They are
 * told to the recorder with a copy of the stack, which is walked there: no unwinder runs in the target.
 *
 * It must never break its host: no lock is waited for, nothing is allocated, errno is kept, and whatever fails means that an
 * allocation is not sampled. Beside an allocator of other than the C library's make it stands aside, since that one's own
 * functions may be handed any pointer.
 */
#include "shim/arena.h"
#include "shim/report.h"

#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))
#define UNLIKELY(condition) __builtin_expect(!!(condition), 0)
#define THREAD static __thread __attribute__((tls_model("initial-exec")))

enum { ALIGNMENT = 16 };

THREAD uint64_t left;           /* bytes until the next sample; 0 at a thread's first allocation */
THREAD uint64_t seed;
THREAD bool inside;

/* --- What stands behind us ------------------------------------------------------------------------------------- */

static void *first_malloc(size_t size);
static void first_free(void *pointer);
static void *first_calloc(size_t count, size_t size);
static void *first_realloc(void *pointer, size_t size);
static void *first_memalign(size_t alignment, size_t size);

static void *(*next_malloc)(size_t) = first_malloc;
static void (*next_free)(void *) = first_free;
static void *(*next_calloc)(size_t, size_t) = first_calloc;
static void *(*next_realloc)(void *, size_t) = first_realloc;
static void *(*next_memalign)(size_t, size_t) = first_memalign;
static size_t (*next_usable_size)(void *);
static bool looking;

/* The loader may allocate while it looks for the allocator: such pieces come from the arena, which free() knows. */
static bool look(void)
{
	void *found;

	if (looking)
		return false;
	looking = true;
	arena_open();
	found = dlsym(RTLD_NEXT, "free");
	memcpy(&next_free, &found, sizeof(found));
	found = dlsym(RTLD_NEXT, "calloc");
	memcpy(&next_calloc, &found, sizeof(found));
	found = dlsym(RTLD_NEXT, "realloc");
	memcpy(&next_realloc, &found, sizeof(found));
	found = dlsym(RTLD_NEXT, "memalign");
	if (!found)
		found = dlsym(RTLD_NEXT, "aligned_alloc");
	memcpy(&next_memalign, &found, sizeof(found));
	found = dlsym(RTLD_NEXT, "malloc_usable_size");
	memcpy(&next_usable_size, &found, sizeof(found));
	found = dlsym(RTLD_NEXT, "malloc");
	memcpy(&next_malloc, &found, sizeof(found));
	return true;
}

static void *first_malloc(size_t size)
{
	return look() ? next_malloc(size) : arena_take(size, ALIGNMENT, false);
}

static void first_free(void *pointer)
{
	if (pointer && look())
		next_free(pointer);
}

static void *first_calloc(size_t count, size_t size)
{
	return look() ? next_calloc(count, size) : arena_take(count * size, ALIGNMENT, true);
}

static void *first_realloc(void *pointer, size_t size)
{
	return look() ? next_realloc(pointer, size) : NULL;
}

static void *first_memalign(size_t alignment, size_t size)
{
	return look() ? next_memalign(alignment, size) : arena_take(size, alignment, false);
}

/* --- When to sample -------------------------------------------------------------------------------------------- */

static uint64_t random_bits(void)
{
	uint64_t bits = seed += 0x9e3779b97f4a7c15ull;          /* splitmix64, S. Vigna 2015 */

	bits = (bits ^ bits >> 30) * 0xbf58476d1ce4e5b9ull;
	bits = (bits ^ bits >> 27) * 0x94d049bb133111ebull;
	return bits ^ bits >> 31;
}

/* ln(x) of x in (0, 1], without a library of its own: x = m 2^e with m in [1, 2), and ln m = 2 artanh((m - 1) / (m + 1)). */
static double logarithm(double x)
{
	uint64_t bits;
	double m, t, square, sum = 0;
	int exponent;

	memcpy(&bits, &x, sizeof(bits));
	exponent = (int)(bits >> 52) - 1023;
	bits = (bits & 0xfffffffffffffull) | 1023ull << 52;
	memcpy(&m, &bits, sizeof(m));
	t = (m - 1) / (m + 1);
	square = t * t;
	for (int i = 21; i > 0; i -= 2)
		sum = sum * square + 1.0 / i;
	return 2 * t * sum + exponent * 0.69314718055994530942;
}

static uint64_t draw(uint64_t mean)
{
	double unit = (double)((random_bits() >> 11) + 1) / 9007199254740992.0;

	return (uint64_t)(-logarithm(unit) * (double)mean) + 1;
}

/* Is this one sampled? The countdown starts anew in either case. */
static bool is_chosen(size_t size)
{
	uint64_t mean = report_mean();

	if (!mean) {                    /* not yet, or no more: look again after a while */
		left = report_is_over() ? UINT64_MAX / 2 : 0;
		return false;
	}
	if (!seed) {
		seed = report_seed() ^ (uintptr_t)&seed;
		left = draw(mean);
		if (size < left) {
			left -= size;
			return false;
		}
	}
	left = draw(mean);
	return true;
}

static void *plain(size_t size, size_t alignment, void *old, bool zero)
{
	if (old)
		return next_realloc(old, size);
	if (zero)
		return next_calloc(1, size);
	return alignment > ALIGNMENT ? next_memalign(alignment, size) : next_malloc(size);
}

/* How much of an object can be read: of the C library's it is at least what was asked for. */
static size_t size_of(void *pointer)
{
	if (arena_has(pointer))
		return arena_size(pointer);
	return next_usable_size ? next_usable_size(pointer) : 0;
}

static void release(void *pointer)
{
	if (!arena_has(pointer)) {
		next_free(pointer);
		return;
	}
	report_freed(arena_id(pointer));
	arena_give(pointer);
}

static void *move(void *from, void *to, size_t size)
{
	size_t had = size_of(from);

	memcpy(to, from, had < size ? had : size);
	release(from);
	return to;
}

/* An object of the arena that gets another size: it goes on where it is while it fits, told anew where it is sampled. */
static void *resize(void *old, size_t size, const struct report_caller *caller, bool chosen)
{
	void *moved;

	if (arena_fits(old, size)) {
		report_freed(arena_id(old));
		arena_resize(old, size, chosen ? report_sample(size, caller) : 0);
		return old;
	}
	moved = chosen ? arena_take(size, ALIGNMENT, false) : NULL;
	if (moved)
		arena_resize(moved, size, report_sample(size, caller));
	else
		moved = next_malloc(size);
	return moved ? move(old, moved, size) : NULL;
}

void *heap_sampled(size_t size, size_t alignment, void *old, bool zero, const struct report_caller *caller);

__attribute__((used, noinline, visibility("hidden")))
void *heap_sampled(size_t size, size_t alignment, void *old, bool zero, const struct report_caller *caller)
{
	int error = errno;
	bool was_inside = inside, chosen;
	void *pointer = NULL;

	inside = true;
	chosen = !was_inside && is_chosen(size);
	if (old && arena_has(old)) {
		pointer = resize(old, size, caller, chosen);
	} else {
		if (chosen && (!old || next_usable_size))
			pointer = arena_take(size, alignment, zero);
		if (chosen && !pointer)
			report_unsampled();
		if (pointer)
			arena_resize(pointer, size, report_sample(size, caller));
		if (!pointer)
			pointer = plain(size, alignment, old, zero);
		else if (old)
			move(old, pointer, size);
	}
	inside = was_inside;
	if (pointer)
		errno = error;
	return pointer;
}

/* Enters heap_sampled() with the registers as they are at the call of malloc(), which jumped here: so the first frame of
 * the walk is its caller. The address lies inside the call, where its row is. */
__attribute__((naked, noinline))
static void *sample(size_t size __attribute__((unused)), size_t alignment __attribute__((unused)),
		    void *old __attribute__((unused)), bool zero __attribute__((unused)))
{
	__asm__("subq $72, %rsp\n\t"
		".cfi_adjust_cfa_offset 72\n\t"
		"movq %rbx, (%rsp)\n\t"
		"movq %rbp, 8(%rsp)\n\t"
		"movq %r12, 16(%rsp)\n\t"
		"movq %r13, 24(%rsp)\n\t"
		"movq %r14, 32(%rsp)\n\t"
		"movq %r15, 40(%rsp)\n\t"
		"leaq 80(%rsp), %rax\n\t"
		"movq %rax, 48(%rsp)\n\t"
		"movq 72(%rsp), %rax\n\t"
		"decq %rax\n\t"
		"movq %rax, 56(%rsp)\n\t"
		"movq %rsp, %r8\n\t"
		"call heap_sampled\n\t"
		"addq $72, %rsp\n\t"
		".cfi_adjust_cfa_offset -72\n\t"
		"ret");
}

/* --- What the host calls --------------------------------------------------------------------------------------- */

EXPORT void *malloc(size_t size)
{
	if (UNLIKELY(size >= left))
		return sample(size, ALIGNMENT, NULL, false);
	left -= size;
	return next_malloc(size);
}

EXPORT void free(void *pointer)
{
	if (UNLIKELY(arena_has(pointer))) {
		release(pointer);
		return;
	}
	next_free(pointer);
}

EXPORT void *calloc(size_t count, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(count, size, &bytes))
		return next_calloc(count, size);
	if (UNLIKELY(bytes >= left))
		return sample(bytes, ALIGNMENT, NULL, true);
	left -= bytes;
	return next_calloc(count, size);
}

/* As the C library's: a size of 0 frees. */
EXPORT void *realloc(void *pointer, size_t size)
{
	if (UNLIKELY(pointer && !size && arena_has(pointer))) {
		release(pointer);
		return NULL;
	}
	if (UNLIKELY(size >= left || (pointer && arena_has(pointer))) && size) {
		if (size >= left || !pointer)
			return sample(size, ALIGNMENT, pointer, false);
		left -= size;
		return resize(pointer, size, NULL, false);
	}
	left -= size < left ? size : left;
	return next_realloc(pointer, size);
}

EXPORT void *memalign(size_t alignment, size_t size)
{
	if (UNLIKELY(size >= left) && alignment && !(alignment & (alignment - 1)))
		return sample(size, alignment < ALIGNMENT ? ALIGNMENT : alignment, NULL, false);
	left -= size < left ? size : left;
	return next_memalign(alignment, size);
}

EXPORT void *aligned_alloc(size_t alignment, size_t size)
{
	return memalign(alignment, size);
}

EXPORT int posix_memalign(void **ret, size_t alignment, size_t size)
{
	int error = errno;
	void *pointer;

	if (!alignment || alignment & (alignment - 1) || alignment % sizeof(void *))
		return EINVAL;
	pointer = memalign(alignment, size);
	errno = error;
	if (!pointer)
		return ENOMEM;
	*ret = pointer;
	return 0;
}

EXPORT void *valloc(size_t size)
{
	return memalign((size_t)sysconf(_SC_PAGESIZE), size);
}

EXPORT void *pvalloc(size_t size)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	return memalign(page, (size + page - 1) & ~(page - 1));
}

EXPORT size_t malloc_usable_size(void *pointer)
{
	if (!pointer)
		return 0;
	if (!next_usable_size)
		look();
	return size_of(pointer);
}

/* --- Beginning ------------------------------------------------------------------------------------------------- */

static void born(void)
{
	seed = left = 0;
	arena_forked();
	report_forked();
}

/* Allocators that others may call by names of their own with any pointer. */
static bool is_foreign(void)
{
	static const char *const names[] = { "mallocx", "je_mallocx", "tc_malloc", "mi_malloc", "MallocExtension_Internal_GetMemoryReleaseRate" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (dlsym(RTLD_DEFAULT, names[i]))
			return true;
	return false;
}

extern int pthread_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void));

__attribute__((constructor(101))) static void begin(void)
{
	inside = true;
	if (next_malloc == first_malloc)
		look();
	report_open(is_foreign());
	(void)pthread_atfork(NULL, NULL, born);
	inside = false;
}
