/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes that must reach the disk: fdatasync() after a write into the cache, and a file opened with
 * O_SYNC. Blocks that exist are overwritten, so that no journal entry is due; the disk's own flush
 * is.
 */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "truth/cold_file.h"
#include "truth/stage.h"

enum { SPREAD = 1024 };                 /* pages that are written in turn */

static char page[COLD_FILE_PAGE] = { 1 };

static off_t place(uint64_t n)
{
	return (off_t)(n * 7 % SPREAD * COLD_FILE_PAGE);
}

static void write_and_sync(struct actor *actor)
{
	int fd = *(const int *)actor->prop;

	for (uint64_t n = 0; stage_more(actor->context); n++) {
		(void)!pwrite(fd, page, sizeof(page), place(n));
		stage_wait_begin(actor->self);
		(void)fdatasync(fd);
		stage_wait_end(actor->self);
	}
}

static void write_through(struct actor *actor)
{
	int fd = *(const int *)actor->prop;

	for (uint64_t n = 0; stage_more(actor->context); n++) {
		stage_wait_begin(actor->self);
		(void)!pwrite(fd, page, sizeof(page), place(n));
		stage_wait_end(actor->self);
	}
}

/*
 * Warm pages: overwriting a page that is not in memory is free of reads only when it is overwritten
 * as a whole.
 */
static void warm(int fd)
{
	for (uint64_t n = 0; n < SPREAD; n++)
		(void)!pread(fd, page, sizeof(page), place(n));
}

static int stage_with(struct truth_context *context, int flags, void (*body)(struct actor *),
		      struct error *err)
{
	int fd = cold_file_reopen(context, O_RDWR | flags);

	if (fd < 0)
		return fail(err, FAILURE_WORK, fd, "cannot open the file of '%s'",
			    context->row->name);
	warm(fd);
	stage_restart(context);
	return stage_threads(context, 1, body, NULL, &fd, err);
}

static int stage_fdatasync(struct truth_context *context, struct error *err)
{
	return stage_with(context, 0, write_and_sync, err);
}

static int stage_sync(struct truth_context *context, struct error *err)
{
	return stage_with(context, O_SYNC, write_through, err);
}

const struct truth truth_fdatasync = {
	.name = "fdatasync",
	.summary = "fdatasync after each small write",
	.state = "disk", .part = "flush", .thread = "t-fdatasync", .default_ms = 600,
	.possible = cold_file_possible, .prepare = cold_file_prepare, .stage = stage_fdatasync,
};

const struct truth truth_write_sync = {
	.name = "write-sync",
	.summary = "writes to a file opened with O_SYNC",
	.why = "the call waits for its data and for the disk's flush: disk, in more than one part",
	.state = "disk", .thread = "t-write-sync", .default_ms = 600,
	.possible = cold_file_possible, .prepare = cold_file_prepare, .stage = stage_sync,
};
