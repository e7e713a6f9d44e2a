/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/* A comparison in the making. Private to the files of this folder. */
#include "compare/comparison.h"
#include "compare/forest.h"
#include "compare/mix.h"

enum { GATES_MOST = 16 };

struct arm {                                 /* one capture */
	struct compared_capture capture;
	struct forest_weights weights;
	double scale;                        /* of a raw total to a value: 1 / completions */
	struct intern *told;                 /* what it can tell of: told.c */
	bool is_ledger, has_parts;
};

struct comparison {
	struct comparison_options options;
	struct arm *arms;
	size_t arm_count, arm_room;
	size_t pairs;                        /* known from the finish on */
	bool restored;
	struct compared **rows;              /* pointers, so that a row stays where it is */
	size_t row_count, row_room;
	struct map *row_index;               /* kind and name to the row */
	struct intern *row_names;
	struct forest *forest;
	double *pooled[SIDE_COUNT];          /* by node: inclusive weight per completion, mean over the side's captures */
	struct mix *mix;                     /* of base and candidate */
	double matched_share;
	size_t tested;
	struct compared_gate gates[GATES_MOST];
	size_t gate_count;
};

/* Finds or makes; a new row has all values 0. */
struct compared *comparison_row(struct comparison *comparison, enum row_kind kind, const char *name, const char *dimension,
				const char *unit, enum dimension_kind dimension_kind);
/* A row of its own, whatever its name. */
struct compared *comparison_row_new(struct comparison *comparison, enum row_kind kind, const char *name, const char *dimension,
				    const char *unit, enum dimension_kind dimension_kind);
const struct arm *comparison_arm(const struct comparison *comparison, enum side side, size_t pair);     /* NULL */

/* capture_rows.c: everything of one capture but its stacks. */
struct account;
void comparison_add_rows(struct comparison *comparison, struct arm *arm, const struct profile *profile,
			 const struct account *account, double period_ns);
/* told.c: what a capture can tell of; then, at the finish, whether every capture of a side tells of a row, be it 0. */
void comparison_note_told(struct arm *arm, const struct profile *profile, const struct account *account);
bool comparison_is_told(const struct comparison *comparison, const struct compared *row, enum side side);
/* stacks.c: a capture's stacks into the forest; then, at the finish, rows of those that weigh enough. */
void comparison_add_stacks(struct comparison *comparison, struct arm *arm, const struct profile *profile,
			   const struct account *account, double period_ns);
void comparison_find_stacks(struct comparison *comparison);
void comparison_mark_shifts(struct comparison *comparison);
const struct compared *comparison_row_of_root(const struct comparison *comparison, uint32_t node);     /* its state's; NULL */
/* matching.c: which share of the frames' weight both sides can name alike; NAN without stacks. */
double comparison_match(const struct comparison *comparison);
/* permit.c: the gates between captures. */
void comparison_judge_gates(struct comparison *comparison);
/* within.c: intervals of one pair. */
void comparison_describe_pair(struct comparison *comparison);
/* answer*.c: parts of the document. */
struct document;
void comparison_add_findings(const struct comparison *comparison, struct document *into);
void comparison_add_trees(const struct comparison *comparison, struct document *into);
