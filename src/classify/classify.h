/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * A rule names one class of waits from what both sides of the wait left behind. Rules are pure, and
 * asked in the order of the table in classify.c: the first that matches decides. Where none does,
 * the wait is `unknown` and keeps its stack. A new class of waits is one file and one row, never a
 * probe.
 */
#include <stdbool.h>
#include <stddef.h>

struct profile;
struct wait_evidence;

/* The evidence of one wait with its names spelled out. */
struct wait_seen {
	const struct wait_evidence *evidence;
	const char *file_release;             /* "" where unread */
	const char *const *kernel_frames;     /* leaf first; none where no kernel stack was taken */
	size_t kernel_frame_count;
};

struct rule {
	const char *name;                     /* "disk-direct-read" */
	const char *summary;                  /* one line, below 72 columns */
	const char *state, *part;             /* a row of dimension.c; part NULL: the state */
	bool ambiguous;                       /* idle or waiting, depending on outstanding work */
	bool (*matches)(const struct wait_seen *seen);
};

extern const struct rule *const rules[];      /* NULL-terminated, in order of precedence */
const struct rule *rule_find(const char *name);
const struct rule *classify_wait(const struct wait_seen *seen);          /* NULL: unknown */

/* Helpers for rules: does any frame of the kernel stack have this name, or start with it? */
bool wait_calls(const struct wait_seen *seen, const char *function);
bool wait_calls_prefix(const struct wait_seen *seen, const char *prefix);

/*
 * Gives every evidence of the profile that has no class yet (or, with again, every one) its class.
 * Before the freeze.
 */
void classify_profile(struct profile *profile, bool again);
