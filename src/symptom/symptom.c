/* SPDX-License-Identifier: Apache-2.0 */
/* The rows. To add a symptom: write NAME.c that ends in its row, and name the row here. */
#include "symptom/symptom.h"

#include <math.h>
#include <string.h>

extern const struct symptom symptom_cpu_cost, symptom_latency, symptom_memory, symptom_remote, symptom_scaling;

const struct symptom *const symptoms[] = {
	&symptom_cpu_cost,
	&symptom_latency,
	&symptom_memory,
	&symptom_remote,
	&symptom_scaling,
	NULL,
};

const struct symptom *symptom_find(const char *name)
{
	for (const struct symptom *const *row = symptoms; *row; row++)
		if (!strcmp((*row)->name, name))
			return *row;
	return NULL;
}

double symptom_active_ns(const struct symptom_facts *facts)
{
	const double parts[] = { facts->oncpu, facts->runnable, facts->lock, facts->disk, facts->network,
				 facts->paging, facts->ipc, facts->timer, facts->child, facts->unknown };
	double sum = 0;

	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		sum += isnan(parts[i]) ? 0 : parts[i];
	return sum;
}

struct symptom_ready symptom_ready_ns(const struct symptom_facts *facts)
{
	double ready = isnan(facts->runnable) ? 0 : facts->runnable, lock = isnan(facts->lock) ? 0 : facts->lock;
	double running = isnan(facts->oncpu) ? 0 : facts->oncpu, share = lock + running > 0 ? lock / (lock + running) : 0;

	return (struct symptom_ready){ .to_running = ready * (1 - share), .to_locks = ready * share };
}

const struct symptom *symptom_propose(const struct symptom_facts *facts, double *ret_fit)
{
	const struct symptom *best = NULL;
	char why[256];

	*ret_fit = 0;
	for (const struct symptom *const *row = symptoms; *row; row++) {
		double fit = (*row)->fits(facts, why, sizeof(why));

		if (isnan(fit) || fit <= *ret_fit)
			continue;
		*ret_fit = fit;
		best = *row;
	}
	return best;
}
