/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Segments and links: what each record means, and a live capture of threads that write down who held what when. There the
 * parts of every wait tile it, they sum to the ledger, and their holders are the ones that the threads wrote down.
 */
#include "unit/recorded.h"

#include "base/error.h"
#include "capture/batch.h"
#include "command/recording.h"
#include "format/format.h"
#include "probe/decoder.h"
#include "profile/lock.h"
#include "profile/profile.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* --- Records ---------------------------------------------------------------------------------------------------- */

struct stream { struct profile *profile; struct decoder *decoder; struct batch batch; };

static void stream_init(struct stream *stream)
{
	struct wire_thread waiter = { .thread = 7, .tid = 70, .process = 70, .comm = "waiter" };
	struct wire_thread holder = { .thread = 8, .tid = 80, .process = 70, .comm = "holder" };
	struct wire_lock_name name = { .lock = 0x1000, .process = 70 };

	*stream = (struct stream){ .profile = profile_new() };
	stream->decoder = decoder_new(stream->profile);
	batch_put(&stream->batch, WIRE_THREAD, 1000, &waiter, sizeof(waiter), NULL);
	batch_put(&stream->batch, WIRE_THREAD, 1000, &holder, sizeof(holder), NULL);
	batch_put(&stream->batch, WIRE_LOCK_NAME, 1000, &name, sizeof(name), (const char *const[]){ "futex", "orders", NULL });
}

static void stream_feed(struct stream *stream)
{
	assert_int_equal(decoder_feed(stream->decoder, stream->batch.bytes, stream->batch.size), 0);
	assert_null(profile_broken(stream->profile));
	batch_clear(&stream->batch);
}

static void stream_done(struct stream *stream)
{
	decoder_free(stream->decoder);
	profile_free(stream->profile);
	batch_done(&stream->batch);
}

/* A wait that was found when the capture began may be for a thread that was not found yet: its class is a guess then. */
static bool is_seen_whole(const struct profile *profile, const struct cell *cell)
{
	return !(profile_evidence_at(profile, cell->evidence.index)->seen.flags & EVIDENCE_ITERATED);
}

static uint64_t sum_of(const struct profile *profile, const char *source, enum weighting weighting)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < profile_cell_count(profile); i++) {
		const struct cell *cell = profile_cell_at(profile, i);
		const struct measure *measure = profile_measure_at(profile, cell->measure.index);

		if (is_seen_whole(profile, cell) && measure->weighting == weighting && !strcmp(profile_text(profile, measure->source), source))
			sum += cell->value;
	}
	return sum;
}

TEST(a_segment_becomes_details_of_its_waiter_holder_and_lock)
{
	struct wire_segment wire = {
		.key = { .wait = { .thread = 7, .evidence = { .syscall = 202, .task_state = 1 } }, .lock = 0x1000, .lock_process = 70,
			 .holder = 80 },
		.value = { .count = 3, .ns = 900, .maximum_ns = 400, .hand_offs = 2, .hand_off_ns = 500,
			   .doing_ns = { [WIRE_DOING_ONCPU] = 300, [WIRE_DOING_DISK] = 200 } } };
	struct stream stream;
	const struct cell *cell;

	stream_init(&stream);
	batch_put(&stream.batch, WIRE_SEGMENT, 0, &wire, sizeof(wire), NULL);
	wire.key.sampled = 1;
	wire.key.p_log2 = 2;
	batch_put(&stream.batch, WIRE_SEGMENT, 0, &wire, sizeof(wire), NULL);
	stream_feed(&stream);
	cell = profile_cell_at(stream.profile, 0);
	assert_int_equal(profile_thread_at(stream.profile, cell->thread.index)->tid, 70);
	assert_int_equal(profile_thread_at(stream.profile, cell->other.index)->tid, 80);
	assert_string_equal(profile_text(stream.profile, profile_object_at(stream.profile, cell->object.index)->name), "orders");
	assert_int_equal(sum_of(stream.profile, LOCK_SEGMENTS, WEIGHTING_EXACT), 900);
	assert_int_equal(sum_of(stream.profile, LOCK_SEGMENTS, WEIGHTING_SAMPLED), 900);
	assert_int_equal(sum_of(stream.profile, LOCK_HAND_OFFS, WEIGHTING_EXACT), 500);
	assert_int_equal(sum_of(stream.profile, LOCK_HOLDERS, WEIGHTING_EXACT), 500);
	stream_done(&stream);
}

TEST(a_segment_of_a_thread_that_was_never_announced_is_none)
{
	struct wire_segment wire = { .key = { .wait = { .thread = 99 }, .lock = 0x1000, .lock_process = 70 },
				     .value = { .count = 1, .ns = 10 } };
	struct stream stream;

	stream_init(&stream);
	batch_put(&stream.batch, WIRE_SEGMENT, 0, &wire, sizeof(wire), NULL);
	stream_feed(&stream);
	assert_int_equal(profile_cell_count(stream.profile), 0);
	stream_done(&stream);
}

TEST(a_length_that_no_wait_can_have_breaks_nothing)
{
	struct wire_split split = { .key = { .wait = { .thread = 7, .evidence = { .bucket = 200 } }, .p_log2 = 77 }, .value = { .count = 1 } };
	struct wire_wait wait = { .key = { .thread = 7, .evidence = { .bucket = 255 } }, .value = { .count = 1, .wait_ns = 1 } };
	struct stream stream;

	stream_init(&stream);
	batch_put(&stream.batch, WIRE_SPLIT, 0, &split, sizeof(split), NULL);
	batch_put(&stream.batch, WIRE_WAIT, 0, &wait, sizeof(wait), NULL);
	stream_feed(&stream);
	assert_int_equal(profile_cell_count(stream.profile), 2);
	stream_done(&stream);
}

static void put_link(struct stream *stream, uint64_t start, uint64_t end, uint32_t holder)
{
	struct wire_link wire = { .start_ns = start, .end_ns = end, .lock = 0x1000, .lock_process = 70, .thread = 7, .holder = holder };

	batch_put(&stream->batch, WIRE_LINK, end, &wire, sizeof(wire), NULL);
}

static void put_wait(struct stream *stream, uint64_t start, uint64_t end)
{
	struct wire_wait_interval wire = { .start_ns = start, .thread = 7, .evidence = { .syscall = 202, .task_state = 1 } };

	batch_put(&stream->batch, WIRE_WAIT_INTERVAL, end, &wire, sizeof(wire), NULL);
}

TEST(links_wait_for_their_interval_even_into_a_later_batch)
{
	struct stream stream;
	const struct link *link;

	stream_init(&stream);
	put_link(&stream, 1100, 1200, 80);
	put_link(&stream, 1200, 1500, 0);
	stream_feed(&stream);
	assert_int_equal(profile_link_count(stream.profile), 0);
	put_wait(&stream, 1100, 1500);
	stream_feed(&stream);
	assert_int_equal(profile_link_count(stream.profile), 2);
	for (size_t i = 0; i < 2; i++) {
		link = profile_link_at(stream.profile, i);
		assert_int_equal(link->interval, 0);
		assert_string_equal(profile_text(stream.profile, link->kind), LOCK_LINK);
		assert_int_equal(link->by.index != 0, link->end_ns == 1200);
	}
	stream_done(&stream);
}

TEST(a_link_whose_interval_was_lost_is_not_hung_on_the_next_one)
{
	struct stream stream;

	stream_init(&stream);
	put_link(&stream, 1100, 1200, 80);
	put_wait(&stream, 1600, 1900);
	stream_feed(&stream);
	assert_int_equal(profile_interval_count(stream.profile), 1);
	assert_int_equal(profile_link_count(stream.profile), 0);
	stream_done(&stream);
}

/* --- A capture -------------------------------------------------------------------------------------------------- */

enum { KINDS = 4, ACTORS = 3, ENTRIES = 65536, DURATION_NS = 700000000, HOLD_NS = 300000 };

struct entry { pid_t tid; uint64_t release_ns; };
struct book {                           /* of one lock; written by whoever holds it */
	atomic_uint count;
	struct entry entries[ENTRIES];
};

static struct book *books;              /* shared with the test */
static pthread_mutex_t plain_lock = PTHREAD_MUTEX_INITIALIZER, robust_lock, inheriting_lock;
static pthread_rwlock_t writer_lock = PTHREAD_RWLOCK_INITIALIZER;

static uint64_t now_ns(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void take_lock(int kind, bool lock)
{
	pthread_mutex_t *const mutexes[] = { &plain_lock, &robust_lock, &inheriting_lock };

	if (kind == 3)
		(void)(lock ? pthread_rwlock_wrlock(&writer_lock) : pthread_rwlock_unlock(&writer_lock));
	else
		(void)(lock ? pthread_mutex_lock(mutexes[kind]) : pthread_mutex_unlock(mutexes[kind]));
}

static void *acts(void *context)
{
	int kind = (int)(intptr_t)context;
	struct book *book = &books[kind];
	struct timespec pause = { .tv_nsec = HOLD_NS };
	pid_t tid = gettid();

	for (;;) {
		unsigned at;

		take_lock(kind, true);
		(void)nanosleep(&pause, NULL);
		at = atomic_load(&book->count);
		book->entries[at % ENTRIES] = (struct entry){ tid, now_ns() };
		atomic_store(&book->count, at + 1);
		take_lock(kind, false);
	}
	return NULL;
}

static _Noreturn void hand_over_forever(void)
{
	pthread_mutexattr_t attribute;
	pthread_t thread;

	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	(void)pthread_mutexattr_init(&attribute);
	(void)pthread_mutexattr_setrobust(&attribute, PTHREAD_MUTEX_ROBUST);
	(void)pthread_mutex_init(&robust_lock, &attribute);
	(void)pthread_mutexattr_setrobust(&attribute, PTHREAD_MUTEX_STALLED);
	(void)pthread_mutexattr_setprotocol(&attribute, PTHREAD_PRIO_INHERIT);
	(void)pthread_mutex_init(&inheriting_lock, &attribute);
	for (intptr_t i = 0; i < KINDS * ACTORS; i++)
		if (pthread_create(&thread, NULL, acts, (void *)(i / ACTORS)))
			_exit(1);
	for (;;)
		(void)pause();
}

static struct profile *capture_hand_overs(void)
{
	char path[] = "/tmp/crosscut-locks-XXXXXX";
	pid_t child = fork();
	struct recording recording = {
		.capture = { .population = { .kind = POPULATION_PROCESSES, .ids = &child, .id_count = 1 }, .wait_stacks = true,
			     .with = { "timeline", "wakers" }, .with_count = 2 },
		.duration_ns = DURATION_NS };
	struct recording_result result = { 0 };
	struct error err = { 0 };
	int r;

	if (!child)
		hand_over_forever();
	r = recorded_run(&recording, path, &result, &err);
	return recorded_profile(r, path, child, &result, &err);
}

static uint64_t waits_for_locks(const struct profile *profile)
{
	struct dimension_id lock = profile_dimension_find(profile, NULL, "lock");
	uint64_t sum = 0;

	for (size_t i = 0; i < profile_cell_count(profile); i++) {
		const struct cell *cell = profile_cell_at(profile, i);

		if (profile_measure_at(profile, cell->measure.index)->role == ROLE_TOTAL && cell->evidence.index && is_seen_whole(profile, cell) &&
		    profile_dimension_root(profile, profile_cell_dimension(profile, cell)).index == lock.index)
			sum += cell->value;
	}
	return sum;
}

/* The parts of one wait follow each other from its first instant to its last. They lie newest first. */
static void assert_links_tile(const struct profile *profile)
{
	for (size_t i = 0; i < profile_link_count(profile);) {
		const struct interval *interval = profile_interval_at(profile, profile_link_at(profile, i)->interval);
		uint64_t until = interval->end_ns;
		size_t first = i;

		for (; i < profile_link_count(profile) &&
		       profile_link_at(profile, i)->interval == profile_link_at(profile, first)->interval; i++) {
			assert_int_equal(profile_link_at(profile, i)->end_ns, until);
			until = profile_link_at(profile, i)->start_ns;
		}
		assert_int_equal(until, interval->start_ns);
	}
}

/* Who wrote last before the part ended: it writes, then lets go, then wakes. */
static pid_t holder_by_the_book(const struct book *book, uint64_t end_ns)
{
	unsigned count = atomic_load(&book->count);

	for (unsigned i = count; i > 0 && count - i < ENTRIES; i--)
		if (book->entries[(i - 1) % ENTRIES].release_ns <= end_ns)
			return book->entries[(i - 1) % ENTRIES].tid;
	return 0;
}

static int book_of(const struct profile *profile, const struct link *link)
{
	static const char *const names[KINDS] = { "plain_lock", "robust_lock", "inheriting_lock", "writer_lock" };
	const char *name = profile_text(profile, profile_object_at(profile, link->object.index)->name);

	for (int i = 0; i < KINDS; i++)
		if (!strncmp(name, names[i], strlen(names[i])))
			return i;
	return -1;
}

static void assert_holders(const struct profile *profile)
{
	unsigned all[KINDS] = { 0 }, right[KINDS] = { 0 };

	for (size_t i = 0; i < profile_link_count(profile); i++) {
		const struct link *link = profile_link_at(profile, i);
		const struct interval *interval = profile_interval_at(profile, link->interval);
		const struct wait_evidence *seen = &profile_evidence_at(profile, interval->evidence.index)->seen;
		int kind = book_of(profile, link);

		if (kind < 0 || (seen->flags & EVIDENCE_CUT_END))
			continue;
		all[kind]++;
		right[kind] += link->by.index && (pid_t)profile_thread_at(profile, link->by.index)->tid ==
			       holder_by_the_book(&books[kind], link->end_ns);
	}
	for (int i = 0; i < KINDS; i++) {
		print_message("lock %d: %u of %u holders\n", i, right[i], all[i]);
		assert_true(all[i] > 20);
		assert_true(right[i] >= all[i] * 0.99);
	}
}

TEST(holders_are_the_ones_that_the_threads_wrote_down_and_parts_tile_the_waits)
{
	struct profile *profile;

	books = mmap(NULL, sizeof(*books) * KINDS, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(books, MAP_FAILED);
	profile = capture_hand_overs();
	if (!profile)
		skip();
	assert_links_tile(profile);
	assert_int_equal(sum_of(profile, LOCK_SEGMENTS, WEIGHTING_EXACT), waits_for_locks(profile));
	/* A wait that the window cut was handed to nobody. */
	assert_true(sum_of(profile, LOCK_HOLDERS, WEIGHTING_EXACT) > 0.9 * (double)sum_of(profile, LOCK_HAND_OFFS, WEIGHTING_EXACT));
	assert_holders(profile);
	profile_free(profile);
	(void)munmap(books, sizeof(*books) * KINDS);
}
