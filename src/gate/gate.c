/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rows, and how a number becomes a verdict. A gate that could not be measured never passes;
 * one that has nothing to judge measures its best value and says that it does not apply. A new
 * gate is one file that ends in its row, and its name here.
 */
#include "gate/gate.h"

#include "base/cleanup.h"
#include "result/document.h"

#include <math.h>
#include <string.h>

extern const struct gate gate_complete_stacks, gate_conservation, gate_cut_intervals,
	gate_enough_pairs, gate_equal_inclusion, gate_equal_population, gate_equal_resolution,
	gate_equal_sampling, gate_equal_state, gate_equal_unit,
	gate_lost_events, gate_matched_frames, gate_multiplexing, gate_overhead_effect, gate_own_cost, gate_runtime_agreement,
	gate_sampling_bias, gate_unknown_share, gate_unresolved_frames, gate_wake_evidence;

const struct gate *const gates[] = {     /* sorted by name; a test says so */
	&gate_complete_stacks,
	&gate_conservation,
	&gate_cut_intervals,
	&gate_enough_pairs,
	&gate_equal_inclusion,
	&gate_equal_population,
	&gate_equal_resolution,
	&gate_equal_sampling,
	&gate_equal_state,
	&gate_equal_unit,
	&gate_lost_events,
	&gate_matched_frames,
	&gate_multiplexing,
	&gate_overhead_effect,
	&gate_own_cost,
	&gate_runtime_agreement,
	&gate_sampling_bias,
	&gate_unknown_share,
	&gate_unresolved_frames,
	&gate_wake_evidence,
	NULL,
};

const char *verdict_name(enum verdict verdict)
{
	static const char *const names[] = { [VERDICT_PASS] = "pass",
					     [VERDICT_WARN] = "warn",
					     [VERDICT_FAIL] = "fail",
					     [VERDICT_UNMEASURED] = "unmeasured" };

	return verdict >= VERDICT_PASS && verdict <= VERDICT_UNMEASURED ? names[verdict] : "?";
}

const struct gate *gate_find(const char *name)
{
	for (const struct gate *const *row = gates; *row; row++)
		if (!strcmp((*row)->name, name))
			return *row;
	return NULL;
}

void gate_read(const struct gate *gate, double limit, const struct summary *summary,
	       const struct summary *other, struct reading *ret)
{
	*ret = (struct reading){ .limit = limit };
	ret->value = gate->measure(summary, other, ret->why, sizeof(ret->why));
	if (!isfinite(ret->value))
		ret->verdict = VERDICT_UNMEASURED;
	else if (gate->at_least ? ret->value >= limit : ret->value <= limit)
		ret->verdict = gate->doubtful > 0 && ret->value > gate->doubtful ? VERDICT_WARN : VERDICT_PASS;
	else
		ret->verdict = VERDICT_FAIL;
}

static double limit_of(const struct gate *gate, const struct gate_limit *limits,
		       unsigned limit_count)
{
	for (unsigned i = limit_count; i-- > 0;)         /* the last one given holds */
		if (limits[i].gate == gate)
			return limits[i].limit;
	return gate->limit;
}

static enum verdict worse(enum verdict a, enum verdict b)
{
	static const int rank[] = {
		[VERDICT_PASS] = 1, [VERDICT_WARN] = 2, [VERDICT_UNMEASURED] = 3, [VERDICT_FAIL] = 4
	};

	return rank[a] >= rank[b] ? a : b;
}

static const struct column gate_columns[] = {
	{ "name", "gate", "", COLUMN_LEFT },
	{ "verdict", "verdict", "", 0 },
	{ "value", "value", "", 0 },
	{ "limit", "limit", "", 0 },
	{ "unit", "unit", "", 0 },
	{ "why", "why", "", 0 },
	{ "next", "next", "", 0 },
};

static void add_row(const struct gate *gate, const struct reading *reading, struct table *table)
{
	bool stands = reading->verdict == VERDICT_PASS;

	table_add(table, (struct value[]){
		value_text(gate->name),
		value_text(verdict_name(reading->verdict)),
		value_number(reading->value),
		value_number(reading->limit),
		value_text(gate->unit),
		value_text(reading->why),
		stands ? value_none() : value_text(gate->next),
	});
}

enum verdict gate_judge(const struct summary *summary, const struct gate_limit *limits,
			unsigned limit_count, struct document *into)
{
	struct table *table = table_new(gate_columns, ARRAY_LENGTH(gate_columns));
	enum verdict worst = VERDICT_PASS;

	for (const struct gate *const *row = gates; *row; row++) {
		struct reading reading;

		if ((*row)->between)
			continue;
		gate_read(*row, limit_of(*row, limits, limit_count), summary, NULL, &reading);
		worst = worse(worst, reading.verdict);
		add_row(*row, &reading, table);
	}
	(void)document_add_table(into, "gates", "May this evidence speak?", table);
	return worst;
}
