/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * Which files go where in a comparison: pairs by the label pair=N where every capture has it, else by order; counts, periods and
 * objectives in the order base, candidate, restored. An objective belongs to the capture whose name it shares but for the
 * ending, where all do: mercury-baseline-1.xcut and mercury-baseline-1.json.
 */
#include <stddef.h>

struct comparison;
struct error;
struct option_list;
struct selection;

struct diff_captures {
	const struct option_list *base, *candidate, *restored;
	const char **operands;               /* two files instead of the lists */
	size_t operand_count;
	const struct option_list *objectives, *work, *periods;
	const struct selection *selection;   /* whose requests each capture is narrowed to */
	const char *counts;                  /* what the files' numbers are, where they do not say; NULL: nothing was told */
};

int diff_captures_add(const struct diff_captures *captures, struct comparison *comparison, struct error *err);
