/* SPDX-License-Identifier: Apache-2.0 */
#include "unit/format/reading.h"

#define FRAMES "\"shared\":{\"frames\":[{\"name\":\"a\"},{\"name\":\"b\",\"file\":\"b.c\",\"line\":7},{\"name\":\"\"}]}"
#define FILE_OF(profiles) "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\"," FRAMES ",\"profiles\":[" profiles "]}"
#define SAMPLED(unit, samples, weights) \
	"{\"type\":\"sampled\",\"name\":\"one\",\"unit\":\"" unit "\",\"startValue\":0,\"endValue\":9,\"samples\":" samples ",\"weights\":" weights "}"

TEST(it_recognises_its_schema_and_nothing_else)
{
	const char *file = FILE_OF("");

	assert_int_equal(format_find("speedscope")->recognise(file, strlen(file)), 95);
	assert_int_equal(format_find("speedscope")->recognise("{\"a\":1}", 7), 0);
	assert_int_equal(format_find("speedscope")->recognise("", 0), 0);
}

TEST(sampled_stacks_have_their_weights_in_the_unit_that_the_file_names)
{
	CLEANUP(profile) struct profile *seconds = reading("speedscope", FILE_OF(SAMPLED("seconds", "[[0,1],[0],[]]", "[1.5,2,3]")));
	CLEANUP(profile) struct profile *bytes = reading("speedscope", FILE_OF(SAMPLED("bytes", "[[0,2],[0,2]]", "[10,5]")));

	folded_is(seconds, "time", "one;a;b 1500000000\none;a 2000000000\none 3000000000\n");
	folded_is(bytes, "bytes", "one;a;(unnamed) 15\n");
}

TEST(evented_profiles_weigh_the_stretches_between_events)
{
	CLEANUP(profile) struct profile *profile = reading("speedscope", FILE_OF(
		"{\"type\":\"evented\",\"name\":\"x (pid 3, tid 4)\",\"unit\":\"none\",\"startValue\":0,\"endValue\":14,\"events\":["
		"{\"type\":\"O\",\"frame\":0,\"at\":0},{\"type\":\"O\",\"frame\":1,\"at\":2},{\"type\":\"C\",\"frame\":1,\"at\":7},"
		"{\"type\":\"C\",\"frame\":0,\"at\":9}]}"));

	folded_is(profile, "weight", "x;a 4\nx;a;b 5\n");
	assert_int_equal(profile_thread_at(profile, 1)->tid, 4);
	assert_int_equal(profile_process_at(profile, profile_thread_at(profile, 1)->process.index)->pid, 3);
}

TEST(what_does_not_fit_is_counted)
{
	CLEANUP(profile) struct profile *lost = reading("speedscope", FILE_OF(SAMPLED("none", "[[0],[9],[1]]", "[1,-2]")));
	CLEANUP(profile) struct profile *odd = reading("speedscope", FILE_OF(SAMPLED("none", "[[0]]", "[1.25]")));
	CLEANUP(profile) struct profile *finer = reading("speedscope", FILE_OF(SAMPLED("bytes", "[[0]]", "[1.25]")));

	assert_true(remarked(lost, "2 skipped: a sample has no weight"));
	assert_true(remarked(lost, "a frame does not exist"));
	assert_false(remarked(odd, "a fraction of a unit was rounded"));
	assert_true(remarked(finer, "a fraction of a unit was rounded"));
}

TEST(fractions_of_what_is_counted_are_kept_in_thousandths_and_written_as_they_were)
{
	CLEANUP(profile) struct profile *profile = reading("speedscope", FILE_OF(
		SAMPLED("none", "[[0],[0,1]]", "[0.25,2]") "," SAMPLED("none", "[[2],[2],[2]]", "[3,0.0004,0.0004]")));
	CLEANUP_TEXT char *text = writing(profile, "speedscope", "weight");

	folded_is(profile, "weight", "one;a 0.25\none;a;b 2\none;(unnamed) 3.001\n");
	assert_true(remarked(profile, "a fraction of a unit was rounded"));
	assert_non_null(strstr(text, "\"crosscutUnit\":\"count\""));
	assert_non_null(strstr(text, "0.250,2.000"));
	round_trip(profile, "speedscope", "weight", "weight");
}

TEST(the_sum_of_fractions_of_units_that_have_a_smallest_is_true)
{
	CLEANUP(profile) struct profile *times = reading("speedscope", FILE_OF(
		SAMPLED("microseconds", "[[0],[0],[0],[1]]", "[0.0004,0.0004,0.0004,1.5]")));
	CLEANUP(profile) struct profile *events = reading("speedscope", FILE_OF(
		"{\"type\":\"evented\",\"name\":\"x\",\"unit\":\"none\",\"startValue\":0,\"endValue\":1,\"events\":["
		"{\"type\":\"O\",\"frame\":0,\"at\":0.5},{\"type\":\"C\",\"frame\":0,\"at\":0.75}]}"));

	folded_is(times, "time", "one;a 1\none;b 1500\n");
	folded_is(events, "weight", "x 0.5\nx;a 0.25\n");
}

TEST(damaged_files_are_refused_with_their_place)
{
	refused("speedscope", "{\"shared\":", "ends in the middle (as speedscope, at byte 10)");
	refused("speedscope", "{\"shared\"=1}", "no JSON from there on (as speedscope, at byte 9)");
	refused("speedscope", "{\"profiles\":[]}", "no profiles or no frames");
	refused("speedscope", FILE_OF(""), "holds nothing");
}

TEST(what_it_writes_it_reads_again)
{
	CLEANUP(profile) struct profile *profile = reading("speedscope", FILE_OF(
		SAMPLED("nanoseconds", "[[0,1],[0],[1,0,1]]", "[1,2,3]") ",{\"type\":\"sampled\",\"name\":\"w \\\"2\\\" (pid 7, tid 8)\","
		"\"unit\":\"nanoseconds\",\"samples\":[[2]],\"weights\":[5]}"));

	round_trip(profile, "speedscope", "time", "time");
}

TEST(numbers_at_the_end_of_what_can_be_counted_are_rounded_or_left_out)
{
	CLEANUP(profile) struct profile *large =
		reading("speedscope", FILE_OF(SAMPLED("nanoseconds", "[[0]]", "[9223372036854775.6]")));

	assert_true(remarked(large, "a fraction of a unit was rounded"));
	refused("speedscope", FILE_OF("{\"type\":\"evented\",\"name\":\"t\",\"unit\":\"none\",\"startValue\":-9000000000000000000,"
				      "\"events\":[{\"type\":\"O\",\"frame\":0,\"at\":-9000000000000000000},"
				      "{\"type\":\"C\",\"frame\":0,\"at\":9000000000000000000}]}"), "holds nothing");
}

TEST(an_unknown_unit_and_what_follows_the_json_are_said)
{
	CLEANUP(profile) struct profile *profile = reading("speedscope",
		"{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\"shared\":{\"frames\":[{\"name\":\"a\"}]},"
		"\"profiles\":[{\"type\":\"sampled\",\"name\":\"p\",\"unit\":\"furlongs\",\"startValue\":0,\"endValue\":5,"
		"\"samples\":[[0]],\"weights\":[5]}]} more");

	assert_true(remarked(profile, "follows the end of the JSON"));
	assert_true(remarked(profile, "a unit is not known"));
	folded_is(profile, "furlongs", "p;a 5\n");
}

TEST(a_deep_stack_is_written_to_its_root)
{
	CLEANUP(profile) struct profile *profile = reading_deep();

	round_trip(profile, "speedscope", "samples", "samples");
}

TEST(the_largest_weight_there_is_comes_back)
{
	CLEANUP(profile) struct profile *profile = reading("folded", "main;a 9223372036854775807\nmain;b 9000000000000000000\n");
	CLEANUP_TEXT char *text = writing(profile, "speedscope", NULL);
	CLEANUP(profile) struct profile *again = reading("speedscope", text);

	folded_is(again, NULL, "main;a 9223372036854775807\nmain;b 9000000000000000000\n");
}

TEST(long_names_are_written_whole)
{
	CLEANUP(profile) struct profile *profile = reading_long(70000);

	round_trip(profile, "speedscope", "samples", "samples");
}

TEST(a_name_that_is_cut_is_said)
{
	struct text text = TEXT(4 << 20);
	CLEANUP(profile) struct profile *profile = NULL;

	text_print(&text, "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\"shared\":{\"frames\":[{\"name\":\"%0*d\"}]},"
		   "\"profiles\":[" SAMPLED("none", "[[0]]", "[5]") "]}", 2 << 20, 1);
	profile = reading("speedscope", text_string(&text));
	assert_true(remarked(profile, "names longer than a mebibyte were cut"));
	text_done(&text);
}
