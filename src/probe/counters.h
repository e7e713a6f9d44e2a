/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/* The counters of the kernel's perf events that can be captured: what each is called there and here, and how many of its
 * events one sample stands for. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct counter_event {
	const char *name;                    /* the dimension, or its parent where part says which part */
	const char *part;                    /* NULL: user or kernel, by the processor's mode */
	uint32_t type;                       /* PERF_TYPE_… */
	uint64_t config, period;
};

extern const struct counter_event counter_events[];
extern const size_t counter_event_count;
bool counter_is_hardware(const struct counter_event *event);
