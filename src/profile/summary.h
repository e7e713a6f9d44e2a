/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * What gates read: a few numbers of a frozen profile, computed once. Fractions lie between 0 and 1; a number that
 * could not be measured is NAN, never 0.
 */
#include <stdbool.h>
#include <stdint.h>

struct profile;

enum { SUMMARY_FACTS_MOST = 24 };
struct summary_fact { char key[32], value[96]; };
/* Of the same key; NULL where there is none. */
const struct summary_fact *summary_fact_of(const struct summary_fact *facts, unsigned count, const char *key);

struct summary {
	double wall_ns;                      /* of the window */
	double thread_ns;                    /* lifetimes of the population's threads in the window */
	double accounted_ns;                 /* sum of the ledger */
	double oncpu_ns, waiting_ns, idle_ns, ready_ns, unknown_ns;
	double events_seen, events_lost;     /* over all sources */
	double lost_fraction;                /* the worst source's lost / (seen + lost) */
	char lost_source[64];                /* its name, and the slice with most losses */
	double lost_slice_s;                 /* start of that slice since the capture's start, in s */
	/* Of cells with the role SPLIT, idle time aside, since it would outweigh all that costs. Each fraction is the worst of
	 * running and waiting, so that neither hides the other; one that holds under a hundredth of the weight is left out. */
	double stack_weight;                 /* of all these cells */
	double complete_fraction;            /* with a complete stack; NAN while stacks are unverified */
	double unresolved_fraction;          /* whose leaf user frame has no name; NAN where there is no stack weight */
	double complete_error, unresolved_error;              /* their standard errors, from sampling; 0 where nothing was sampled */
	const char *complete_where, *unresolved_where;        /* "on-CPU time" or "waits": which of the two is the worst */
	unsigned generated_lost;             /* processes whose map of generated code was refused, or read in part */
	double unknown_fraction;             /* of blocked time whose class is unknown */
	double sampled_oncpu_ns, sampled_oncpu_expected_ns;   /* samples x period, and the exact time of the same threads */
	char bias[64];                       /* where alone samples could be taken, as an import says: "safepoint"; else empty */
	double sampling_z;                   /* (sampled - exact) / standard error; NAN with fewer than 30 samples expected */
	double cut_fraction;                 /* of accounted time in intervals cut by the window whose class is unknown by that */
	double cut_all_fraction;             /* the same in all intervals that the window cut */
	double own_cost_ns;                  /* BPF run time plus the recorder's CPU time in the window */
	double own_cost_fraction;            /* of the target's on-CPU time */
	double overhead_worst;               /* what the capture may have cost in throughput or latency, as measured from outside; NAN: it was not */
	double overhead_suspected;           /* the change of them that is suspected */
	double multiplexed_fraction;         /* of counter time not counted; NAN where no hardware counter ran */
	double correct, incorrect;           /* completions */
	double conservation_error_ns;        /* largest |sum of states - lifetime| of one thread */
	double runtime_error_fraction;       /* |oncpu - kernel runtime| / kernel runtime over CPU-bound threads; NAN where none.
					      * What the host stole or spent in interrupts may account for a surplus of oncpu. */
	double runtime_threads;              /* threads compared for it */
	double waits;                        /* waits whose end was seen, but for those in io_schedule() */
	double no_waker_fraction;            /* of them without any wake-up seen; NAN where there were none */
	/* What makes two captures comparable; "" where it is not said. */
	char unit[64];                       /* of useful work */
	char state[64];                      /* the operating state */
	struct summary_fact population[SUMMARY_FACTS_MOST];   /* what the capture covers, as its labels and contract say */
	unsigned population_count;
	struct summary_fact sampling[SUMMARY_FACTS_MOST];     /* by which event each state was split; how stacks were walked */
	unsigned sampling_count;
	double sampling_period;              /* of running time; 0 where none is known or there were no samples */
	bool inclusion_unknown;              /* something was sampled with an unknown period */
	double included_running, included_waiting;            /* what was split by stack, of the exact weight; NAN where nothing is exact */
	double included_running_error, included_waiting_error;/* their standard errors, from sampling */
	/* Of a comparison as a whole, told to the summary of each capture by who makes it; 0 in a capture by itself. */
	double pairs, matched_fraction;
};

void summary_of(const struct profile *profile, struct summary *ret);
/* The part of it that makes captures comparable; summary_of() calls it. */
void summary_comparable_of(const struct profile *profile, struct summary *ret);
