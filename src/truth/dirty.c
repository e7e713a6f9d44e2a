/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A writer that the kernel holds back because too much of what it wrote is not on the disk yet. The
 * machine's limits for this are gigabytes and everybody's; a loop device has its own, so this
 * writes to one, over a nameless file of 64 MiB, with the limit of that device alone set to 2 MiB.
 * No file system is made or mounted: the device is written to as it is. Limits and device go with
 * the guard.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/loop.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "truth/cold_file.h"
#include "truth/stage.h"
#include "truth/staging.h"

enum { CHUNK_BYTES = 256 << 10, BACKING = 0, DEVICE = 1 };

/* The loop driver is block major 7 on every kernel. */
static int set_limit(unsigned number, const char *file, const char *value)
{
	char path[96];
	int fd, r;

	(void)snprintf(path, sizeof(path), "/sys/class/bdi/7:%u/%s", number, file);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	r = write(fd, value, strlen(value)) < 0 ? -errno : 0;
	(void)close(fd);
	return r;
}

static int possible(const struct truth_context *context, struct error *err)
{
	int r = cold_file_possible(context, err);

	if (r < 0)
		return r;
	if (access("/dev/loop-control", W_OK) < 0) {
		(void)fail(err, FAILURE_CANNOT, -errno, "cannot get a loop device");
		return error_because(err, err->code == -EACCES ? "only root may attach one"
							       : "there are no loop devices");
	}
	return 0;
}

/* Returns the number of a device that nobody had: in a race for it, the next one is tried. */
static int attach(struct truth_context *context)
{
	struct loop_config config = { .fd = (uint32_t)context->files[BACKING],
				      .block_size = COLD_FILE_PAGE,
				      .info.lo_flags = LO_FLAGS_AUTOCLEAR | LO_FLAGS_DIRECT_IO };
	int control = open("/dev/loop-control", O_RDWR | O_CLOEXEC), number, fd = -1, r = -EBUSY;
	char path[32];

	if (control < 0)
		return -errno;
	for (int attempt = 0; attempt < 8 && r == -EBUSY; attempt++) {
		number = ioctl(control, LOOP_CTL_GET_FREE);
		(void)snprintf(path, sizeof(path), "/dev/loop%d", number);
		fd = number < 0 ? -1 : open(path, O_RDWR | O_CLOEXEC);
		if (fd < 0)
			r = -errno;
		else
			r = ioctl(fd, LOOP_CONFIGURE, &config) < 0 ? -errno : 0;
		if (r < 0 && fd >= 0)
			(void)close(fd);
	}
	(void)close(control);
	if (r < 0)
		return r;
	context->files[DEVICE] = fd;
	return number;
}

static int prepare(struct truth_context *context, struct error *err)
{
	int r = cold_file_prepare(context, err), number;

	if (r >= 0)
		r = staging_guard(context, err);
	if (r < 0)
		return r;
	number = attach(context);
	if (number < 0)
		return fail(err, FAILURE_CANNOT, number, "cannot attach a loop device");
	context->kept = (unsigned)number + 1;
	r = set_limit((unsigned)number, "strict_limit", "1");
	if (r >= 0)
		r = set_limit((unsigned)number, "max_bytes", "2097152");
	if (r < 0) {
		(void)fail(err, FAILURE_CANNOT, r, "cannot stage 'dirty'");
		return error_because(err, "this kernel has no limit per device (from 6.2)");
	}
	return 0;
}

static void pour(struct actor *actor)
{
	const struct truth_context *context = actor->context;

	for (uint64_t n = 0; stage_more(context); n++) {
		stage_wait_begin(actor->self);
		(void)!pwrite(context->files[DEVICE], actor->prop, CHUNK_BYTES,
			      (off_t)(n * CHUNK_BYTES % TRUTH_FILE_BYTES));
		stage_wait_end(actor->self);
	}
}

static int stage(struct truth_context *context, struct error *err)
{
	void *chunk = aligned_alloc(COLD_FILE_PAGE, CHUNK_BYTES);

	if (!chunk)
		return fail(err, FAILURE_WORK, -ENOMEM, "cannot get memory");
	memset(chunk, 1, CHUNK_BYTES);
	return stage_threads(context, 1, pour, NULL, chunk, err);
}

static void cleanup(struct truth_context *context)
{
	if (context->kept == 0)
		return;
	(void)set_limit(context->kept - 1, "max_ratio", "100");
	(void)set_limit(context->kept - 1, "strict_limit", "0");
}

const struct truth truth_dirty = {
	.name = "dirty",
	.summary = "a writer held back until its data is on the disk",
	.state = "disk", .part = "throttled", .thread = "t-dirty", .default_ms = 800,
	.possible = possible, .prepare = prepare, .stage = stage, .cleanup = cleanup,
};
