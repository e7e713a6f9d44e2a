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
