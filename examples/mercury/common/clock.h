/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The one clock that the service, the load generator and a profiler beside them can agree on:
 * CLOCK_MONOTONIC in nanoseconds.
 */
#pragma once

#include <stdint.h>
#include <time.h>

static inline uint64_t clock_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}
