/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A write to a terminal whose buffer is full: whoever shows it (a terminal emulator, sshd, a
 * serial line) is late.
 */
#include "classify/seen.h"

static bool matches(const struct wait_seen *seen)
{
	return wait_sleeps(seen) && wait_writes(seen) && wait_on(seen, "tty_release");
}

const struct rule rule_ipc_terminal = {
	.name = "ipc-terminal",
	.summary = "a terminal that does not take output",
	.state = "ipc", .part = "peer",
	.matches = matches,
};
