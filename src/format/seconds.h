/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * Slices of a second each for a file that tells when things happened, counted from its beginning, so that a part of the time
 * can be asked for (--from, --to) as it can of a capture. Times may come in any order; what has none is in a slice of its own.
 */
#include <stdint.h>

#include "profile/id.h"

struct map;
struct profile;

struct seconds {
	struct profile *profile;
	struct map *slices;              /* second since the start, which may be negative → slice */
	uint64_t start_ns;               /* 0: not known yet */
	int64_t newest;
	uint32_t untimed, filled;
};

void seconds_init(struct seconds *seconds, struct profile *profile);
void seconds_done(struct seconds *seconds);
/* Where the first second begins, where that is known before anything that happened in it; else it is the first time seen. */
void seconds_start(struct seconds *seconds, uint64_t start_ns);
/* time_ns 0: unknown. Seconds in which nothing happened have their slice, too. */
struct slice_id seconds_slice(struct seconds *seconds, uint64_t time_ns);
/* The window, which begins and ends within a second; where it has no time, it is one slice. */
void seconds_finish(struct seconds *seconds, uint64_t start_ns, uint64_t end_ns);
