/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Do the names of both sides match? Code that only one side ran is no mismatch: that is what a comparison is to show. Names
 * match module by module: where half of a module's weight has names that both sides know, its other frames are new or vanished
 * code; where less has, one of its builds was stripped or renamed. A module that one side never ran is known by nobody but its
 * caller: its first frame is excused, what lies below it is not.
 */
#include "compare/state.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"

struct matching { double known, all; };

struct names {
	bool *known[2];                      /* by name: the base, the candidate has some weight of it */
	uint32_t *module_of;                 /* by name */
	struct matching *modules;
};

static bool is_frame(const struct comparison *comparison, uint32_t node)
{
	return forest_parent(comparison->forest, node) != FOREST_NONE;
}

static struct names names_of(const struct comparison *comparison)
{
	const struct forest *forest = comparison->forest;
	size_t count = forest_name_count(forest);
	struct names names = { .known = { xcalloc(count, sizeof(bool)), xcalloc(count, sizeof(bool)) },
			       .module_of = xcalloc(count, sizeof(uint32_t)) };

	for (uint32_t node = 1; node < forest_count(forest); node++)
		for (size_t side = 0; side < 2; side++)
			names.known[side][forest_name(forest, node)] |= is_frame(comparison, node) && comparison->pooled[side][node] > 0;
	for (uint32_t name = 0; name < count; name++)
		names.module_of[name] = forest_module(forest, name);
	names.modules = xcalloc(forest_text_count(forest), sizeof(*names.modules));
	for (uint32_t node = 1; node < forest_count(forest); node++) {
		uint32_t name = forest_name(forest, node), module = names.module_of[name];
		double weight = comparison->pooled[SIDE_BASE][node] + comparison->pooled[SIDE_CANDIDATE][node];

		if (!is_frame(comparison, node) || module == FOREST_NO_MODULE)
			continue;
		names.modules[module].all += weight;
		names.modules[module].known += names.known[0][name] && names.known[1][name] ? weight : 0;
	}
	return names;
}

static bool is_known(const struct comparison *comparison, const struct names *names, uint32_t node)
{
	uint32_t name = forest_name(comparison->forest, node), module = names->module_of[name];

	if (names->known[0][name] && names->known[1][name])
		return true;
	return module != FOREST_NO_MODULE && names->modules[module].known >= 0.5 * names->modules[module].all;
}

/* By root: how much of its frames' weight is known. */
static struct matching *match(const struct comparison *comparison, const struct names *names)
{
	const struct forest *forest = comparison->forest;
	struct matching *by_root = xcalloc(forest_count(forest), sizeof(*by_root));

	for (uint32_t node = 1; node < forest_count(forest); node++) {
		double weight = comparison->pooled[SIDE_BASE][node] + comparison->pooled[SIDE_CANDIDATE][node];
		uint32_t parent = forest_parent(forest, node);
		struct matching *of = &by_root[forest_root(forest, node)];
		bool known;

		if (!parent || weight <= 0)
			continue;
		known = is_known(comparison, names, node) || (is_frame(comparison, parent) && is_known(comparison, names, parent));
		of->all += weight;
		of->known += known ? weight : 0;
	}
	return by_root;
}

/* The worst dimension that holds a hundredth of all weight; idle time, which is nobody's code, aside. */
double comparison_match(const struct comparison *comparison)
{
	const struct forest *forest = comparison->forest;
	struct names names = names_of(comparison);
	struct matching *by_root = match(comparison, &names);
	double all = 0, worst = NAN;

	for (uint32_t node = 1; node < forest_count(forest); node++)
		all += is_frame(comparison, node) ? 0 : by_root[node].all;
	for (uint32_t node = 1; node < forest_count(forest); node++) {
		const struct compared *state = by_root[node].all > 0 ? comparison_row_of_root(comparison, node) : NULL;
		double share = by_root[node].known / by_root[node].all;

		if (!state || state->dimension_kind == DIMENSION_IDLE || by_root[node].all < 0.01 * all)
			continue;
		worst = isnan(worst) || share < worst ? share : worst;
	}
	free(by_root);
	free(names.modules);
	free(names.module_of);
	free(names.known[0]);
	free(names.known[1]);
	return worst;
}
