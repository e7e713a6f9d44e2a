/* SPDX-License-Identifier: Apache-2.0 */
/* A recursive function counts once, where it is outermost: a node counts only if no caller has its name. */
#include "compare/widest.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "compare/state.h"

static const double least_own_share = 0.1;

static bool is_outermost(const struct forest *forest, uint32_t node)
{
	for (uint32_t up = forest_parent(forest, node); up; up = forest_parent(forest, up))
		if (forest_parent(forest, up) && forest_name(forest, up) == forest_name(forest, node))
			return false;
	return true;
}

struct sums { double *inclusive[2], *own; };         /* by name */

static void add_node(const struct comparison *comparison, uint32_t node, enum side side, const double *own, struct sums *sums)
{
	uint32_t name = forest_name(comparison->forest, node);

	sums->own[name] += own[node];
	if (!is_outermost(comparison->forest, node))
		return;
	sums->inclusive[0][name] += comparison->pooled[SIDE_BASE][node];
	sums->inclusive[1][name] += comparison->pooled[side][node];
}

/* What was inlined into a function, it does itself: else the answer would depend on how the compiler felt. */
static double *own_weights(const struct comparison *comparison, enum side side)
{
	double *own = xcalloc(forest_count(comparison->forest), sizeof(*own));

	for (size_t i = 0; i < comparison->arm_count; i++) {
		const struct arm *arm = &comparison->arms[i];

		for (size_t k = 0; k < arm->weights.count && arm->capture.side == side; k++)
			own[arm->weights.rows[k].node] += arm->scale * arm->weights.rows[k].compiled / (double)comparison->pairs;
	}
	return own;
}

bool widest_find(const struct comparison *comparison, const char *dimension, enum side side, struct widest *ret)
{
	const struct forest *forest = comparison->forest;
	size_t names = forest_name_count(forest), best = 0;
	double *own = own_weights(comparison, side);
	struct sums sums = { .inclusive = { xcalloc(names, sizeof(double)), xcalloc(names, sizeof(double)) },
			     .own = xcalloc(names, sizeof(double)) };

	for (uint32_t node = 1; node < forest_count(forest); node++) {
		const char *root = forest_text(forest, forest_name(forest, forest_root(forest, node)));

		if (forest_parent(forest, node) && comparison->pooled[side][node] > 0 && !strcmp(root, dimension))
			add_node(comparison, node, side, own, &sums);
	}
	for (size_t name = 1; name < names; name++)
		if (*forest_text(forest, (uint32_t)name) != '[' && sums.inclusive[1][name] > sums.inclusive[1][best] &&
		    sums.own[name] >= least_own_share * sums.inclusive[1][name])
			best = name;
	*ret = (struct widest){ .name = forest_text(forest, (uint32_t)best), .base = sums.inclusive[0][best],
				.candidate = sums.inclusive[1][best] };
	free(own);
	free(sums.inclusive[0]);
	free(sums.inclusive[1]);
	free(sums.own);
	return best > 0;
}
