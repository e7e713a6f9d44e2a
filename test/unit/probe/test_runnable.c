/* SPDX-License-Identifier: Apache-2.0 */
/*
 * live
 * Live: two threads that compute on one processor, and one that gives way there again and again. Each must be seen to lose
 * the processor to the others, and what has no reason must be short: the reasons and the ledger's sums are of the same delays.
 */
#include "unit/recorded.h"

#include "profile/ready.h"

#include <sched.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>

enum { DURATION_NS = 1500000000, TOLD_NS = 20000 };

static uint64_t sum_of(const struct profile *profile, const char *comm, const char *part, const char *reason, const char *by, uint64_t *count)
{
	struct dimension_id id = profile_dimension_find(profile, "runnable", part);
	uint64_t sum = 0;

	*count = 0;
	for (size_t i = 0; i < profile_cell_count(profile) && id.index; i++) {
		const struct cell *cell = profile_cell_at(profile, i);
		const struct measure *measure = profile_measure_at(profile, cell->measure.index);
		bool is_reason = !strcmp(profile_text(profile, measure->source), READY_REASONS);

		if (!cell->thread.index || profile_cell_dimension(profile, cell).index != id.index || is_reason != (reason != NULL))
			continue;
		if (strcmp(profile_text(profile, profile_thread_at(profile, cell->thread.index)->comm), comm) != 0)
			continue;
		if (reason && *reason && strcmp(profile_text(profile, profile_object_at(profile, cell->object.index)->name), reason) != 0)
			continue;
		if (by && strcmp(profile_text(profile, profile_thread_at(profile, cell->other.index)->comm), by) != 0)
			continue;
		sum += cell->value;
		*count += cell->count;
	}
	return sum;
}

static void *compute(void *name)
{
	(void)prctl(PR_SET_NAME, name);
	for (volatile unsigned i = 0;; i++)
		;
	return NULL;
}

static void *give_way(void *name)
{
	(void)prctl(PR_SET_NAME, name);
	for (;;)
		(void)sched_yield();
	return NULL;
}

static _Noreturn void perform(void)
{
	static char one[] = "t-one", two[] = "t-two", polite[] = "t-polite";
	pthread_t thread;
	cpu_set_t set;

	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	CPU_ZERO(&set);
	CPU_SET(0, &set);
	(void)sched_setaffinity(0, sizeof(set), &set);
	(void)!nice(-5);                                /* so that they meet each other, whoever else is there */
	(void)pthread_create(&thread, NULL, compute, one);
	(void)pthread_create(&thread, NULL, compute, two);
	(void)pthread_create(&thread, NULL, give_way, polite);
	for (;;)
		(void)sleep(1);
}

static void check_sums(const struct profile *profile, const char *comm)
{
	uint64_t count, told_count, exact = sum_of(profile, comm, "preempted", NULL, NULL, &count);
	uint64_t told = sum_of(profile, comm, "preempted", "", NULL, &told_count), cut_count, cut = sum_of(profile, comm, "woken", READY_UNSEEN, NULL, &cut_count);

	print_message("# %s: preempted %.2f ms in %lu, with a reason %.2f ms in %lu, cut %.2f ms\n", comm, (double)exact / 1e6,
		      (unsigned long)count, (double)told / 1e6, (unsigned long)told_count, (double)cut / 1e6);
	assert_true(told <= exact && told_count <= count);
	assert_true(exact - told <= (count - told_count) * TOLD_NS + cut);
}

TEST(who_is_preempted_is_seen_with_who_took_the_processor)
{
	char path[] = "/tmp/crosscut-runnable-XXXXXX";
	pid_t child = fork();
	struct recording recording = { .capture = { .population = { .kind = POPULATION_PROCESSES, .ids = &child, .id_count = 1 } },
				       .duration_ns = DURATION_NS };
	struct recording_result result = { 0 };
	struct error err = { 0 };
	struct profile *profile;
	uint64_t count;
	int r;

	if (!child)
		perform();
	(void)usleep(50000);
	r = recorded_run(&recording, path, &result, &err);
	profile = recorded_profile(r, path, child, &result, &err);
	if (!profile)
		skip();
	assert_null(profile_broken(profile));
	check_sums(profile, "t-one");
	check_sums(profile, "t-two");
	check_sums(profile, "t-polite");
	/* Who comes next is the scheduler's choice, but it is one of the other two. */
	assert_true(sum_of(profile, "t-one", "preempted", READY_PREEMPTED, "t-two", &count) +
		    sum_of(profile, "t-one", "preempted", READY_PREEMPTED, "t-polite", &count) > 0);
	assert_true(sum_of(profile, "t-two", "preempted", READY_PREEMPTED, "t-one", &count) +
		    sum_of(profile, "t-two", "preempted", READY_PREEMPTED, "t-polite", &count) > 0);
	assert_int_equal(sum_of(profile, "t-one", "preempted", READY_PREEMPTED, "t-one", &count), 0);
	/* It gives way, and nobody takes the processor from it before it does, but an interrupt's thread at times. */
	assert_true(sum_of(profile, "t-polite", "preempted", READY_YIELDED, NULL, &count) > 0);
	assert_int_equal(sum_of(profile, "t-one", "preempted", READY_YIELDED, NULL, &count), 0);
	profile_free(profile);
}
