/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * An investigation narrows as it costs more: each pass asks one thing, and has a rule by which the evidence says that the next
 * pass would be wasted or would mislead. The passes are rows in the order in which they run; who records is not known here.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a pass has seen; per correct completion, in ns; what is not known is NAN. Index 0 baseline, 1 candidate. */
struct pass_facts {
	double correct[2], incorrect[2];
	double elapsed_ns[2];                /* mean, as the load saw it */
	double oncpu_ns[2], active_ns[2];    /* running; running, ready and waiting */
	double largest_growth_ns;            /* of the state that grew most */
	const char *largest;                 /* its name; "" where none grew */
	double unresolved_fraction, lost_fraction, own_cost_fraction;       /* of the last capture */
	bool expects_cpu;                    /* the hypothesis has running time among what must move */
	unsigned blocks, voided;             /* of the test */
};

struct pass {
	const char *name;                    /* "confirm" */
	const char *summary;                 /* what it asks; one line, below 72 columns */
	const char *stops;                   /* the rule, in words */
	/* True where the evidence says to stop; why in words, with its numbers. */
	bool (*stop)(const struct pass_facts *facts, char *why, size_t why_size);
};

extern const struct pass *const passes[];            /* NULL-terminated, in the order in which they run */

/*
 * The order of the blocks: in each pair the arms in a random order of their own, so that a drift of the machine favours none,
 * and what runs at the same time of the day is what is compared. The same seed gives the same order.
 */
void schedule_order(uint64_t seed, unsigned pair, unsigned arms, unsigned ret_order[]);

/* Void: the load generator sent later than that share of p99, so that its own delay is in the figures. */
bool block_is_void(double late_p99_ns, double p99_ns, double share);
