/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is counted: only while the window is open, a response in the window in which it completed.
 * The window's ends are on CLOCK_MONOTONIC, so that a capture beside it can be given the same
 * ones.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "histogram.h"

enum { TALLY_STATUSES = 600 };

/*
 * Of an attempt. Rejected: the service answered 503, and nobody tried again; retried: it did, and
 * another attempt of the same operation followed; abandoned: the client gave up waiting. Attempts
 * less retried ones are operations.
 */
enum outcome {
	OUTCOME_CORRECT,
	OUTCOME_INCORRECT,
	OUTCOME_FAILED,                      /* any other status, or the connection broke */
	OUTCOME_REJECTED,
	OUTCOME_RETRIED,
	OUTCOME_ABANDONED,
	OUTCOME_COUNT,
};

struct tally {
	uint64_t start_ns, end_ns;           /* 0: not yet */
	uint64_t sent, outcomes[OUTCOME_COUNT];
	uint64_t statuses[TALLY_STATUSES];   /* 0: no answer: it broke, or was given up */
	struct histogram latency, lateness;
};

void tally_open(struct tally *tally);        /* from now on, from zero */
void tally_close(struct tally *tally);
bool tally_is_open(const struct tally *tally);

void tally_sent(struct tally *tally, uint64_t intended_ns, uint64_t sent_ns);
void tally_done(struct tally *tally, uint64_t intended_ns, int status, enum outcome outcome);

int  tally_print(const struct tally *tally, FILE *to);      /* as JSON; negative errno on failure */
