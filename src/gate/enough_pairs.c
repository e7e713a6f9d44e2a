/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How much runs differ can only be seen from runs. Of one pair every interval is a lower bound; below six pairs no test without
 * an assumed distribution reaches 5 %.
 */
#include "gate/gate.h"

#include "profile/summary.h"

#include <stdio.h>

static double enough_pairs_measure(const struct summary *summary, const struct summary *other, char *why, unsigned why_size)
{
	(void)other;
	(void)snprintf(why, why_size, "%.0f matched pair%s", summary->pairs, summary->pairs == 1 ? ": it describes, it does not decide" : "s");
	return summary->pairs;
}

extern const struct gate gate_enough_pairs;
const struct gate gate_enough_pairs = {
	.name = "enough-pairs",
	.asks = "are there enough matched pairs for a verdict?",
	.unit = "pairs",
	.limit = 6,
	.at_least = true,
	.between = true,
	.measure = enough_pairs_measure,
	.next = "record more pairs, each with a fresh baseline; crosscut plan says how many",
};
