/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Time of threads says what a request consumed, never how long it took; this says how long. A quantile is not shown where
 * fewer requests than it needs lie beyond it: of fifty nobody knows the 99.9th percentile.
 */
#include "analysis/request_latency.h"

#include "analysis/analysis.h"
#include "analysis/figure.h"
#include "profile/latency.h"
#include "profile/profile.h"
#include "result/document.h"

static const struct column columns[] = {
	{ "quantile", "quantile", "", COLUMN_LEFT }, { "elapsed", "elapsed", "ns", 0 }, { "latency", "latency", "ns", 0 },
	{ "queue", "queue", "ns", 0 }, { "beyond", "measured beyond", "count", 0 },
};

static double quantile(const struct latencies *latencies, double fraction)
{
	return (1 - fraction) * (double)latencies->count >= 1 ? latencies_quantile(latencies, fraction) : NAN;
}

void request_latency_add(const struct question *question, struct document *into)
{
	CLEANUP(latencies) struct latencies *elapsed = latencies_new(question->profile, question->selection, LATENCY_ELAPSED);
	CLEANUP(latencies) struct latencies *served = latencies_new(question->profile, question->selection, LATENCY_SERVED);
	CLEANUP(latencies) struct latencies *queued = latencies_new(question->profile, question->selection, LATENCY_QUEUED);
	struct table *table;

	if (!served->count)
		return;
	table = table_new(columns, ARRAY_LENGTH(columns));
	for (unsigned i = 0; i < LATENCY_COHORTS; i++) {
		double fraction = latency_cohorts[i].fraction;

		table_add(table, (struct value[]){
			value_text(latency_cohorts[i].name), figure(quantile(elapsed, fraction)), figure(quantile(served, fraction)),
			figure(quantile(queued, fraction)), figure_whole(floor((1 - fraction) * (double)served->count)) });
	}
	(void)document_add_table(into, "latency", "How long requests took: queued until they were read, then served", table);
}
