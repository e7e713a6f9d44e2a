/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A sample becomes cells of its event's dimension, which no other event shares. A clock's samples are running time, as in
 * our own captures; all others count what the processor or the kernel counted. Where the file holds no period, each sample
 * stands for as much as the attribute says; where that is a frequency, nobody knows, and it counts as one.
 */
#include "format/perf_session.h"
#include "format/perf_schedule.h"
#include "format/perf_unwind.h"
#include "profile/profile.h"

#include <stdio.h>

static bool is_clock(const struct perf_attribute *attribute)
{
	return attribute->type == PERF_SOFTWARE &&
	       (attribute->config == PERF_SOFTWARE_CPU_CLOCK || attribute->config == PERF_SOFTWARE_TASK_CLOCK);
}

/* Two clocks tell the same time: only one of them may be the running time. */
static bool is_running_time(struct perf_session *session, const struct perf_event *event)
{
	uint32_t index = (uint32_t)(event - session->events.rows);

	if (!is_clock(&event->attribute))
		return false;
	if (!session->has_clock) {
		session->has_clock = true;
		session->clock_event = index;
	}
	return session->clock_event == index;
}

/* A slash parts a state from its part where people name dimensions, and "cpu/cycles/" is one name. */
static struct dimension_id event_dimension(struct perf_session *session, struct perf_event *event)
{
	char name[sizeof(event->name)];

	(void)snprintf(name, sizeof(name), "%s", perf_event_name(event));
	for (char *at = name; *at; at++)
		*at = *at == '/' ? '|' : *at;
	return profile_dimension(session->profile, &(struct dimension_row){
		.name = name, .unit = is_clock(&event->attribute) ? "ns" : "count", .kind = DIMENSION_AMOUNT,
		.meaning = "counted by perf" });
}

static void measures_make(struct perf_session *session, struct perf_event *event)
{
	bool running = is_running_time(session, event);
	struct measure measure = { .weighting = WEIGHTING_SAMPLED, .source = profile_string(session->profile, perf_event_name(event)),
				   .period = event->attribute.by_frequency ? 0 : event->attribute.period, .role = ROLE_SPLIT };

	if (event->attribute.type == PERF_TRACEPOINT && event->attribute.period <= 1)
		measure.weighting = WEIGHTING_EXACT;
	for (unsigned kernel = 0; kernel < 2; kernel++) {
		measure.dimension = running ? profile_dimension(session->profile, dimension_row_find("oncpu", kernel ? "kernel" : "user"))
					    : event_dimension(session, event);
		event->measures[kernel] = profile_measure(session->profile, measure);
	}
	/* of running time, the scheduler's own events tell the total */
	measure.role = ROLE_TOTAL;
	if (!running)
		event->total = profile_measure(session->profile, measure);
}

static uint64_t weight_of(struct perf_session *session, const struct perf_event *event, const struct perf_sample *sample)
{
	if (sample->has_period)
		return sample->period;
	if (!event->attribute.by_frequency && event->attribute.period)
		return event->attribute.period;
	session->without_period++;
	return 1;
}

static uint64_t time_of(const struct perf_sample *sample)
{
	return sample->has_time ? sample->time_ns : 0;
}

static void add_sample(struct perf_session *session, struct perf_event *event, struct thread_id thread, struct stack_id stack,
		       bool kernel, uint64_t weight, uint64_t time_ns)
{
	struct cell cell;

	if (!event->measures[0].index)
		measures_make(session, event);
	event->samples++;
	event->period_sum += weight;
	session->samples++;
	session->period_sum += weight;
	cell = (struct cell){ .slice = seconds_slice(&session->seconds, time_ns), .thread = thread,
			      .measure = event->measures[kernel], .stack = stack, .count = 1, .value = weight, .maximum = weight,
			      .variance = event->attribute.type == PERF_TRACEPOINT ? 0 : (double)weight * (double)weight };
	profile_add_cell(session->profile, cell);
	cell.measure = event->total;
	cell.stack = (struct stack_id){ 0 };
	if (cell.measure.index)
		profile_add_cell(session->profile, cell);
}

/* One record of a group stands for all its members: each gained what its count grew by. */
static void add_group(struct perf_session *session, const struct perf_event *leader, const struct perf_sample *sample,
		      struct thread_id thread, struct stack_id stack, bool kernel)
{
	const struct perf_attribute attribute = leader->attribute;
	struct perf_read read;

	for (uint64_t i = 0; perf_sample_group_value(&attribute, sample, session->swapped, i, &read); i++) {
		struct perf_event *event = perf_events_find(&session->events, read.id);
		uint64_t gain = event ? perf_events_gain(&session->events, read.id, read.value) : 0;

		if (gain)
			add_sample(session, event, thread, stack, kernel, gain, time_of(sample));
	}
}

static void note(struct perf_session *session, const struct perf_sample *sample)
{
	session->periods_given += sample->has_period;
	session->chained += sample->chain_count > 0;
	session->with_branches += sample->branch_count > 0;
	session->with_user_stack += sample->user_stack_size > 0;
	if (!sample->has_time)
		return;
	if (!session->first_ns && session->window_start_ns && session->window_start_ns <= sample->time_ns)
		seconds_start(&session->seconds, session->window_start_ns);
	if (!session->first_ns || sample->time_ns < session->first_ns)
		session->first_ns = sample->time_ns;
	if (sample->time_ns > session->last_ns)
		session->last_ns = sample->time_ns;
}

static struct stack_id stack_of(struct perf_session *session, struct perf_process *process, const struct perf_event *event,
				const struct perf_sample *sample)
{
	struct perf_walk walk;

	if (sample->user_stack_size && sample->user_registers && perf_unwind_walk(session, process, event, sample, &walk))
		return perf_stacks_walked(&session->stacks, process, sample, &walk);
	return perf_stacks_of(&session->stacks, process, sample);
}

void perf_count_sample(struct perf_session *session, struct perf_event *event, const struct perf_sample *sample)
{
	struct perf_thread *thread = perf_tasks_thread(&session->tasks, sample->pid, sample->tid);
	struct perf_process *process = perf_thread_process(&session->tasks, thread);
	bool kernel = (sample->misc & PERF_MODE_MASK) == PERF_MODE_KERNEL;
	struct thread_id id = thread->id;
	struct stack_id stack = stack_of(session, process, event, sample);

	thread->seen = true;
	note(session, sample);
	if (event->attribute.type == PERF_TRACEPOINT)
		perf_schedule_sample(session, event, sample, id, stack);
	if (sample->reads)
		add_group(session, event, sample, id, stack, kernel);
	else
		add_sample(session, event, id, stack, kernel, weight_of(session, event, sample), time_of(sample));
}
