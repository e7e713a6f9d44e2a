/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/* The host a capture was made on, for its provenance; and the time it lost to others: interrupts and the hypervisor. */
#include <stdint.h>

struct host {
	char name[65], kernel[65], kernel_build[65], architecture[65];
	char kernel_build_id[65];                    /* "" unknown */
	char processor[128];                         /* "Intel(R) Xeon(R) Processor @ 2.90GHz"; "" unknown */
	uint32_t processors_online, processors_possible;
	uint64_t memory_bytes;
};

/* Since boot, over all processors. The kernel counts in ticks: 10 ms each, mostly. */
struct host_time {
	uint64_t user_ns, system_ns, idle_ns, iowait_ns, irq_ns, softirq_ns, steal_ns;
};

void host_read(struct host *ret);                    /* what cannot be read stays empty */
int host_time_read(struct host_time *ret);
struct host_time host_time_between(const struct host_time *earlier, const struct host_time *later);
