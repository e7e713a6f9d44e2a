/* SPDX-License-Identifier: Apache-2.0 */
/* A recursive function counts once, where it is outermost: a node counts only if no caller has its name. */
#include "compare/widest.h"

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

static double *own_weights(const struct comparison *comparison, enum side side)
{
	size_t count = forest_count(comparison->forest);
	double *own = xcalloc(count, sizeof(*own));

	memcpy(own, comparison->pooled[side], count * sizeof(*own));
	for (uint32_t node = 1; node < count; node++)
		own[forest_parent(comparison->forest, node)] -= comparison->pooled[side][node];
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
