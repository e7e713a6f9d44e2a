/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A wait's cells hold lengths of one power of two each, so that its distribution can be drawn; delays have theirs in details
 * beside the ledger. Empty intervals leave nothing.
 */
#include "format/schedule_fact.h"

#include "format/seconds.h"
#include "profile/profile.h"

#include <string.h>

static struct measure_id measure(struct schedule_facts *facts, struct dimension_id dimension, enum measure_role role,
				 const char *source)
{
	return profile_measure(facts->profile, (struct measure){
		.dimension = dimension, .role = role, .weighting = WEIGHTING_EXACT, .source = profile_string(facts->profile, source) });
}

static struct dimension_id dimension(struct schedule_facts *facts, const char *parent, const char *name)
{
	return profile_dimension(facts->profile, dimension_row_find(parent, name));
}

void schedule_facts_init(struct schedule_facts *facts, struct profile *profile, struct seconds *seconds, const char *source)
{
	*facts = (struct schedule_facts){ .profile = profile, .seconds = seconds };
	facts->oncpu = dimension(facts, NULL, "oncpu");
	facts->runnable_state = dimension(facts, NULL, "runnable");
	facts->preempted_part = dimension(facts, "runnable", "preempted");
	facts->woken_part = dimension(facts, "runnable", "woken");
	facts->running = measure(facts, facts->oncpu, ROLE_TOTAL, source);
	facts->runnable = measure(facts, facts->runnable_state, ROLE_TOTAL, source);
	facts->preempted = measure(facts, facts->preempted_part, ROLE_TOTAL, source);
	facts->woken = measure(facts, facts->woken_part, ROLE_TOTAL, source);
	facts->preempted_detail = measure(facts, facts->preempted_part, ROLE_DETAIL, source);
	facts->woken_detail = measure(facts, facts->woken_part, ROLE_DETAIL, source);
	facts->wait = measure(facts, (struct dimension_id){ 0 }, ROLE_TOTAL, source);
	facts->split = measure(facts, (struct dimension_id){ 0 }, ROLE_SPLIT, source);
	facts->switches = measure(facts, dimension(facts, NULL, "context-switches"), ROLE_TOTAL, source);
	facts->migrations = measure(facts, dimension(facts, NULL, "migrations"), ROLE_TOTAL, source);
}

/* An interval's end lies behind it. */
static struct slice_id slice_of(const struct schedule_facts *facts, uint64_t end_ns)
{
	return seconds_slice(facts->seconds, end_ns - 1);
}

static uint8_t length_log2(uint64_t ns)
{
	return ns ? (uint8_t)(63 - __builtin_clzll(ns)) : 0;
}

void schedule_fact_ran(struct schedule_facts *facts, struct thread_id thread, uint64_t start_ns, uint64_t end_ns)
{
	uint64_t ns = end_ns - start_ns;

	if (end_ns <= start_ns)
		return;
	profile_add_cell(facts->profile, (struct cell){ .slice = slice_of(facts, end_ns), .thread = thread, .measure = facts->running,
							.count = 1, .value = ns, .maximum = ns });
	profile_add_interval(facts->profile, (struct interval){ .thread = thread, .start_ns = start_ns, .end_ns = end_ns,
								.dimension = facts->oncpu });
}

void schedule_fact_ready(struct schedule_facts *facts, struct thread_id thread, uint64_t start_ns, uint64_t end_ns,
			 const char *part)
{
	bool preempted = part && !strcmp(part, "preempted");
	uint64_t ns = end_ns - start_ns;

	if (end_ns <= start_ns)
		return;
	profile_add_cell(facts->profile, (struct cell){
		.slice = slice_of(facts, end_ns), .thread = thread, .count = 1, .value = ns, .maximum = ns,
		.measure = !part ? facts->runnable : preempted ? facts->preempted : facts->woken });
	profile_add_cell(facts->profile, (struct cell){
		.slice = slice_of(facts, end_ns), .count = 1, .value = ns, .length_log2 = length_log2(ns),
		.measure = preempted ? facts->preempted_detail : facts->woken_detail });
	profile_add_interval(facts->profile, (struct interval){
		.thread = thread, .start_ns = start_ns, .end_ns = end_ns,
		.dimension = !part ? facts->runnable_state : preempted ? facts->preempted_part : facts->woken_part });
}

void schedule_fact_wait(struct schedule_facts *facts, const struct schedule_wait *wait)
{
	struct evidence_id evidence;
	struct cell cell;
	uint64_t ns = wait->end_ns - wait->start_ns;

	if (wait->end_ns <= wait->start_ns)
		return;
	evidence = profile_evidence(facts->profile, wait->seen);
	cell = (struct cell){ .slice = slice_of(facts, wait->end_ns), .thread = wait->thread, .measure = facts->wait, .evidence = evidence,
			      .length_log2 = length_log2(ns), .count = 1, .value = ns, .maximum = ns };
	profile_add_cell(facts->profile, cell);
	if (wait->stack.index || wait->waker.index) {
		cell.measure = facts->split;
		cell.stack = wait->stack;
		cell.other = wait->waker;
		profile_add_cell(facts->profile, cell);
	}
	profile_add_interval(facts->profile, (struct interval){
		.thread = wait->thread, .start_ns = wait->start_ns, .end_ns = wait->end_ns, .evidence = evidence,
		.stack = wait->stack, .waker = wait->waker });
}

static void count(struct schedule_facts *facts, struct thread_id thread, uint64_t time_ns, struct measure_id measure)
{
	profile_add_cell(facts->profile, (struct cell){ .slice = seconds_slice(facts->seconds, time_ns), .thread = thread, .measure = measure, .count = 1,
							.value = 1 });
}

void schedule_fact_switched(struct schedule_facts *facts, struct thread_id thread, uint64_t time_ns)
{
	count(facts, thread, time_ns, facts->switches);
}

void schedule_fact_migrated(struct schedule_facts *facts, struct thread_id thread, uint64_t time_ns)
{
	count(facts, thread, time_ns, facts->migrations);
}
