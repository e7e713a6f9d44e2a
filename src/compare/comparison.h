/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * The comparison of captures on equal units of useful work. Captures are added one at a time, in any order, and may be freed at
 * once: what is kept is their summaries, their sums, and where their stacks lie in one tree of canonical names.
 *
 *	comparison_new ─▶ comparison_add, once per capture ─▶ comparison_finish ─▶ rows, gates, document
 *
 * Every row is one quantity per correct completion: a state of the ledger, a part of one, an amount, a node of the call tree of
 * a state, an object waited for, a class of requests, or elapsed time. Rows stand for themselves: nothing here is ever drawn.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "compare/judge.h"
#include "compare/objective.h"
#include "gate/gate.h"
#include "profile/dimension.h"
#include "profile/summary.h"
#include "statistics/slices.h"

struct comparison;
struct document;
struct error;
struct profile;
struct selection;

enum side { SIDE_BASE, SIDE_CANDIDATE, SIDE_RESTORED, SIDE_COUNT };
const char *side_name(enum side side);               /* "base" … */

enum { COMPARISON_PAIRS_MOST = 64 };                 /* per side */

struct named {
	const char *name;                            /* of a row: "disk", "oncpu:parse" */
	double effect;                               /* predicted, as a share of the base: the margin is a quarter of it; 0: none was */
};

struct comparison_options {
	struct judge_options judge;
	const struct selection *selection;           /* which cells count, in every capture; never NULL */
	double weight_share;                         /* a node is tested from this share of its dimension's pooled weight; 0.005 */
	bool totals;                                 /* raw totals instead of per completion: refused by the gates */
	const struct named *named;                   /* rows that were named beforehand; ends with one without a name; may be NULL */
	const struct gate_limit *limits;             /* --gate NAME=LIMIT; may be NULL */
	unsigned limit_count;
};
extern const struct comparison_options comparison_defaults;

enum row_kind { ROW_STATE = 1, ROW_PART, ROW_AMOUNT, ROW_STACK, ROW_OBJECT, ROW_CLASS, ROW_ELAPSED };
const char *row_kind_name(enum row_kind kind);       /* "state" … */

struct compared {
	enum row_kind kind;
	/* "disk", "disk/read", "context-switches"; of a stack "oncpu:parse"; of an object "lock:mutex 0x7f…"; of a class
	 * "class:GET /"; of elapsed time "elapsed:mean", "elapsed:p99", "elapsed:throughput". Stacks of one function share it. */
	char *name;
	char *label;                                 /* of a stack: "parse < serve < worker" */
	char *dimension;                             /* of a stack or object: the state that its weight is of; else its name */
	const char *unit;                            /* "ns", "bytes", "count"; static */
	enum dimension_kind dimension_kind;
	const char *measured;                        /* "exact", "sampled", "estimated"; static */
	double *values[SIDE_COUNT];                  /* per pair, per completion */
	uint64_t told[SIDE_COUNT], unknown[SIDE_COUNT];  /* by pair: the capture has some of it; it cannot be known there */
	const char *source;                          /* of an amount: what counts it; of the comparison's texts, NULL where unknown */
	bool lacks[SIDE_COUNT];                      /* a capture of that side did not measure it */
	double totals[SIDE_COUNT], events[SIDE_COUNT];   /* raw, over the side's captures; events NAN where not counted */
	double rates[SIDE_COUNT];                    /* events per completion, summed over the side's captures; NAN where not counted */
	struct judged judged;                        /* candidate against base */
	struct judged restored;                      /* restored against base; all zero without that side */
	uint32_t node;                               /* of a stack: in the comparison's forest */
	struct slices_ratio slices[SIDE_COUNT];      /* of a state or part, in the first pair: its ratio over slices of time */
	bool is_level;                               /* held by processes at an instant: not divided by completions */
	bool tested;                                 /* it went into the family (or stands alone) */
	bool shift;                                  /* it grew by what its siblings lost: a cost shift, not a regression */
};

/* One capture, as it was added. */
struct compared_capture {
	char *name;                                  /* what people call it: its path */
	char *identity;                              /* two of the same are one recording, whatever their names */
	enum side side;
	size_t pair;                                 /* from 0 */
	bool simulated;                              /* made up: no measurement */
	struct summary summary;
	struct objective objective;
	double correct, incorrect;                   /* completions: of the capture, or as given by hand */
	double seconds;
	char inclusion[160];                         /* "one sample per 10.1 ms; waits 1 in 2^k by length" */
	char labels[160];
	char failed[160];                            /* its own gates that fail; "" where none does */
};

struct compared_gate { const struct gate *gate; struct reading reading; };

struct comparison *comparison_new(const struct comparison_options *options);
void comparison_free(struct comparison *comparison);
DEFINE_CLEANUP(comparison)

/* What the capture itself does not know, given by hand. */
struct comparison_given {
	const struct objective *objective;           /* what the load generator saw; NULL: the capture's requests, if it has any */
	double correct;                              /* completions; 0: as the capture counted them */
	double period_ns;                            /* what one sample stands for, where the capture does not say; 0: unknown */
	const struct summary *whole;                 /* of a capture that was narrowed since: gates are about all of it; NULL: it was not */
};

/* pair: from 0. The profile may be freed afterwards. FAILURE_USAGE for a pair out of range or added before. */
int comparison_add(struct comparison *comparison, enum side side, size_t pair, const char *name, const struct profile *profile,
		   const struct comparison_given *given, struct error *err);
/* FAILURE_USAGE where the sides have not the same pairs, one of base and candidate has none, or one recording is in two pairs. */
int comparison_finish(struct comparison *comparison, struct error *err);

/* --- Reading, after the finish ------------------------------------------------------------------------------------------ */
size_t comparison_pairs(const struct comparison *comparison);
bool comparison_has_restored(const struct comparison *comparison);
size_t comparison_row_count(const struct comparison *comparison);
const struct compared *comparison_row_at(const struct comparison *comparison, size_t index);
/* By name; of several stacks of one function the widest. NULL where there is none. */
const struct compared *comparison_find(const struct comparison *comparison, const char *name);
size_t comparison_capture_count(const struct comparison *comparison);
const struct compared_capture *comparison_capture_at(const struct comparison *comparison, size_t index);
/* The gates between captures: the worst pair of each, base against candidate, then base against restored. */
size_t comparison_gate_count(const struct comparison *comparison);
const struct compared_gate *comparison_gate_at(const struct comparison *comparison, size_t index);
/* A gate other than enough-pairs does not pass: nothing may be concluded. */
bool comparison_refused(const struct comparison *comparison);
/* Fewer pairs than a verdict takes: it only describes. */
bool comparison_described(const struct comparison *comparison);
/* Decided, and something that costs, or elapsed time, grew (cost shifts aside). */
bool comparison_worse(const struct comparison *comparison);
/*
 * Restored is not equivalent to base: in the rows that were named beforehand; where none were, in mean elapsed time and in every
 * state of at least a tenth of all that costs. False without that side.
 */
bool comparison_drifted(const struct comparison *comparison);
/* What costs time and lost most of it per completion; where pairs decide, of what grew alone. NULL where nothing did. */
const struct compared *comparison_most_lost(const struct comparison *comparison);
double comparison_matched_share(const struct comparison *comparison);
size_t comparison_tested(const struct comparison *comparison);       /* rows in the family */

struct comparison_asked {
	bool anyway;                                 /* show it although it is refused */
	bool trees;                                  /* two trees per dimension: what grew, what shrank */
	size_t most;                                 /* rows of the list of stacks; 0: all */
};
/* All sections of the answer; where it is refused and not asked for anyway, only what was compared, and why not. */
void comparison_document(const struct comparison *comparison, const struct comparison_asked *asked, struct document *into);
