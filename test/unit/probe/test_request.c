/* SPDX-License-Identifier: Apache-2.0 */
/*
 * live
 * Where the time of a request went: by the book, on streams written by hand, and of a live server that injects running,
 * waiting for a lock, for a disk and for a timer into each request and times these itself. Each request of the capture is
 * found again in the server's own list by its trace.
 */
#include "unit/recorded.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "command/recording.h"
#include "format/format.h"
#include "probe/request_book.h"
#include "profile/latency.h"
#include "profile/profile.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* --- The book --------------------------------------------------------------------------------------------------- */

struct written { struct profile *profile; struct request_book *book; struct thread_id thread; };

static void written_init(struct written *written)
{
	*written = (struct written){ .profile = profile_new() };
	written->book = request_book_new(written->profile);
	written->thread = profile_thread(written->profile, (struct thread){
		.process = profile_process(written->profile, (struct process){ .pid = 7 }), .tid = 7 });
}

static void written_done(struct written *written)
{
	assert_null(profile_broken(written->profile));
	request_book_free(written->book);
	profile_free(written->profile);
}

static void opens(struct written *written, uint32_t request, uint32_t thread, uint64_t at_ns)
{
	request_book_open(written->book, &(struct request_opening){
		.request = request, .thread = thread, .one_in = 4, .arrived_ns = at_ns - 5, .opened_ns = at_ns });
}

static void closes(struct written *written, uint32_t request, uint32_t thread, uint64_t since_ns, uint64_t at_ns)
{
	request_book_close(written->book, &(struct request_closing){
		.request = request, .thread = thread, .status = 200, .since_ns = since_ns, .closed_ns = at_ns }, written->thread);
}

static void did(struct written *written, uint32_t thread, const char *parent, const char *name, uint64_t start_ns, uint64_t end_ns)
{
	request_book_interval(written->book, thread, &(struct request_interval){
		.start_ns = start_ns, .end_ns = end_ns, .running = !strcmp(name, "oncpu"),
		.dimension = profile_dimension(written->profile, dimension_row_find(parent, name)) });
}

static uint64_t part_of(const struct profile *profile, uint32_t request, const char *parent, const char *name)
{
	struct dimension_id id = profile_dimension_find(profile, parent, name);
	uint64_t sum = 0;

	for (size_t i = 0; i < profile_part_count(profile); i++)
		if (profile_part_at(profile, i)->request == request && profile_part_at(profile, i)->dimension.index == id.index)
			sum += profile_part_at(profile, i)->ns;
	return sum;
}

TEST(intervals_are_cut_at_both_ends_of_the_request)
{
	struct written written;

	written_init(&written);
	opens(&written, 1, 3, 100);
	did(&written, 3, NULL, "oncpu", 50, 130);
	did(&written, 3, NULL, "timer", 130, 180);
	did(&written, 3, "runnable", "woken", 180, 190);
	closes(&written, 1, 3, 190, 200);
	assert_int_equal(profile_request_count(written.profile), 1);
	assert_int_equal(part_of(written.profile, 0, NULL, "oncpu"), 40);
	assert_int_equal(part_of(written.profile, 0, NULL, "timer"), 50);
	assert_int_equal(part_of(written.profile, 0, "runnable", "woken"), 10);
	assert_int_equal(part_of(written.profile, 0, NULL, "unknown"), 0);
	written_done(&written);
}

TEST(what_no_interval_covers_is_unknown)
{
	struct written written;

	written_init(&written);
	opens(&written, 1, 3, 100);
	did(&written, 3, NULL, "oncpu", 100, 120);
	closes(&written, 1, 3, 190, 200);
	assert_int_equal(part_of(written.profile, 0, NULL, "unknown"), 70);
	assert_int_equal(part_of(written.profile, 0, NULL, "oncpu"), 30);
	written_done(&written);
}

TEST(while_its_thread_runs_for_another_a_request_is_behind)
{
	struct written written;

	written_init(&written);
	opens(&written, 1, 3, 100);
	opens(&written, 2, 3, 150);
	request_book_touch(written.book, 3, 2, 150);
	request_book_touch(written.book, 3, 1, 180);
	closes(&written, 1, 3, 90, 200);
	request_book_touch(written.book, 3, 2, 210);
	closes(&written, 2, 3, 90, 220);
	assert_int_equal(part_of(written.profile, 0, NULL, "oncpu"), 70);
	assert_int_equal(part_of(written.profile, 0, "runnable", "behind"), 30);
	assert_int_equal(part_of(written.profile, 1, NULL, "oncpu"), 40);
	assert_int_equal(part_of(written.profile, 1, "runnable", "behind"), 30);
	written_done(&written);
}

TEST(a_request_that_was_handed_over_is_followed_from_thread_to_thread)
{
	struct written written;

	written_init(&written);
	opens(&written, 1, 3, 100);
	request_book_hand(written.book, 1, 3, 8, 60, 110);      /* a wake-up on the way, of one that did not answer */
	request_book_hand(written.book, 1, 3, 9, 60, 130);
	did(&written, 3, NULL, "oncpu", 60, 140);
	did(&written, 3, NULL, "timer", 140, 300);
	did(&written, 9, NULL, "idle", 20, 130);
	did(&written, 9, "runnable", "woken", 130, 145);
	did(&written, 9, NULL, "oncpu", 145, 150);
	did(&written, 9, NULL, "disk", 150, 190);
	closes(&written, 1, 9, 190, 200);
	assert_int_equal(part_of(written.profile, 0, NULL, "oncpu"), 30 + 5 + 10);
	assert_int_equal(part_of(written.profile, 0, "runnable", "woken"), 15);
	assert_int_equal(part_of(written.profile, 0, NULL, "disk"), 40);
	assert_int_equal(part_of(written.profile, 0, NULL, "timer"), 0);
	assert_int_equal(part_of(written.profile, 0, NULL, "unknown"), 0);
	written_done(&written);
}

TEST(a_hand_over_that_nobody_saw_leaves_time_unknown)
{
	struct written written;

	written_init(&written);
	opens(&written, 1, 3, 100);
	did(&written, 3, NULL, "oncpu", 60, 140);
	closes(&written, 1, 9, 190, 200);
	assert_int_equal(part_of(written.profile, 0, NULL, "unknown"), 90);
	assert_int_equal(part_of(written.profile, 0, NULL, "oncpu"), 10);
	written_done(&written);
}

TEST(an_abandoned_request_is_none_and_its_thread_is_forgotten)
{
	struct written written;

	written_init(&written);
	opens(&written, 1, 3, 100);
	request_book_abandon(written.book, 1, 150);
	closes(&written, 1, 3, 190, 200);
	assert_int_equal(profile_request_count(written.profile), 0);
	written_done(&written);
}

TEST(a_thread_that_always_serves_keeps_no_more_intervals_than_its_open_requests_need)
{
	struct written written;

	written_init(&written);
	opens(&written, 1, 3, 100);
	for (uint32_t i = 1; i < 5000; i++) {
		uint64_t at_ns = 100 + 100ull * i;

		did(&written, 3, NULL, "oncpu", at_ns - 100, at_ns - 40);
		did(&written, 3, NULL, "timer", at_ns - 40, at_ns);
		opens(&written, i + 1, 3, at_ns - 50);
		closes(&written, i, 3, at_ns, at_ns + 10);
	}
	assert_int_equal(profile_request_count(written.profile), 4999);
	assert_int_equal(part_of(written.profile, 4998, NULL, "unknown"), 0);
	written_done(&written);
}

/* --- A server --------------------------------------------------------------------------------------------------- */

enum { CLIENTS = 4, REQUEST_LIMIT = 20000, SPIN_NS = 200000, HELD_US = 300, PAUSE_US = 5000, PAUSE_EVERY = 50, BLOCK = 4096,
       BLOCKS = 2048, DURATION_NS = 3000000000u };

/* What the server knows of one request. */
struct truth { uint64_t latency_ns, cpu_ns, lock_ns, disk_ns, sleep_ns; };

struct stage {
	uint16_t port;
	bool disk;
	struct truth truths[REQUEST_LIMIT];
};

static struct stage *stage;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int file = -1;
static volatile bool over;

static uint64_t cpu_now_ns(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

#define timed(sum, call)                                        \
	do {                                                    \
		uint64_t before_ns = clock_now_ns();            \
		call;                                           \
		sum += clock_now_ns() - before_ns;              \
	} while (0)

static void serve_one(struct truth *truth, unsigned id, void *block)
{
	uint64_t cpu_ns = cpu_now_ns();

	while (cpu_now_ns() < cpu_ns + SPIN_NS)
		;
	if (stage->disk)
		timed(truth->disk_ns, (void)!pread(file, block, BLOCK, (off_t)(id * 7919u % BLOCKS) * BLOCK));
	timed(truth->lock_ns, (void)pthread_mutex_lock(&mutex));
	timed(truth->sleep_ns, (void)usleep(HELD_US));
	(void)pthread_mutex_unlock(&mutex);
	if (id % PAUSE_EVERY == 0)
		timed(truth->sleep_ns, (void)usleep(PAUSE_US));
}

static void *serves_a_connection(void *argument)
{
	int connection = (int)(intptr_t)argument;
	static const char answer[] = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
	char text[1024];
	void *block = NULL;

	if (posix_memalign(&block, BLOCK, BLOCK))
		return NULL;
	for (;;) {
		ssize_t size = recv(connection, text, sizeof(text) - 1, 0);
		uint64_t start_ns = clock_now_ns(), cpu_ns = cpu_now_ns();
		struct truth truth = { 0 };
		unsigned id;

		if (size <= 0 || sscanf(strchr(text, '\n') + 1, "traceparent: 00-%32x", &id) != 1 || id >= REQUEST_LIMIT)
			break;
		serve_one(&truth, id, block);
		truth.cpu_ns = cpu_now_ns() - cpu_ns;
		truth.latency_ns = clock_now_ns() - start_ns;
		stage->truths[id] = truth;
		if (send(connection, answer, sizeof(answer) - 1, MSG_NOSIGNAL) < 0)
			break;
	}
	free(block);
	(void)close(connection);
	return NULL;
}

static _Noreturn void serve(int listener)
{
	pthread_t thread;

	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;) {
		int connection = accept(listener, NULL, NULL);

		if (connection < 0 || pthread_create(&thread, NULL, serves_a_connection, (void *)(intptr_t)connection))
			_exit(1);
	}
}

static int listen_anywhere(void)
{
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t size = sizeof(address);
	int listener = socket(AF_INET, SOCK_STREAM, 0);

	assert_int_equal(bind(listener, (void *)&address, size), 0);
	assert_int_equal(listen(listener, 16), 0);
	assert_int_equal(getsockname(listener, (void *)&address, &size), 0);
	stage->port = ntohs(address.sin_port);
	return listener;
}

static unsigned next_id;

static void *asks(void *argument)
{
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
				       .sin_port = htons(stage->port) };
	int connection = socket(AF_INET, SOCK_STREAM, 0);
	char text[256];

	(void)argument;
	if (connect(connection, (void *)&address, sizeof(address)))
		over = true;
	while (!over) {
		unsigned id = __atomic_add_fetch(&next_id, 1, __ATOMIC_RELAXED);
		int size = snprintf(text, sizeof(text), "GET /item/%u HTTP/1.1\r\ntraceparent: 00-%032x-00000000000000ab-01\r\n\r\n",
				    id, id);

		if (id >= REQUEST_LIMIT || send(connection, text, (size_t)size, MSG_NOSIGNAL) < 0 ||
		    recv(connection, text, sizeof(text), 0) <= 0)
			break;
	}
	(void)close(connection);
	return NULL;
}

/* On the disk that the build lies on: there direct I/O is to be had, if anywhere. */
static void open_file(void)
{
	static char zeros[BLOCK];
	char path[] = "./crosscut-request-XXXXXX";
	int writer = mkstemp(path);

	for (int i = 0; i < BLOCKS && writer >= 0; i++)
		if (write(writer, zeros, BLOCK) != BLOCK)
			break;
	(void)fsync(writer);
	(void)close(writer);
	file = open(path, O_RDONLY | O_DIRECT);
	stage->disk = file >= 0;
	(void)unlink(path);
}

static struct profile *capture_served(void)
{
	char path[] = "/tmp/crosscut-request-XXXXXX", work[32];
	int listener = listen_anywhere();
	pid_t child = fork();
	struct recording recording = {
		.capture = { .population = { .kind = POPULATION_PROCESSES, .ids = &child, .id_count = 1 }, .wait_stacks = true,
			     .work = work, .requests = 1 },
		.duration_ns = DURATION_NS };
	struct recording_result result = { 0 };
	struct error err = { 0 };
	pthread_t clients[CLIENTS];
	int r;

	if (!child)
		serve(listener);
	(void)snprintf(work, sizeof(work), "http:%u", stage->port);
	for (int i = 0; i < CLIENTS; i++)
		assert_int_equal(pthread_create(&clients[i], NULL, asks, NULL), 0);
	r = recorded_run(&recording, path, &result, &err);
	over = true;
	for (int i = 0; i < CLIENTS; i++)
		(void)pthread_join(clients[i], NULL);
	(void)close(listener);
	return recorded_profile(r, path, child, &result, &err);
}

struct seen { uint64_t sum_ns, oncpu_ns, ready_ns, lock_ns, disk_ns, timer_ns, idle_ns, unknown_ns; };

static struct seen *sum_parts(const struct profile *profile)
{
	struct seen *seen = xcalloc(profile_request_count(profile) + 1, sizeof(*seen));

	for (size_t i = 0; i < profile_part_count(profile); i++) {
		const struct part *part = profile_part_at(profile, i);
		struct dimension_id class = part->evidence.index ? profile_evidence_at(profile, part->evidence.index)->class
								 : part->dimension;
		const char *name = profile_text(profile, profile_dimension_at(profile, profile_dimension_root(profile, class).index)->name);
		struct seen *row = &seen[part->request];

		row->sum_ns += part->ns;
		*(!strcmp(name, "oncpu") ? &row->oncpu_ns : !strcmp(name, "runnable") ? &row->ready_ns
		  : !strcmp(name, "lock") ? &row->lock_ns : !strcmp(name, "disk") ? &row->disk_ns
		  : !strcmp(name, "timer") ? &row->timer_ns : !strcmp(name, "idle") ? &row->idle_ns : &row->unknown_ns) += part->ns;
	}
	return seen;
}

/* Within 3 %. The server's clocks hold the way back to a processor after each wait as well, which the capture calls
 * runnable, and the call itself. */
static void assert_near(const char *cohort, const char *what, double truth_ns, double seen_ns, double outside_ns, double calls_ns)
{
	double allowed_ns = 0.03 * truth_ns;
	bool holds = seen_ns <= truth_ns + allowed_ns && truth_ns <= seen_ns + outside_ns + calls_ns + allowed_ns;

	print_message("# %s %s: %.1f us by the server, %.1f us seen, outside %.1f us\n", cohort, what, truth_ns / 1e3, seen_ns / 1e3,
		      outside_ns / 1e3);
	assert_true(holds);
}

static void assert_cohort(const struct profile *profile, const struct seen *seen, const struct latency_cohort *cohort,
			  double stolen)
{
	CLEANUP(latencies) struct latencies *latencies = latencies_new(profile, NULL, LATENCY_SERVED);
	double lock = 0, disk = 0, sleep = 0, cpu = 0, count = 0;
	struct seen sum = { 0 };
	double outside;
	size_t first, end;

	latencies_cohort(latencies, cohort, &first, &end);
	for (size_t i = first; i < end; i++) {
		const struct request *request = profile_request_at(profile, latencies->rows[i].request);
		const struct seen *row = &seen[latencies->rows[i].request];
		const struct truth *truth = &stage->truths[strtoul(profile_text(profile, request->trace_id), NULL, 16) % REQUEST_LIMIT];

		lock += (double)truth->lock_ns;
		disk += (double)truth->disk_ns;
		sleep += (double)truth->sleep_ns;
		cpu += (double)truth->cpu_ns;
		sum.oncpu_ns += row->oncpu_ns;
		sum.ready_ns += row->ready_ns;
		sum.lock_ns += row->lock_ns;
		sum.disk_ns += row->disk_ns;
		sum.timer_ns += row->timer_ns;
		count++;
	}
	assert_true(count > 0);
	/* Around its waits the server's clock goes on while the thread is ready, and while the host runs others in its place: on-CPU for us. */
	outside = (double)sum.ready_ns / count;
	if (stolen > 0.01)
		outside += fmax(0, (double)sum.oncpu_ns / count - SPIN_NS);
	assert_near(cohort->name, "lock", lock / count, (double)sum.lock_ns / count, outside, 20000);
	if (stage->disk)
		assert_near(cohort->name, "disk", disk / count, (double)sum.disk_ns / count, outside, 50000);
	assert_near(cohort->name, "timer", sleep / count, (double)sum.timer_ns / count, outside, 20000);
	assert_true((double)sum.oncpu_ns >= SPIN_NS * count);
	/* The kernel charges part of the way out of idle to the thread; what the call before and after costs is in no clock. What
	 * the host takes while a thread runs is on-CPU for us and in no thread's clock. */
	if (stolen <= 0.01)
		assert_near(cohort->name, "run", (double)sum.oncpu_ns / count, SPIN_NS, cpu / count - SPIN_NS, 100000);
}

/* Of all processors' time since they started, in ticks, and what of it the host took. */
static void processor_ticks(unsigned long long *all, unsigned long long *stolen)
{
	unsigned long long ticks[8] = { 0 };
	FILE *stat = fopen("/proc/stat", "re");

	assert_non_null(stat);
	assert_int_equal(fscanf(stat, "cpu %llu %llu %llu %llu %llu %llu %llu %llu", &ticks[0], &ticks[1], &ticks[2], &ticks[3],
				&ticks[4], &ticks[5], &ticks[6], &ticks[7]), 8);
	(void)fclose(stat);
	*all = 0;
	for (int i = 0; i < 8; i++)
		*all += ticks[i];
	*stolen = ticks[7];
}

TEST(the_parts_of_each_request_are_what_its_server_injected)
{
	struct profile *profile;
	struct seen *seen;
	size_t matched = 0;
	unsigned long long all[2], taken[2];
	double stolen;

	stage = mmap(NULL, sizeof(*stage), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(stage, MAP_FAILED);
	open_file();
	processor_ticks(&all[0], &taken[0]);
	profile = capture_served();
	processor_ticks(&all[1], &taken[1]);
	stolen = (double)(taken[1] - taken[0]) / (double)(all[1] - all[0] + 1);
	if (!profile || !profile_meta(profile, "requests.opened")) {
		profile_free(profile);
		skip();
	}
	assert_null(profile_broken(profile));
	seen = sum_parts(profile);
	for (size_t i = 0; i < profile_request_count(profile); i++) {
		const struct request *request = profile_request_at(profile, i);
		unsigned long id = strtoul(profile_text(profile, request->trace_id), NULL, 16);

		assert_int_equal(seen[i].sum_ns, request->closed_ns - request->opened_ns);
		assert_int_equal(seen[i].idle_ns, 0);           /* a wait inside a request never is */
		assert_string_equal(profile_text(profile, request->class), "GET /item/:n");
		assert_int_equal(request->status, 200);
		assert_false(request->overlap);
		assert_in_range(id, 1, REQUEST_LIMIT - 1);
		assert_true(request->closed_ns - request->opened_ns >= stage->truths[id].latency_ns);
		assert_true(request->arrived_ns && request->arrived_ns <= request->opened_ns);
		matched++;
	}
	print_message("# %zu requests\n", matched);
	assert_true(matched > 100);
	assert_cohort(profile, seen, &latency_cohorts[0], stolen);
	assert_cohort(profile, seen, &latency_cohorts[2], stolen);
	free(seen);
	profile_free(profile);
	(void)munmap(stage, sizeof(*stage));
}
