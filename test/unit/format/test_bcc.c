/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"
#include "unit/format/imported.h"

static const char off_cpu[] =
	"Tracing off-CPU time (us) of all threads by user + kernel stack for 5 secs.\n\n"
	"    schedule\n    do_syscall_64\n    entry_SYSCALL_64_after_hwframe\n    read\n    main\n"
	"    -                vi m (1234)\n        5012\n\n"
	"    schedule\n    --\n    [Missed User Stack]\n    -                idler (7)\n        3\n\n";

TEST(off_cpu_time_is_in_microseconds)
{
	CLEANUP(profile) struct profile *profile = imported("bcc", off_cpu, strlen(off_cpu));
	CLEANUP_TEXT char *cells = imported_cells(profile);
	const struct thread *thread = profile_thread_at(profile, 1);
	struct stack leaf;

	assert_string_equal(cells, "off-cpu=3000 (1) schedule\n"
				   "off-cpu=5012000 (1) schedule < do_syscall_64 < entry_SYSCALL_64_after_hwframe < read < main\n");
	assert_string_equal(profile_text(profile, thread->comm), "vi m");
	assert_int_equal(thread->tid, 1234);
	assert_int_equal(profile_measure_at(profile, 1)->weighting, WEIGHTING_EXACT);
	leaf = profile_stack_at(profile, profile_cell_at(profile, 1)->stack.index);
	assert_int_equal(profile_frame_at(profile, leaf.frame.index)->method, METHOD_KERNEL);
	assert_int_equal(profile_frame_at(profile, profile_stack_at(profile, 1).frame.index)->method, METHOD_IMPORTED);
	assert_non_null(strstr(profile_meta(profile, "import.remark.1"), "could not keep"));
}

TEST(a_profile_is_in_samples_of_the_process)
{
	static const char text[] = "Sampling at 49 Hertz of all threads by user + kernel stack... Hit Ctrl-C to end.\n^C\n"
				   "    #0  0x00007f12a3b4c5d6 f+0x12 (/usr/lib/libf.so)\n    main\n"
				   "    -                a (9)\n        4\n\nWARNING: 2 stack traces could not be displayed.\n";
	CLEANUP(profile) struct profile *profile = imported("bcc", text, strlen(text));
	CLEANUP_TEXT char *cells = imported_cells(profile);

	assert_string_equal(cells, "samples=4 (4) f < main\n");
	assert_int_equal(profile_process_at(profile, 1)->pid, 9);
	assert_int_equal(profile_loss_at(profile, 0)->lost, 2);
	assert_string_equal(profile_text(profile, profile_file_at(profile, 1)->path), "/usr/lib/libf.so");
}

TEST(a_stack_without_its_number_is_counted)
{
	static const char text[] = "Tracing off-CPU time (us) of all threads by kernel stack\n    f\n    - a (1)\n    5\n\n"
				   "    f\n    -   a (1)\nfive\n    g\n";
	CLEANUP(profile) struct profile *profile = imported("bcc", text, strlen(text));

	assert_string_equal(profile_meta(profile, "import.remark.1"),
			    "2 skipped: a stack has no number below it, first at line 8");
}

TEST(without_its_first_line_nothing_is_guessed)
{
	const struct format *format = format_find("bcc");

	assert_int_equal(format->recognise(off_cpu, strlen(off_cpu)), 90);
	assert_int_equal(format->recognise(strchr(off_cpu, '\n'), strlen(strchr(off_cpu, '\n'))), 0);
	imported_refused("bcc", "    f\n    -   a (1)\n        5\n", "nothing that could be read");
}
