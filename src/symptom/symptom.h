/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * A symptom is what somebody sees before any profile was taken; its row says which evidence to take first, which second,
 * what each would show, and what would refute the reading. The first capture narrows the question, it need not end it:
 * a row names the cheapest evidence that can tell its explanations apart.
 *
 * From a capture that is there already, each row says how much of the threads' active time (running, ready or waiting; idle
 * time aside) is of its kind, and the one that holds most is proposed.
 */
#include <stddef.h>

struct symptom_facts {                       /* thread time in ns, what is not known NAN */
	double elapsed_ns, processors;
	double oncpu, runnable, lock, disk, network, paging, ipc, timer, child, unknown;
};

/* Running, ready and waiting; what is not known counts as nothing. */
double symptom_active_ns(const struct symptom_facts *facts);

/* Ready time speaks for whichever made threads ready at once: more work than processors, or a lock handed over. It is shared out as
 * running and lock time are to each other. */
struct symptom_ready { double to_running, to_locks; };
struct symptom_ready symptom_ready_ns(const struct symptom_facts *facts);

struct symptom {
	const char *name;                    /* "cpu-cost", as in crosscut select cpu-cost */
	const char *summary;                 /* the symptom as a person would put it; one line, below 72 columns */
	const char *first, *first_command, *first_shows;
	const char *second, *second_command, *second_shows;
	const char *refutes;                 /* what would be seen if the symptom's reading is wrong */
	const char *probes;                  /* whose events the first profile pays for: "sched sampler" */
	/* 0 to 1: how much of the capture speaks for it; why in words. NAN where the capture cannot say. */
	double (*fits)(const struct symptom_facts *facts, char *why, size_t why_size);
};

extern const struct symptom *const symptoms[];       /* NULL-terminated, sorted by name */
const struct symptom *symptom_find(const char *name);
/* The row that fits best, and how well; NULL where none can say. */
const struct symptom *symptom_propose(const struct symptom_facts *facts, double *ret_fit);
