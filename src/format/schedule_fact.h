/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/* Intervals of a schedule become cells of the ledger, and the same intervals one by one, as a capture's own do. */
#include <stdint.h>

#include "profile/evidence.h"
#include "profile/id.h"

struct profile;
struct seconds;

struct schedule_facts {
	struct profile *profile;
	struct seconds *seconds;         /* an interval counts in the one it ended in */
	struct measure_id running, preempted, woken, runnable, wait, split, switches, migrations;
	struct measure_id preempted_detail, woken_detail;
	struct dimension_id oncpu, runnable_state, preempted_part, woken_part;
};

struct schedule_wait {
	struct thread_id thread, waker;
	uint64_t start_ns, end_ns;
	const struct wait_evidence *seen;
	struct stack_id stack;
};

void schedule_facts_init(struct schedule_facts *facts, struct profile *profile, struct seconds *seconds, const char *source);
void schedule_fact_ran(struct schedule_facts *facts, struct thread_id thread, uint64_t start_ns, uint64_t end_ns);
/* part: "preempted", "woken"; NULL: which of the two is not known. */
void schedule_fact_ready(struct schedule_facts *facts, struct thread_id thread, uint64_t start_ns, uint64_t end_ns,
			 const char *part);
void schedule_fact_wait(struct schedule_facts *facts, const struct schedule_wait *wait);
void schedule_fact_switched(struct schedule_facts *facts, struct thread_id thread, uint64_t time_ns);
void schedule_fact_migrated(struct schedule_facts *facts, struct thread_id thread, uint64_t time_ns);
