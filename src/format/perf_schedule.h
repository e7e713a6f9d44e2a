/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/* The scheduler's tracepoints in perf.data, told to a ledger (format/schedule.h) field by field. */
#include <stdint.h>

#include "profile/id.h"

struct perf_event;
struct perf_sample;
struct perf_schedule;
struct perf_session;

/* Does nothing for other tracepoints. thread: the one that was running. */
void perf_schedule_sample(struct perf_session *session, struct perf_event *event, const struct perf_sample *sample,
			  struct thread_id thread, struct stack_id stack);
void perf_schedule_finish(struct perf_session *session, uint64_t end_ns);
void perf_schedule_free(struct perf_schedule *schedule);
