/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * A real recording of a child of the test, and what was recorded: for tests that load the kernel half. NULL where this
 * machine cannot capture: the test skips then.
 */
#include "test.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "command/recording.h"
#include "format/format.h"
#include "profile/profile.h"

/* Begins a recording into a new file of such a template. */
static inline int recorded_run(struct recording *recording, char *path, struct recording_result *ret, struct error *err)
{
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	(void)close(fd);
	recording->path = path;
	recording->replace = true;
	return recording_run(recording, ret, err);
}

/* Ends the child, and reads what was recorded; r is what the recording returned. */
static inline struct profile *recorded_profile(int r, const char *path, pid_t child, struct recording_result *result,
					       struct error *err)
{
	struct profile *profile = NULL;

	(void)kill(child, SIGKILL);
	(void)waitpid(child, NULL, 0);
	recording_result_done(result);
	if (!r)
		r = format_read(path, &profile, err);
	(void)unlink(path);
	if (r < 0 && err->kind == FAILURE_CANNOT)
		return NULL;
	if (r < 0)
		print_error("%s: %s\n", err->what, err->why);
	assert_int_equal(r, 0);
	return profile;
}
