/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A service under overload is another service: its waits per completion say nothing about one that is not. Where neither
 * capture says its state, that is told, and the reader has to know.
 */
#include "gate/gate.h"

#include "profile/summary.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static double equal_state_measure(const struct summary *summary, const struct summary *other, char *why, unsigned why_size)
{
	if (!*summary->state && !*other->state) {
		(void)snprintf(why, why_size, "neither says its operating state: taken as the same, which you have to know");
		return 0.5;
	}
	if (!*summary->state || !*other->state) {
		(void)snprintf(why, why_size, "one says '%s', the other does not say", *summary->state ? summary->state : other->state);
		return NAN;
	}
	(void)snprintf(why, why_size, "'%s' and '%s'", summary->state, other->state);
	return strcmp(summary->state, other->state) ? 1 : 0;
}

extern const struct gate gate_equal_state;
const struct gate gate_equal_state = {
	.name = "equal-state",
	.asks = "were both captured in the same operating state?",
	.unit = "differences",
	.limit = 0.5,
	.doubtful = 0.25,
	.between = true,
	.measure = equal_state_measure,
	.next = "compare captures of one state; name it with --label state=nominal",
};
