/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * What `convert` can write: a profile by a format's row, or the answer to "which calls led to it?" by a
 * view's. Both are found by name or by a file's suffix, formats first.
 */
#include <stdint.h>

struct error;
struct format;
struct format_options;
struct output;
struct profile;
struct view;

struct target {
	const char *name, *summary;
	const struct format *format;         /* one of the two is NULL */
	const struct view *view;
	uint32_t keeps;                      /* as in struct format */
};

/* By name where one is given (--to), else by the suffix of path. FAILURE_USAGE where there is none. */
int target_choose(const char *name, const char *path, struct target *ret, struct error *err);
/* title: of a document that is drawn. */
int target_write(const struct target *target, const struct profile *profile, const struct format_options *options,
		 const char *title, struct output *to, struct error *err);
