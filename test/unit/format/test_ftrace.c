/* SPDX-License-Identifier: Apache-2.0 */
#include "format/format.h"

#include "base/cleanup.h"
#include "base/error.h"
#include "format/input.h"
#include "profile/profile.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

/* One second of two threads, as each tool prints it. Names hold blanks, brackets and colons. */
static const char ftrace_text[] =
	"# tracer: nop\n"
	"#           TASK-PID     CPU#  |||||  TIMESTAMP  FUNCTION\n"
	"          <idle>-0       [001] d..2.   100.000000: sched_switch: prev_comm=swapper/1 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=a [b]: c next_pid=7 next_prio=120\n"
	"        a [b]: c-7       [001] d..3.   100.200000: sched_switch: prev_comm=a [b]: c prev_pid=7 prev_prio=120 prev_state=S ==> next_comm=bash next_pid=9 next_prio=120\n"
	"            bash-9       [001] dNh4.   100.500000: sched_waking: comm=a [b]: c pid=7 prio=120 target_cpu=001\n"
	"            bash-9       [001] d..2.   100.600000: sched_switch: prev_comm=bash prev_pid=9 prev_prio=120 prev_state=R+ ==> next_comm=a [b]: c next_pid=7 next_prio=120\n"
	"        a [b]: c-7       [001] d..2.   101.000000: sched_switch: prev_comm=a [b]: c prev_pid=7 prev_prio=120 prev_state=S ==> next_comm=swapper/1 next_pid=0 next_prio=120";

static const char trace_cmd_text[] =
	"cpus=2\r\n"
	"          <idle>-0     [001]   100.000000: sched_switch:         swapper/1:0 [120] R ==> a [b]: c:7 [120]\r\n"
	"        a [b]: c-7     [001]   100.200000: sched_switch:         a [b]: c:7 [120] S ==> bash:9 [120]\r\n"
	"            bash-9     [001]   100.500000: sched_waking:         a [b]: c:7 [120] CPU:001\r\n"
	"            bash-9     [001]   100.600000: sched_switch:         bash:9 [120] R ==> a [b]: c:7 [120]\r\n"
	"        a [b]: c-7     [001]   101.000000: sched_switch:         a [b]: c:7 [120] S ==> swapper/1:0 [120]\r\n";

static const char script_text[] =
	"swapper     0 [001]   100.000000:          1 sched:sched_switch: prev_comm=swapper/1 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=a [b]: c next_pid=7 next_prio=120\n"
	"\tffffffff8225a695 schedule+0x5 ([kernel.kallsyms])\n"
	"\n"
	"a [b]: c     7/7 [001]   100.200000000: sched:sched_switch: prev_comm=a [b]: c prev_pid=7 prev_prio=120 prev_state=S ==> next_comm=bash next_pid=9 next_prio=120\n"
	"bash     9 [001]   100.500000: sched:sched_waking: comm=a [b]: c pid=7 prio=120 target_cpu=001\n"
	"bash     9 [001]   100.600000: sched:sched_switch: bash:9 [120] R ==> a [b]: c:7 [120]\n"
	"a [b]: c     7 [001]   101.000000: sched:sched_switch: prev_comm=a [b]: c prev_pid=7 prev_prio=120 prev_state=S ==> next_comm=swapper/1 next_pid=0 next_prio=120\n";

static struct profile *read_text(const char *text)
{
	CLEANUP(input) struct input *input = input_memory(text, strlen(text), "trace");
	struct profile *profile = NULL;
	struct error err = { 0 };

	if (format_read_input(input, &profile, &err) < 0)
		print_message("%s: %s\n", err.what, err.why);
	assert_non_null(profile);
	assert_null(profile_broken(profile));
	assert_string_equal(profile_meta(profile, "import.format"), "ftrace");
	return profile;
}

static uint64_t spent(const struct profile *profile, uint32_t tid, const char *state)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < profile_cell_count(profile); i++) {
		const struct cell *cell = profile_cell_at(profile, i);
		struct dimension_id root = profile_dimension_root(profile, profile_cell_dimension(profile, cell));

		if (profile_thread_at(profile, cell->thread.index)->tid == tid && cell->thread.index &&
		    profile_measure_at(profile, cell->measure.index)->role == ROLE_TOTAL &&
		    !strcmp(profile_text(profile, profile_dimension_at(profile, root.index)->name), state))
			sum += cell->value / 1000000;
	}
	return sum;
}

static void assert_second(const char *text)
{
	CLEANUP(profile) struct profile *profile = read_text(text);
	bool named = false;

	for (size_t i = 1; i < profile_thread_count(profile); i++)
		named |= !strcmp(profile_text(profile, profile_thread_at(profile, i)->comm), "a [b]: c");
	assert_true(named);
	assert_int_equal(spent(profile, 7, "oncpu"), 200 + 400);
	assert_int_equal(spent(profile, 7, "unknown"), 300);
	assert_int_equal(spent(profile, 7, "runnable"), 100);
	assert_int_equal(spent(profile, 9, "oncpu"), 400);
	assert_int_equal(spent(profile, 9, "runnable"), 200 + 400);
	assert_int_equal(profile_meta_number(profile, "capture.end_ns", 0) - profile_meta_number(profile, "capture.start_ns", 0),
			 1000000000);
}

/* What is judged may end anywhere: a short rest behind the processor's number is not read past. */
TEST(a_line_that_ends_behind_the_processor_is_read_no_further)
{
	static const char short_line[] = { '2', '[', '2', ']', '2', '[', ')', '0', '\xbf' };
	char *exact = malloc(sizeof(short_line));

	assert_non_null(exact);
	memcpy(exact, short_line, sizeof(short_line));
	assert_int_equal(format_find("ftrace")->recognise(exact, sizeof(short_line)), 0);
	free(exact);
}

TEST(the_kernels_own_text_becomes_a_ledger)
{
	assert_second(ftrace_text);
}

TEST(so_does_trace_cmds_report)
{
	assert_second(trace_cmd_text);
}

TEST(so_does_perf_script_with_stacks_and_periods)
{
	assert_second(script_text);
}

TEST(text_without_a_scheduler_event_is_another_format)
{
	const struct format *format = format_find("ftrace");
	static const char other[] = "bash 9 [001] 100.5: cycles: \n\tffff main ([x])\n";

	assert_int_equal(format->recognise(other, sizeof(other) - 1), 0);
	assert_int_equal(format->recognise("", 0), 0);
	assert_true(format->recognise(ftrace_text, sizeof(ftrace_text) - 1) > 0);
}

TEST(a_switch_that_cannot_be_understood_is_counted)
{
	static const char text[] =
		"  a-7 [001] 100.000000: sched_switch: a:7 [120] S ==> b:9 [120]\n"
		"  b-9 [001] 100.100000: sched_switch: nonsense\n"
		"  b-9 [001] 100.200000: sched_switch: b:9 [120] S ==> a:7 [120]\n";
	CLEANUP(profile) struct profile *profile = read_text(text);

	assert_non_null(strstr(profile_meta(profile, "import.remark.1"), "1 skipped: a switch that cannot be understood"));
}

TEST(time_that_runs_backwards_is_said)
{
	CLEANUP(profile) struct profile *profile = read_text(
		"          <idle>-0     [000] d... 100.000000: sched_switch: prev_comm=swapper/0 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=a next_pid=10 next_prio=120\n"
		"               a-10    [000] d... 99.010000: sched_switch: prev_comm=a prev_pid=10 prev_prio=120 prev_state=S ==> next_comm=b next_pid=11 next_prio=120\n"
		"               b-11    [000] d... 100.030000: sched_switch: prev_comm=b prev_pid=11 prev_prio=120 prev_state=S ==> next_comm=a next_pid=10 next_prio=120\n");

	assert_non_null(strstr(profile_meta(profile, "import.remark.1"), "time runs backwards"));
	assert_non_null(strstr(profile_meta(profile, "import.remark.1"), "at line 2"));
}
