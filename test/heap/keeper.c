/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keeps a known number of bytes at each of a hundred sites, in objects of many sizes and by every function of the allocator,
 * while other objects come and go. Prints "site allocated retained" for each, in bytes as asked for.
 *
 * keeper KEEP-BYTES-PER-SITE [churn-pairs [wait]]       wait: for a line before it begins
 */
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SITES = 100 };

static uint64_t allocated[SITES], retained[SITES];

static void fill(void *object, size_t size)
{
	if (!object)
		abort();
	memset(object, 0x5a, size);
}

/* Each copy is a function of its own, so that each has a name. */
static inline __attribute__((always_inline)) void *one(int site, size_t size, int way)
{
	void *object = NULL;

	switch (way) {
	case 0:
		object = malloc(size);
		break;
	case 1:
		object = calloc(1, size);
		for (size_t i = 0; i < size; i++)
			if (((char *)object)[i])
				abort();
		break;
	case 2:
		if (posix_memalign(&object, 256, size) || (uintptr_t)object % 256)
			abort();
		break;
	default:
		object = aligned_alloc(64, (size + 63) & ~(size_t)63);
		size = (size + 63) & ~(size_t)63;
		if ((uintptr_t)object % 64)
			abort();
	}
	fill(object, size);
	if (malloc_usable_size(object) < size)
		abort();
	allocated[site] += size;
	retained[site] += size;
	return object;
}

#define SITE(n)                                                                                     \
	static __attribute__((noinline)) void keep_##n(size_t size)                                 \
	{                                                                                           \
		void *volatile object = one(n, size, n % 4);                                        \
		(void)object;                                                                       \
	}
#define TEN(n) SITE(n##0) SITE(n##1) SITE(n##2) SITE(n##3) SITE(n##4) SITE(n##5) SITE(n##6) SITE(n##7) SITE(n##8) SITE(n##9)
#define NAMES(n) keep_##n##0, keep_##n##1, keep_##n##2, keep_##n##3, keep_##n##4, keep_##n##5, keep_##n##6, keep_##n##7, keep_##n##8, keep_##n##9
SITE(0) SITE(1) SITE(2) SITE(3) SITE(4) SITE(5) SITE(6) SITE(7) SITE(8) SITE(9)
TEN(1) TEN(2) TEN(3) TEN(4) TEN(5) TEN(6) TEN(7) TEN(8) TEN(9)
static void (*const keep[SITES])(size_t) = {
	keep_0, keep_1, keep_2, keep_3, keep_4, keep_5, keep_6, keep_7, keep_8, keep_9, NAMES(1), NAMES(2), NAMES(3), NAMES(4), NAMES(5),
	NAMES(6), NAMES(7), NAMES(8), NAMES(9),
};

/* Grows and shrinks, and checks that what was in it stays. */
static void *churn(void *pairs)
{
	unsigned seed = (unsigned)(uintptr_t)&seed;
	void *slots[256] = { 0 };

	for (long i = 0; i < (long)(intptr_t)pairs; i++) {
		void **slot = &slots[rand_r(&seed) % 256];
		size_t size = 16 + (size_t)rand_r(&seed) % (i % 64 ? 2000 : 300000);

		if (*slot && *(unsigned char *)*slot != 0xa5)
			abort();
		if (i % 3)
			*slot = realloc(*slot, size);
		else {
			free(*slot);
			*slot = malloc(size);
		}
		*(unsigned char *)*slot = 0xa5;
	}
	for (int i = 0; i < 256; i++)
		free(slots[i]);
	return NULL;
}

int main(int count, char **arguments)
{
	uint64_t bytes = count > 1 ? strtoull(arguments[1], NULL, 10) : 1 << 20;
	intptr_t pairs = count > 2 ? atol(arguments[2]) : 100000;
	pthread_t threads[2];
	int status = 0;
	char line[8];
	pid_t child;

	if (count > 3)
		(void)!read(STDIN_FILENO, line, sizeof(line));
	for (int i = 0; i < 2; i++)
		(void)pthread_create(&threads[i], NULL, churn, (void *)pairs);
	for (unsigned i = 0, done = 0; !done; i++) {
		done = 1;
		for (int site = 0; site < SITES; site++)
			if (retained[site] < bytes) {
				keep[site]((size_t)16 << (i + (unsigned)site) % 9);
				done = 0;
			}
	}
	child = fork();
	if (!child) {
		(void)churn((void *)(pairs / 10));      /* of its own, and gone with it */
		_exit(0);
	}
	if (child < 0 || waitpid(child, &status, 0) != child || status)
		return 1;
	for (int i = 0; i < 2; i++)
		(void)pthread_join(threads[i], NULL);
	for (int site = 0; site < SITES; site++)
		printf("keep_%d %llu %llu\n", site, (unsigned long long)allocated[site], (unsigned long long)retained[site]);
	return 0;
}
