/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory that was swapped out, touched again, in a control group that may hold less than half of
 * it. Everything is written out beforehand by a thread that is not judged, so that the judged one
 * only reads back: its pages stay clean, and making room for them costs no write.
 *
 * A swap file is made only where the machine has no swap, and is as large as the largest file
 * allowed here. The kernel wants a name for it as long as it is in use; the guard takes it out of
 * use and removes it.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/swap.h>
#include <unistd.h>

#include "truth/cold_file.h"
#include "truth/group.h"
#include "truth/stage.h"
#include "truth/staging.h"

enum {
	MEMORY_BYTES = 32 << 20,
	MEMORY_PAGES = MEMORY_BYTES / COLD_FILE_PAGE,
};
#define LIMIT_BYTES "14680064"  /* 14 MiB, for the pages and what the kernel needs for them */

static const struct group_kind memory = { "memory", "memory.limit_in_bytes", "memory.max" };

/*
 * What mkswap writes: one page, at 1024 the version and the number of the last page, at its end the
 * signature.
 */
static int write_header(int fd)
{
	char page[COLD_FILE_PAGE] = { 0 };
	const uint32_t header[2] = { 1, TRUTH_FILE_BYTES / COLD_FILE_PAGE - 1 };

	memcpy(page + 1024, header, sizeof(header));
	memcpy(page + sizeof(page) - 10, "SWAPSPACE2", 10);
	if (pwrite(fd, page, sizeof(page), 0) != sizeof(page))
		return -errno;
	return fsync(fd) < 0 ? -errno : 0;
}

/*
 * 1: there is swap on a disk with room; 0: there is none at all; negative: only a kind that does
 * not wait.
 */
static int find_swap(void)
{
	FILE *file = fopen("/proc/swaps", "re");
	char line[512], name[256];
	unsigned long long size, used;
	int found = 0;

	if (!file)
		return -ENOSYS;
	while (fgets(line, sizeof(line), file)) {
		if (sscanf(line, "%255s %*s %llu %llu", name, &size, &used) != 3)
			continue;
		if (strstr(name, "zram") || size - used < MEMORY_BYTES / 1024)
			found = found > 0 ? found : -EOPNOTSUPP;
		else
			found = 1;
	}
	(void)fclose(file);
	return found;
}

static int possible(const struct truth_context *context, struct error *err)
{
	int r = cold_file_possible(context, err);

	if (r >= 0)
		r = group_possible(&memory, err);
	if (r < 0)
		return r;
	r = find_swap();
	if (r > 0 || (r == 0 && geteuid() == 0))
		return 0;
	(void)fail(err, FAILURE_CANNOT, r < 0 ? r : -EPERM, "cannot stage 'swap'");
	return error_because(err, r == 0 ? "no swap is on, and only root may switch it on"
				  : r == -ENOSYS
					  ? "this kernel has no swap"
					  : "the swap that is on is full, or memory itself (zram)");
}

/* In the directory that we hold open, so that it is found even if that was moved. */
static void swap_path(const struct truth_context *context, char *path, size_t size)
{
	(void)snprintf(path, size, "/proc/self/fd/%d/crosscut-swap-%u", context->directory,
		       context->kept);
}

static int make_swap(struct truth_context *context, struct error *err)
{
	char from[32], path[64];
	int r = cold_file_prepare(context, err);

	if (r >= 0 && (r = write_header(context->files[0])) < 0)
		return fail(err, FAILURE_WORK, r, "cannot write a swap file");
	if (r >= 0)
		r = staging_guard(context, err);
	if (r < 0)
		return r;
	context->kept = (unsigned)getpid();     /* from here on it is the guard's to undo */
	(void)snprintf(from, sizeof(from), "/proc/self/fd/%d", context->files[0]);
	swap_path(context, path, sizeof(path));
	if (linkat(AT_FDCWD, from, AT_FDCWD, path, AT_SYMLINK_FOLLOW) < 0 || swapon(path, 0) < 0)
		return fail(err, FAILURE_CANNOT, -errno, "cannot swap to a file");
	return 0;
}

static int prepare(struct truth_context *context, struct error *err)
{
	int r = find_swap();

	if (r == 0)
		r = make_swap(context, err);
	if (r >= 0)
		r = group_create(context, &memory, err);
	return r >= 0 ? group_write(context,
				    context->group_two ? "memory.max" : "memory.limit_in_bytes",
				    LIMIT_BYTES, err)
		      : r;
}

/*
 * What was written last is still in memory when all has been written: it is pushed out as a whole.
 */
static int swap_out(volatile char *bytes)
{
	for (size_t page = 0; page < MEMORY_PAGES; page++)
		bytes[page * COLD_FILE_PAGE] = (char)page;
	return madvise((void *)bytes, MEMORY_BYTES, MADV_PAGEOUT) < 0 ? -errno : 0;
}

static void touch(struct actor *actor)
{
	const volatile char *bytes = actor->prop;

	for (uint64_t n = 0; stage_more(actor->context); n++) {
		size_t page = (size_t)(n * 7919 % MEMORY_PAGES);

		stage_wait_begin(actor->self);
		(void)bytes[page * COLD_FILE_PAGE];
		stage_wait_end(actor->self);
	}
}

static int stage(struct truth_context *context, struct error *err)
{
	void *bytes = mmap(NULL, MEMORY_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			   -1, 0);
	int r = group_enter(context, getpid(), err);

	if (r < 0)
		return r;
	if (bytes == MAP_FAILED || madvise(bytes, MEMORY_BYTES, MADV_NOHUGEPAGE) < 0)
		return fail(err, FAILURE_WORK, -errno, "cannot get memory");
	(void)madvise(bytes, MEMORY_BYTES, MADV_RANDOM);
	r = swap_out(bytes);
	if (r < 0)
		return fail(err, FAILURE_WORK, r, "cannot have memory swapped out");
	stage_restart(context);
	return stage_threads(context, 1, touch, NULL, bytes, err);
}

static void cleanup(struct truth_context *context)
{
	char path[64];

	group_remove(context);
	if (context->kept == 0)
		return;
	swap_path(context, path, sizeof(path));
	(void)swapoff(path);
	(void)unlink(path);
}

const struct truth truth_swap = {
	.name = "swap",
	.summary = "touching memory that was swapped out, in a control group",
	.state = "paging", .part = "swap", .thread = "t-swap", .default_ms = 800,
	.possible = possible, .prepare = prepare, .stage = stage, .cleanup = cleanup,
};
