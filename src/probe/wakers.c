/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stacks of those who make others runnable: on which stack a lock was let go, a queue filled, a timer's work done. A stack
 * costs more than all else at a wake-up, so they are taken only where asked for, and only for waits whose own stack was
 * taken: with the same probability.
 */
#include "probe/probe.h"

extern const struct probe probe_wakers;
const struct probe probe_wakers = {
	.name = "wakers", .summary = "stacks of wakers, of the waits whose own stack is taken",
	.fills = "lock, ipc, disk, network, timer", .without = "it is known which thread ended a wait, not on which stack",
	.exposes = "addresses of functions on the stacks of wakers",
	.programs = { { "stack_of_waker", NULL, 1500 } },
};
