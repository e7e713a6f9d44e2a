/* SPDX-License-Identifier: Apache-2.0 */
#include "unit/format/reading.h"

#include <stdlib.h>
#include <unistd.h>

#define X(name, ts, dur) "{\"ph\":\"X\",\"pid\":1,\"tid\":2,\"name\":\"" name "\",\"ts\":" ts ",\"dur\":" dur "}"
#define B(name, ts) "{\"ph\":\"B\",\"pid\":1,\"tid\":2,\"name\":\"" name "\",\"ts\":" ts "}"
#define E(name, ts) "{\"ph\":\"E\",\"pid\":1,\"tid\":2,\"name\":\"" name "\",\"ts\":" ts "}"

static const struct interval *interval_named(const struct profile *profile, const char *name)
{
	for (size_t i = 0; i < profile_interval_count(profile); i++) {
		const struct interval *interval = profile_interval_at(profile, i);
		struct stack stack = profile_stack_at(profile, interval->stack.index);

		if (!strcmp(profile_text(profile, profile_frame_at(profile, stack.frame.index)->name), name))
			return interval;
	}
	return NULL;
}

TEST(complete_events_nest_and_weigh_what_their_children_do_not)
{
	CLEANUP(profile) struct profile *profile = reading("chrome", "[" X("a", "0", "10") "," X("b", "\"2.5\"", "3") "]");

	folded_is(profile, "time", "a 7000\na;b 3000\n");
	assert_int_equal(interval_named(profile, "b")->start_ns, 2500);
	assert_int_equal(interval_named(profile, "b")->end_ns, 5500);
}

TEST(begins_and_ends_may_stand_in_any_order)
{
	CLEANUP(profile) struct profile *profile =
		reading("chrome", "[" E("b", "4") "," B("b", "1") "," E("a", "9") "," B("a", "0") "]");

	folded_is(profile, "time", "a 6000\na;b 3000\n");
}

TEST(a_trace_without_its_end_is_read_and_the_lack_is_counted)
{
	CLEANUP(profile) struct profile *cut = reading("chrome", "[" X("a", "0", "1") ",{\"ph\":\"X\",\"ts\":");
	CLEANUP(profile) struct profile *comma = reading("chrome", "{\"traceEvents\":[" X("a", "0", "1") ",]}");

	folded_is(cut, "time", "a 1000\n");
	assert_true(remarked(cut, "ends in the middle"));
	folded_is(comma, "time", "a 1000\n");
	assert_false(remarked(comma, "ends in the middle"));
}

TEST(what_does_not_nest_is_cut_and_what_never_ends_is_closed)
{
	CLEANUP(profile) struct profile *overlap = reading("chrome", "[" X("a", "100", "100") "," X("b", "150", "100") "]");
	CLEANUP(profile) struct profile *open = reading("chrome", "[" B("a", "0") "," X("b", "1", "2") "]");
	CLEANUP(profile) struct profile *stray = reading("chrome", "[" X("a", "0", "2") "," E("c", "5") "]");

	folded_is(overlap, "time", "a 50000\na;b 50000\n");
	assert_true(remarked(overlap, "a slice is cut"));
	folded_is(open, "time", "a 1000\na;b 2000\n");
	assert_true(remarked(open, "never ends"));
	assert_true(remarked(stray, "not that of the innermost"));
}

TEST(who_it_was_may_be_told_by_numbers_strings_or_names)
{
	CLEANUP(profile) struct profile *profile = reading("chrome",
		"[{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":\"7\",\"args\":{\"name\":\"shop\"}},"
		"{\"ph\":\"X\",\"pid\":7,\"tid\":\"8\",\"name\":\"a\",\"ts\":1,\"dur\":1},"
		"{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":7,\"tid\":8,\"args\":{\"name\":\"till\"}},"
		"{\"ph\":\"X\",\"pid\":\"foo\",\"tid\":\"bar\",\"name\":\"b\",\"ts\":1,\"dur\":1}]");

	assert_int_equal(profile_thread_count(profile), 3);
	assert_int_equal(profile_thread_at(profile, 1)->tid, 8);
	assert_string_equal(profile_text(profile, profile_thread_at(profile, 1)->comm), "till");
	assert_string_equal(profile_text(profile, profile_process_at(profile, 1)->comm), "shop");
	assert_string_equal(profile_text(profile, profile_thread_at(profile, 2)->comm), "bar");
	assert_string_equal(profile_text(profile, profile_process_at(profile, 2)->comm), "foo");
}

/* Perfetto's test_json_counter_args: odd numbers in strings, and strings that are none. */
TEST(each_counter_is_a_level_of_its_own_with_its_last_value)
{
	CLEANUP(profile) struct profile *profile = reading("chrome",
		"[{\"ph\":\"C\",\"pid\":1,\"ts\":3,\"name\":\"n\",\"args\":{\"dot\":\".75\",\"zero\":\"050\",\"plus\":\"+10.5\","
		"\"no\":\"2e+\",\"point\":\".\"}},{\"ph\":\"C\",\"pid\":1,\"ts\":4,\"name\":\"n\",\"args\":{\"zero\":1}}]");

	assert_int_equal(profile_cell_count(profile), 3);
	assert_int_equal(profile_cell_at(profile, 0)->value, 750);
	assert_int_equal(profile_cell_at(profile, 1)->value, 1);
	assert_int_equal(profile_cell_at(profile, 1)->maximum, 50);
	assert_int_equal(profile_cell_at(profile, 1)->count, 2);
	assert_int_equal(profile_cell_at(profile, 2)->value, 10500);
	assert_string_equal(profile_text(profile, profile_object_at(profile, profile_cell_at(profile, 0)->object.index)->name),
			    "n dot");
	assert_int_equal(profile_dimension_count(profile), 4);
	assert_string_equal(profile_text(profile, profile_dimension_at(profile, 1)->name), "n dot");
	assert_string_equal(profile_text(profile, profile_dimension_at(profile, 2)->name), "n zero");
	assert_true(remarked(profile, "a counter's value is no number"));
}

TEST(asynchronous_events_are_intervals_of_their_own)
{
	CLEANUP(profile) struct profile *profile = reading("chrome",
		"[{\"ph\":\"b\",\"pid\":1,\"tid\":2,\"ts\":1,\"name\":\"r\",\"cat\":\"c\",\"id2\":{\"local\":3}},"
		"{\"ph\":\"b\",\"pid\":1,\"tid\":2,\"ts\":2,\"name\":\"r\",\"cat\":\"c\",\"id\":4},"
		"{\"ph\":\"e\",\"pid\":1,\"tid\":2,\"ts\":5,\"name\":\"r\",\"cat\":\"c\",\"id2\":{\"local\":3}},"
		"{\"ph\":\"e\",\"pid\":1,\"tid\":2,\"ts\":9,\"name\":\"r\",\"cat\":\"c\",\"id\":4}]");

	assert_int_equal(profile_interval_count(profile), 2);
	assert_int_equal(profile_interval_at(profile, 0)->end_ns, 5000);
	assert_int_equal(profile_interval_at(profile, 1)->start_ns, 2000);
	assert_int_equal(profile_interval_at(profile, 1)->end_ns, 9000);
}

TEST(samples_beside_the_events_have_their_stacks)
{
	CLEANUP(profile) struct profile *profile = reading("chrome",
		"{\"traceEvents\":[],\"samples\":[{\"pid\":1,\"tid\":\"2\",\"ts\":\"5\",\"weight\":\"2\",\"sf\":2},"
		"{\"pid\":1,\"tid\":2,\"ts\":6,\"sf\":\"1\"}],\"stackFrames\":{\"1\":{\"name\":\"a\"},"
		"\"2\":{\"name\":\"b\",\"parent\":1}}}");

	folded_is(profile, "samples", "a;b 2\na 1\n");
}

/* 1 is the root, N the leaf; `first` calls it. */
static struct profile *sampled_chain(unsigned count, unsigned first)
{
	struct text text = TEXT(READING_LIMIT);
	struct profile *profile;

	text_print(&text, "{\"traceEvents\":[],\"samples\":[{\"pid\":1,\"tid\":2,\"ts\":6,\"sf\":%u}],\"stackFrames\":{", count);
	for (unsigned i = 1; i <= count; i++)
		text_print(&text, "%s\"%u\":{\"name\":\"f%u\",\"parent\":%u}", i > 1 ? "," : "", i, i, i > 1 ? i - 1 : first);
	text_print(&text, "}}");
	profile = reading("chrome", text_string(&text));
	text_done(&text);
	return profile;
}

TEST(a_samples_stack_is_read_to_its_root_however_deep)
{
	enum { DEPTH = 5000 };
	CLEANUP(profile) struct profile *profile = sampled_chain(DEPTH, 0);
	CLEANUP_TEXT char *folded = writing(profile, "folded", "samples");

	assert_non_null(strstr(folded, "f1;f2;f3;"));
	assert_non_null(strstr(folded, ";f4999;f5000 1\n"));
	assert_null(profile_meta(profile, "import.remark.1"));
}

TEST(frames_that_call_each_other_in_a_circle_are_said)
{
	CLEANUP(profile) struct profile *profile = sampled_chain(3, 2);

	folded_is(profile, "samples", "f1;f2;f3 1\n");
	assert_true(remarked(profile, "in a circle"));
}

TEST(damaged_traces_are_refused_with_their_place)
{
	refused("chrome", "[" X("a", "0", "1") " nonsense]", "byte");
	refused("chrome", "hello", "byte 0 is not what JSON has there");
	refused("chrome", "[]", "holds nothing");
	refused("chrome", "[{\"ph\":\"X\",\"ts\":\"300\",\"dur\":\"invalid\"}]", "a duration is no number");
}

TEST(slices_and_states_are_written_and_read_again)
{
	CLEANUP(profile) struct profile *profile = reading("chrome",
		"[" X("a", "0.001", "10") "," X("b", "2", "3") ",{\"ph\":\"T\",\"cat\":\"thread_state\",\"name\":\"Running\",\"pid\":1,"
		"\"tid\":2,\"ts\":1,\"dur\":4}]");
	CLEANUP_TEXT char *text = writing(profile, "chrome", NULL);
	CLEANUP(profile) struct profile *again = reading("chrome", text);

	assert_int_equal(profile_interval_count(again), 3);
	assert_int_equal(interval_named(again, "a")->start_ns, 1);
	assert_int_equal(interval_named(again, "a")->end_ns, 10001);
	folded_is(again, "oncpu", "[unknown] 4000\n");
}

/* A file's buffer holds more than was asked for: what of the trace is beyond it must not be taken for its end. */
static struct profile *reading_file(const char *text, size_t size)
{
	char path[] = "/tmp/crosscut-chrome-XXXXXX";
	int fd = mkstemp(path);
	struct input *input = NULL;
	struct profile *profile = NULL;
	struct error err = { 0 };

	assert_true(fd >= 0 && write(fd, text, size) == (ssize_t)size && !close(fd));
	assert_int_equal(input_open(path, &input, &err), 0);
	assert_int_equal(format_read_as(format_find("chrome"), input, &profile, &err), 0);
	input_free(input);
	assert_int_equal(unlink(path), 0);
	return profile;
}

TEST(a_trace_of_some_megabytes_is_read_to_its_end_whatever_lies_on_the_edges_of_its_window)
{
	enum { EVENTS = 20000 };
	struct text text = TEXT(8 << 20);
	CLEANUP(profile) struct profile *memory = NULL;
	CLEANUP(profile) struct profile *file = NULL;

	text_print(&text, "{\"traceEvents\":[");
	for (int i = 0; i < EVENTS; i++)
		text_print(&text, "%s{\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":%d,\"dur\":1,\"name\":\"f\",\"args\":{\"n\":\"%.*s\"}}",
			   i ? "," : "", 2 * i, i % 97, "-------------------------------------------------------------------------------------------------");
	text_print(&text, "],\"samples\":[{\"pid\":1,\"tid\":2,\"ts\":6,\"sf\":\"1\"}],\"stackFrames\":{\"1\":{\"name\":\"a\"}}}");
	assert_true(text.size > 2 << 20);
	memory = reading("chrome", text_string(&text));
	file = reading_file(text_string(&text), text.size);
	assert_int_equal(profile_interval_count(memory), EVENTS);
	assert_int_equal(profile_interval_count(file), EVENTS);
	assert_false(remarked(file, "ends in the middle"));
	folded_is(file, "time", "f 20000000\n");
	folded_is(file, "samples", "a 1\n");
	text_done(&text);
}

TEST(a_slice_is_one_record_however_many_pieces_its_time_has)
{
	CLEANUP(profile) struct profile *profile = reading("chrome", "[" X("a", "0", "10") "," X("b", "2", "3") "]");

	assert_int_equal(profile_meta_number(profile, "import.samples", 0), 2);
}

TEST(what_is_refused_of_a_trace_says_the_cause_and_what_to_try)
{
	struct text deep = TEXT(1 << 16);
	struct error err = { 0 };

	text_print(&deep, "[{\"ph\":\"X\",\"args\":");
	for (int i = 0; i < 5000; i++)
		text_print(&deep, "[");
	assert_null(reading_try("chrome", text_string(&deep), &err));
	assert_non_null(strstr(err.why, "nests deeper than 4096"));
	assert_true(err.next[0]);
	text_done(&deep);
}

TEST(begins_that_lie_too_deep_move_the_end_of_their_thread)
{
	struct text text = TEXT(READING_LIMIT);
	CLEANUP(profile) struct profile *profile = NULL;
	uint64_t sum_ns = 0;

	text_print(&text, "[");
	for (int i = 0; i <= 6000; i++)
		text_print(&text, "{\"ph\":\"B\",\"name\":\"a\",\"pid\":1,\"tid\":1,\"ts\":%d},", i);
	text_print(&text, "]");
	profile = reading("chrome", text_string(&text));
	for (size_t i = 0; i < profile_cell_count(profile); i++)
		if (profile_measure_at(profile, profile_cell_at(profile, i)->measure.index)->role == ROLE_TOTAL)
			sum_ns += profile_cell_at(profile, i)->value;
	assert_int_equal(sum_ns, 6000 * 1000);
	text_done(&text);
}

/* The total of a dimension, and how many events it is of. */
static uint64_t total_of(const struct profile *profile, const char *parent, const char *name, uint64_t *ret_count)
{
	struct dimension_id id = profile_dimension_find(profile, parent, name);
	uint64_t sum = 0;

	*ret_count = 0;
	for (size_t i = 0; i < profile_cell_count(profile); i++) {
		const struct cell *cell = profile_cell_at(profile, i);

		if (!dimension_is(profile_cell_dimension(profile, cell), id) ||
		    profile_measure_at(profile, cell->measure.index)->role != ROLE_TOTAL)
			continue;
		sum += cell->value;
		*ret_count += cell->count;
	}
	return sum;
}

TEST(what_was_counted_comes_back_as_the_amount_that_it_was)
{
	CLEANUP(profile) struct profile *profile = profile_new();
	struct measure measure = { .role = ROLE_TOTAL, .weighting = WEIGHTING_SAMPLED };
	const struct dimension_row own = { .name = "furlongs", .unit = "fl", .kind = DIMENSION_AMOUNT, .meaning = "far" };
	const struct dimension_row *const rows[] = { dimension_row_find(NULL, "block-operations"), &own,
						     dimension_row_find("resident", "heap") };
	CLEANUP(profile) struct profile *once = NULL, *twice = NULL;
	uint64_t count;

	for (uint32_t i = 0; i < 6; i++) {
		measure.dimension = profile_dimension(profile, rows[i % 3]);
		profile_add_cell(profile, (struct cell){ .measure = profile_measure(profile, measure), .count = 2, .value = 100 + i,
			.slice = profile_slice(profile, i / 3 * 1000000000ull + 7000000000, i / 3 * 1000000000ull + 8000000000) });
	}
	profile_add_interval(profile, (struct interval){ .thread = profile_thread(profile, (struct thread){ .tid = 5 }),
		.start_ns = 7000000100, .end_ns = 7000000200, .dimension = profile_dimension(profile, dimension_row_find(NULL, "runnable")) });
	profile_freeze(profile);
	CLEANUP_TEXT char *text = writing(profile, "chrome", NULL);

	once = reading("chrome", text);
	CLEANUP_TEXT char *again = writing(once, "chrome", NULL);

	twice = reading("chrome", again);
	assert_int_equal(total_of(once, NULL, "block-operations", &count), 203);
	assert_int_equal(count, 4);
	assert_int_equal(total_of(once, NULL, "furlongs", &count), 205);
	assert_int_equal(total_of(twice, "resident", "heap", &count), 207);
	assert_int_equal(profile_dimension_count(twice), profile_dimension_count(once));
	assert_int_equal(profile_process_count(twice), profile_process_count(once));
	assert_int_equal(profile_slice_count(twice), profile_slice_count(once));
	assert_string_equal(profile_meta(once, "capture.start_ns"), "7000000200");
}

TEST(what_slices_add_up_to_is_not_counted_again)
{
	CLEANUP(profile) struct profile *profile = reading("chrome", "[{\"ph\":\"X\",\"name\":\"a\",\"pid\":1,\"tid\":1,\"ts\":1,\"dur\":5}]");
	CLEANUP_TEXT char *text = writing(profile, "chrome", NULL);
	CLEANUP(profile) struct profile *again = reading("chrome", text);
	uint64_t count;

	assert_int_equal(total_of(again, NULL, "time", &count), 5000);
	assert_int_equal(count, 1);
	assert_int_equal(profile_dimension_count(again), 2);
	folded_is(again, NULL, "a 5000\n");
}

TEST(asynchronous_events_add_up_and_are_written_as_markers)
{
	CLEANUP(profile) struct profile *profile = reading("chrome", "["
		"{\"ph\":\"b\",\"name\":\"get\",\"cat\":\"c\",\"id\":1,\"pid\":1,\"tid\":1,\"ts\":1000},"
		"{\"ph\":\"b\",\"name\":\"put\",\"cat\":\"c\",\"id\":2,\"pid\":1,\"tid\":1,\"ts\":1500},"
		"{\"ph\":\"e\",\"name\":\"get\",\"cat\":\"c\",\"id\":1,\"pid\":1,\"tid\":1,\"ts\":2000},"
		"{\"ph\":\"e\",\"name\":\"put\",\"cat\":\"c\",\"id\":2,\"pid\":1,\"tid\":1,\"ts\":1200500}]");
	CLEANUP_TEXT char *text = writing(profile, "firefox", NULL);
	CLEANUP(profile) struct profile *again = reading("firefox", text);
	uint64_t count;

	assert_int_equal(total_of(profile, NULL, "asynchronous", &count), 1000000 + 1199000000);
	assert_int_equal(count, 2);
	assert_int_equal(profile_cell_count(profile), 2);            /* one for each second in which some ended */
	assert_int_equal(profile_cell_at(profile, 1)->maximum, 1199000000);
	assert_int_equal(profile_interval_count(again), 2);
	assert_int_equal(total_of(again, NULL, "marker", &count), 1000000 + 1199000000);
	assert_int_equal(count, 2);
	assert_int_equal(profile_dimension_count(again), 2);
}
