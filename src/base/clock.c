/* SPDX-License-Identifier: Apache-2.0 */
/* Three clocks, in ns. */
#include "base/clock.h"

#include <time.h>

static uint64_t read_clock(clockid_t id)
{
	struct timespec now;

	(void)clock_gettime(id, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint64_t clock_now_ns(void)
{
	return read_clock(CLOCK_MONOTONIC);
}

uint64_t clock_thread_cpu_ns(void)
{
	return read_clock(CLOCK_THREAD_CPUTIME_ID);
}

uint64_t clock_wall_ns(void)
{
	return read_clock(CLOCK_REALTIME);
}
