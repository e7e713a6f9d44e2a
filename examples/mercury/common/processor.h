/* SPDX-License-Identifier: Apache-2.0 */
/* Where and before whom a program runs, so that an experiment is about the program. */
#pragma once

/* Pins the calling thread, and all that it starts, to one CPU. A CPU that we may not
 * use is replaced by the nearest one that we may. Negative errno on failure. */
int processor_pin(int cpu);

/* Runs the calling thread, and all that it starts, before everything ordinary on its CPU, among
 * themselves in turn: on a machine with other work, two runs stay comparable. -EPERM where we may
 * not. */
int processor_precede(void);
