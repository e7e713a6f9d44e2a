/* SPDX-License-Identifier: Apache-2.0 */
#include "format/schedule.h"

#include "base/memory.h"
#include "classify/classify.h"
#include "format/seconds.h"
#include "profile/profile.h"
#include "test.h"

#include <string.h>

enum { START = 1000, END = 9000 };

struct played {
	struct profile *profile;
	struct schedule *schedule;
	struct seconds *seconds;
	struct thread_id a, b;
};

static struct thread_id thread_new(struct profile *profile, uint32_t pid, uint32_t tid)
{
	return profile_thread(profile, (struct thread){
		.process = profile_process(profile, (struct process){ .pid = pid }), .tid = tid });
}

static struct played play(bool wakes, bool calls)
{
	struct played played = { .profile = profile_new() };

	played.seconds = xcalloc(1, sizeof(*played.seconds));
	seconds_init(played.seconds, played.profile);
	seconds_start(played.seconds, START);
	played.a = thread_new(played.profile, 1, 1);
	played.b = thread_new(played.profile, 1, 2);
	played.schedule = schedule_new(played.profile, &(struct schedule_options){
		.seconds = played.seconds, .start_ns = START, .wakes = wakes, .calls = calls, .source = "test" });
	return played;
}

static void change(struct played *played, uint64_t time_ns, struct thread_id from, unsigned state, struct thread_id to)
{
	schedule_switched(played->schedule, &(struct schedule_switch){
		.time_ns = time_ns, .cpu = 0, .from = from, .to = to, .state = state });
}

static void finish(struct played *played)
{
	schedule_finish(played->schedule, END);
	schedule_free(played->schedule);
	seconds_finish(played->seconds, START, END);
	seconds_done(played->seconds);
	free(played->seconds);
	classify_profile(played->profile, false);
	profile_freeze(played->profile);
	assert_null(profile_broken(played->profile));
}

/* Time of a thread in a state ("disk"), or in one part of it ("runnable", "woken"). */
static uint64_t spent(const struct played *played, struct thread_id thread, const char *state, const char *part)
{
	struct dimension_id wanted = profile_dimension_find(played->profile, part ? state : NULL, part ? part : state);
	uint64_t sum = 0;

	for (size_t i = 0; i < profile_cell_count(played->profile); i++) {
		const struct cell *cell = profile_cell_at(played->profile, i);
		struct dimension_id id = profile_cell_dimension(played->profile, cell);

		if (!part)
			id = profile_dimension_root(played->profile, id);
		if (thread_is(cell->thread, thread) && dimension_is(id, wanted) &&
		    profile_measure_at(played->profile, cell->measure.index)->role == ROLE_TOTAL)
			sum += cell->value;
	}
	return sum;
}

static void assert_conserved(const struct played *played, struct thread_id id)
{
	static const char *const states[] = { "oncpu", "runnable", "lock", "disk", "network", "paging", "ipc", "timer", "child",
					      "idle", "stopped", "unknown" };
	const struct thread *thread = profile_thread_at(played->profile, id.index);
	uint64_t sum = 0;

	for (size_t i = 0; i < sizeof(states) / sizeof(*states); i++)
		sum += spent(played, id, states[i], NULL);
	assert_int_equal(sum, thread->end_ns - thread->start_ns);
}

static void assert_all_conserved(const struct played *played)
{
	for (uint32_t i = 1; i < profile_thread_count(played->profile); i++)
		if (!profile_thread_at(played->profile, i)->outside)
			assert_conserved(played, (struct thread_id){ i });
}

static const struct thread_id nobody;

TEST(a_thread_runs_waits_is_woken_and_runs_again)
{
	struct played played = play(true, true);

	schedule_called(played.schedule, played.a, 35, (uint64_t[6]){ 0 });             /* nanosleep */
	change(&played, 2000, played.a, SCHEDULE_INTERRUPTIBLE, nobody);
	schedule_woken(played.schedule, 5000, played.a, nobody, WAKE_HARDIRQ);
	change(&played, 5500, nobody, 0, played.a);
	finish(&played);
	assert_int_equal(spent(&played, played.a, "oncpu", NULL), 1000 + 3500);
	assert_int_equal(spent(&played, played.a, "timer", NULL), 3000);
	assert_int_equal(spent(&played, played.a, "runnable", "woken"), 500);
	assert_all_conserved(&played);
	assert_true(profile_thread_at(played.profile, played.b.index)->outside);
	profile_free(played.profile);
}

TEST(a_thread_that_could_go_on_was_preempted)
{
	struct played played = play(true, false);

	change(&played, 2000, played.a, 0, played.b);
	change(&played, 4000, played.b, SCHEDULE_UNINTERRUPTIBLE, played.a);
	finish(&played);
	assert_int_equal(spent(&played, played.a, "runnable", "preempted"), 2000);
	assert_int_equal(spent(&played, played.a, "oncpu", NULL), 1000 + 5000);
	/* b was runnable since before the first event: wake-ups were recorded, and none was its */
	assert_int_equal(spent(&played, played.b, "runnable", NULL), 1000);
	assert_int_equal(spent(&played, played.b, "unknown", NULL), 5000);
	assert_all_conserved(&played);
	profile_free(played.profile);
}

TEST(what_a_lost_event_hides_is_unknown_and_never_guessed)
{
	struct played played = play(true, false);

	change(&played, 2000, nobody, 0, played.a);
	/* a's end of running is lost: b leaves the processor that a had */
	change(&played, 4000, played.b, SCHEDULE_INTERRUPTIBLE, nobody);
	schedule_woken(played.schedule, 6000, played.a, nobody, WAKE_TASK);
	change(&played, 6500, nobody, 0, played.a);
	assert_true(schedule_gaps(played.schedule) > 0);
	finish(&played);
	assert_int_equal(spent(&played, played.a, "oncpu", NULL), 2500);
	assert_int_equal(spent(&played, played.a, "unknown", NULL), 4000);
	assert_int_equal(spent(&played, played.a, "runnable", NULL), 1000 + 500);
	assert_all_conserved(&played);
	profile_free(played.profile);
}

TEST(a_wait_without_a_wake_up_ends_where_its_thread_runs)
{
	struct played played = play(false, false);

	change(&played, 2000, played.a, SCHEDULE_UNINTERRUPTIBLE, nobody);
	change(&played, 5000, nobody, 0, played.a);
	finish(&played);
	assert_int_equal(spent(&played, played.a, "unknown", NULL), 3000);
	assert_int_equal(spent(&played, played.a, "runnable", NULL), 0);
	assert_all_conserved(&played);
	profile_free(played.profile);
}

TEST(a_thread_lives_from_its_first_wake_up_to_its_last_switch)
{
	struct played played = play(true, false);
	const struct thread *child;

	schedule_born(played.schedule, 2000, played.b);
	schedule_woken(played.schedule, 2100, played.b, played.a, WAKE_TASK);
	change(&played, 2500, played.a, SCHEDULE_INTERRUPTIBLE, played.b);
	change(&played, 6000, played.b, SCHEDULE_DEAD, nobody);
	finish(&played);
	child = profile_thread_at(played.profile, played.b.index);
	assert_int_equal(child->start_ns, 2100);
	assert_int_equal(child->end_ns, 6000);
	assert_true(child->born && child->died);
	assert_int_equal(spent(&played, played.b, "oncpu", NULL), 3500);
	assert_all_conserved(&played);
	profile_free(played.profile);
}

TEST(a_program_that_becomes_another_is_two_threads_whose_lives_meet)
{
	struct played played = play(true, false);
	struct thread_id after;

	change(&played, 2000, nobody, 0, played.a);
	after = profile_thread(played.profile, (struct thread){
		.process = profile_process(played.profile, (struct process){ .pid = 1, .generation = 1 }), .tid = 1,
		.start_ns = 3000 });
	change(&played, 5000, after, SCHEDULE_INTERRUPTIBLE, nobody);
	finish(&played);
	assert_int_equal(profile_thread_at(played.profile, played.a.index)->end_ns, 3000);
	assert_int_equal(profile_thread_at(played.profile, after.index)->start_ns, 3000);
	assert_int_equal(spent(&played, played.a, "oncpu", NULL), 1000);
	assert_int_equal(spent(&played, after, "oncpu", NULL), 2000);
	assert_all_conserved(&played);
	profile_free(played.profile);
}

/* Its wait began in the first second and ended in the third. */
TEST(an_interval_counts_in_the_second_it_ended_in)
{
	struct played played = play(true, true);
	uint64_t later = START + 2500000000;

	change(&played, 2000, nobody, 0, played.a);
	change(&played, 3000, played.a, SCHEDULE_INTERRUPTIBLE, nobody);
	schedule_woken(played.schedule, later, played.a, nobody, WAKE_TASK);
	change(&played, later, nobody, 0, played.a);
	change(&played, later + 1000, played.a, SCHEDULE_DEAD, nobody);
	finish(&played);
	for (size_t i = 0; i < profile_cell_count(played.profile); i++) {
		const struct cell *cell = profile_cell_at(played.profile, i);
		const struct slice *slice = profile_slice_at(played.profile, cell->slice.index);

		if (cell->evidence.index && cell->value > 1000000)
			assert_true(slice->start_ns == START + 2000000000ull);
	}
	assert_int_equal(profile_slice_count(played.profile), 1 + 3);
	assert_int_equal(spent(&played, played.a, "oncpu", NULL), 1000 + 1000);
	profile_free(played.profile);
}

TEST(any_order_of_events_keeps_every_threads_time_whole)
{
	uint64_t seed = 1;

	for (unsigned round = 0; round < 200; round++) {
		struct played played = play(round & 1, round & 2);
		struct thread_id threads[5] = { { 0 }, played.a, played.b };
		uint64_t now = START;

		threads[3] = thread_new(played.profile, 2, 3);
		threads[4] = thread_new(played.profile, 3, 4);
		for (unsigned i = 0; i < 100 && now < END; i++) {
			unsigned pick;

			seed = seed * 6364136223846793005ull + 1442695040888963407ull;
			pick = (unsigned)(seed >> 33);
			now += pick % 97;
			if (pick % 3 == 0 && threads[pick / 3 % 5].index)
				schedule_woken(played.schedule, now, threads[pick / 3 % 5], threads[pick / 15 % 5], WAKE_TASK);
			else if (pick % 13 == 1 && threads[pick / 13 % 5].index)
				schedule_born(played.schedule, now, threads[pick / 13 % 5]);
			else
				schedule_switched(played.schedule, &(struct schedule_switch){
					.time_ns = now, .cpu = pick / 7 % 2, .from = threads[pick / 14 % 5],
					.to = threads[pick / 70 % 5], .state = (1u << pick / 350 % 9) >> 1 });
		}
		finish(&played);
		assert_all_conserved(&played);
		profile_free(played.profile);
	}
}

TEST(states_are_read_as_tools_print_them)
{
	assert_int_equal(schedule_state_of("R+", 2), 0);
	assert_int_equal(schedule_state_of("S", 1), SCHEDULE_INTERRUPTIBLE);
	assert_int_equal(schedule_state_of("D|W", 3), SCHEDULE_UNINTERRUPTIBLE);
	assert_int_equal(schedule_state_of("t", 1), SCHEDULE_TRACED);
	assert_int_equal(schedule_state_of("?", 1), -1);
	assert_int_equal(schedule_state_of("", 0), -1);
}
