/* SPDX-License-Identifier: Apache-2.0 */
/*
 * May these captures be compared? Each gate reads every pair, base against candidate and base against restored; the worst
 * reading is the gate's, and names its pair.
 */
#include "compare/state.h"

#include <math.h>
#include <stdio.h>

static double limit_of(const struct comparison_options *options, const struct gate *gate)
{
	for (unsigned i = options->limit_count; i-- > 0;)
		if (options->limits[i].gate == gate)
			return options->limits[i].limit;
	return gate->limit;
}

static int rank_of(const struct reading *reading)
{
	static const int ranks[] = { [VERDICT_PASS] = 1, [VERDICT_WARN] = 2, [VERDICT_UNMEASURED] = 3, [VERDICT_FAIL] = 4 };

	return ranks[reading->verdict];
}

static void read_pair(const struct comparison *comparison, const struct gate *gate, enum side side, size_t pair,
		      struct compared_gate *worst)
{
	const struct arm *base = comparison_arm(comparison, SIDE_BASE, pair), *other = comparison_arm(comparison, side, pair);
	double limit = limit_of(&comparison->options, gate);
	struct reading reading;
	char why[sizeof(reading.why)];

	gate_read(gate, limit, &base->capture.summary, &other->capture.summary, &reading);
	if (worst->gate && rank_of(&reading) <= rank_of(&worst->reading))
		return;
	if (comparison->pairs > 1 && reading.verdict != VERDICT_PASS && gate->measure && worst->gate) {
		(void)snprintf(why, sizeof(why), "%.200s", reading.why);
		(void)snprintf(reading.why, sizeof(reading.why), "pair %zu, %s: %.200s", pair + 1, side_name(side), why);
	}
	*worst = (struct compared_gate){ .gate = gate, .reading = reading };
}

static void judge_totals(struct comparison *comparison)
{
	for (size_t i = 0; i < comparison->gate_count; i++) {
		struct compared_gate *one = &comparison->gates[i];

		if (one->gate != gate_find("equal-unit") || one->reading.verdict != VERDICT_PASS)
			continue;
		one->reading.verdict = VERDICT_FAIL;
		one->reading.value = 1;
		(void)snprintf(one->reading.why, sizeof(one->reading.why),
			       "raw totals were asked for: %.0f and %.0f correct completions make them incomparable",
			       comparison_arm(comparison, SIDE_BASE, 0)->capture.correct,
			       comparison_arm(comparison, SIDE_CANDIDATE, 0)->capture.correct);
	}
}

void comparison_judge_gates(struct comparison *comparison)
{
	for (const struct gate *const *gate = gates; *gate && comparison->gate_count < GATES_MOST; gate++) {
		struct compared_gate worst = { 0 };

		if (!(*gate)->between)
			continue;
		for (size_t pair = 0; pair < comparison->pairs; pair++) {
			read_pair(comparison, *gate, SIDE_CANDIDATE, pair, &worst);
			if (comparison->restored)
				read_pair(comparison, *gate, SIDE_RESTORED, pair, &worst);
		}
		comparison->gates[comparison->gate_count++] = worst;
	}
	if (comparison->options.totals)
		judge_totals(comparison);
}

size_t comparison_gate_count(const struct comparison *comparison)
{
	return comparison->gate_count;
}

const struct compared_gate *comparison_gate_at(const struct comparison *comparison, size_t index)
{
	return &comparison->gates[index];
}

bool comparison_refused(const struct comparison *comparison)
{
	const struct gate *pairs = gate_find("enough-pairs");

	for (size_t i = 0; i < comparison->gate_count; i++)
		if (comparison->gates[i].gate != pairs && comparison->gates[i].reading.verdict > VERDICT_WARN)
			return true;
	return false;
}
