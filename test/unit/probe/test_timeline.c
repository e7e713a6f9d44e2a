/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Intervals one by one: what each record means, and, of a live capture that was written and read back, the independent check
 * of the ledger: a thread's intervals tile its life in the window without gap or overlap, and what they add up to per state is
 * what the cells say, which were summed elsewhere and by other code.
 */
#include "unit/recorded.h"

#include "base/cleanup.h"
#include "base/error.h"
#include "base/memory.h"
#include "capture/batch.h"
#include "command/recording.h"
#include "format/format.h"
#include "probe/decoder.h"
#include "profile/profile.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* --- One record ------------------------------------------------------------------------------------------------- */

struct stream { struct profile *profile; struct decoder *decoder; struct batch batch; };

static void stream_init(struct stream *stream)
{
	struct wire_thread thread = { .thread = 7, .tid = 70, .process = 70, .comm = "worker" };
	struct wire_thread waker = { .thread = 8, .tid = 80, .process = 70, .comm = "waker" };

	*stream = (struct stream){ .profile = profile_new() };
	stream->decoder = decoder_new(stream->profile);
	batch_put(&stream->batch, WIRE_THREAD, 1000, &thread, sizeof(thread), NULL);
	batch_put(&stream->batch, WIRE_THREAD, 1000, &waker, sizeof(waker), NULL);
}

static void stream_feed(struct stream *stream)
{
	assert_int_equal(decoder_feed(stream->decoder, stream->batch.bytes, stream->batch.size), 0);
	assert_null(profile_broken(stream->profile));
}

static void stream_done(struct stream *stream)
{
	decoder_free(stream->decoder);
	profile_free(stream->profile);
	batch_done(&stream->batch);
}

TEST(a_running_interval_has_its_thread_its_ends_and_its_state)
{
	struct wire_interval wire = { .start_ns = 1200, .thread = 7, .state = WIRE_INTERVAL_ONCPU };
	const struct interval *interval;
	struct stream stream;

	stream_init(&stream);
	batch_put(&stream.batch, WIRE_INTERVAL, 1500, &wire, sizeof(wire), NULL);
	stream_feed(&stream);
	assert_int_equal(profile_interval_count(stream.profile), 1);
	interval = profile_interval_at(stream.profile, 0);
	assert_int_equal(profile_thread_at(stream.profile, interval->thread.index)->tid, 70);
	assert_int_equal(interval->start_ns, 1200);
	assert_int_equal(interval->end_ns, 1500);
	assert_int_equal(interval->dimension.index, profile_dimension_find(stream.profile, NULL, "oncpu").index);
	stream_done(&stream);
}

TEST(a_waiting_interval_has_its_evidence_and_its_waker_and_no_dimension_of_its_own)
{
	struct wire_wait_interval wire = { .start_ns = 1500, .thread = 7, .waker = 80, .evidence = { .syscall = 202, .task_state = 1 } };
	const struct interval *interval;
	struct stream stream;

	stream_init(&stream);
	batch_put(&stream.batch, WIRE_WAIT_INTERVAL, 1900, &wire, sizeof(wire), NULL);
	stream_feed(&stream);
	assert_int_equal(profile_interval_count(stream.profile), 1);
	interval = profile_interval_at(stream.profile, 0);
	assert_int_equal(profile_evidence_at(stream.profile, interval->evidence.index)->seen.syscall, 202);
	assert_int_equal(profile_thread_at(stream.profile, interval->waker.index)->tid, 80);
	assert_int_equal(interval->dimension.index, 0);
	stream_done(&stream);
}

TEST(an_interval_of_nobody_of_no_state_or_that_ends_before_it_starts_is_counted_as_lost)
{
	struct wire_interval nobody = { .start_ns = 1200, .thread = 99, .state = WIRE_INTERVAL_ONCPU };
	struct wire_interval stateless = { .start_ns = 1200, .thread = 7, .state = 77 };
	struct wire_interval backwards = { .start_ns = 1600, .thread = 7, .state = WIRE_INTERVAL_WOKEN };
	struct stream stream;

	stream_init(&stream);
	batch_put(&stream.batch, WIRE_INTERVAL, 1500, &nobody, sizeof(nobody), NULL);
	batch_put(&stream.batch, WIRE_INTERVAL, 1500, &stateless, sizeof(stateless), NULL);
	batch_put(&stream.batch, WIRE_INTERVAL, 1500, &backwards, sizeof(backwards), NULL);
	stream_feed(&stream);
	assert_int_equal(profile_interval_count(stream.profile), 0);
	assert_int_equal(profile_loss_count(stream.profile), 1);
	assert_int_equal(profile_loss_at(stream.profile, 0)->lost, 3);
	stream_done(&stream);
}

/* --- A capture -------------------------------------------------------------------------------------------------- */

/* The pause bounds how much there is to send, so that the ring is large enough for a recorder that gets no CPU for seconds. */
enum { SPIN_NS = 20000, PAUSE_US = 5000, DURATION_NS = 700000000 };

struct pair { int there[2], back[2]; };

static void spin(uint64_t ns)
{
	struct timespec start, now;

	(void)clock_gettime(CLOCK_MONOTONIC, &start);
	do
		(void)clock_gettime(CLOCK_MONOTONIC, &now);
	while ((uint64_t)(now.tv_sec - start.tv_sec) * 1000000000u + (uint64_t)now.tv_nsec < (uint64_t)start.tv_nsec + ns);
}

static void *answers(void *context)
{
	struct pair *pair = context;
	char byte;

	while (read(pair->there[0], &byte, 1) == 1)
		if (write(pair->back[1], &byte, 1) != 1)
			break;
	return NULL;
}

static void *is_born_and_dies(void *context)
{
	(void)context;
	spin(SPIN_NS);
	(void)usleep(2000);
	return NULL;
}

static void *is_preempted(void *context)
{
	(void)context;
	for (;;)
		spin(1000000);
	return NULL;
}

/* Runs, waits for a pipe and for time, is preempted, and starts threads that end, until it is killed. */
static _Noreturn void work_forever(void)
{
	static struct pair pair;
	pthread_t thread;
	char byte = 0;

	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (pipe(pair.there) || pipe(pair.back) || pthread_create(&thread, NULL, answers, &pair))
		_exit(1);
	for (int i = 0; i < 3; i++)
		if (pthread_create(&thread, NULL, is_preempted, NULL))
			_exit(1);
	for (;;) {
		for (int i = 0; i < 50; i++)
			if (write(pair.there[1], &byte, 1) != 1 || read(pair.back[0], &byte, 1) != 1)
				_exit(1);
		if (pthread_create(&thread, NULL, is_born_and_dies, NULL) || pthread_join(thread, NULL))
			_exit(1);
		(void)usleep(PAUSE_US);
	}
}

static struct profile *capture_new_profile(bool timeline)
{
	char path[] = "/tmp/crosscut-timeline-XXXXXX";
	pid_t child = fork();
	struct recording recording = {
		.capture = { .population = { .kind = POPULATION_PROCESSES, .ids = &child, .id_count = 1 }, .sample_rate_hz = 99,
			     .wait_stacks = true, .with = { "timeline" }, .with_count = timeline },
		.duration_ns = DURATION_NS };
	struct recording_result result = { 0 };
	struct error err = { 0 };
	int r;

	if (!child)
		work_forever();
	r = recorded_run(&recording, path, &result, &err);
	return recorded_profile(r, path, child, &result, &err);
}

static uint64_t lost(const struct profile *profile, const char *source)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < profile_loss_count(profile); i++)
		if (!strcmp(profile_text(profile, profile_loss_at(profile, i)->source), source))
			sum += profile_loss_at(profile, i)->lost;
	return sum;
}

static struct dimension_id dimension_of(const struct profile *profile, const struct interval *interval)
{
	return interval->evidence.index ? profile_evidence_at(profile, interval->evidence.index)->class : interval->dimension;
}

static const struct profile *sorted_profile;

static int compare_intervals(const void *left, const void *right)
{
	const struct interval *a = profile_interval_at(sorted_profile, *(const uint32_t *)left);
	const struct interval *b = profile_interval_at(sorted_profile, *(const uint32_t *)right);

	if (a->thread.index != b->thread.index)
		return a->thread.index < b->thread.index ? -1 : 1;
	return a->start_ns < b->start_ns ? -1 : a->start_ns > b->start_ns;
}

static uint32_t *sort_intervals(const struct profile *profile)
{
	size_t count = profile_interval_count(profile);
	uint32_t *order = xcalloc(count, sizeof(*order));

	for (uint32_t i = 0; i < count; i++)
		order[i] = i;
	sorted_profile = profile;
	qsort(order, count, sizeof(*order), compare_intervals);
	return order;
}

static void assert_tiles(const struct profile *profile, const uint32_t *order)
{
	size_t count = profile_interval_count(profile), at = 0;

	for (uint32_t i = 1; i < profile_thread_count(profile); i++) {
		const struct thread *thread = profile_thread_at(profile, i);
		uint64_t until = thread->start_ns;

		if (thread->outside)
			continue;
		while (at < count && profile_interval_at(profile, order[at])->thread.index == i) {
			const struct interval *interval = profile_interval_at(profile, order[at++]);

			assert_int_equal(interval->start_ns, until);
			until = interval->end_ns;
		}
		assert_int_equal(until, thread->end_ns);
	}
	assert_int_equal(at, count);
}

static void assert_sums(const struct profile *profile)
{
	size_t dimensions = profile_dimension_count(profile), threads = profile_thread_count(profile);
	int64_t *difference = xcalloc(dimensions * threads, sizeof(*difference));

	for (size_t i = 0; i < profile_interval_count(profile); i++) {
		const struct interval *interval = profile_interval_at(profile, i);

		difference[interval->thread.index * dimensions + dimension_of(profile, interval).index] +=
			(int64_t)(interval->end_ns - interval->start_ns);
	}
	for (size_t i = 0; i < profile_cell_count(profile); i++) {
		const struct cell *cell = profile_cell_at(profile, i);
		struct dimension_id dimension = profile_cell_dimension(profile, cell);

		if (profile_measure_at(profile, cell->measure.index)->role == ROLE_TOTAL &&
		    profile_dimension_at(profile, dimension.index)->kind <= DIMENSION_IDLE)
			difference[cell->thread.index * dimensions + dimension.index] -= (int64_t)cell->value;
	}
	for (size_t i = 0; i < dimensions * threads; i++)
		assert_int_equal(difference[i], 0);
	free(difference);
}

TEST(the_intervals_of_each_thread_tile_its_life_and_add_up_to_the_ledger_state_by_state)
{
	struct profile *profile = capture_new_profile(true);
	uint32_t *order;

	if (!profile)
		skip();
	assert_int_equal(lost(profile, "intervals"), 0);
	assert_int_equal(lost(profile, "waits"), 0);
	assert_true(profile_interval_count(profile) > 100);
	assert_true(profile_thread_count(profile) > 5);
	order = sort_intervals(profile);
	assert_tiles(profile, order);
	assert_sums(profile);
	free(order);
	profile_free(profile);
}

TEST(without_being_asked_no_interval_is_kept)
{
	struct profile *profile = capture_new_profile(false);

	if (!profile)
		skip();
	assert_int_equal(profile_interval_count(profile), 0);
	assert_int_equal(lost(profile, "intervals"), 0);
	profile_free(profile);
}
