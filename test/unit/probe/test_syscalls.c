/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a record of calls means, and a live capture of threads that write down what they called: all counts, errors and bytes
 * are theirs exactly, and the time that they computed lies outside of calls.
 */
#include "unit/recorded.h"

#include "capture/batch.h"
#include "probe/decoder.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>

enum { GETPPIDS = 30000, READS = 20000, WRITES = 3000, OPENS = 700, FUTEXES = 5000, SLEEPS = 40, THREADS = 3 };

static uint64_t sum_of(const struct profile *profile, const char *dimension, enum measure_role role, const char *object)
{
	struct dimension_id id = profile_dimension_find(profile, NULL, dimension);
	uint64_t sum = 0;

	for (size_t i = 0; i < profile_cell_count(profile); i++) {
		const struct cell *cell = profile_cell_at(profile, i);
		const char *of = profile_text(profile, profile_object_at(profile, cell->object.index)->name);

		if (id.index && profile_cell_dimension(profile, cell).index == id.index && (!object || !strcmp(of, object)) &&
		    profile_measure_at(profile, cell->measure.index)->role == role)
			sum += (uint64_t)cell_weight(cell);
	}
	return sum;
}

TEST(a_record_of_calls_becomes_amounts_of_its_call_and_its_error)
{
	struct profile *profile = profile_new();
	struct decoder *decoder = decoder_new(profile);
	struct batch batch = { 0 };
	struct wire_thread thread = { .thread = 7, .tid = 70, .process = 70, .comm = "caller" };
	struct wire_slice slice = { .start_ns = 1000, .end_ns = 2000 };
	struct wire_call good = { .key = { .thread = 7, .call = SYS_read, .bucket = 5 },
				  .value = { .count = 3, .ns = 120, .oncpu_ns = 90, .maximum_ns = 50, .returned = 12 } };
	struct wire_call bad = { .key = { .thread = 7, .call = SYS_read, .bucket = 4, .error = EAGAIN }, .value = { .count = 2, .ns = 40 } };
	struct wire_call stranger = { .key = { .thread = 9, .call = SYS_read }, .value = { .count = 1 } };
	struct wire_call taken = { .key = { .thread = 7, .call = SYS_read, .p_log2 = 3 }, .value = { .count = 2, .ns = 80, .returned = 4 } };

	batch_put(&batch, WIRE_THREAD, 1000, &thread, sizeof(thread), NULL);
	batch_put(&batch, WIRE_SLICE, 1000, &slice, sizeof(slice), NULL);
	batch_put(&batch, WIRE_CALL, 0, &good, sizeof(good), NULL);
	batch_put(&batch, WIRE_CALL, 0, &bad, sizeof(bad), NULL);
	batch_put(&batch, WIRE_CALL, 0, &stranger, sizeof(stranger), NULL);
	batch_put(&batch, WIRE_CALL_SPLIT, 0, &taken, sizeof(taken), NULL);
	assert_int_equal(decoder_feed(decoder, batch.bytes, batch.size), 0);
	assert_null(profile_broken(profile));
	assert_int_equal(sum_of(profile, "system-calls", ROLE_TOTAL, "read"), 5);
	assert_int_equal(sum_of(profile, "system-call-time", ROLE_TOTAL, "read"), 160);
	assert_int_equal(sum_of(profile, "system-call-oncpu", ROLE_TOTAL, "read"), 90);
	assert_int_equal(sum_of(profile, "system-call-bytes", ROLE_TOTAL, "read"), 12);
	assert_int_equal(sum_of(profile, "system-call-errors", ROLE_TOTAL, "read EAGAIN"), 2);
	assert_int_equal(sum_of(profile, "system-calls", ROLE_SPLIT, "read"), 16);
	assert_int_equal(sum_of(profile, "system-call-bytes", ROLE_SPLIT, "read"), 32);
	decoder_free(decoder);
	profile_free(profile);
	batch_done(&batch);
}

/* --- Live ------------------------------------------------------------------------------------------------------- */

struct stage { atomic_uint go, done; uint64_t computed_ns, slept_ns; };

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec now;

	(void)clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void compute(struct stage *stage)
{
	uint64_t start = clock_ns(CLOCK_THREAD_CPUTIME_ID);

	for (volatile unsigned i = 0; i < 60000000; i++)
		;
	stage->computed_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID) - start;
}

static void *act(void *argument)
{
	struct stage *stage = argument;
	int zero = open("/dev/zero", O_RDONLY), null = open("/dev/null", O_WRONLY);
	struct timespec pause = { .tv_nsec = 1000000 };
	char bytes[8] = { 0 };
	unsigned word = 0;

	while (!atomic_load(&stage->go))
		(void)nanosleep(&pause, NULL);
	for (int i = 0; i < GETPPIDS; i++)
		(void)syscall(SYS_getppid);
	for (int i = 0; i < READS; i++)
		(void)!pread(zero, bytes, 1, 0);
	for (int i = 0; i < WRITES; i++)
		(void)!pwrite(null, bytes, 7, 0);
	for (int i = 0; i < OPENS; i++)
		(void)!open("/nonexistent/crosscut", O_RDONLY);
	for (int i = 0; i < FUTEXES; i++)
		(void)syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
	atomic_fetch_add(&stage->done, 1);
	while (true)
		(void)pause.tv_nsec;
	return NULL;
}

static _Noreturn void perform(struct stage *stage)
{
	struct timespec pause = { .tv_nsec = 1000000 };
	pthread_t thread;
	uint64_t start;

	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (int i = 0; i < THREADS; i++)
		(void)pthread_create(&thread, NULL, act, stage);
	while (!atomic_load(&stage->go))
		(void)usleep(1000);
	compute(stage);
	start = clock_ns(CLOCK_MONOTONIC);
	for (int i = 0; i < SLEEPS; i++)
		(void)syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &pause, NULL);
	stage->slept_ns = clock_ns(CLOCK_MONOTONIC) - start;
	atomic_fetch_add(&stage->done, 1);
	for (;;)
		(void)sleep(1);
}

static bool is_over(void *context)
{
	struct stage *stage = context;

	atomic_store(&stage->go, 1);
	return atomic_load(&stage->done) == THREADS + 1;
}

static struct profile *capture(struct stage *stage, bool stacks)
{
	char path[] = "/tmp/crosscut-calls-XXXXXX";
	pid_t child = fork();
	struct recording recording = {
		.capture = { .population = { .kind = POPULATION_PROCESSES, .ids = &child, .id_count = 1 }, .wait_stacks = stacks,
			     .with = { "syscalls" }, .with_count = 1 },
		.until = is_over, .context = stage };
	struct recording_result result = { 0 };
	struct error err = { 0 };
	int r;

	if (!child)
		perform(stage);
	(void)usleep(50000);
	r = recorded_run(&recording, path, &result, &err);
	return recorded_profile(r, path, child, &result, &err);
}

TEST(every_call_is_counted_once_with_its_error_and_its_bytes)
{
	struct stage *stage = mmap(NULL, sizeof(*stage), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct profile *profile = capture(stage, true);
	uint64_t oncpu, inside, sampled;

	if (!profile)
		skip();
	assert_null(profile_broken(profile));
	assert_int_equal(sum_of(profile, "system-calls", ROLE_TOTAL, "getppid"), THREADS * GETPPIDS);
	assert_int_equal(sum_of(profile, "system-calls", ROLE_TOTAL, "pread64"), THREADS * READS);
	assert_int_equal(sum_of(profile, "system-call-bytes", ROLE_TOTAL, "pread64"), THREADS * READS);
	assert_int_equal(sum_of(profile, "system-calls", ROLE_TOTAL, "pwrite64"), THREADS * WRITES);
	assert_int_equal(sum_of(profile, "system-call-bytes", ROLE_TOTAL, "pwrite64"), THREADS * WRITES * 7);
	assert_int_equal(sum_of(profile, "system-call-errors", ROLE_TOTAL, "openat ENOENT"), THREADS * OPENS);
	assert_int_equal(sum_of(profile, "system-call-errors", ROLE_TOTAL, NULL), THREADS * OPENS);
	assert_int_equal(sum_of(profile, "system-calls", ROLE_TOTAL, "futex"), THREADS * FUTEXES);
	oncpu = sum_of(profile, "oncpu", ROLE_TOTAL, NULL);
	inside = sum_of(profile, "system-call-oncpu", ROLE_TOTAL, NULL);
	sampled = sum_of(profile, "system-calls", ROLE_SPLIT, "getppid");
	print_message("# on CPU %.1f ms, of it in calls %.1f ms; computed %.1f ms; getppid by stacks %lu of %u\n", (double)oncpu / 1e6,
		      (double)inside / 1e6, (double)stage->computed_ns / 1e6, (unsigned long)sampled, THREADS * GETPPIDS);
	assert_true(inside > 0 && inside <= oncpu);
	/* Interrupts and the host's own time lie in both clocks, though not in equal parts. */
	assert_true((double)(oncpu - inside) >= 0.8 * (double)stage->computed_ns);
	assert_true(sum_of(profile, "system-call-time", ROLE_TOTAL, "clock_nanosleep") >= SLEEPS * 1000000ul);
	/* Ten standard deviations, and the threads' own counters may share places. */
	assert_true(fabs((double)sampled - THREADS * GETPPIDS) < 0.5 * THREADS * GETPPIDS);
	profile_free(profile);
	(void)munmap(stage, sizeof(*stage));
}

TEST(without_stacks_there_are_sums_alone)
{
	struct stage *stage = mmap(NULL, sizeof(*stage), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct profile *profile = capture(stage, false);

	if (!profile)
		skip();
	assert_int_equal(sum_of(profile, "system-calls", ROLE_TOTAL, "getppid"), THREADS * GETPPIDS);
	assert_int_equal(sum_of(profile, "system-calls", ROLE_SPLIT, NULL), 0);
	profile_free(profile);
	(void)munmap(stage, sizeof(*stage));
}
