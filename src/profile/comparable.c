/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What must be alike before two captures may be compared, gathered as short facts that a gate can name when they differ: the
 * unit of work, the operating state, the population, by which event and walker stacks were taken, and how much of the exact
 * weight they cover. A label that tells arms or builds apart is no fact about the population.
 */
#include "profile/summary.h"

#include "profile/profile.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void add_fact(struct summary_fact *facts, unsigned *count, const char *key, const char *value)
{
	if (!value || !*value || *count == SUMMARY_FACTS_MOST || summary_fact_of(facts, *count, key))
		return;
	(void)snprintf(facts[*count].key, sizeof(facts->key), "%s", key);
	(void)snprintf(facts[*count].value, sizeof(facts->value), "%s", value);
	(*count)++;
}

const struct summary_fact *summary_fact_of(const struct summary_fact *facts, unsigned count, const char *key)
{
	for (unsigned i = 0; i < count; i++)
		if (!strncmp(facts[i].key, key, sizeof(facts->key) - 1))
			return &facts[i];
	return NULL;
}

/* What may differ between arms by design. */
static bool tells_arms_apart(const char *key)
{
	static const char *const keys[] = { "build", "version", "commit", "arm", "side", "pair", "block", "run", "state", "host" };

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (!strcmp(key, keys[i]))
			return true;
	return false;
}

static void add_population(const struct profile *profile, struct summary *ret)
{
	static const char *const contract[] = { "workload", "tenant", "endpoint", "outcome" };
	const char *key, *value;
	char name[64];

	for (size_t i = 0; i < sizeof(contract) / sizeof(contract[0]); i++) {
		(void)snprintf(name, sizeof(name), "contract.%s", contract[i]);
		add_fact(ret->population, &ret->population_count, contract[i], profile_meta(profile, name));
	}
	for (size_t i = 0; i < profile_meta_count(profile); i++) {
		profile_meta_at(profile, i, &key, &value);
		if (!strncmp(key, "label.", 6) && !tells_arms_apart(key + 6))
			add_fact(ret->population, &ret->population_count, key + 6, value);
	}
	add_fact(ret->population, &ret->population_count, "architecture", profile_meta(profile, "host.architecture"));
}

static void add_text(char *into, size_t size, const struct profile *profile, const char *key, const char *otherwise)
{
	const char *value = profile_meta(profile, key);

	if (!value || !*value)
		value = profile_meta(profile, otherwise);
	(void)snprintf(into, size, "%s", value ? value : "");
}

struct included { double exact, split, variance; };

static const struct dimension *state_of(const struct profile *profile, const struct cell *cell)
{
	struct dimension_id id = profile_dimension_root(profile, profile_cell_dimension(profile, cell));

	return profile_dimension_at(profile, id.index);
}

/*
 * As the recorder counted it. Where it did not: of a sum of like events that were each included with probability p; samples by
 * time vary like a Poisson count.
 */
static double variance_of(const struct cell *cell, const struct measure *measure)
{
	double weight = cell_weight(cell), out = measure->period ? 1 : 1 - ldexp(1, -(int)(cell->p_log2 & 63));

	if (cell->variance > 0)
		return cell->variance;
	return measure->weighting == WEIGHTING_SAMPLED && cell->count ? weight * weight / (double)cell->count * out : 0;
}

static void add_cell(const struct profile *profile, const struct cell *cell, struct included *running, struct included *waiting,
		     struct summary *ret)
{
	const struct measure *measure = profile_measure_at(profile, cell->measure.index);
	const struct dimension *state = state_of(profile, cell);
	struct included *included = state->kind == DIMENSION_RUNNING ? running : state->kind == DIMENSION_WAITING ? waiting : NULL;
	const char *name = profile_text(profile, state->name);

	if (measure->weighting == WEIGHTING_SAMPLED && !measure->period && measure->dimension.index)
		ret->inclusion_unknown = true;
	if (included && measure->role == ROLE_TOTAL && measure->weighting == WEIGHTING_EXACT)
		included->exact += cell_weight(cell);
	if (measure->role != ROLE_SPLIT)
		return;
	if (included) {
		included->split += cell_weight(cell);
		included->variance += variance_of(cell, measure);
	}
	if (state->kind == DIMENSION_RUNNING && measure->period)
		ret->sampling_period = (double)measure->period;
	if (state->kind != DIMENSION_IDLE && !summary_fact_of(ret->sampling, ret->sampling_count, name))
		add_fact(ret->sampling, &ret->sampling_count, name, profile_text(profile, measure->source));
}

static double share_of(const struct included *included, double *ret_error)
{
	*ret_error = included->exact > 0 ? sqrt(included->variance) / included->exact : NAN;
	return included->exact > 0 ? included->split / included->exact : NAN;
}

void summary_comparable_of(const struct profile *profile, struct summary *ret)
{
	struct included running = { 0 }, waiting = { 0 };

	add_text(ret->unit, sizeof(ret->unit), profile, "work.unit", "contract.unit");
	add_text(ret->state, sizeof(ret->state), profile, "label.state", "contract.state");
	add_population(profile, ret);
	add_fact(ret->sampling, &ret->sampling_count, "stack walker", profile_meta(profile, "stack.walk"));
	add_fact(ret->sampling, &ret->sampling_count, "stack depth", profile_meta(profile, "stack.depth"));
	for (size_t i = 0; i < profile_cell_count(profile); i++) {
		const struct cell *cell = profile_cell_at(profile, i);

		if (!profile_thread_at(profile, cell->thread.index)->outside)
			add_cell(profile, cell, &running, &waiting, ret);
	}
	ret->included_running = share_of(&running, &ret->included_running_error);
	ret->included_waiting = share_of(&waiting, &ret->included_waiting_error);
}
