/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * What a thread's time came down to, by who woke whom. A wait is replaced by what its waker did during it, whose own waits
 * are replaced in turn:
 *
 *	A   ├─ runs ─┤········ waits ········├─ runs ─┤
 *	B   ├──── runs ────┤···· waits ····├─ runs ───┤      B wakes A
 *	C   ├───────────── runs ───────────┤                 C wakes B
 *
 *	path of A   A runs │ B runs │ C runs │ B │ A runs
 *
 * The path is bounded: a wait is explained only by what happened inside it, never by what its waker did before. So the parts
 * cover the window exactly, each instant once. What nothing explains is a part too.
 *
 * The rule is the bounded critical path of Eclipse Trace Compass (org.eclipse.tracecompass.analysis.graph.core).
 */
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"

enum { WAKE_PATH_DEPTH = 32 };

struct wake_interval {
	uint32_t worker;                     /* from 1; 0 is nobody */
	uint32_t waker;                      /* who ended it; 0: nobody that is known, or it was no wait */
	uint64_t start, end;
	uint64_t woken_at;                   /* when the waker did that: at or before end */
	uint32_t tag;                        /* the caller's */
};

enum wake_part_kind {
	WAKE_OWN = 1,                        /* an interval, or a piece of it: nothing more is to be asked */
	WAKE_SELF,                           /* a wait that the waiter itself had arranged to end (a timer) */
	WAKE_DELAY,                          /* on the way from the waker to the waiter */
	WAKE_UNKNOWN,                        /* nothing is known of this worker then */
	WAKE_CUT,                            /* the chain goes on, but it is too long, or a circle */
};

struct wake_part {
	enum wake_part_kind kind;
	uint32_t worker, interval;           /* interval: index, where kind is WAKE_OWN, WAKE_SELF or WAKE_CUT */
	uint64_t start, end;
	unsigned depth;                      /* 0: the worker's that was asked about */
	uint32_t via[WAKE_PATH_DEPTH];       /* the waits that led here, outermost first: depth of them */
};

struct wake_graph;
/* Copies the intervals, in any order; those of one worker must not overlap. */
struct wake_graph *wake_graph_new(const struct wake_interval *intervals, size_t count);
void wake_graph_free(struct wake_graph *graph);
DEFINE_CLEANUP(wake_graph)
/* As they are numbered in parts: sorted by worker and start. */
const struct wake_interval *wake_graph_at(const struct wake_graph *graph, uint32_t interval);

typedef void wake_part_function(void *context, const struct wake_part *part);
/* Calls for each part of [from, to), in order of time. */
void wake_path(const struct wake_graph *graph, uint32_t worker, uint64_t from, uint64_t to, wake_part_function *call, void *context);
