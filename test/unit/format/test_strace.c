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
		while (profile_stack_at(profile, stack.index)->parent.index)
			stack = profile_stack_at(profile, stack.index)->parent;
		(void)profile_frame_name(profile, profile_stack_at(profile, stack.index)->frame, name, sizeof(name));
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
