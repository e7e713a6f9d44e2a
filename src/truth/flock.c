/* SPDX-License-Identifier: Apache-2.0 */
/* A lock on a file, held through one description of it and wanted through another. */
#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "truth/cold_file.h"
#include "truth/stage.h"

struct files {
	int holder, asker;
};

static void hold(struct stage_lock *lock)
{
	(void)flock(((const struct files *)lock->object)->holder, LOCK_EX);
}

static void release(struct stage_lock *lock)
{
	(void)flock(((const struct files *)lock->object)->holder, LOCK_UN);
}

static bool acquire(struct stage_lock *lock, unsigned actor)
{
	(void)actor;
	return flock(((const struct files *)lock->object)->asker, LOCK_EX) == 0;
}

static void drop(struct stage_lock *lock, unsigned actor)
{
	(void)actor;
	(void)flock(((const struct files *)lock->object)->asker, LOCK_UN);
}

static int prepare(struct truth_context *context, struct error *err)
{
	context->files[0] = cold_file_open(context->directory);
	if (context->files[0] < 0)
		return fail(err, FAILURE_WORK, context->files[0], "cannot make a file");
	return 0;
}

static int stage(struct truth_context *context, struct error *err)
{
	struct files files = { context->files[0], cold_file_reopen(context, O_RDWR) };
	struct stage_lock lock = { .hold = hold, .release = release, .acquire = acquire,
				   .drop = drop, .actors = 1, .object = &files };

	if (files.asker < 0)
		return fail(err, FAILURE_WORK, files.asker, "cannot open a file twice");
	return stage_lock(context, &lock, err);
}

const struct truth truth_flock = {
	.name = "flock",
	.summary = "a lock on a file that another descriptor holds",
	.state = "lock", .part = "file", .thread = "t-flock", .default_ms = 600,
	.prepare = prepare, .stage = stage,
};
