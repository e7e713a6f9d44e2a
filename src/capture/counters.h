/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/* The perf events behind the probes `faults` and `counters`: one per event and CPU. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"

struct counters;
struct crosscut_bpf;
struct error;

bool counters_have_hardware(void);              /* has this machine counters of the processor? */

/* Whichever of the two is chosen; an event that this machine lacks is left out. Not yet counting. */
int counters_open(struct counters **ret, struct crosscut_bpf *bpf, bool faults, bool hardware, struct error *err);
int counters_enable(struct counters *counters, struct error *err);
void counters_free(struct counters *counters);
DEFINE_CLEANUP(counters)

/* Of all CPUs, since they were enabled. */
void counters_time(const struct counters *counters, size_t event, uint64_t *ret_enabled_ns, uint64_t *ret_running_ns);
bool counters_has(const struct counters *counters, size_t event);
