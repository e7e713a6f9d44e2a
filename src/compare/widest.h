/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/* The function that a flame graph of one dimension would point at: the widest of those that work themselves. */
#include <stdbool.h>

#include "compare/comparison.h"

struct widest {
	const char *name;                    /* stays valid */
	double base, candidate;              /* inclusive, per completion, mean over the pairs */
};

/* Largest inclusive weight on that side, among named functions that do a tenth of it themselves. False where there is none. */
bool widest_find(const struct comparison *comparison, const char *dimension, enum side side, struct widest *ret);
