/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * What a capture does to its target, measured from outside: windows without and with it, interleaved in pairs of random order. What
 * is measured is the target's own throughput and latency, by a command that is no part of the capture: either a load
 * generator, run for each window, that prints its figures as JSON (compare/objective.h), or a counter that prints one number, asked at
 * both ends of each window. The programs of the kernel half are not even loaded in a window without.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "statistics/interval.h"

struct document;
struct error;
struct recording;

enum { OVERHEAD_PAIRS_MOST = 64, OVERHEAD_QUANTITIES = 4, OVERHEAD_STATES = 2 };

struct overhead_plan {
	const struct recording *recording;   /* as it will be recorded; its path is where scratch files go beside */
	const char *meter, *counter;         /* shell commands; one of them */
	const char *overload;                /* shell command that runs while overload is measured; NULL: nominal alone */
	double suspected;                    /* change of throughput or latency; at least this much is too much */
	unsigned pairs;
	uint64_t window_ns;
	bool progress;
};

struct overhead_effect {
	bool known;
	double without, with;                /* means */
	struct statistics_interval change;   /* 0.01: a hundredth more with the capture */
};

struct overhead {
	struct overhead_effect effects[OVERHEAD_STATES][OVERHEAD_QUANTITIES];        /* nominal, overload; throughput, mean, p50, p99 */
	unsigned pairs;
	double suspected;
	double worst;                        /* of all upper ends of harm: less throughput, more latency */
};

int overhead_measure(const struct overhead_plan *plan, struct overhead *ret, struct error *err);
/* As the capture's meta: "overhead.nominal.throughput" and so on; calls note for each. */
void overhead_note(const struct overhead *overhead, void (*note)(void *to, const char *key, const char *value), void *to);
void overhead_document(const struct overhead *overhead, struct document *into);
