/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Weights are divided by completions, so both captures must count the same thing, and some of it. Without that only raw totals
 * are left, and those reward whoever completed less.
 */
#include "gate/gate.h"

#include "profile/summary.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static double equal_unit_measure(const struct summary *summary, const struct summary *other, char *why, unsigned why_size)
{
	if (!other || summary->correct <= 0 || other->correct <= 0) {
		(void)snprintf(why, why_size, "%.0f and %.0f correct completions were counted: raw totals compare nothing",
			       summary->correct, other ? other->correct : 0);
		return NAN;
	}
	if (strcmp(summary->unit, other->unit) != 0) {
		(void)snprintf(why, why_size, "one counts '%s', the other '%s'", summary->unit, other->unit);
		return 1;
	}
	(void)snprintf(why, why_size, "%.0f and %.0f correct completions of unit '%s'", summary->correct, other->correct,
		       *summary->unit ? summary->unit : "given by hand");
	return 0;
}

extern const struct gate gate_equal_unit;
const struct gate gate_equal_unit = {
	.name = "equal-unit",
	.asks = "do both captures count the same unit of useful work?",
	.unit = "differences",
	.limit = 0,
	.between = true,
	.measure = equal_unit_measure,
	.next = "record with --work, or give the counts by hand: crosscut diff --work N,M",
};
