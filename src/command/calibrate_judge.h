/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * Compares what a capture holds of a program's threads with what the threads know of themselves. Pure: a profile and a
 * report in, a verdict out.
 *
 * The ledger splits a waiting call into blocked, ready and on-CPU time; the thread knows the whole, by the clock just
 * before and after, and its CPU time outside such calls. So
 *
 *	seen = blocked + ready after a wake-up + (on CPU - the thread's own CPU time outside of the calls)
 *
 * must be the thread's own sum. What of the ready time may have been outside of the calls (preempted; its birth) cannot
 * be told by the thread either: seen may be larger by up to that much, `doubt_ns`.
 */
#include <stdbool.h>
#include <stdint.h>

#include "truth/truth.h"

struct profile;
struct summary;

enum calibration_verdict { CALIBRATION_NOT_RUN = 1, CALIBRATION_WITHIN, CALIBRATION_OUTSIDE };
const char *calibration_verdict_name(enum calibration_verdict verdict);

enum { CALIBRATION_LIFE_NS = 1000, CALIBRATION_WAIT_NS = 5000, CALIBRATION_LOST_NS = 20000000, CALIBRATION_BIAS_Z = 4,
       CALIBRATION_EDGES_NS = 500000 };
#define CALIBRATION_SHARE 0.99
#define CALIBRATION_SHARE_UNTIMED 0.8   /* what lies between the waits is slow, and others of its threads wait for that */
#define CALIBRATION_WAIT_ERROR 0.03
#define CALIBRATION_CPU_ERROR 0.01
#define CALIBRATION_LOST 0.05
#define CALIBRATION_MACHINE_ERROR 0.001
#define CALIBRATION_HOLDERS 0.99        /* of known hand-offs */
#define CALIBRATION_AMOUNT_ERROR 0.01   /* beside what sampling leaves open */
#define CALIBRATION_AMOUNT_Z 4

struct calibration {
	const struct truth *row;
	bool untimed;                   /* states and sums are judged, lengths are not */
	enum calibration_verdict verdict;
	char why[320];                  /* what is out of bounds, or why it was not run; may be empty */
	char before[320];               /* the same of an earlier attempt; empty where there was none */
	unsigned attempts, threads;
	uint64_t waits;
	double truth_ns, seen_ns;       /* over the judged threads */
	double blocked_ns, ready_ns, oncpu_ns, doubt_ns;
	double lost_ns;                 /* of switches that no probe saw: in no state, and judged in none */
	double error_ns, allowed_ns;    /* of the thread whose error is the largest part of what is allowed */
	double share, part_share;       /* of the blocked time of the worst thread; NAN where nothing has to be blocked */
	double outside_ns;              /* by how much a thread's own life reaches beyond its lifetime in the capture */
	double conservation_ns;         /* of the worst thread of the whole capture */
	double sampling_z;              /* NAN where too few samples are to be expected */
	double kernel_ready_ns;         /* as the kernel's own account has it (schedstat); NAN where it keeps none */
	double own_wait_cpu_ns;
	/* Of rows that know amounts, in place of the times above. The error is that of the worst place or thread. */
	double truth_amount, seen_amount, error_amount, allowed_amount;
};

/* Fills all but row, untimed, attempts and before. */
void calibration_judge(const struct truth_report *report, const struct profile *profile, struct calibration *ret);

/* The same for rows that know amounts (truth_is_amount()). */
void calibration_judge_amounts(const struct truth_report *report, const struct profile *profile, struct calibration *ret);

/* With everybody watched: the CPUs' time, and who had it. */
struct machine_balance {
	double window_ns, cpus;
	double threads_ns, idle_ns, outside_ns, lost_ns;
	double error_fraction;          /* of CPUs x window */
	double conservation_ns;
	enum calibration_verdict verdict;       /* 0: it was not asked for */
	unsigned attempts;
	char why[320], before[320];
};
void calibration_balance(const struct profile *profile, struct machine_balance *ret);
