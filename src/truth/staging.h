/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * Runs one row of the truth set in a process of its own.
 *
 *	r = staging_new(row, directory, 0, &staging, err);  FAILURE_CANNOT: not run, see err->why
 *	r = staging_start(staging, &pid, err);              it exists, and waits to be told
 *	… start to watch pid and what it forks …
 *	staging_go(staging);                                it performs for its time, and exits
 *	r = staging_wait(staging, err);                     reaps it; the report is final
 *	… staging_report(staging) …
 *	staging_free(staging);                              kills and removes what is left
 *
 * It ends in time whatever happens: the process has an alarm, each of its children dies with its
 * parent, and files have no names. What the kernel keeps beyond that (control groups, swap, loop
 * devices) is removed by the guard, a process that wakes up when the caller lets go of it or dies.
 *
 * Call it from a thread that lives as long as the staging: the process dies with the thread that
 * started it.
 */
#include <stdint.h>
#include <sys/types.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "truth/truth.h"

struct staging;

/*
 * duration_ns 0 = the row's own. The directory must exist, and lie on a disk for the rows that wait
 * for one.
 */
int staging_new(const struct truth *row, const char *directory, uint64_t duration_ns,
		struct staging **ret, struct error *err);
/* "NAME=VALUE", NULL-terminated, for rows that perform under a probe's own library. Before it starts. */
void staging_environment(struct staging *staging, const char *const *environment);
int staging_start(struct staging *staging, pid_t *ret_pid, struct error *err);
void staging_go(struct staging *staging);
int staging_wait(struct staging *staging, struct error *err);
const struct truth_report *staging_report(const struct staging *staging);
void staging_free(struct staging *staging);     /* NULL is fine */
DEFINE_CLEANUP(staging)

/* For rows: from here on the row's cleanup() runs once the caller frees the staging, or dies. */
int staging_guard(struct truth_context *context, struct error *err);
