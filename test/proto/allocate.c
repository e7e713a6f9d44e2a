/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps 4096 pieces of 1024 bytes. For test/proto/run, under jemalloc's profiler. */
#include <stdlib.h>
#include <string.h>

static char *kept[4096];

int main(void)
{
	for (size_t i = 0; i < sizeof(kept) / sizeof(*kept); i++) {
		kept[i] = malloc(1024);
		if (!kept[i])
			return 1;
		memset(kept[i], (int)i, 1024);
	}
	return 0;
}
