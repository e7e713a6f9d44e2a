/* SPDX-License-Identifier: Apache-2.0 */
/* Records of several streams, in the order in which they happened. */
#include "test.h"

#include "capture/batch.h"
#include "probe/decoder.h"

#include <string.h>

static void put(struct batch *batch, uint64_t time_ns, uint32_t tid, const char *text)
{
	struct wire_outsider record = { .tid = tid };

	batch_put(batch, WIRE_OUTSIDER, time_ns, &record, sizeof(record), (const char *const[]){ text, NULL });
}

static const struct wire_outsider *at(const struct batch *batch, size_t index)
{
	return (const void *)batch_at(batch, index);
}

TEST(records_are_sorted_by_time_and_equal_times_stay_in_order)
{
	struct batch batch = { 0 };

	put(&batch, 30, 3, "c");
	put(&batch, 10, 1, "a");
	put(&batch, 10, 2, "b");
	batch_sort(&batch);
	assert_int_equal(at(&batch, 0)->tid, 1);
	assert_int_equal(at(&batch, 1)->tid, 2);
	assert_int_equal(at(&batch, 2)->tid, 3);
	batch_done(&batch);
}

TEST(texts_follow_the_struct_and_end_where_the_record_ends)
{
	struct batch batch = { 0 };

	put(&batch, 1, 1, "a comm");
	assert_int_equal(batch_at(&batch, 0)->size % 8, 0);
	assert_string_equal(wire_text(batch_at(&batch, 0), sizeof(struct wire_outsider), 0), "a comm");
	assert_string_equal(wire_text(batch_at(&batch, 0), sizeof(struct wire_outsider), 9), "");
	batch_done(&batch);
}

TEST(a_text_longer_than_the_limit_is_cut_not_refused)
{
	struct batch batch = { 0 };
	char text[WIRE_TEXT + 100];

	memset(text, 'x', sizeof(text));
	text[sizeof(text) - 1] = '\0';
	put(&batch, 1, 1, text);
	assert_int_equal(strlen(wire_text(batch_at(&batch, 0), sizeof(struct wire_outsider), 0)), WIRE_TEXT - 1);
	batch_done(&batch);
}

TEST(a_record_without_a_head_is_not_taken)
{
	struct batch batch = { 0 };

	batch_add(&batch, "short", 5);
	assert_int_equal(batch.count, 0);
	batch_done(&batch);
}
