/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * Stacks of which perf copied the bytes (--call-graph dwarf): walked here by the call-frame information of the files that
 * were mapped, where these very builds lie at their paths.
 */
#include <stdbool.h>

struct perf_event;
struct perf_process;
struct perf_sample;
struct perf_session;
struct perf_unwind;
struct perf_walk;

/* False where it cannot be begun: another machine's registers, a 32-bit task. ret is valid until the next call. */
bool perf_unwind_walk(struct perf_session *session, struct perf_process *process, const struct perf_event *event,
		      const struct perf_sample *sample, struct perf_walk *ret);
void perf_unwind_free(struct perf_unwind *unwind);
