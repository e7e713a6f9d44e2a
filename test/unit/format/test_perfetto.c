/* SPDX-License-Identifier: Apache-2.0 */
#include "unit/format/reading.h"

#include "unit/format/sample.h"

static bool holds(const struct text *bytes, const void *what, size_t size)
{
	return memmem(bytes->bytes, bytes->size, what, size) != NULL;
}

static int perfetto(const struct profile *profile, struct text *ret, struct error *err)
{
	struct output to;
	int r;

	output_to_text(&to, ret);
	r = format_find("perfetto")->write(profile, NULL, &to, err);
	assert_int_equal(output_finish(&to, &(struct error){ 0 }), 0);
	return r;
}

TEST(slices_begin_and_end_on_the_track_of_their_thread)
{
	CLEANUP(profile) struct profile *profile = reading("chrome",
		"[{\"ph\":\"X\",\"pid\":5,\"tid\":6,\"name\":\"outer\",\"ts\":0,\"dur\":3}]");
	struct text bytes = TEXT(READING_LIMIT);
	struct error err;
	/* timestamp 0 although it is 0, its clock, and in the event: begins, on the first thread's track */
	static const unsigned char zero[] = { 0x40, 0x00, 0xd0, 0x03, 0x03 };
	static const unsigned char begins[] = { 0x48, 0x01, 0x58, 0x81, 0x80, 0x80, 0x80, 0x80, 0x40 };

	assert_int_equal(perfetto(profile, &bytes, &err), 0);
	assert_int_equal(bytes.bytes[0], 0x0a);      /* packets, one after the other */
	assert_true(holds(&bytes, "outer", 5));
	assert_true(holds(&bytes, zero, sizeof(zero)));
	assert_true(holds(&bytes, begins, sizeof(begins)));
	text_done(&bytes);
}

TEST(a_wake_is_a_flow_from_the_waker_to_the_woken)
{
	struct sample sample = sample_start();
	struct profile *profile = sample.profile;
	struct text bytes = TEXT(READING_LIMIT);
	struct error err;
	static const unsigned char starts[] = { 0xf9, 0x02, 1, 0, 0, 0, 0, 0, 0, 0 }, ends[] = { 0x81, 0x03, 1, 0, 0, 0, 0, 0, 0, 0 };

	(void)profile_slice(profile, 0, SAMPLE_SECOND);
	profile_add_interval(profile, (struct interval){ .thread = sample.thread, .waker = sample.waker, .start_ns = 5,
							 .end_ns = 9, .evidence = sample.evidence[0] });
	profile_freeze(profile);
	assert_int_equal(perfetto(profile, &bytes, &err), 0);
	assert_true(holds(&bytes, starts, sizeof(starts)));
	assert_true(holds(&bytes, ends, sizeof(ends)));
	assert_true(holds(&bytes, "disk/read", 9));
	text_done(&bytes);
	profile_free(profile);
}

TEST(a_profile_without_intervals_has_no_timeline)
{
	CLEANUP(profile) struct profile *profile = reading("folded", "a;b 3\n");
	struct text bytes = TEXT(READING_LIMIT);
	struct error err;

	assert_true(perfetto(profile, &bytes, &err) < 0);
	assert_int_equal(err.kind, FAILURE_USAGE);
	assert_non_null(strstr(err.next, "--timeline"));
	text_done(&bytes);
}

/* As traced writes one: the trace's number, from user 1000; clocks; and a bundle of ftrace's events of processor 1. */
static const unsigned char traced[] = {
	0x0a, 0x18, 0xca, 0x05, 0x12, 0x09, 1, 2, 3, 4, 5, 6, 7, 8, 0x11, 1, 2, 3, 4, 5, 6, 7, 8, 0x18, 0xe8, 0x07,
	0x0a, 0x0d, 0x32, 0x06, 0x0a, 0x04, 0x08, 0x06, 0x10, 0x05, 0x18, 0xe8, 0x07, 0x50, 0x01,
	0x0a, 0x07, 0x0a, 0x02, 0x08, 0x01, 0x18, 0xe8, 0x07,
};

static void is_refused(const void *bytes, size_t size, const char *why, const char *next)
{
	struct input *input = input_memory(bytes, size, "test");
	struct profile *profile = NULL;
	struct error err = { 0 };

	assert_true(format_read_input(input, &profile, &err) < 0);
	assert_int_equal(err.kind, FAILURE_WORK);
	assert_non_null(strstr(err.why, why));
	assert_non_null(strstr(err.next, next));
	input_free(input);
}

TEST(its_files_are_recognised_and_it_is_said_what_to_bring_instead)
{
	CLEANUP(profile) struct profile *profile = reading("chrome",
		"[{\"ph\":\"X\",\"pid\":5,\"tid\":6,\"name\":\"outer\",\"ts\":0,\"dur\":3}]");
	struct text bytes = TEXT(READING_LIMIT);
	struct error err;

	is_refused(traced, sizeof(traced), "perfetto", "traceconv makes of it: json");
	assert_int_equal(perfetto(profile, &bytes, &err), 0);
	is_refused(bytes.bytes, bytes.size, "perfetto", "traceconv makes of it: json");
	is_refused("\n\n\nno protocol buffer\n", 22, "text of another kind", "list formats");
	text_done(&bytes);
}

TEST(counters_of_one_name_below_two_states_are_two)
{
	CLEANUP(profile) struct profile *profile = profile_new();
	struct text bytes = TEXT(READING_LIMIT);
	struct slice_id slice = profile_slice(profile, 0, SAMPLE_SECOND);
	struct thread_id thread = profile_thread(profile, (struct thread){ .tid = 7 });
	struct error err;

	(void)profile_dimension(profile, &(struct dimension_row){ .name = "heap", .unit = "bytes", .kind = DIMENSION_AMOUNT });
	(void)profile_dimension(profile, &(struct dimension_row){ .name = "cache", .unit = "bytes", .kind = DIMENSION_AMOUNT });
	for (unsigned i = 0; i < 2; i++) {
		struct dimension_id part = profile_dimension(profile, &(struct dimension_row){
			.name = "grown", .parent = i ? "cache" : "heap", .unit = "bytes", .kind = DIMENSION_AMOUNT });

		profile_add_cell(profile, (struct cell){ .slice = slice, .thread = thread, .count = 1, .value = 8,
			.measure = profile_measure(profile, (struct measure){ .dimension = part, .role = ROLE_TOTAL,
									      .weighting = WEIGHTING_EXACT }) });
	}
	profile_add_interval(profile, (struct interval){ .thread = thread, .start_ns = 5, .end_ns = 9,
							 .dimension = profile_dimension_find(profile, NULL, "heap") });
	profile_freeze(profile);
	assert_int_equal(perfetto(profile, &bytes, &err), 0);
	assert_true(holds(&bytes, "\x12\x0aheap/grown", 12));
	assert_true(holds(&bytes, "\x12\x0b" "cache/grown", 13));
	text_done(&bytes);
}
