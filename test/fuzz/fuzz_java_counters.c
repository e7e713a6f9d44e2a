/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as the file of counters that a Java machine maps: as bytes, and as a file. */
#include "interpreter/java_counters.h"

#include <stdlib.h>
#include <unistd.h>

#define NAME "sun.gc.metaspace.capacity"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char path[] = "/tmp/crosscut-fuzz-XXXXXX";
static int fd = -1;

static void leave(void)
{
	(void)unlink(path);
}

static int file(void)
{
	if (fd < 0) {
		fd = mkstemp(path);
		if (fd < 0 || atexit(leave))
			abort();
	}
	return fd;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint64_t of_bytes = 0, of_file = 0;
	bool found = java_counter(data, size, NAME, &of_bytes);

	if (ftruncate(file(), 0) || pwrite(file(), data, size, 0) != (ssize_t)size)
		abort();
	if (java_counter_of_file(path, NAME, &of_file) != found || (found && of_bytes != of_file))
		abort();
	return 0;
}
