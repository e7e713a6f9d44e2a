/* SPDX-License-Identifier: Apache-2.0 */
#include "format/import.h"

#include "base/error.h"
#include "format/format.h"
#include "format/input.h"
#include "test.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const struct format format = { .name = "test" };

struct fixture { struct profile *profile; struct input *input; struct import *import; };

static struct fixture fixture(void)
{
	struct fixture made = { profile_new(), input_memory("x", 1, "a file"), NULL };

	made.import = import_new(made.profile, made.input, &format);
	return made;
}

static void fixture_done(struct fixture *made)
{
	assert_null(profile_broken(made->profile));
	import_free(made->import);
	profile_free(made->profile);
	input_free(made->input);
}

TEST(a_sample_counts_in_the_total_of_its_thread_and_once_more_on_its_stack)
{
	struct fixture made = fixture();
	struct import_name name = { .function = "main", .module = "/bin/a", .address = 0x10, .line = 7 };
	struct import_sample sample = {
		.measure = import_measure(made.import, &(struct import_event){ .name = "cycles", .unit = "count", .period = 100 }),
		.thread = import_thread(made.import, 1, 2, "worker"),
		.stack = import_stack(made.import, (struct stack_id){ 0 }, import_frame(made.import, &name)),
		.count = 1,
		.value = 100,
	};
	struct error err = { 0 };

	import_sample(made.import, &sample);
	import_sample(made.import, &sample);
	assert_int_equal(import_finish(made.import, &err), 0);
	assert_int_equal(profile_cell_count(made.profile), 2);
	for (size_t i = 0; i < 2; i++) {
		const struct cell *cell = profile_cell_at(made.profile, i);
		const struct measure *measure = profile_measure_at(made.profile, cell->measure.index);

		assert_int_equal(cell->count, 2);
		assert_int_equal(cell->value, 200);
		assert_int_equal(measure->role, i ? ROLE_SPLIT : ROLE_TOTAL);
		assert_int_equal(measure->weighting, WEIGHTING_SAMPLED);
		assert_int_equal(measure->period, 100);
	}
	assert_string_equal(profile_meta(made.profile, "import.format"), "test");
	assert_string_equal(profile_meta(made.profile, "import.lacks"), "time");
	fixture_done(&made);
}

TEST(units_become_those_that_views_know_and_values_follow)
{
	static const struct { const char *unit, *shown; uint64_t value, expected; } rows[] = {
		{ "microseconds", "ns", 7, 7000 }, { "seconds", "ns", 2, 2000000000 }, { "picoseconds", "ns", 1500, 2 },
		{ "kilobytes", "bytes", 3, 3072 }, { "bytes", "bytes", 3, 3 },         { NULL, "samples", 3, 3 },
		{ "furlongs", "furlongs", 3, 3 },  { "seconds", "ns", UINT64_MAX, INT64_MAX },
	};

	for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
		struct fixture made = fixture();
		struct import_measure measure =
			import_measure(made.import, &(struct import_event){ .name = "x", .unit = rows[i].unit });

		import_sample(made.import, &(struct import_sample){ .measure = measure, .value = rows[i].value });
		assert_string_equal(profile_text(made.profile, profile_dimension_at(made.profile, measure.dimension.index)->unit),
				    rows[i].shown);
		assert_int_equal(profile_cell_at(made.profile, 0)->value, rows[i].expected);
		fixture_done(&made);
	}
}

TEST(only_one_event_is_running_time)
{
	struct fixture made = fixture();
	struct import_measure clock = import_measure(made.import, &(struct import_event){ .name = "cpu-clock:ppp", .unit = "ns" });
	struct import_measure again = import_measure(made.import, &(struct import_event){ .name = "cpu-clock:ppp", .unit = "ns" });
	struct import_measure task = import_measure(made.import, &(struct import_event){ .name = "task-clock", .unit = "ns" });

	assert_int_equal(clock.total.index, again.total.index);
	assert_int_equal(profile_dimension_at(made.profile, clock.dimension.index)->kind, DIMENSION_RUNNING);
	assert_int_equal(profile_dimension_at(made.profile, task.dimension.index)->kind, DIMENSION_AMOUNT);
	fixture_done(&made);
}

TEST(more_kinds_of_events_than_a_profile_holds_are_skipped_and_said)
{
	struct fixture made = fixture();
	struct error err = { 0 };
	char name[32];

	for (int i = 0; i < 300; i++) {
		(void)snprintf(name, sizeof(name), "event-%d", i);
		import_sample(made.import, &(struct import_sample){
			.measure = import_measure(made.import, &(struct import_event){ .name = name }), .value = 1 });
	}
	assert_int_equal(import_finish(made.import, &err), 0);
	assert_string_equal(profile_meta(made.profile, "import.remark.1"), "45 skipped: more than 256 kinds of events");
	fixture_done(&made);
}

TEST(names_that_say_nothing_stay_unresolved_and_differing_sources_apart)
{
	struct fixture made = fixture();
	struct frame_id unknown = import_frame(made.import, &(struct import_name){ .function = "[unknown]", .module = "[unknown]" });
	struct frame_id one = import_frame(made.import, &(struct import_name){ .function = "f", .path = "a.js", .line = 1 });
	struct frame_id two = import_frame(made.import, &(struct import_name){ .function = "f", .path = "b.js", .line = 1 });
	struct frame_id same = import_frame(made.import, &(struct import_name){ .function = "fgh", .function_size = 1,
										.path = "b.js", .line = 1 });

	assert_int_equal(profile_frame_at(made.profile, unknown.index)->name.index, 0);
	assert_int_equal(profile_frame_at(made.profile, unknown.index)->file.index, 0);
	assert_int_not_equal(one.index, two.index);
	assert_int_equal(two.index, same.index);
	fixture_done(&made);
}

TEST(threads_are_known_by_their_numbers_and_name)
{
	struct fixture made = fixture();
	struct thread_id one = import_thread(made.import, 10, 11, "w"), other = import_thread(made.import, 10, 12, "w");

	assert_int_equal(import_thread(made.import, 10, 11, "w").index, one.index);
	assert_int_not_equal(one.index, other.index);
	assert_int_equal(profile_thread_at(made.profile, one.index)->process.index,
			 profile_thread_at(made.profile, other.index)->process.index);
	fixture_done(&made);
}

TEST(times_fall_into_slices_of_a_second_in_any_order)
{
	struct fixture made = fixture();
	struct error err = { 0 };
	struct import_measure measure = import_measure(made.import, &(struct import_event){ .name = "x" });
	static const uint64_t times[] = { 5100000000, 7000000001, 5900000000, 5000000000 };

	for (size_t i = 0; i < ARRAY_LENGTH(times); i++)
		import_sample(made.import, &(struct import_sample){ .measure = measure, .value = 1, .time_ns = times[i] });
	assert_int_equal(import_finish(made.import, &err), 0);
	assert_int_equal(profile_slice_count(made.profile), 3);
	assert_int_equal(profile_slice_at(made.profile, 1)->start_ns, 5000000000);
	assert_int_equal(profile_meta_number(made.profile, "capture.start_ns", 0), 5000000000);
	assert_int_equal(profile_meta_number(made.profile, "capture.end_ns", 0), 7000000001);
	assert_int_equal(profile_cell_at(made.profile, 0)->value, 3);
	fixture_done(&made);
}

TEST(what_was_skipped_is_counted_and_a_file_of_nothing_is_refused)
{
	struct fixture made = fixture();
	struct error err = { 0 };

	import_skipped(made.import, "a line is no stack", "line", 17);
	import_skipped(made.import, "a line is no stack", "line", 20);
	import_warn(made.import, "histograms are not read", NULL, 0);
	import_bias(made.import, "safepoint");
	import_bias(made.import, "safepoint");
	assert_int_equal(import_finish(made.import, &err), -EBADMSG);
	assert_int_equal(err.kind, FAILURE_WORK);
	assert_string_equal(err.what, "cannot read 'a file'");
	assert_string_equal(err.why, "as test it holds nothing that could be read: 2 skipped: a line is no stack, first at line 17");
	assert_string_equal(profile_meta(made.profile, "import.remark.2"), "histograms are not read");
	assert_string_equal(profile_meta(made.profile, "import.bias"), "safepoint");
	assert_int_equal(profile_loss_at(made.profile, 0)->lost, 2);
	assert_int_equal(import_refuse(made.import, &err, "byte", 12, "a record of %d bytes", 3), -EBADMSG);
	assert_string_equal(err.why, "a record of 3 bytes (as test, at byte 12)");
	fixture_done(&made);
}

/* And not from a full second of the clock: half of what one would ask for as the first second would be of the next. */
TEST(seconds_are_counted_from_where_the_recording_began)
{
	struct fixture made = fixture();
	struct slice_id first, same, before, later, early;

	import_began(made.import, 1700000000700000000);
	import_began(made.import, 5);
	first = import_slice(made.import, 1700000000700000000);
	same = import_slice(made.import, 1700000001699999999);
	before = import_slice(made.import, 1700000000699999999);
	later = import_slice(made.import, 1700000001700000000);
	early = import_slice(made.import, 699999999);
	assert_int_equal(first.index, same.index);
	assert_int_not_equal(first.index, before.index);
	assert_int_not_equal(first.index, later.index);
	assert_true(profile_slice_at(made.profile, first.index)->start_ns == 1700000000700000000);
	assert_true(profile_slice_at(made.profile, before.index)->end_ns == 1700000000700000000);
	assert_true(profile_slice_at(made.profile, early.index)->start_ns == 0);
	assert_true(profile_slice_at(made.profile, early.index)->end_ns == 700000000);
	fixture_done(&made);
}
