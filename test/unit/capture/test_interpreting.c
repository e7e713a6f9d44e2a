/* SPDX-License-Identifier: Apache-2.0 */
/* Who is remembered as a process that may run an interpreter; what is read of it takes a real one (test/stacks). */
#include "test.h"

#include "capture/interpreting.h"

static size_t remembered(const struct interpreting *interpreting)
{
	struct interpreting_statistics statistics;

	interpreting_statistics(interpreting, &statistics);
	return statistics.processes;
}

TEST(a_process_that_ends_is_forgotten_and_the_others_are_not)
{
	CLEANUP(interpreting) struct interpreting *interpreting = interpreting_new(NULL, NULL);

	interpreting_map(interpreting, 1, "/usr/bin/python3.11");
	interpreting_map(interpreting, 2, "/usr/bin/sleep");
	interpreting_map(interpreting, 3, "/usr/lib/x86_64-linux-gnu/libpython3.11.so.1.0");
	assert_int_equal(remembered(interpreting), 2);
	interpreting_exit(interpreting, 2);
	interpreting_exit(interpreting, 1);
	assert_int_equal(remembered(interpreting), 1);
	interpreting_exit(interpreting, 3);
	assert_int_equal(remembered(interpreting), 0);
}

/* A server in Python that runs a command for each request. */
TEST(children_that_come_and_go_leave_nothing_behind)
{
	CLEANUP(interpreting) struct interpreting *interpreting = interpreting_new(NULL, NULL);

	interpreting_map(interpreting, 1, "/usr/bin/python3.11");
	for (uint32_t pid = 100; pid < 30000; pid++) {
		interpreting_fork(interpreting, pid, 1);
		interpreting_exec(interpreting, pid);
		interpreting_exit(interpreting, pid);
	}
	assert_int_equal(remembered(interpreting), 1);
}
