/* SPDX-License-Identifier: Apache-2.0 */
/* Weighted order statistics: the value at which the weight below reaches the fraction of all. */
#include "profile/latency.h"

#include "base/memory.h"
#include "profile/profile.h"
#include "profile/selection.h"

#include <math.h>
#include <stdlib.h>

const struct latency_cohort latency_cohorts[LATENCY_COHORTS] = {
	{ "p50", 0.5, 0.45, 0.55 }, { "p90", 0.9, 0.875, 0.925 }, { "p99", 0.99, 0.985, 0.995 }, { "p99.9", 0.999, 0.9985, 1 },
};

static int compare(const void *left, const void *right)
{
	const struct latency *a = left, *b = right;

	if (a->ns != b->ns)
		return a->ns < b->ns ? -1 : 1;
	return a->request < b->request ? -1 : a->request > b->request;
}

static uint64_t length_of(const struct request *request, enum latency_kind kind)
{
	uint64_t arrived_ns = request->arrived_ns ? request->arrived_ns : request->opened_ns;

	if (kind == LATENCY_QUEUED)
		return request->opened_ns - arrived_ns;
	return request->closed_ns - (kind == LATENCY_ELAPSED ? arrived_ns : request->opened_ns);
}

struct latencies *latencies_new(const struct profile *profile, const struct selection *selection, enum latency_kind kind)
{
	struct latencies *latencies = xcalloc(1, sizeof(*latencies));

	latencies->rows = xcalloc(profile_request_count(profile) + 1, sizeof(*latencies->rows));
	for (size_t i = 0; i < profile_request_count(profile); i++) {
		const struct request *request = profile_request_at(profile, i);
		uint32_t one_in = request->one_in ? request->one_in : 1;

		if (kind == LATENCY_QUEUED && !request->arrived_ns)
			continue;
		if (selection && !selection_has_request(selection, profile, request))
			continue;
		latencies->rows[latencies->count++] = (struct latency){ length_of(request, kind), (uint32_t)i, one_in };
		latencies->weight += one_in;
	}
	qsort(latencies->rows, latencies->count, sizeof(*latencies->rows), compare);
	return latencies;
}

void latencies_free(struct latencies *latencies)
{
	if (!latencies)
		return;
	free(latencies->rows);
	free(latencies);
}

/* The row in which the weight reaches the fraction. */
static size_t row_at(const struct latencies *latencies, double fraction)
{
	double below = 0;

	for (size_t i = 0; i < latencies->count; i++) {
		below += latencies->rows[i].one_in;
		if (below >= fraction * latencies->weight)
			return i;
	}
	return latencies->count ? latencies->count - 1 : 0;
}

double latencies_quantile(const struct latencies *latencies, double fraction)
{
	if (!latencies->count || !(fraction >= 0 && fraction <= 1))
		return NAN;
	return (double)latencies->rows[row_at(latencies, fraction)].ns;
}

void latencies_cohort(const struct latencies *latencies, const struct latency_cohort *cohort, size_t *ret_first, size_t *ret_end)
{
	*ret_first = row_at(latencies, cohort->from);
	*ret_end = latencies->count ? row_at(latencies, cohort->to) + 1 : 0;
}
