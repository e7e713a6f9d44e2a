/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Touches pages: fresh ones by itself and through a system call, and of a file that was put out of memory. Prints what the
 * kernel counted: "minor major", then how many of each it meant to.
 *
 * touch FILE PAGES
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

enum { PAGE = 4096, FILE_PAGES = 512 };

static __attribute__((noinline)) void touch_fresh(size_t pages)
{
	char *bytes = mmap(NULL, pages * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (bytes == MAP_FAILED || madvise(bytes, pages * PAGE, MADV_NOHUGEPAGE))
		abort();
	for (size_t i = 0; i < pages; i++)
		((volatile char *)bytes)[i * PAGE] = 1;
	(void)munmap(bytes, pages * PAGE);
}

/* The kernel touches them: it copies zeros there. */
static __attribute__((noinline)) void touch_in_call(size_t pages)
{
	char *bytes = mmap(NULL, pages * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int zero = open("/dev/zero", O_RDONLY);

	if (bytes == MAP_FAILED || zero < 0 || madvise(bytes, pages * PAGE, MADV_NOHUGEPAGE))
		abort();
	for (size_t i = 0; i < pages; i++)
		if (read(zero, bytes + i * PAGE, 64) != 64)
			abort();
	(void)close(zero);
	(void)munmap(bytes, pages * PAGE);
}

static __attribute__((noinline)) void touch_file(const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
	volatile char *bytes;

	if (fd < 0 || ftruncate(fd, 0))
		abort();
	for (int i = 0; i < FILE_PAGES; i++) {
		static char page[PAGE] = "x";

		if (write(fd, page, PAGE) != PAGE)
			abort();
	}
	(void)fsync(fd);
	(void)posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	bytes = mmap(NULL, FILE_PAGES * PAGE, PROT_READ, MAP_SHARED, fd, 0);
	if (bytes == MAP_FAILED || madvise((void *)bytes, FILE_PAGES * PAGE, MADV_RANDOM))
		abort();
	for (int i = 0; i < FILE_PAGES; i++)
		(void)bytes[(i * 17 % FILE_PAGES) * PAGE];
	(void)close(fd);
}

int main(int count, char **arguments)
{
	size_t pages = count > 2 ? strtoul(arguments[2], NULL, 10) : 20000;
	struct rusage usage;

	for (int i = 0; i < 4; i++)
		touch_fresh(pages);
	touch_in_call(pages);
	touch_file(arguments[1]);
	(void)getrusage(RUSAGE_SELF, &usage);
	printf("%ld %ld %zu %d\n", usage.ru_minflt, usage.ru_majflt, pages * 5, FILE_PAGES);
	return 0;
}
