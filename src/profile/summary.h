/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * What gates read: a few numbers of a frozen profile, computed once. Fractions lie between 0 and 1; a number that
 * could not be measured is NAN, never 0.
 */
#include <stdint.h>

struct profile;

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
	const char *complete_where, *unresolved_where;        /* "on-CPU time" or "waits": which of the two is the worst */
	double unknown_fraction;             /* of blocked time whose class is unknown */
	double sampled_oncpu_ns, sampled_oncpu_expected_ns;   /* samples x period, and the exact time of the same threads */
	double sampling_z;                   /* (sampled - exact) / standard error; NAN with fewer than 30 samples expected */
	double cut_fraction;                 /* of accounted time in intervals cut by the window whose class is unknown by that */
	double cut_all_fraction;             /* the same in all intervals that the window cut */
	double own_cost_ns;                  /* BPF run time plus the recorder's CPU time in the window */
	double own_cost_fraction;            /* of the target's on-CPU time */
	double multiplexed_fraction;         /* of counter time not counted; NAN where no hardware counter ran */
	double correct, incorrect;           /* completions */
	double conservation_error_ns;        /* largest |sum of states - lifetime| of one thread */
	double runtime_error_fraction;       /* |oncpu - kernel runtime| / kernel runtime over CPU-bound threads; NAN where none.
					      * What the host stole or spent in interrupts may account for a surplus of oncpu. */
	double runtime_threads;              /* threads compared for it */
	double waits;                        /* waits whose end was seen */
	double no_waker_fraction;            /* of them without any wake-up seen; NAN where there were none */
};

void summary_of(const struct profile *profile, struct summary *ret);
