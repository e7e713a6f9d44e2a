/* SPDX-License-Identifier: Apache-2.0 */
#include "base/clock.h"

#include <time.h>

#include "test.h"

TEST(the_clock_is_the_kernel_s_monotonic_one)
{
	struct timespec before, after;
	uint64_t now_ns;

	clock_gettime(CLOCK_MONOTONIC, &before);
	now_ns = clock_now_ns();
	clock_gettime(CLOCK_MONOTONIC, &after);
	assert_true(now_ns >= (uint64_t)before.tv_sec * 1000000000 + (uint64_t)before.tv_nsec);
	assert_true(now_ns <= (uint64_t)after.tv_sec * 1000000000 + (uint64_t)after.tv_nsec);
}

TEST(the_wall_clock_is_the_date)
{
	time_t now = time(NULL);
	uint64_t wall_s = clock_wall_ns() / 1000000000;

	assert_true(wall_s + 1 >= (uint64_t)now && wall_s <= (uint64_t)now + 1);
}
