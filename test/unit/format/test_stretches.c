/* SPDX-License-Identifier: Apache-2.0 */
#include "format/stretches.h"

#include "test.h"

enum { COUNT = 1000 };

TEST(an_address_is_found_in_its_stretch_and_nowhere_else)
{
	struct stretches stretches = { 0 };

	assert_int_equal(stretches_find(&stretches, 5), UINT32_MAX);
	stretches_put(&stretches, (struct stretch){ 10, 20, 1 });
	stretches_put(&stretches, (struct stretch){ 30, 30, 2 });
	stretches_put(&stretches, (struct stretch){ 20, 30, 3 });
	assert_int_equal(stretches_find(&stretches, 9), UINT32_MAX);
	assert_int_equal(stretches_find(&stretches, 10), 1);
	assert_int_equal(stretches_find(&stretches, 19), 1);
	assert_int_equal(stretches_find(&stretches, 20), 3);
	assert_int_equal(stretches_find(&stretches, 30), UINT32_MAX);
	stretches_clear(&stretches);
	assert_int_equal(stretches_find(&stretches, 10), UINT32_MAX);
	stretches_done(&stretches);
}

/* 7919 has no factor in common with the count: each stretch is put once, in no order. */
TEST(whatever_the_order_all_are_found_while_more_come)
{
	struct stretches stretches = { 0 };

	for (uint32_t i = 0; i < COUNT; i++) {
		uint32_t row = i * 7919 % COUNT;

		stretches_put(&stretches, (struct stretch){ 10 * row, 10 * row + 9, row });
		assert_true(stretches.run_count < 12);
		for (uint32_t j = 0; j <= i; j++)
			assert_int_equal(stretches_find(&stretches, 10 * (j * 7919 % COUNT) + 8), j * 7919 % COUNT);
		assert_int_equal(stretches_find(&stretches, 10 * row + 9), UINT32_MAX);
	}
	stretches_done(&stretches);
}
