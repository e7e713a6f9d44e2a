/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nanosleep() and clock_nanosleep(), so sleep() and usleep() too: nothing but time can end them,
 * save a signal.
 */
#include "classify/seen.h"

static bool matches(const struct wait_seen *seen)
{
	return wait_sleeps(seen) && wait_in(seen, CALL_NANOSLEEP, CALL_CLOCK_NANOSLEEP);
}

const struct rule rule_timer_sleep = {
	.name = "timer-sleep",
	.summary = "a planned sleep",
	.state = "timer",
	.matches = matches,
};
