/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Blocks for good at the end of a chain of all that makes a stack hard to unwind: frames of unknown size, frames that align
 * their stack, a callback of libc's, and a signal's handler in the middle of it.
 */
#include <alloca.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static volatile int sink;

#define OWN_FRAME __attribute__((noinline, noclone))

OWN_FRAME static void block(void)
{
	(void)pause();
	sink++;
}

OWN_FRAME static void allocates(int size)
{
	char *memory = alloca((size_t)size);

	memset(memory, size, (size_t)size);
	block();
	sink += memory[size / 2];
}

OWN_FRAME static void aligns(int size)
{
	_Alignas(64) volatile char line[64] = { 0 };
	char *memory = alloca((size_t)size);

	memory[0] = (char)((uintptr_t)line & 63);
	allocates(size + memory[0]);
	sink += line[1] + memory[0];
}

static void handle(int number)
{
	aligns(number * 10);
	sink++;
}

OWN_FRAME static int compare(const void *left, const void *right)
{
	volatile char large[40000];

	large[100] = *(const char *)left;
	(void)raise(SIGUSR1);
	return large[100] - *(const char *)right;
}

int main(void)
{
	char letters[] = "dcba";

	(void)signal(SIGUSR1, handle);
	qsort(letters, 4, 1, compare);
	return sink;
}
