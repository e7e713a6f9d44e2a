/* SPDX-License-Identifier: Apache-2.0 */
#include "unit/format/reading.h"

#define NODE(id, name, line, rest) \
	"{\"id\":" id ",\"callFrame\":{\"functionName\":\"" name "\",\"url\":\"a.js\",\"lineNumber\":" line ",\"columnNumber\":0}" rest "}"
#define NODES "\"nodes\":[" NODE("1", "(root)", "-1", ",\"children\":[2]") "," NODE("2", "", "4", ",\"hitCount\":3,\"children\":[3]") "," NODE("3", "g", "9", "") "]"

TEST(samples_and_the_time_to_the_next_are_two_measures)
{
	CLEANUP(profile) struct profile *profile = reading("cpuprofile",
		"{" NODES ",\"startTime\":100,\"endTime\":160,\"samples\":[2,3,3],\"timeDeltas\":[10,20,5]}");

	folded_is(profile, "samples", "(root);(anonymous) 1\n(root);(anonymous);g 2\n");
	folded_is(profile, "time", "(root);(anonymous) 20000\n(root);(anonymous);g 30000\n");
	assert_int_equal(profile_frame_at(profile, 2)->line, 5);
}

TEST(a_profile_without_samples_has_hits)
{
	CLEANUP(profile) struct profile *profile = reading("cpuprofile", "{" NODES "}");

	folded_is(profile, "samples", "(root);(anonymous) 3\n");
}

TEST(the_older_form_is_a_tree)
{
	CLEANUP(profile) struct profile *profile = reading("cpuprofile",
		"{\"head\":{\"functionName\":\"r\",\"id\":1,\"lineNumber\":0,\"children\":[{\"functionName\":\"f\",\"url\":\"b.js\","
		"\"lineNumber\":12,\"id\":5,\"children\":[]}]},\"samples\":[5,1,5],\"timestamps\":[10,20,50]}");

	folded_is(profile, "samples", "r;f 2\nr 1\n");
	folded_is(profile, "time", "r;f 10000\nr 30000\n");
	assert_int_equal(profile_frame_at(profile, 2)->line, 12);
}

TEST(circles_and_missing_nodes_end)
{
	CLEANUP(profile) struct profile *profile = reading("cpuprofile",
		"{\"nodes\":[" NODE("1", "a", "0", ",\"children\":[2,7]") "," NODE("2", "b", "0", ",\"children\":[1]") "],"
		"\"samples\":[1,2,9],\"timeDeltas\":[1,1,1]}");

	assert_true(remarked(profile, "a node's child does not exist"));
	assert_true(remarked(profile, "a sample's node does not exist"));
	refused("cpuprofile", "{\"nodes\":{}}", "neither nodes nor a tree");
	refused("cpuprofile", "{\"nodes\":[]}", "holds nothing");
}

/* As DevTools has it; half a millisecond is all that the profile is long. */
TEST(a_sample_before_the_one_above_it_is_put_in_order)
{
	CLEANUP(profile) struct profile *profile = reading("cpuprofile",
		"{\"nodes\":[" NODE("1", "a", "0", ",\"children\":[2]") "," NODE("2", "b", "0", "") "],"
		"\"samples\":[2,1,2],\"timeDeltas\":[100,-500,800],\"startTime\":0,\"endTime\":500}");

	assert_true(remarked(profile, "time runs backwards"));
	folded_is(profile, "samples", "a 1\na;b 2\n");
	folded_is(profile, "time", "a 100000\na;b 400000\n");
}

TEST(times_further_apart_than_can_be_counted_are_no_time)
{
	CLEANUP(profile) struct profile *profile = reading("cpuprofile",
		"{\"nodes\":[" NODE("1", "a", "0", "") "],\"samples\":[1,1],\"timestamps\":[-9000000000000000,9000000000000000]}");

	folded_is(profile, "samples", "a 2\n");
}
