/* SPDX-License-Identifier: Apache-2.0 */
#include "profile/summary.h"

#include "unit/profile_builder.h"
#include "test.h"

#include <math.h>

static void near(double a, double b)
{
	if (!(fabs(a - b) <= 1e-9 * fmax(fabs(a), fabs(b))))
		print_error("%.12g is not %.12g\n", a, b);
	assert_true(fabs(a - b) <= 1e-9 * fmax(fabs(a), fabs(b)));
}

static struct summary summary_and_free(struct profile *profile)
{
	struct summary summary;

	profile_freeze(profile);
	assert_null(profile_broken(profile));
	summary_of(profile, &summary);
	profile_free(profile);
	return summary;
}

/* One thread of one second; the test adds what it did. */
static struct profile *one_second(struct slice_id *ret_slice, struct thread_id *ret_thread)
{
	struct profile *profile = profile_new();
	struct process_id process = built_process(profile, 10, "p");

	*ret_slice = profile_slice(profile, BUILDER_START, BUILDER_START + BUILDER_SECOND);
	*ret_thread = built_thread(profile, process, 10, "p", BUILDER_START, BUILDER_START + BUILDER_SECOND);
	return profile;
}

TEST(mercury_adds_up)
{
	struct summary summary = summary_and_free(mercury(&mercury_candidate));

	near(summary.wall_ns, 60e9);
	near(summary.thread_ns, 128 * 60e9);
	near(summary.accounted_ns, summary.thread_ns);
	near(summary.conservation_error_ns, 0);
	near(summary.oncpu_ns, 80000 * 7.4e6);
	near(summary.ready_ns, 80000 * 20e6);
	near(summary.waiting_ns, 80000 * 52e6);
	near(summary.unknown_ns, 0);
	near(summary.unknown_fraction, 0);
	near(summary.correct, 80000);
	near(summary.incorrect, 500);
	near(summary.own_cost_ns, 2e9);
	near(summary.own_cost_fraction, 2e9 / 592e9);
	near(summary.events_seen, 5e6);
	near(summary.lost_fraction, 0);
}

TEST(nothing_measured_is_not_zero)
{
	struct summary summary = summary_and_free(profile_new());

	assert_true(isnan(summary.lost_fraction));
	assert_true(isnan(summary.complete_fraction));
	assert_true(isnan(summary.unresolved_fraction));
	assert_true(isnan(summary.unknown_fraction));
	assert_true(isnan(summary.sampling_z));
	assert_true(isnan(summary.cut_fraction));
	assert_true(isnan(summary.own_cost_fraction));
	assert_true(isnan(summary.multiplexed_fraction));
	assert_true(isnan(summary.conservation_error_ns));
	assert_true(isnan(summary.runtime_error_fraction));
	assert_true(isnan(summary.no_waker_fraction));
}

TEST(a_thread_whose_states_miss_its_life_is_found_among_others)
{
	struct profile *profile = mercury(&mercury_baseline);
	struct slice_id slice = mercury_slice_at(profile, 2);

	built_total(profile, slice, (struct thread_id){ 7 }, "oncpu", 1234, 1, 0);
	near(summary_and_free(profile).conservation_error_ns, 1234);
}

TEST(the_worst_source_and_its_worst_slice_are_named)
{
	struct profile *profile = mercury(&mercury_baseline);
	struct string_id ring = profile_string(profile, "ring");
	struct slice_id first = mercury_slice_at(profile, 0), second = mercury_slice_at(profile, 1);
	struct summary summary;

	profile_add_loss(profile, (struct loss){ first, ring, 90, 5 });
	profile_add_loss(profile, (struct loss){ second, ring, 90, 15 });
	summary = summary_and_free(profile);
	near(summary.lost_fraction, 0.1);
	assert_string_equal(summary.lost_source, "ring");
	near(summary.lost_slice_s, 30);
	near(summary.events_lost, 20);
}

TEST(unknown_time_is_a_share_of_blocked_time)
{
	struct slice_id slice;
	struct thread_id thread;
	struct profile *profile = one_second(&slice, &thread);

	built_total(profile, slice, thread, "oncpu", 500000000, 1, 0);
	built_wait(profile, slice, thread, built_evidence(profile, "unknown", 0, WAKE_TASK),
		   100000000, 1, 0);
	built_wait(profile, slice, thread, built_evidence(profile, "idle/poll", 0, WAKE_TASK),
		   400000000, 1, 0);
	near(summary_and_free(profile).unknown_fraction, 0.2);
}

TEST(unverified_stacks_leave_completeness_unmeasured)
{
	struct slice_id slice;
	struct thread_id thread;
	struct profile *profile = one_second(&slice, &thread);
	struct summary summary;

	built_total(profile, slice, thread, "oncpu", 1000000000, 1, 0);
	built_samples(profile, slice, thread, "oncpu/user",
		      built_stack(profile, "main;a", STACK_COMPLETE), 90);
	built_samples(profile, slice, thread, "oncpu/user",
		      built_stack(profile, "main;b", STACK_UNVERIFIED), 1);
	summary = summary_and_free(profile);
	assert_true(isnan(summary.complete_fraction));
	near(summary.stack_weight, 91.0 * BUILDER_PERIOD);
}

TEST(a_failed_or_missing_stack_is_not_complete)
{
	struct slice_id slice;
	struct thread_id thread;
	struct profile *profile = one_second(&slice, &thread);

	built_total(profile, slice, thread, "oncpu", 1000000000, 1, 0);
	built_samples(profile, slice, thread, "oncpu/user",
		      built_stack(profile, "main;a", STACK_COMPLETE), 60);
	built_samples(profile, slice, thread, "oncpu/user",
		      built_stack(profile, "main;b", STACK_FAILED), 30);
	built_samples(profile, slice, thread, "oncpu/user", (struct stack_id){ 0 }, 10);
	near(summary_and_free(profile).complete_fraction, 0.6);
}

/* A ready thread's time, as a format without totals brings it back: split by stack, and no stack. */
static double complete_beside(bool exact, bool one_has_a_stack)
{
	struct slice_id slice;
	struct thread_id thread;
	struct profile *profile = one_second(&slice, &thread);
	struct cell cell = { .slice = slice, .thread = thread, .count = 1, .value = 9 * BUILDER_PERIOD,
			     .measure = built_measure(profile, "runnable/woken", ROLE_SPLIT,
						      exact ? WEIGHTING_EXACT : WEIGHTING_SAMPLED, "sched", 0) };

	built_samples(profile, slice, thread, "oncpu/user", built_stack(profile, "main;a", STACK_COMPLETE), 10);
	profile_add_cell(profile, cell);
	if (one_has_a_stack) {
		cell.stack = built_stack(profile, "main;b", STACK_COMPLETE);
		cell.value = BUILDER_PERIOD;
		profile_add_cell(profile, cell);
	}
	return summary_and_free(profile).complete_fraction;
}

TEST(exact_totals_that_came_back_as_stacks_have_none_that_failed)
{
	near(complete_beside(true, false), 1);
	near(complete_beside(true, true), 0.1);
	near(complete_beside(false, false), 0);
}

TEST(the_leaf_user_frame_decides_whether_a_stack_is_resolved)
{
	struct slice_id slice;
	struct thread_id thread;
	struct profile *profile = one_second(&slice, &thread);

	built_total(profile, slice, thread, "oncpu", 1000000000, 1, 0);
	built_samples(profile, slice, thread, "oncpu/user",
		      built_stack(profile, "?main;a", STACK_UNVERIFIED), 60);
	built_samples(profile, slice, thread, "oncpu/kernel",
		      built_stack(profile, "main;?libc.so;[k]vfs_read", STACK_UNVERIFIED), 30);
	built_samples(profile, slice, thread, "oncpu/kernel",
		      built_stack(profile, "[k]kthread;[k]worker", STACK_UNVERIFIED), 10);
	near(summary_and_free(profile).unresolved_fraction, 0.3);
}

TEST(samples_that_agree_have_a_small_z_and_none_at_all_a_large_one)
{
	struct slice_id slice;
	struct thread_id thread;
	struct profile *profile = one_second(&slice, &thread);
	double expected = 1e9 / BUILDER_PERIOD;

	built_total(profile, slice, thread, "oncpu", 1000000000, 1, 0);
	built_samples(profile, slice, thread, "oncpu/user",
		      built_stack(profile, "main", STACK_UNVERIFIED), 109);
	near(summary_and_free(profile).sampling_z, (109 - expected) / sqrt(expected));
	profile = one_second(&slice, &thread);
	built_total(profile, slice, thread, "oncpu", 1000000000, 1, 0);
	(void)built_measure(profile, "oncpu/user", ROLE_SPLIT, WEIGHTING_SAMPLED, "cpu-clock",
			    BUILDER_PERIOD);
	near(summary_and_free(profile).sampling_z, -sqrt(expected));
}

TEST(too_few_expected_samples_show_no_bias)
{
	struct slice_id slice;
	struct thread_id thread;
	struct profile *profile = one_second(&slice, &thread);

	built_total(profile, slice, thread, "oncpu", 290000000, 1, 0);
	built_samples(profile, slice, thread, "oncpu/user",
		      built_stack(profile, "main", STACK_UNVERIFIED), 90);
	assert_true(isnan(summary_and_free(profile).sampling_z));
}

TEST(a_cut_interval_counts_against_the_window_only_where_it_has_no_class)
{
	struct slice_id slice;
	struct thread_id thread;
	struct profile *profile = one_second(&slice, &thread);
	struct summary summary;

	built_wait(profile, slice, thread,
		   built_evidence(profile, "disk/read", EVIDENCE_CUT_START, WAKE_TASK), 300000000,
		   1, 0);
	built_wait(profile, slice, thread,
		   built_evidence(profile, "unknown", EVIDENCE_CUT_END, WAKE_UNSEEN), 100000000, 1,
		   0);
	built_wait(profile, slice, thread, built_evidence(profile, "timer", 0, WAKE_HARDIRQ),
		   600000000, 1, 0);
	summary = summary_and_free(profile);
	near(summary.cut_fraction, 0.1);
	near(summary.cut_all_fraction, 0.4);
}

TEST(waits_without_a_wake_up_are_counted_unless_the_window_cut_them)
{
	struct slice_id slice;
	struct thread_id thread;
	struct profile *profile = one_second(&slice, &thread);
	struct summary summary;

	built_wait(profile, slice, thread, built_evidence(profile, "timer", 0, WAKE_HARDIRQ),
		   900000000, 99, 0);
	built_wait(profile, slice, thread,
		   built_evidence(profile, "timer", EVIDENCE_NO_WAKER, WAKE_UNSEEN), 50000000, 1,
		   0);
	built_wait(profile, slice, thread,
		   built_evidence(profile, "timer", EVIDENCE_CUT_END, WAKE_UNSEEN), 50000000, 1, 0);
	summary = summary_and_free(profile);
	near(summary.waits, 100);
	near(summary.no_waker_fraction, 0.01);
}

static struct summary spinner(uint64_t oncpu_ns, uint64_t kernel_ns, uint64_t waits,
			      uint64_t stolen_ns)
{
	struct slice_id slice;
	struct thread_id thread;
	struct profile *profile = one_second(&slice, &thread);

	profile_set_meta_number(profile, "host.steal_ns", stolen_ns);
	profile_thread_edit(profile, thread)->kernel_runtime_ns = kernel_ns;
	built_total(profile, slice, thread, "oncpu", oncpu_ns, waits + 1, 0);
	built_wait(profile, slice, thread, built_evidence(profile, "timer", 0, WAKE_HARDIRQ),
		   BUILDER_SECOND - oncpu_ns, waits, 0);
	return summary_and_free(profile);
}

TEST(run_time_is_compared_on_threads_that_hardly_wait)
{
	near(spinner(980000000, 1000000000, 5, 0).runtime_error_fraction, 0.02);
	near(spinner(980000000, 1000000000, 5, 0).runtime_threads, 1);
	assert_true(isnan(spinner(980000000, 1000000000, 500, 0).runtime_error_fraction));
	assert_true(isnan(spinner(500000000, 600000000, 5, 0).runtime_error_fraction));
	assert_true(isnan(spinner(980000000, 0, 5, 0).runtime_error_fraction));
}

TEST(stolen_time_explains_a_surplus_and_never_a_lack)
{
	near(spinner(980000000, 960000000, 5, 20000000).runtime_error_fraction, 0);
	near(spinner(980000000, 1000000000, 5, 20000000).runtime_error_fraction, 0.02);
}

TEST(threads_outside_the_population_do_not_count)
{
	struct slice_id slice;
	struct thread_id thread;
	struct profile *profile = one_second(&slice, &thread);
	struct thread_id waker = built_thread(profile, (struct process_id){ 0 }, 99, "kworker",
					      BUILDER_START, BUILDER_START + BUILDER_SECOND);

	profile_thread_edit(profile, waker)->outside = true;
	built_total(profile, slice, thread, "oncpu", 1000000000, 1, 0);
	near(summary_and_free(profile).conservation_error_ns, 0);
}

TEST(states_of_a_thread_without_a_lifetime_are_an_error_where_others_have_one)
{
	struct slice_id slice;
	struct thread_id thread;
	struct profile *profile = one_second(&slice, &thread);
	struct thread_id lost = built_thread(profile, (struct process_id){ 0 }, 11, "lost", 0, 0);

	built_total(profile, slice, thread, "oncpu", 1000000000, 1, 0);
	built_total(profile, slice, lost, "oncpu", 5000, 1, 0);
	near(summary_and_free(profile).conservation_error_ns, 5000);
}

TEST(idle_stacks_hide_nothing_and_the_worst_of_running_and_waiting_counts)
{
	struct slice_id slice;
	struct thread_id thread;
	struct profile *profile = one_second(&slice, &thread);
	struct stack_id good = built_stack(profile, "main;a", STACK_COMPLETE);
	struct evidence_id idle = built_evidence(profile, "idle/poll", 0, WAKE_TASK);
	struct evidence_id read = built_evidence(profile, "disk/read", 0, WAKE_SOFTIRQ);
	struct summary summary;

	built_total(profile, slice, thread, "oncpu", 1000000000, 1, 0);
	built_wait_stack(profile, slice, thread, idle, good, (struct thread_id){ 0 }, 0,
			 60ull * BUILDER_SECOND, 1);
	built_wait_stack(profile, slice, thread, read, good, (struct thread_id){ 0 }, 0,
			 9ull * BUILDER_SECOND, 1);
	built_samples(profile, slice, thread, "oncpu/user", good, 60);
	built_samples(profile, slice, thread, "oncpu/user",
		      built_stack(profile, "main;?libc.so", STACK_FAILED), 40);
	summary = summary_and_free(profile);
	near(summary.unresolved_fraction, 0.4);
	assert_string_equal(summary.unresolved_where, "on-CPU time");
	near(summary.complete_fraction, 0.6);
	assert_string_equal(summary.complete_where, "on-CPU time");
	near(summary.stack_weight, 9e9 + 100.0 * BUILDER_PERIOD);
}

/* Of an import that holds one side only: samples of the processor, or waits. */
static struct summary summary_of_import(const char *state, enum weighting weighting)
{
	struct slice_id slice;
	struct thread_id thread;
	struct profile *profile = one_second(&slice, &thread);

	profile_set_meta(profile, "import.format", "pprof");
	profile_add_cell(profile, (struct cell){ .slice = slice, .thread = thread, .count = 3, .value = 3000,
						 .measure = built_measure(profile, state, ROLE_TOTAL, weighting, "x", 0) });
	return summary_and_free(profile);
}

TEST(who_never_looked_at_waits_knows_nothing_of_their_causes)
{
	struct summary sampled = summary_of_import("oncpu", WEIGHTING_SAMPLED), exact = summary_of_import("oncpu", WEIGHTING_EXACT);
	struct summary waits = summary_of_import("disk", WEIGHTING_EXACT);

	assert_true(isnan(sampled.unknown_fraction) && isnan(sampled.cut_fraction) && isnan(sampled.cut_all_fraction));
	assert_true(isnan(exact.unknown_fraction) && isnan(exact.cut_fraction));
	assert_true(isnan(waits.unknown_fraction) && isnan(waits.cut_fraction));
}

TEST(an_import_that_knows_when_threads_ran_and_when_not_is_a_ledger)
{
	struct slice_id slice;
	struct thread_id thread;
	struct profile *profile = one_second(&slice, &thread);
	struct summary summary;

	profile_set_meta(profile, "import.format", "ftrace");
	built_total(profile, slice, thread, "oncpu", 4000, 1, 0);
	built_total(profile, slice, thread, "unknown", 1000, 1, 0);
	summary = summary_and_free(profile);
	near(summary.unknown_fraction, 1);
	near(summary.cut_fraction, 0);
}
