/* SPDX-License-Identifier: Apache-2.0 */
#include "unit/format/reading.h"

#define GRAPH \
	"# callgrind format\nevents: Ir\n\nfl=(1) a.c\nfn=(1) main\n16 20\ncfn=(2) f\ncalls=1 50\n16 400\ncfi=(2) b.c\ncfn=(3) g\n" \
	"calls=3 20\n* 400\n\nfn=(2)\n51 100\ncfi=(2)\ncfn=(3)\ncalls=2 20\n+0 300\n\nfl=(2)\nfn=(3)\n20 700\n"

TEST(it_recognises_itself_with_and_without_its_first_line)
{
	const char *bare = "version: 1\nevents: Ir\nfn=main\n1 2\ncalls=1 2\n";

	assert_int_equal(format_find("callgrind")->recognise(GRAPH, strlen(GRAPH)), 100);
	assert_int_equal(format_find("callgrind")->recognise(bare, strlen(bare)), 90);
	assert_int_equal(format_find("callgrind")->recognise("a;b 1\n", 6), 0);
}

TEST(a_call_graph_becomes_stacks_that_add_up_to_each_functions_cost)
{
	CLEANUP(profile) struct profile *profile = reading("callgrind", GRAPH);

	folded_is(profile, "Ir", "main;f;g 300\nmain;f 100\nmain;g 400\nmain 20\n");
	assert_true(remarked(profile, "its stacks are estimated"));
	for (uint32_t i = 1; i < profile_measure_count(profile); i++)
		if (profile_measure_at(profile, i)->role == ROLE_TOTAL)
			assert_int_equal(profile_measure_at(profile, i)->weighting, WEIGHTING_EXACT);
}

TEST(recursion_and_what_nothing_calls_keep_their_own_cost)
{
	CLEANUP(profile) struct profile *profile = reading("callgrind",
		"events: Ir\nfn=a\n1 10\ncfn=a\ncalls=4 1\n1 30\ncfn=b\ncalls=1 1\n1 5\nfn=b\n1 5\ncfn=c\ncalls=1 1\n1 7\nfn=c\n1 7\n"
		"cfn=b\ncalls=1 1\n1 3\n");
	uint64_t own = 0;

	for (size_t i = 0; i < profile_cell_count(profile); i++)
		if (profile_measure_at(profile, profile_cell_at(profile, i)->measure.index)->role == ROLE_SPLIT)
			own += profile_cell_at(profile, i)->value;
	assert_int_equal(own, 22);
}

TEST(positions_jumps_events_threads_and_inlined_files_are_understood)
{
	CLEANUP(profile) struct profile *profile = reading("callgrind",
		"version: 1\ncreator: callgrind-3.19\npid: 7\ncmd: ./x\npositions: instr line\nevents: Ir Dr\n\nthread: 1\n\nob=(1) /x\nfl=(1) a.c\n"
		"fn=(1) main\n0x10 5 1 2\nfi=(2) i.h\n+4 +1 3\njump=1 +8 *\n+1 *\njcnd=1/2 +8 +1\n* *\nfe=(1)\n+4 * 0 0x10\n");

	folded_is(profile, "Ir", "main 4\n");
	folded_is(profile, "Dr", "main 18\n");
	assert_int_equal(profile_thread_at(profile, 1)->tid, 1);
	assert_string_equal(profile_meta(profile, "capture.command"), "./x");
	assert_false(remarked(profile, "skipped"));
}

TEST(units_stand_behind_the_names_of_events)
{
	CLEANUP(profile) struct profile *profile = reading("callgrind", "events: Time_(10ns) Memory_(bytes)\nfn=m\n1 3 9\n");

	folded_is(profile, "Time", "m 30\n");
	folded_is(profile, "Memory", "m 9\n");
}

TEST(a_unit_is_what_stands_last_and_blanks_that_do_not_break_are_a_names)
{
	CLEANUP(profile) struct profile *profile = reading("callgrind",
		"events: cost_(us)_(count) event\xc2\xa0one_(1\xc2\xa0" "10) x_(event\xc2\xa0" "count)\nfn=m\n1 3 010 4\n");

	folded_is(profile, "cost_(us)", "m 3\n");
	folded_is(profile, "event one", "m 10\n");
	folded_is(profile, "x", "m 4\n");
	assert_string_equal(profile_text(profile, profile_dimension_at(profile, 2)->unit), "10");
	assert_string_equal(profile_text(profile, profile_dimension_at(profile, 3)->unit), "event count");
}

TEST(costs_that_do_not_add_up_to_what_the_file_says_are_said)
{
	CLEANUP(profile) struct profile *whole = reading("callgrind", "events: Ir\nsummary: 12\nfn=m\n1 3\n2 9\ntotals: 12\n");
	CLEANUP(profile) struct profile *cut = reading("callgrind", "events: Ir\nsummary: 12\nfn=m\n1 3\n");

	assert_false(remarked(whole, "another sum"));
	assert_true(remarked(cut, "another sum"));
}

TEST(damaged_graphs_are_counted_or_refused)
{
	CLEANUP(profile) struct profile *odd = reading("callgrind", "events: Ir\nfn=m\n1 3\nnonsense here\n1 x\n");

	assert_true(remarked(odd, "2 skipped: a line is neither costs nor a name, first at line 4"));
	refused("callgrind", "fn=m\n1 3\n", "before the line that says of what (as callgrind, at line 2)");
	refused("callgrind", "events: Ir\nfn=m\n1 1\nevents: Dr\n", "different events");
	refused("callgrind", "events: Ir\n", "holds nothing");
}

TEST(calls_are_written_as_they_were_read)
{
	CLEANUP(profile) struct profile *profile = reading("callgrind", GRAPH);
	CLEANUP_TEXT char *text = writing(profile, "callgrind", "Ir");
	CLEANUP(profile) struct profile *again = reading("callgrind", text);
	CLEANUP_TEXT char *twice = writing(again, "callgrind", "Ir");

	round_trip(profile, "callgrind", "Ir", "Ir");
	assert_non_null(strstr(text, "calls=3 0\n0 400\n"));
	assert_string_equal(twice, text);
}

TEST(calls_at_the_root_of_a_deep_stack_are_written)
{
	CLEANUP(profile) struct profile *profile = reading_deep();
	CLEANUP_TEXT char *text = writing(profile, "callgrind", "samples");

	assert_non_null(strstr(text, " root1\n"));
	assert_non_null(strstr(text, " root2\n"));
}

TEST(a_call_that_a_long_recursion_repeats_counts_once)
{
	struct text text = TEXT(READING_LIMIT);
	CLEANUP(profile) struct profile *profile = NULL;
	CLEANUP_TEXT char *written = NULL;

	for (int i = 0; i < 1000; i++)
		text_print(&text, "f%d;", i % 200);
	text_print(&text, "f0 7\n");
	profile = reading("folded", text_string(&text));
	written = writing(profile, "callgrind", "samples");
	assert_non_null(strstr(written, "calls=7 0\n0 7\n"));
	assert_null(strstr(written, "calls=35 0\n"));
	text_done(&text);
}

TEST(long_names_are_written_whole)
{
	CLEANUP(profile) struct profile *profile = reading_long(60000);

	round_trip(profile, "callgrind", "samples", "samples");
}

TEST(a_unit_that_no_cost_can_be_counted_in_is_cut_and_said)
{
	CLEANUP(profile) struct profile *profile = reading("callgrind", "events: Time_(99999999999999999999ns)\nfn=main\n1 1\n");

	folded_is(profile, "Time", "main 9223372036854775807\n");
	assert_true(remarked(profile, "larger than can be kept"));
}
