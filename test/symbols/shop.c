/* SPDX-License-Identifier: Apache-2.0 */
/* Calls that inline into each other, for test/symbols/run. The lines marked with a letter are asked for. */
#include <stdio.h>
#include <stdlib.h>

static inline __attribute__((always_inline)) unsigned price(unsigned item)
{
	return item * 2654435761u >> 7;                         /* P */
}

static inline __attribute__((always_inline)) unsigned total(const unsigned *items, int count)
{
	unsigned sum = 0;

	for (int i = 0; i < count; i++)
		sum ^= price(items[i]);                         /* T */
	return sum;
}

__attribute__((noinline)) unsigned checkout(const unsigned *items, int count)
{
	return total(items, count) + 1;                         /* C */
}

int main(int argc, char **argv)
{
	unsigned items[64];

	for (int i = 0; i < 64; i++)
		items[i] = (unsigned)argc * (unsigned)i + (unsigned)atoi(argv[argc - 1]);
	printf("%u\n", checkout(items, 64));                    /* M */
	return 0;
}
