/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"
#include "unit/format/imported.h"
#include "unit/format/reading.h"

#define PROCESSED(meta, threads, shared) "{\"meta\":{\"preprocessedProfileVersion\":" meta ",\"interval\":1,\"startTime\":1.5},\"libs\":[{\"name\":\"l\",\"path\":\"/l\",\"codeId\":\"abcdef0123456789abcdef\"}],\"threads\":[" threads "]" shared "}"
#define TABLES \
	"\"frameTable\":{\"func\":[0,1,2],\"line\":[null,7,null],\"column\":[null,3,null],\"address\":[-1,-1,64],\"length\":3}," \
	"\"funcTable\":{\"name\":[0,1,2],\"resource\":[-1,-1,0],\"fileName\":[null,3,null],\"lineNumber\":[null,5,null],\"length\":3}," \
	"\"resourceTable\":{\"lib\":[0],\"name\":[0],\"length\":1},\"stringArray\":[\"main\",\"work\",\"0x40\",\"work.c\"]"

TEST(both_forms_are_recognised)
{
	const char *processed = PROCESSED("7", "", ""), *gecko = "{\"meta\":{\"stackwalk\":1},\"threads\":[]}";

	assert_int_equal(format_find("firefox")->recognise(processed, strlen(processed)), 95);
	assert_int_equal(format_find("firefox")->recognise(gecko, strlen(gecko)), 85);
	assert_int_equal(format_find("firefox")->recognise("[1]", 3), 0);
}

TEST(old_processed_profiles_have_tables_in_each_thread)
{
	CLEANUP(profile) struct profile *profile = reading("firefox", PROCESSED("7",
		"{\"name\":\"T\",\"pid\":5,\"tid\":6,\"samples\":{\"stack\":[1,1,0,null],\"time\":[1,2,3,4],\"length\":4},"
		"\"stackTable\":{\"prefix\":[null,0],\"frame\":[0,1],\"length\":2}," TABLES "}", ""));
	const struct frame *frame = profile_frame_at(profile, 2);

	folded_is(profile, "samples", "T;main;work 2\nT;main 1\nT 1\n");
	assert_int_equal(frame->line, 7);
	assert_int_equal(frame->column, 3);
	assert_string_equal(profile_text(profile, frame->path), "work.c");
	assert_int_equal(profile_process_at(profile, 1)->pid, 5);
	assert_int_equal(profile_meta_number(profile, "capture.start_wall_ns", 0), 1500000);
}

TEST(new_ones_share_them_and_count_prefixes_backwards)
{
	CLEANUP(profile) struct profile *profile = reading("firefox", PROCESSED("70",
		"{\"name\":\"T\",\"pid\":\"5.1\",\"samples\":{\"stack\":[2,1],\"timeDeltas\":[1,1],\"weight\":[2.5,1],"
		"\"weightType\":\"tracing-ms\",\"length\":2}}",
		",\"shared\":{\"stackTable\":{\"prefixOffset\":[0,1,1],\"frame\":[0,1,2],\"length\":3}," TABLES "}"));
	const struct frame *native = profile_frame_at(profile, 3);

	folded_is(profile, "traced", "T;main;work;l+0x40 2500000\nT;main;work 1000000\n");
	assert_int_equal(native->offset, 64);
	assert_string_equal(profile_text(profile, profile_file_at(profile, native->file.index)->build_id), "abcdef0123456789abcdef");
	assert_int_equal(profile_process_at(profile, 1)->generation, 1);
}

TEST(gecko_profiles_are_by_rows_and_say_a_frame_in_one_string)
{
	CLEANUP(profile) struct profile *profile = reading("firefox",
		"{\"meta\":{\"stackwalk\":1,\"startTime\":0},\"libs\":[{\"name\":\"/l\",\"start\":4096,\"end\":8192}],\"threads\":[{"
		"\"name\":\"T\",\"samples\":{\"schema\":{\"stack\":0,\"time\":1},\"data\":[[2,1],[0,2]]},"
		"\"stackTable\":{\"schema\":{\"prefix\":0,\"frame\":1},\"data\":[[null,0],[0,1],[1,2]]},"
		"\"frameTable\":{\"schema\":{\"location\":0},\"data\":[[0],[1],[2]]},"
		"\"stringTable\":[\"(root)\",\"f (http://a/b.js:12:3)\",\"0x1010\"]}],\"processes\":[]}");
	const struct frame *script = profile_frame_at(profile, 2);

	folded_is(profile, "samples", "T;(root);f;l+0x10 1\nT;(root) 1\n");
	assert_string_equal(profile_text(profile, script->path), "http://a/b.js");
	assert_int_equal(script->line, 12);
	assert_int_equal(script->column, 3);
}

TEST(markers_that_last_are_intervals)
{
	CLEANUP(profile) struct profile *profile = reading("firefox", PROCESSED("40",
		"{\"name\":\"T\",\"samples\":{\"stack\":[0],\"time\":[1],\"length\":1},\"stackTable\":{\"prefix\":[null],\"frame\":[0]},"
		"\"markers\":{\"name\":[0,1,0,1],\"startTime\":[1,2,3,null],\"endTime\":[2,null,null,6],\"phase\":[1,2,0,3],"
		"\"data\":[null,null,null,null],\"length\":4}," TABLES "}", ""));

	assert_int_equal(profile_interval_count(profile), 2);
	assert_int_equal(profile_interval_at(profile, 0)->end_ns, 2000000);
	assert_int_equal(profile_interval_at(profile, 1)->start_ns, 2000000);
	assert_int_equal(profile_interval_at(profile, 1)->end_ns, 6000000);
	assert_true(remarked(profile, "markers without a duration"));
}

TEST(fractions_of_weights_are_rounded_so_that_their_sum_stays_and_it_is_said)
{
	CLEANUP(profile) struct profile *profile = reading("firefox", PROCESSED("40",
		"{\"name\":\"T\",\"samples\":{\"stack\":[0,1,1,1],\"time\":[1,2,3,4],\"weight\":[0.4,0.4,0.6,1.6],\"length\":4},"
		"\"stackTable\":{\"prefix\":[null,0],\"frame\":[0,1]}," TABLES "}", ""));

	folded_is(profile, "samples", "T;main;work 3\n");
	assert_true(remarked(profile, "a fraction of a unit was rounded"));
}

/* The format has no place for it: our file says it to our reader. */
TEST(how_weights_were_measured_comes_back)
{
	static const enum weighting ways[] = { WEIGHTING_SAMPLED, WEIGHTING_ESTIMATED, WEIGHTING_EXACT };

	for (size_t i = 0; i < ARRAY_LENGTH(ways); i++) {
		struct profile *profile = profile_new(), *again;
		struct dimension_id id = profile_dimension(profile, &(struct dimension_row){
			.name = "oncpu", .unit = "ns", .kind = DIMENSION_RUNNING, .meaning = "test" });
		struct measure_id measure = profile_measure(profile, (struct measure){
			.dimension = id, .role = ROLE_SPLIT, .weighting = ways[i], .period = i ? 0 : 1000000 });

		profile_add_cell(profile, (struct cell){
			.slice = profile_slice(profile, 0, 1), .thread = profile_thread(profile, (struct thread){ .tid = 7 }),
			.measure = measure, .count = 1, .value = 1000,
			.stack = profile_stack(profile, (struct stack_id){ 0 },
					       profile_frame(profile, (struct frame){ .name = profile_string(profile, "main") }),
					       STACK_UNVERIFIED) });
		profile_freeze(profile);
		again = imported_again(profile, "firefox", NULL);
		assert_int_equal(profile_measure_at(again, 1)->weighting, ways[i]);
		assert_int_equal(profile_measure_at(again, 1)->period, i ? 0 : 1000000);
		profile_free(again);
		profile_free(profile);
	}
}

TEST(references_that_lead_nowhere_are_counted)
{
	CLEANUP(profile) struct profile *profile = reading("firefox", PROCESSED("40",
		"{\"name\":\"T\",\"samples\":{\"stack\":[0,9,1],\"time\":[1,2,3],\"weight\":[1,1,-1],\"length\":3},"
		"\"stackTable\":{\"prefix\":[null,5],\"frame\":[0,77]}," TABLES "}", ""));

	assert_true(remarked(profile, "a stack's caller does not come before it"));
	assert_true(remarked(profile, "a stack's frame does not exist"));
	assert_true(remarked(profile, "a sample's stack does not exist"));
	assert_true(remarked(profile, "a weight is below zero"));
}

TEST(damaged_files_are_refused)
{
	refused("firefox", "{\"meta\":{", "ends in the middle");
	refused("firefox", "{\"meta\":{\"stackwalk\":1}}", "no list of threads");
	refused("firefox", "{\"threads\":[]}", "holds nothing");
}

TEST(what_it_writes_it_reads_again)
{
	CLEANUP(profile) struct profile *profile = reading("firefox", PROCESSED("70",
		"{\"name\":\"T\",\"pid\":\"5\",\"tid\":6,\"samples\":{\"stack\":[2,1,2],\"time\":[1,2,3],\"length\":3},"
		"\"markers\":{\"name\":[0],\"startTime\":[1],\"endTime\":[2],\"phase\":[1],\"data\":[null]}}",
		",\"shared\":{\"stackTable\":{\"prefixOffset\":[0,1,1],\"frame\":[0,1,2],\"length\":3}," TABLES "}"));
	CLEANUP_TEXT char *text = writing(profile, "firefox", "samples");
	CLEANUP(profile) struct profile *again = reading("firefox", text);

	round_trip(profile, "firefox", "samples", "samples");
	assert_int_equal(profile_interval_count(again), 1);
	assert_int_equal(profile_frame_at(again, 2)->column, 3);
}

TEST(a_deep_stack_is_written_to_its_root)
{
	CLEANUP(profile) struct profile *profile = reading_deep();

	round_trip(profile, "firefox", "samples", "samples");
}

TEST(markers_add_up_beside_samples_that_need_no_name)
{
	CLEANUP(profile) struct profile *profile = reading("firefox", PROCESSED("70",
		"{\"name\":\"T\",\"pid\":\"5\",\"tid\":6,\"samples\":{\"stack\":[2,1,2],\"time\":[1,2,3],\"length\":3},"
		"\"markers\":{\"name\":[0,1],\"startTime\":[1,4],\"endTime\":[2,7],\"phase\":[1,1],\"data\":[null,null]}}",
		",\"shared\":{\"stackTable\":{\"prefixOffset\":[0,1,1],\"frame\":[0,1,2],\"length\":3}," TABLES "}"));
	struct dimension_id marker = profile_dimension_find(profile, NULL, "marker");
	uint64_t sum_ns = 0, count = 0;

	for (size_t i = 0; i < profile_cell_count(profile); i++) {
		const struct cell *cell = profile_cell_at(profile, i);

		if (dimension_is(profile_cell_dimension(profile, cell), marker)) {
			sum_ns += cell->value;
			count += cell->count;
		}
	}
	assert_int_equal(sum_ns, 4000000);
	assert_int_equal(count, 2);
	CLEANUP_TEXT char *named = writing(profile, "folded", "samples");

	folded_is(profile, NULL, named);
}

TEST(the_largest_weight_there_is_comes_back)
{
	CLEANUP(profile) struct profile *profile = reading("folded", "main;a 9223372036854775807\nmain;b 9000000000000000000\n");
	CLEANUP_TEXT char *text = writing(profile, "firefox", NULL);
	CLEANUP(profile) struct profile *again = reading("firefox", text);

	folded_is(again, NULL, "main;a 9223372036854775807\nmain;b 9000000000000000000\n");
}

TEST(long_names_are_written_whole)
{
	CLEANUP(profile) struct profile *profile = reading_long(70000);

	round_trip(profile, "firefox", "samples", "samples");
}
