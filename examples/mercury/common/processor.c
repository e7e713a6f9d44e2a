/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pinning. The set of CPUs that we may use is asked first: in a container the numbers need not
 * start at zero, and a pin outside the set fails.
 */
#define _GNU_SOURCE 1
#include "processor.h"

#include <errno.h>
#include <sched.h>

/* That CPU, or else the nearest one below it, or else the first above it. */
static int processor_choose(const cpu_set_t *allowed, int cpu)
{
	int nearest = cpu < CPU_SETSIZE ? cpu : CPU_SETSIZE - 1;

	while (nearest > 0 && !CPU_ISSET((size_t)nearest, allowed))
		nearest--;
	while (nearest < CPU_SETSIZE - 1 && !CPU_ISSET((size_t)nearest, allowed))
		nearest++;
	return nearest;
}

int processor_pin(int cpu)
{
	cpu_set_t allowed, one;

	if (sched_getaffinity(0, sizeof(allowed), &allowed) < 0)
		return -errno;
	CPU_ZERO(&one);
	CPU_SET((size_t)processor_choose(&allowed, cpu), &one);
	return sched_setaffinity(0, sizeof(one), &one) < 0 ? -errno : 0;
}

/* The lowest real-time priority: the kernel's own real-time threads still go first. */
int processor_precede(void)
{
	struct sched_param lowest = { .sched_priority = sched_get_priority_min(SCHED_FIFO) };

	return sched_setscheduler(0, SCHED_FIFO, &lowest) < 0 ? -errno : 0;
}
