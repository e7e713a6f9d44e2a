/* SPDX-License-Identifier: Apache-2.0 */
/* The run: sends by the schedule, reads answers as they come, obeys the signals. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct schedule;
struct tally;

struct run_config {
	uint16_t port;
	size_t connections;
	uint64_t warm_up_ns;                 /* before the window opens by itself */
	uint64_t length_ns;                  /* from the start on, warm-up included */
	unsigned retries;                    /* further attempts of what was rejected */
	uint64_t deadline_ns;                /* since its first attempt left; 0: waits for ever */
	int signals;                         /* signalfd: SIGUSR1 opens the window, SIGUSR2
						closes it */
};

/* Negative errno if it could not start; what goes wrong later is in the tally. */
int run(const struct run_config *config, const struct schedule *schedule,
	struct tally *tally);
