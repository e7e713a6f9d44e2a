/* SPDX-License-Identifier: Apache-2.0 */
/*
 * When each request should leave, and what it asks for: decided before the first one is sent, so
 * that a slow answer never delays a later question (no coordinated omission).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct planned {
	uint64_t at_ns;                      /* after the start */
	uint32_t item;
	int32_t warehouse;                   /* -1: all of them */
};

struct schedule {
	struct planned *planned;
	size_t count;
};

struct schedule_config {
	double rate;                         /* per second */
	double seconds;
	uint64_t seed;
	uint32_t items;
	uint32_t popular_percent;            /* of the requests, to the first 256 items */
	uint32_t partial_percent;            /* of the requests, for one warehouse only */
	uint32_t unknown_permille;           /* of the requests, to items that there are not */
	bool fixed_spacing;                  /* instead of exponential */
};

/* -E2BIG beyond 20 million requests, -ENOMEM. */
int  load_schedule_make(struct schedule *ret, const struct schedule_config *config);
void load_schedule_free(struct schedule *schedule);
