/* SPDX-License-Identifier: Apache-2.0 */
#include "base/cleanup.h"
#include "base/error.h"
#include "format/format.h"
#include "format/input.h"
#include "profile/profile.h"
#include "test.h"

#include <errno.h>
#include <string.h>

static struct profile *read_text(const char *text)
{
	CLEANUP(input) struct input *input = input_memory(text, strlen(text), "text");
	struct profile *profile = NULL;
	struct error err = { 0 };

	assert_int_equal(format_read_input(input, &profile, &err), 0);
	assert_null(profile_broken(profile));
	assert_string_equal(profile_meta(profile, "import.format"), "strace");
	return profile;
}

/* Count and value of a dimension's stacks whose root has this name; of all where it is NULL. */
static uint64_t sum_of(const struct profile *profile, const char *dimension, const char *call, uint64_t *ret_count)
{
	struct dimension_id id = profile_dimension_find(profile, NULL, dimension);
	uint64_t value = 0;

	*ret_count = 0;
	for (size_t i = 0; i < profile_cell_count(profile); i++) {
		const struct cell *cell = profile_cell_at(profile, i);
		struct stack_id stack = cell->stack;
		char name[64] = "";

		if (!stack.index || !dimension_is(profile_cell_dimension(profile, cell), id))
			continue;
		while (profile_stack_at(profile, stack.index).parent.index)
			stack = profile_stack_at(profile, stack.index).parent;
		(void)profile_frame_name(profile, profile_stack_at(profile, stack.index).frame, name, sizeof(name));
		if (call && strcmp(call, name) != 0)
			continue;
		*ret_count += cell->count;
		value += cell->value;
	}
	return value;
}

TEST(calls_are_counted_by_name_and_timed_where_strace_was_told_to)
{
	CLEANUP(profile) struct profile *profile = read_text(
		"100 1700000052.321000 openat(AT_FDCWD, \"/a = b\", O_RDONLY) = 3 <0.000100>\n"
		"[pid   101] 1700000052.321100 read(3, \"x\"..., 1024) = 312 <0.000020>\n"
		"100 1700000052.321300 openat(AT_FDCWD, \"/no\", O_RDONLY) = -1 ENOENT (No such file or directory) <0.000007>\n"
		"--- SIGCHLD {si_signo=SIGCHLD} ---\n+++ exited with 0 +++\nprose\n");
	uint64_t count;

	assert_int_equal(sum_of(profile, "system-calls", NULL, &count), 3);
	assert_int_equal(sum_of(profile, "system-call-time", "openat", &count), 107000);
	assert_int_equal(count, 2);
	assert_int_equal(profile_interval_count(profile), 3);
	assert_int_equal(profile_interval_at(profile, 0)->start_ns, 1700000052321000000);
	assert_string_equal(profile_meta(profile, "import.remark.1"), "1 skipped: a line is no system call, at line 6");
	assert_int_equal(profile_thread_at(profile, 2)->tid, 101);
}

TEST(a_call_in_two_parts_is_one)
{
	CLEANUP(profile) struct profile *profile = read_text(
		"1000 1700000052.321000 futex(0x7f, FUTEX_WAIT, 2, NULL <unfinished ...>\n"
		"1001 1700000052.321100 write(1, \"x\", 1) = 1\n"
		"1000 1700000052.321500 <... futex resumed> )  = 0\n");
	uint64_t count;

	assert_int_equal(sum_of(profile, "system-call-time", "futex", &count), 500000);
	assert_int_equal(sum_of(profile, "system-calls", NULL, &count), 2);
}

TEST(a_line_that_does_not_say_whose_it_is_is_left_out_where_others_do)
{
	CLEANUP(profile) struct profile *profile = read_text(
		"1000 1700000052.321000 openat(AT_FDCWD, \"/etc/passwd\", O_RDONLY) = 3\n"
		"1700000052.321100 read(3, \"root\"..., 1024) = 312\n1700000052.321200 close(3)                = 0\n"
		"1000 1700000052.321300 write(1, \"hi\", 2) = 2\n");
	uint64_t count;

	assert_int_equal(sum_of(profile, "system-calls", NULL, &count), 2);
	assert_string_equal(profile_meta(profile, "import.remark.1"),
			    "2 skipped: a line does not say whose call it is, first at line 2");
}

TEST(a_time_below_zero_is_said_and_its_call_is_counted)
{
	CLEANUP(profile) struct profile *profile = read_text(
		"100 1700000052.321000 read(3, \"x\", 1) = 1 <-0.000100>\n100 1700000052.321000 read(3, \"x\", 1) = 1 <0.000007>\n");
	CLEANUP(profile) struct profile *table = read_text(
		"% time     seconds  usecs/call     calls    errors syscall\n------ ----------- ----------- --------- --------- ----------------\n"
		" 60.00   -0.000123           3        40         1 openat\n 40.00    0.000100           2        50           read\n");
	uint64_t count;

	assert_int_equal(sum_of(profile, "system-calls", "read", &count), 2);
	assert_int_equal(sum_of(profile, "system-call-time", "read", &count), 7000);
	assert_non_null(strstr(profile_meta(profile, "import.remark.1"), "below zero"));
	assert_int_equal(sum_of(table, "system-calls", NULL, &count), 90);
	assert_int_equal(sum_of(table, "system-call-time", NULL, &count), 100000);
	assert_non_null(strstr(profile_meta(table, "import.remark.1"), "below zero"));
}

TEST(the_table_of_c_is_read)
{
	CLEANUP(profile) struct profile *profile = read_text(
		"% time     seconds  usecs/call     calls    errors syscall\n"
		"------ ----------- ----------- --------- --------- ----------------\n"
		" 60.00    0.000300           3       100         1 openat\n 40.00    0.000200          20        10           read\n"
		"------ ----------- ----------- --------- --------- ----------------\n"
		"100.00    0.000500           4       110         1 total\n");
	uint64_t count;

	assert_int_equal(sum_of(profile, "system-call-time", NULL, &count), 500000);
	assert_int_equal(sum_of(profile, "system-calls", "openat", &count), 100);
	assert_int_equal(sum_of(profile, "system-calls", NULL, &count), 110);
}

TEST(a_table_below_the_calls_that_it_counts_is_left_out)
{
	CLEANUP(profile) struct profile *profile = read_text(
		"read(3, \"a\", 1) = 1\nread(3, \"\", 1) = 0\n% time     seconds  usecs/call     calls    errors syscall\n"
		"------ ----------- ----------- --------- --------- ----------------\n"
		"100.00    0.000300         150         2           read\n100.00    0.000300         150         2           total\n");
	uint64_t count;

	assert_int_equal(sum_of(profile, "system-calls", "read", &count), 2);
	assert_string_equal(profile_meta(profile, "import.remark.1"),
			    "the table counts the calls above it again: it is left out, at line 3");
}

/* One of another thread, and one that a later call of its own thread shows to have been left. */
TEST(a_call_that_never_returns_is_counted_without_a_time)
{
	CLEANUP(profile) struct profile *profile = read_text(
		"100 1700000000.000000 read(3, \"a\", 1) = 1 <0.000100>\n101 1700000000.000100 epoll_wait(3 <unfinished ...>\n"
		"102 1700000000.000200 futex(0x7f <unfinished ...>\n102 1700000000.000300 poll(0x7f <unfinished ...>\n");
	uint64_t count;

	assert_int_equal(sum_of(profile, "system-calls", NULL, &count), 4);
	assert_int_equal(sum_of(profile, "system-calls", "epoll_wait", &count), 1);
	assert_int_equal(sum_of(profile, "system-call-time", NULL, &count), 100000);
	assert_non_null(strstr(profile_meta(profile, "import.remark.1"), "a call is not seen to return"));
}

TEST(times_since_the_line_before_are_added_up)
{
	CLEANUP(profile) struct profile *alone = read_text(
		"     0.000000 execve(\"/bin/x\", [], 0x0) = 0\n     0.000100 read(3, \"a\", 1) = 1\n");
	CLEANUP(profile) struct profile *profile = read_text(
		"[pid   100]      0.000021 read(3, \"a\", 1) = 1 <0.000100>\n[pid   100]      0.000200 --- SIGCHLD {si_signo=SIGCHLD} ---\n"
		"[pid   100]      0.000030 read(3, \"a\", 1) = 1 <0.000100>\n[pid   100]      0.000007 read(3, \"a\", 1) = 1 <0.000100>\n");

	assert_int_equal(profile_meta_number(alone, "capture.end_ns", 0) - profile_meta_number(alone, "capture.start_ns", 0), 100000);
	assert_int_equal(profile_interval_count(profile), 3);
	assert_int_equal(profile_interval_at(profile, 1)->start_ns - profile_interval_at(profile, 0)->start_ns, 230000);
	assert_int_equal(profile_interval_at(profile, 2)->start_ns - profile_interval_at(profile, 1)->start_ns, 7000);
}

TEST(stacks_of_k_lead_to_their_call)
{
	CLEANUP(profile) struct profile *profile = read_text(
		"openat(AT_FDCWD, \"/no\", O_RDONLY) = -1 ENOENT (No such file or directory)\n"
		" > /usr/lib/libc.so.6(__open64+0x1a) [0x3e69a]\n > /usr/bin/ls(+0x0) [0x61f1]\n"
		"exit_group(0)                           = ?\n+++ exited with 0 +++\n > /usr/lib/libc.so.6(_exit+0x29) [0xd4409]\n");
	static const char *const names[] = { "ENOENT", "openat", "__open64" };
	struct stack_id stack = { 0 };
	uint64_t count;

	for (size_t i = 0; i < profile_cell_count(profile) && !stack.index; i++)
		stack = profile_cell_at(profile, i)->stack;
	for (size_t i = 0; i < ARRAY_LENGTH(names); i++) {
		struct stack row = profile_stack_at(profile, stack.index);

		assert_string_equal(profile_text(profile, profile_frame_at(profile, row.frame.index)->name), names[i]);
		stack = row.parent;
	}
	assert_int_equal(profile_frame_at(profile, profile_stack_at(profile, stack.index).frame.index)->offset, 0x61f1);
	assert_int_equal(profile_stack_at(profile, stack.index).parent.index, 0);
	assert_int_equal(sum_of(profile, "system-calls", NULL, &count), 2);
	assert_null(profile_meta(profile, "import.remark.1"));
}
