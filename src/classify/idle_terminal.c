/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A read of a terminal, or of the other end of a pseudo-terminal: somebody has to type, or a
 * program to print.
 */
#include "classify/seen.h"

static bool matches(const struct wait_seen *seen)
{
	return wait_sleeps(seen) && wait_reads(seen) && wait_on(seen, "tty_release");
}

const struct rule rule_idle_terminal = {
	.name = "idle-terminal",
	.summary = "input from a terminal",
	.state = "idle", .part = "terminal",
	.matches = matches,
};
