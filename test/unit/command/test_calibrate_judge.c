/* SPDX-License-Identifier: Apache-2.0 */
#include "command/calibrate_judge.h"

#include <math.h>
#include <string.h>

#include "unit/profile_builder.h"
#include "test.h"

enum { MS = 1000000, TID = 4711 };

static const struct truth waiting = { .name = "mutex", .state = "lock", .part = "mutex", .measure = TRUTH_WAITED };
static const struct truth running = { .name = "spin", .state = "oncpu", .measure = TRUTH_RAN };
static const struct truth queueing = { .name = "quota", .state = "runnable", .part = "preempted", .measure = TRUTH_QUEUED };

/* A thread of 1000 ms by its own clocks: 900 ms in ninety waits, of which 9 ms on CPU and 18 ms ready; 100 ms on CPU. */
static struct truth_report report_of(void)
{
	struct truth_report report = { .thread_count = 1 };

	report.threads[0] = (struct truth_thread){
		.pid = 4700, .tid = TID, .start_ns = BUILDER_START + 10 * MS, .end_ns = BUILDER_START + 1010 * MS,
		.waited_ns = 900 * MS, .wait_count = 90, .wait_cpu_ns = 9 * MS, .cpu_ns = 109 * MS,
		.ready_ns = 18 * MS, .ready_known = true };
	return report;
}

/* What a capture holds of it: born as it began, dead as it ended. */
struct story { uint64_t oncpu_ms, woken_ms, preempted_ms, waited_ms, elsewhere_ms, lost_ms; const char *state; };

static struct calibration judged(const struct truth *row, struct truth_report report, const struct story *story)
{
	CLEANUP(profile) struct profile *profile = profile_new();
	struct process_id process = built_process(profile, 4700, "truth");
	struct slice_id slice = built_slice(profile, BUILDER_START, BUILDER_START + 2000ull * MS);
	struct thread_id thread = built_thread(profile, process, TID, "t-mutex", report.threads[0].start_ns,
					       report.threads[0].end_ns);
	struct calibration ret = { .row = row, .attempts = 1 };

	built_total(profile, slice, thread, "oncpu", story->oncpu_ms * MS, 90, 0);
	built_total(profile, slice, thread, "runnable/woken", story->woken_ms * MS, 90, 0);
	built_total(profile, slice, thread, "runnable/preempted", story->preempted_ms * MS, 1, 0);
	built_wait(profile, slice, thread, built_evidence(profile, story->state ? story->state : "lock/mutex", 0, WAKE_TASK),
		   story->waited_ms * MS, 90, 0);
	if (story->elsewhere_ms)
		built_wait(profile, slice, thread, built_evidence(profile, "disk/read", 0, WAKE_SOFTIRQ), story->elsewhere_ms * MS,
			   1, 0);
	if (story->lost_ms)
		built_wait(profile, slice, thread, built_evidence(profile, "unknown", EVIDENCE_LOST, WAKE_UNSEEN),
			   story->lost_ms * MS, 1, 0);
	profile_freeze(profile);
	calibration_judge(&report, profile, &ret);
	return ret;
}

TEST(what_is_seen_as_it_was_is_within)
{
	struct calibration found = judged(&waiting, report_of(), &(struct story){ 109, 18, 0, 873, 0, 0, NULL });

	assert_int_equal(found.verdict, CALIBRATION_WITHIN);
	assert_string_equal(found.why, "");
	assert_int_equal(found.threads, 1);
	assert_true(found.error_ns == 0);
	assert_true(found.share == 1 && found.part_share == 1);
	assert_true(found.conservation_ns == 0);
}

TEST(two_in_a_hundred_in_another_state_is_outside)
{
	struct calibration found = judged(&waiting, report_of(), &(struct story){ 109, 18, 0, 855, 18, 0, NULL });

	assert_int_equal(found.verdict, CALIBRATION_OUTSIDE);
	assert_non_null(strstr(found.why, "disk/read"));
}

TEST(half_in_a_hundred_in_another_state_is_within)
{
	struct calibration found = judged(&waiting, report_of(), &(struct story){ 109, 18, 0, 869, 4, 0, NULL });

	assert_int_equal(found.verdict, CALIBRATION_WITHIN);
	assert_true(found.share < 1);
}

TEST(another_part_of_the_state_is_outside)
{
	struct calibration found = judged(&waiting, report_of(), &(struct story){ 109, 18, 0, 873, 0, 0, "lock/rwlock" });

	assert_int_equal(found.verdict, CALIBRATION_OUTSIDE);
	assert_true(found.share == 1 && found.part_share == 0);
	assert_non_null(strstr(found.why, "lock/rwlock"));
}

TEST(waits_that_are_longer_than_the_program_waited_are_outside)
{
	struct truth_report report = report_of();
	struct calibration found;

	report.threads[0].waited_ns = 840 * MS;         /* 60 ms less than is seen; 3 % are 25 ms */
	found = judged(&waiting, report, &(struct story){ 109, 18, 0, 873, 0, 0, NULL });
	assert_int_equal(found.verdict, CALIBRATION_OUTSIDE);
	assert_true(fabs(found.error_ns - 60 * MS) < 1);
}

TEST(preemption_may_have_been_inside_a_wait_or_not)
{
	struct truth_report report = report_of();

	report.threads[0].waited_ns = 860 * MS;
	assert_int_equal(judged(&waiting, report, &(struct story){ 109, 18, 40, 833, 0, 0, NULL }).verdict, CALIBRATION_WITHIN);
	report.threads[0].waited_ns = 900 * MS;
	assert_int_equal(judged(&waiting, report, &(struct story){ 109, 18, 40, 833, 0, 0, NULL }).verdict, CALIBRATION_WITHIN);
}

TEST(states_that_miss_the_lifetime_are_outside)
{
	struct calibration found = judged(&waiting, report_of(), &(struct story){ 109, 18, 0, 872, 0, 0, NULL });

	assert_int_equal(found.verdict, CALIBRATION_OUTSIDE);
	assert_true(found.conservation_ns == MS);
}

TEST(a_thread_that_the_capture_does_not_hold_is_outside)
{
	struct truth_report report = report_of();
	struct calibration found;

	report.thread_count = 2;
	report.threads[1] = report.threads[0];
	report.threads[1].tid = TID + 1;
	found = judged(&waiting, report, &(struct story){ 109, 18, 0, 873, 0, 0, NULL });
	assert_int_equal(found.verdict, CALIBRATION_OUTSIDE);
	assert_non_null(strstr(found.why, "4712"));
}

TEST(a_program_that_reports_nothing_is_outside)
{
	struct truth_report report = report_of();

	report.thread_count = 0;
	assert_int_equal(judged(&waiting, report, &(struct story){ 109, 18, 0, 873, 0, 0, NULL }).verdict, CALIBRATION_OUTSIDE);
}

TEST(lost_time_is_set_apart_and_limited)
{
	struct calibration little = judged(&waiting, report_of(), &(struct story){ 109, 18, 0, 843, 0, 30, NULL });
	struct calibration much = judged(&waiting, report_of(), &(struct story){ 109, 18, 0, 773, 0, 100, NULL });

	assert_int_equal(little.verdict, CALIBRATION_WITHIN);
	assert_true(little.lost_ns == 30 * MS && little.share == 1);
	assert_int_equal(much.verdict, CALIBRATION_OUTSIDE);
	assert_non_null(strstr(much.why, "lost"));
}

TEST(running_time_is_held_to_the_threads_own_clock)
{
	struct truth_report report = report_of();

	report.threads[0].wait_count = 0;
	report.threads[0].wait_cpu_ns = report.threads[0].waited_ns = 0;
	report.threads[0].cpu_ns = 900 * MS;
	assert_int_equal(judged(&running, report, &(struct story){ 905, 0, 95, 0, 0, 0, NULL }).verdict, CALIBRATION_WITHIN);
	assert_int_equal(judged(&running, report, &(struct story){ 920, 0, 80, 0, 0, 0, NULL }).verdict, CALIBRATION_OUTSIDE);
}

TEST(queueing_is_held_to_the_kernels_account)
{
	struct truth_report report = report_of();

	report.threads[0].ready_ns = 600 * MS;
	assert_int_equal(judged(&queueing, report, &(struct story){ 395, 5, 600, 0, 0, 0, NULL }).verdict, CALIBRATION_WITHIN);
	assert_int_equal(judged(&queueing, report, &(struct story){ 350, 5, 645, 0, 0, 0, NULL }).verdict, CALIBRATION_OUTSIDE);
	assert_int_equal(judged(&queueing, report, &(struct story){ 395, 5, 580, 20, 0, 0, NULL }).verdict, CALIBRATION_OUTSIDE);
}

/* --- The machine --- */

static struct machine_balance balanced(uint64_t oncpu_ms, uint64_t idle_ms, uint64_t unseen_ms)
{
	CLEANUP(profile) struct profile *profile = profile_new();
	struct slice_id slice = built_slice(profile, BUILDER_START, BUILDER_START + 1000ull * MS);
	struct thread_id thread = built_thread(profile, built_process(profile, 1, "init"), 1, "init", BUILDER_START,
					       BUILDER_START + 1000ull * MS);
	struct machine_balance ret;

	profile_set_meta_number(profile, "capture.start_ns", BUILDER_START);
	profile_set_meta_number(profile, "capture.end_ns", BUILDER_START + 1000ull * MS);
	profile_set_meta_number(profile, "host.cpus", 2);
	profile_set_meta_number(profile, "idle.cpu_ns", idle_ms * MS);
	profile_set_meta_number(profile, "outside.cpu_ns", unseen_ms * MS);
	built_total(profile, slice, thread, "oncpu", oncpu_ms * MS, 1, 0);
	built_total(profile, slice, thread, "runnable/woken", (1000 - oncpu_ms) * MS, 1, 0);
	profile_freeze(profile);
	calibration_balance(profile, &ret);
	return ret;
}

TEST(the_time_of_all_cpus_must_add_up)
{
	assert_int_equal(balanced(800, 1150, 50).verdict, CALIBRATION_WITHIN);
	assert_int_equal(balanced(800, 1199, 0).verdict, CALIBRATION_WITHIN);
	assert_int_equal(balanced(800, 1190, 0).verdict, CALIBRATION_OUTSIDE);
	assert_int_equal(balanced(800, 1210, 0).verdict, CALIBRATION_OUTSIDE);
}

/* --- Amounts ---------------------------------------------------------------------------------------------------- */

static const struct truth holding = { .name = "holder", .state = "lock", .part = "mutex", .unit = "hand-offs", .measure = TRUTH_HOLDERS };
static const struct truth faulting = { .name = "fault-minor", .state = "page-faults", .part = "minor", .unit = "faults",
				       .measure = TRUTH_FAULTS };
static const struct truth leaking = { .name = "leak", .state = "inuse_space", .unit = "bytes", .measure = TRUTH_RETAINED };

static void add_amount(struct profile *profile, struct slice_id slice, const char *parent, const char *name, enum measure_role role,
		       const char *source, struct cell cell)
{
	cell.slice = slice;
	cell.measure = profile_measure(profile, (struct measure){
		.dimension = profile_dimension(profile, dimension_row_find(parent, name)), .role = role, .weighting = WEIGHTING_SAMPLED,
		.source = profile_string(profile, source) });
	profile_add_cell(profile, cell);
}

static struct calibration judged_holders(uint64_t right, uint64_t wrong_one)
{
	CLEANUP(profile) struct profile *profile = profile_new();
	struct process_id process = built_process(profile, 4700, "truth");
	struct slice_id slice = built_slice(profile, BUILDER_START, BUILDER_START + 2000ull * MS);
	struct thread_id waiter = built_thread(profile, process, TID, "t-holder", BUILDER_START, BUILDER_START + MS);
	struct thread_id holder = built_thread(profile, process, TID + 1, "holds", BUILDER_START, BUILDER_START + MS);
	struct thread_id other = built_thread(profile, process, TID + 2, "holds", BUILDER_START, BUILDER_START + MS);
	struct truth_report report = { .amount_count = 1, .amounts = { { .tid = TID, .other = TID + 1, .value = 200 } } };
	struct calibration ret = { .row = &holding };

	add_amount(profile, slice, NULL, "lock", ROLE_DETAIL, "lock-hand-offs",
		   (struct cell){ .thread = waiter, .other = holder, .count = right, .value = 1 });
	add_amount(profile, slice, NULL, "lock", ROLE_DETAIL, "lock-hand-offs",
		   (struct cell){ .thread = waiter, .other = other, .count = wrong_one, .value = 1 });
	profile_freeze(profile);
	calibration_judge(&report, profile, &ret);
	return ret;
}

TEST(a_holder_is_right_in_ninety_nine_of_a_hundred_hand_offs)
{
	assert_int_equal(judged_holders(200, 0).verdict, CALIBRATION_WITHIN);
	assert_int_equal(judged_holders(199, 1).verdict, CALIBRATION_WITHIN);
	assert_int_equal(judged_holders(197, 3).verdict, CALIBRATION_OUTSIDE);
	assert_int_equal(judged_holders(260, 0).verdict, CALIBRATION_WITHIN);   /* others were too short to be sure of */
	assert_true(fabs(judged_holders(197, 3).error_amount + 3) < 0.5);
}

static struct calibration judged_amount(const struct truth *row, const struct truth_amount *amount, uint64_t seen, double variance)
{
	CLEANUP(profile) struct profile *profile = profile_new();
	struct process_id process = built_process(profile, 4700, "truth");
	struct slice_id slice = built_slice(profile, BUILDER_START, BUILDER_START + 2000ull * MS);
	struct thread_id thread = built_thread(profile, process, TID, "t-leak", BUILDER_START, BUILDER_START + MS);
	struct cell cell = { .thread = thread, .count = 1, .value = seen, .variance = variance };
	struct truth_report report = { .amount_count = 1, .amounts = { *amount } };
	struct calibration ret = { .row = row };

	if (row->measure == TRUTH_RETAINED)
		cell.stack = built_stack(profile, "main;leak;leak_small", STACK_COMPLETE);
	add_amount(profile, slice, row->part ? row->state : NULL, row->part ? row->part : row->state,
		   row->measure == TRUTH_RETAINED ? ROLE_SPLIT : ROLE_TOTAL, "probe", cell);
	profile_freeze(profile);
	calibration_judge(&report, profile, &ret);
	return ret;
}

TEST(an_amount_may_be_off_by_one_per_cent_and_what_sampling_leaves_open)
{
	const struct truth_amount faults = { .tid = TID, .value = 100000 }, leak = { .name = "leak_small", .value = 1000000 };
	const struct truth_amount elsewhere = { .name = "leak_large", .value = 1000000 };

	assert_int_equal(judged_amount(&faulting, &faults, 100900, 0).verdict, CALIBRATION_WITHIN);
	assert_int_equal(judged_amount(&faulting, &faults, 102000, 0).verdict, CALIBRATION_OUTSIDE);
	assert_int_equal(judged_amount(&faulting, &faults, 102000, 1e6).verdict, CALIBRATION_WITHIN);
	assert_int_equal(judged_amount(&leaking, &leak, 1000000, 0).verdict, CALIBRATION_WITHIN);
	assert_int_equal(judged_amount(&leaking, &leak, 900000, 0).verdict, CALIBRATION_OUTSIDE);
	assert_int_equal(judged_amount(&leaking, &elsewhere, 1000000, 0).verdict, CALIBRATION_OUTSIDE);
}

TEST(a_program_that_reports_nothing_is_out_of_bounds)
{
	const struct truth_amount nothing = { .tid = TID };

	assert_int_equal(judged_amount(&faulting, &nothing, 0, 0).verdict, CALIBRATION_OUTSIDE);
}
