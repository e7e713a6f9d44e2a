/* SPDX-License-Identifier: Apache-2.0 */
/*
 * live
 *
 * Stages every kind of wait without a capture, and holds it to what it promises: it ends in time,
 * its threads know what they waited for, nothing is left behind, not even by a caller that is
 * killed. That the kernel agrees with the programs about what they waited for is shown by `crosscut
 * calibrate` and its test.
 *
 * Times are judged by what holds on a busy machine too.
 */
#include "test.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "capture/host.h"
#include "truth/staging.h"

enum { SHORT_NS = 300000000 };
#define SECOND_NS UINT64_C(1000000000)

static char directory[] = "/var/tmp/crosscut-truth-test-XXXXXX";

static void make_directory(void)
{
	strcpy(strrchr(directory, '-'), "-XXXXXX");
	assert_non_null(mkdtemp(directory));
}

static size_t count_lines(const char *path)
{
	FILE *file = fopen(path, "re");
	size_t lines = 0;

	for (int c; file && (c = getc(file)) != EOF;)
		lines += c == '\n';
	if (file)
		assert_int_equal(fclose(file), 0);
	return lines;
}

/*
 * Folders that a row made anywhere below the control groups' mount points; no deeper than rows go.
 */
static size_t count_groups(const char *path, int depth)
{
	DIR *folder = opendir(path);
	size_t found = 0;

	for (struct dirent *entry; folder && (entry = readdir(folder));) {
		char below[1024];

		if (entry->d_type != DT_DIR || entry->d_name[0] == '.')
			continue;
		if (strncmp(entry->d_name, "crosscut-truth-", 15) == 0)
			found++;
		if (depth > 0 && snprintf(below, sizeof(below), "%s/%s", path, entry->d_name) > 0)
			found += count_groups(below, depth - 1);
	}
	if (folder)
		(void)closedir(folder);
	return found;
}

/* Limits of loop devices that a row left changed. */
static size_t count_limits(void)
{
	char path[64], text[16];
	size_t found = 0;

	for (int number = 0; number < 16; number++) {
		int fd;

		(void)snprintf(path, sizeof(path), "/sys/class/bdi/7:%d/strict_limit", number);
		fd = open(path, O_RDONLY | O_CLOEXEC);
		if (fd < 0)
			continue;
		found += read(fd, text, sizeof(text)) > 0 && text[0] == '1';
		(void)close(fd);
	}
	return found;
}

struct traces {
	size_t swaps, groups, limits;
};

static struct traces traces_now(void)
{
	return (struct traces){ count_lines("/proc/swaps"), count_groups("/sys/fs/cgroup", 4),
				count_limits() };
}

static void assert_nothing_left(const struct traces *before)
{
	const struct traces now = traces_now();

	assert_int_equal(now.swaps, before->swaps);
	assert_int_equal(now.groups, before->groups);
	assert_int_equal(now.limits, before->limits);
	/* No child, and, as a subreaper, no orphan. */
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
	assert_int_equal(rmdir(directory), 0);          /* it is empty */
}

/*
 * Outside its waiting calls a judged thread is nowhere blocked: that time was spent on a CPU or
 * ready for one, by the kernel's own sums. It holds on a busy machine as well, where waits and the
 * work between them last longer. The sums are coarse where threads wake up often, hence a tenth;
 * and while the host runs others, a thread that this kernel calls running has no CPU time.
 */
static void assert_blocked_nowhere_else(const struct truth_thread *thread, uint64_t stolen_ns)
{
	uint64_t lifetime_ns = thread->end_ns - thread->start_ns;
	uint64_t outside_ns = lifetime_ns - thread->waited_ns;
	uint64_t known_ns = thread->cpu_ns - thread->wait_cpu_ns + thread->ready_ns;

	if (!thread->ready_known || outside_ns <= known_ns + stolen_ns + lifetime_ns / 10)
		return;
	print_error("%s: %" PRIu64 " ns outside its waits, but %" PRIu64 " ns running or ready (the host took %" PRIu64 " ns)\n",
		    thread->name, outside_ns, known_ns, stolen_ns);
	_fail(__FILE__, __LINE__);
}

static void assert_waited(const struct truth_thread *thread, uint64_t stolen_ns)
{
	assert_true(thread->wait_count > 0);
	assert_true(thread->wait_longest_ns <= thread->waited_ns);
	assert_true(thread->waited_ns <= thread->end_ns - thread->start_ns);
	assert_true(thread->wait_cpu_ns <= thread->cpu_ns);
	assert_true(thread->waited_ns > 0);
	assert_blocked_nowhere_else(thread, stolen_ns);
}

static void assert_sane(const struct truth *row, const struct truth_thread *thread, uint64_t run_ns, uint64_t stolen_ns)
{
	uint64_t lifetime_ns = thread->end_ns - thread->start_ns;

	assert_string_equal(thread->name, row->thread);
	assert_true(thread->tid > 0 && thread->pid > 0);
	assert_true(thread->start_ns > 0 && thread->end_ns > thread->start_ns);
	assert_true(lifetime_ns <= run_ns);
	assert_true(thread->cpu_ns > 0 && thread->cpu_ns <= lifetime_ns + 5000000);
	if (row->measure == TRUTH_WAITED)
		assert_waited(thread, stolen_ns);
	if (row->measure == TRUTH_RATE || truth_is_amount(row))
		assert_int_equal(truth_expected_ns(row, thread), 0);
	else
		assert_true(truth_expected_ns(row, thread) > 0);
}

static void assert_amounts(const struct truth_report *report)
{
	uint64_t sum = 0;

	assert_in_range(report->amount_count, 1, TRUTH_AMOUNTS);
	for (unsigned i = 0; i < report->amount_count; i++) {
		assert_true(report->amounts[i].tid > 0 || report->amounts[i].name[0]);
		sum += report->amounts[i].value;
	}
	assert_true(sum > 20);
}

/* cmocka's own word for it, fail(), is taken. */
static void give_up(const struct truth *row, const struct error *err)
{
	print_error("%s: %s: %s\n", row->name, err->what, err->why);
	_fail(__FILE__, __LINE__);
}

/* 0 run and checked, 1 cannot be staged here. */
static int stage_row(const struct truth *row, uint64_t duration_ns)
{
	struct error err = { 0 };
	struct staging *staging = NULL;
	const struct truth_report *report;
	struct host_time before, after;
	uint64_t start_ns, run_ns;
	pid_t pid = 0;

	if (staging_new(row, directory, duration_ns, &staging, &err) < 0) {
		if (err.kind != FAILURE_CANNOT || !err.why[0])
			give_up(row, &err);
		printf("# %s is not run here: %s: %s\n", row->name, err.what, err.why);
		return 1;
	}
	if (staging_start(staging, &pid, &err) < 0)
		give_up(row, &err);
	assert_int_equal(kill(pid, 0), 0);
	report = staging_report(staging);
	assert_int_equal(report->thread_count, 0);      /* nothing before the word */
	assert_int_equal(host_time_read(&before), 0);
	start_ns = clock_now_ns();
	staging_go(staging);
	if (staging_wait(staging, &err) < 0) {
		if (err.kind != FAILURE_CANNOT || !row->with)
			give_up(row, &err);
		printf("# %s is not run here: %s: %s\n", row->name, err.what, err.why);
		staging_free(staging);
		return 1;
	}
	run_ns = clock_now_ns() - start_ns;
	assert_int_equal(host_time_read(&after), 0);
	assert_in_range(run_ns, 0, duration_ns + 10 * SECOND_NS);
	assert_in_range(report->thread_count, 1, TRUTH_THREADS);
	for (unsigned i = 0; i < report->thread_count; i++)
		assert_sane(row, &report->threads[i], run_ns, host_time_between(&before, &after).steal_ns);
	if (truth_is_amount(row))
		assert_amounts(report);
	if (row->measure == TRUTH_RATE) {
		assert_true(report->operations > 1000);
		assert_true(report->elapsed_ns > 0 && report->elapsed_ns <= run_ns);
	}
	staging_free(staging);
	return 0;
}

TEST(rows_are_sorted_complete_and_found_by_name)
{
	for (const struct truth *const *row = truths; *row; row++) {
		const struct truth *truth = *row;

		assert_ptr_equal(truth_find(truth->name), truth);
		assert_in_range(strlen(truth->summary), 10, 71);
		assert_in_range(strlen(truth->thread), 3, 15);
		assert_in_range(truth->default_ms, 100, 5000);
		assert_non_null(truth->stage);
		assert_int_equal(truth->state == NULL, truth->measure == TRUTH_RATE);
		assert_int_equal(truth->operation == NULL, truth->measure != TRUTH_RATE);
		assert_int_equal(truth->unit == NULL, !truth_is_amount(truth));
		if (row[1])
			assert_true(strcmp(truth->name, row[1]->name) < 0);
	}
	assert_null(truth_find("no such kind"));
}

TEST(every_kind_ends_in_time_knows_its_waits_and_leaves_nothing)
{
	unsigned run = 0;

	(void)prctl(PR_SET_CHILD_SUBREAPER, 1);
	for (const struct truth *const *row = truths; *row; row++) {
		struct traces before = traces_now();

		make_directory();
		run += stage_row(*row, SHORT_NS) == 0;
		assert_nothing_left(&before);
	}
	assert_true(run > 30);          /* all but what needs root, a disk or control groups */
}

TEST(cheap_waits_are_many_and_last_for_the_pace)
{
	static const char *const names[] = { "barrier", "epoll", "flock", "mutex", "nanosleep",
					     "pipe-read", "semaphore", "timerfd", "unix-accept" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const struct truth *row = truth_find(names[i]);
		struct error err = { 0 };
		struct staging *staging = NULL;
		const struct truth_thread *thread;
		pid_t pid;

		make_directory();
		assert_int_equal(staging_new(row, directory, SHORT_NS, &staging, &err), 0);
		assert_int_equal(staging_start(staging, &pid, &err), 0);
		staging_go(staging);
		assert_int_equal(staging_wait(staging, &err), 0);
		thread = &staging_report(staging)->threads[0];
		assert_in_range(thread->wait_count, 3, 400);
		assert_true(thread->wait_longest_ns > 700000);
		staging_free(staging);
		assert_int_equal(rmdir(directory), 0);
	}
}

TEST(a_process_that_is_never_told_to_go_leaves_nothing)
{
	struct traces before = traces_now();
	struct error err = { 0 };
	struct staging *staging = NULL;
	pid_t pid = 0;

	make_directory();
	assert_int_equal(staging_new(truth_find("spin"), directory, 0, &staging, &err), 0);
	assert_int_equal(staging_start(staging, &pid, &err), 0);
	staging_free(staging);
	assert_int_equal(kill(pid, 0), -1);
	assert_nothing_left(&before);
}

static int stage_never(struct truth_context *context, struct error *err)
{
	(void)context;
	return fail(err, FAILURE_WORK, -EIO, "the stage is on fire");
}

TEST(a_row_that_fails_says_why)
{
	static const struct truth failing = { .name = "failing", .default_ms = 100,
					      .stage = stage_never };
	struct error err = { 0 };
	struct staging *staging = NULL;
	pid_t pid;

	make_directory();
	assert_int_equal(staging_new(&failing, directory, 0, &staging, &err), 0);
	assert_int_equal(staging_start(staging, &pid, &err), 0);
	staging_go(staging);
	assert_int_equal(staging_wait(staging, &err), -EIO);
	assert_string_equal(err.what, "the stage is on fire");
	staging_free(staging);
	assert_int_equal(rmdir(directory), 0);
}

TEST(a_row_is_not_run_where_its_directory_is_in_memory)
{
	struct error err = { 0 };
	struct staging *staging = NULL;

	if (access("/dev/shm", W_OK) < 0)
		skip();
	assert_true(staging_new(truth_find("read-cold"), "/dev/shm", 0, &staging, &err) < 0);
	assert_int_equal(err.kind, FAILURE_CANNOT);
	assert_non_null(strstr(err.why, "in memory"));
}

/* The caller, in a process of its own: it stages the row and is killed in the middle of it. */
static void perform_and_hang(const struct truth *row, int ready)
{
	struct error err = { 0 };
	struct staging *staging = NULL;
	pid_t pid;

	if (staging_new(row, directory, 10 * SECOND_NS, &staging, &err) < 0 ||
	    staging_start(staging, &pid, &err) < 0)
		_exit(1);
	staging_go(staging);
	for (unsigned i = 0; staging_report(staging)->thread_count == 0 && i < 5000; i++)
		(void)usleep(1000);
	(void)!write(ready, "r", 1);
	for (;;)
		(void)pause();
}

static void kill_caller_of(const struct truth *row)
{
	struct traces before = traces_now();
	uint64_t end_ns;
	int ends[2];
	char byte;
	pid_t pid;

	make_directory();
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0)
		perform_and_hang(row, ends[1]);
	(void)close(ends[1]);
	if (read(ends[0], &byte, 1) == 1)
		assert_int_equal(kill(pid, SIGKILL), 0);
	(void)close(ends[0]);
	end_ns = clock_now_ns() + 20 * SECOND_NS;
	/* Its orphans, the guard among them, are ours now, and come to their end by themselves. */
	while ((pid = waitpid(-1, NULL, WNOHANG)) >= 0 && clock_now_ns() < end_ns)
		(void)usleep(pid == 0 ? 1000 : 0);
	assert_nothing_left(&before);
}

TEST(a_caller_that_is_killed_leaves_nothing)
{
	static const char *const names[] = { "dirty", "frozen", "frozen-v1", "futex-ping-pong",
					     "quota", "stopped", "swap", "traced", "wait4" };

	(void)prctl(PR_SET_CHILD_SUBREAPER, 1);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		kill_caller_of(truth_find(names[i]));
}
