/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * Lets programs of known waits perform, one after another, inside one capture, and reads the capture back from its
 * file: what is judged has gone the whole way that a user's capture goes.
 */
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"

struct heap;
struct profile;
struct staging;

struct performance {
	struct staging *staging;        /* made, and started by calibration_capture() */
	pid_t pid;
	int result;                     /* of the performance; negative errno with `error` filled */
	struct error error;
};

/* Beyond what is on by default: the probe that each needs, and the heap shim's channel where one is that. */
struct capture_needs { const char *with[4]; unsigned with_count; struct heap *heap; };

/* -EINTR where the user ended it. Performances that failed say so themselves. */
int calibration_capture(struct performance *performances, size_t count, const struct capture_needs *needs, const char *path,
			struct profile **ret, struct error *err);
/* Everybody, for this long. */
int calibration_capture_all(uint64_t duration_ns, const char *path, struct profile **ret, struct error *err);
