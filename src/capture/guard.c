/* SPDX-License-Identifier: Apache-2.0 */
/* The ladder and the stages. */
#include "capture/guard.h"

/* So many that the excess would be gone if stacks were all of the cost. */
static unsigned halvings_for(double cost, double budget)
{
	unsigned count = 1;

	while (count < GUARD_HALVINGS_MOST && cost > budget * (double)(1u << count))
		count++;
	return count;
}

static bool is_stated(const struct guard *guard)
{
	return guard->abort > 0 && guard->abort <= guard->budget;
}

static enum guard_action step_down(struct guard *guard, double cost, double kernel_cost)
{
	if (guard->rung <= GUARD_RARER && guard->halvings < GUARD_HALVINGS_MOST && !(guard->rung == GUARD_RARER && guard->just_acted)) {
		guard->halvings += halvings_for(cost, guard->budget);
		if (guard->halvings > GUARD_HALVINGS_MOST)
			guard->halvings = GUARD_HALVINGS_MOST;
		return GUARD_RARER;
	}
	if (guard->rung < GUARD_LEDGER_ONLY && !is_stated(guard) && kernel_cost <= guard->budget)
		return GUARD_NOTHING;
	if (guard->rung < GUARD_LEDGER_ONLY)
		return guard->rung < GUARD_STACKS_OFF ? GUARD_STACKS_OFF : GUARD_LEDGER_ONLY;
	return guard->rung == GUARD_LEDGER_ONLY && guard->abort > 0 && cost > guard->abort ? GUARD_DETACH : GUARD_NOTHING;
}

enum guard_action guard_judge(struct guard *guard, double kernel_cost, double own_cost)
{
	enum guard_action action = GUARD_NOTHING;
	double cost = kernel_cost + own_cost;

	if (cost > guard->highest)
		guard->highest = cost;
	if (cost > guard->stage_highest)
		guard->stage_highest = cost;
	if (guard->budget > 0 && cost > guard->budget)
		action = step_down(guard, cost, kernel_cost);
	if (action)
		guard->rung = action;
	guard->just_acted = action != GUARD_NOTHING;
	return action;
}

bool guard_stage(struct guard *guard, uint64_t now_ns, double *ret_rate_hz)
{
	bool cheap = !(guard->budget > 0) || guard->stage_highest < guard->budget / 2;

	if (guard->rung || guard->stage + 1 >= guard->stages.count || now_ns - guard->stage_since_ns < guard->stages.each_ns)
		return false;
	guard->stage_since_ns = now_ns;
	guard->stage_highest = 0;
	if (!cheap)
		return false;
	*ret_rate_hz = guard->stages.rates_hz[++guard->stage];
	return true;
}
