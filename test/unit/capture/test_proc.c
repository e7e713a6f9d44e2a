/* SPDX-License-Identifier: Apache-2.0 */
/* What the kernel says of processes on their way out, in texts taken from it. */
#include "test.h"

#include "capture/proc.h"

#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static enum process_end end_of(char state, unsigned long flags, unsigned threads)
{
	char stat[512];

	(void)snprintf(stat, sizeof(stat), "1234 (a) (name) %c 1 1234 1234 34816 1234 %lu 161 0 0 0 0 0 0 0 20 0 %u 0 512 0 0", state, flags,
		       threads);
	return proc_end(stat);
}

TEST(a_process_that_is_gone_or_a_zombie_has_ended_and_one_whose_others_go_on_is_ending)
{
	assert_int_equal(proc_end(""), PROCESS_ENDED);
	assert_int_equal(proc_end("1234 (cut sho"), PROCESS_ENDED);
	assert_int_equal(end_of('Z', 0x40410c, 1), PROCESS_ENDED);
	assert_int_equal(end_of('X', 0x40410c, 1), PROCESS_ENDED);
	assert_int_equal(end_of('Z', 0x40410c, 3), PROCESS_ENDING);
}

/* It gives its memory back first, which can take long where processors are scarce. */
TEST(one_that_is_no_zombie_yet_is_ending_and_whoever_has_its_number_lives)
{
	assert_int_equal(end_of('R', 0x404104, 1), PROCESS_ENDING);
	assert_int_equal(end_of('D', 0x404104, 1), PROCESS_ENDING);
	assert_int_equal(end_of('R', 0x404100, 1), PROCESS_LIVES);
	assert_int_equal(end_of('S', 0x400000, 9), PROCESS_LIVES);
}

TEST(this_process_lives_and_a_child_that_nobody_waited_for_has_ended)
{
	char stat[1024];
	pid_t child = fork();
	siginfo_t info;

	if (!child)
		_exit(0);
	assert_int_equal(waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT), 0);
	assert_true(proc_read(child, "stat", stat, sizeof(stat)) > 0);
	assert_int_equal(proc_end(stat), PROCESS_ENDED);
	assert_int_equal(waitpid(child, NULL, 0), child);
	assert_true(proc_read(getpid(), "stat", stat, sizeof(stat)) > 0);
	assert_int_equal(proc_end(stat), PROCESS_LIVES);
}
