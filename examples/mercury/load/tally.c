/* SPDX-License-Identifier: Apache-2.0 */
/* Counts within the window and prints the counts as JSON. */
#include "tally.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "../common/clock.h"

void tally_open(struct tally *tally)
{
	memset(tally, 0, sizeof(*tally));
	tally->start_ns = clock_now_ns();
}

void tally_close(struct tally *tally)
{
	if (tally_is_open(tally))
		tally->end_ns = clock_now_ns();
}

bool tally_is_open(const struct tally *tally)
{
	return tally->start_ns && !tally->end_ns;
}

void tally_sent(struct tally *tally, uint64_t intended_ns, uint64_t sent_ns)
{
	if (!tally_is_open(tally))
		return;
	tally->sent++;
	histogram_add(&tally->lateness, sent_ns > intended_ns ? sent_ns - intended_ns : 0);
}

/* The latency of a wrong or refused answer is not one that anybody wants to be fast. */
void tally_done(struct tally *tally, uint64_t intended_ns, int status, enum outcome outcome)
{
	if (!tally_is_open(tally))
		return;
	tally->outcomes[outcome]++;
	tally->statuses[status >= 0 && status < TALLY_STATUSES ? status : 0]++;
	if (outcome == OUTCOME_CORRECT)
		histogram_add(&tally->latency, clock_now_ns() - intended_ns);
}

static void outcomes_print(const struct tally *tally, FILE *to)
{
	static const char *const names[] = { "correct",  "incorrect", "failed",
					     "rejected", "retried",   "abandoned" };
	uint64_t attempts = 0;

	for (int outcome = 0; outcome < OUTCOME_COUNT; outcome++)
		attempts += tally->outcomes[outcome];
	fprintf(to, " \"attempts\":%" PRIu64 ",\"operations\":%" PRIu64, attempts,
		attempts - tally->outcomes[OUTCOME_RETRIED]);
	for (int outcome = 0; outcome < OUTCOME_COUNT; outcome++)
		fprintf(to, ",\"%s\":%" PRIu64, names[outcome], tally->outcomes[outcome]);
	fputs(",\n ", to);
}

static void statuses_print(const struct tally *tally, FILE *to)
{
	const char *separator = "";

	fputs("\"status\":{", to);
	for (int status = 0; status < TALLY_STATUSES; status++) {
		if (!tally->statuses[status])
			continue;
		fprintf(to, "%s\"%d\":%" PRIu64, separator, status, tally->statuses[status]);
		separator = ",";
	}
	fputs("},\n", to);
}

static void quantile_print(const struct histogram *histogram, const char *name, double share,
			   FILE *to)
{
	fprintf(to, "\"%s\":%" PRIu64 ",", name, histogram_quantile(histogram, share));
}

int tally_print(const struct tally *tally, FILE *to)
{
	double seconds = (double)(tally->end_ns - tally->start_ns) / 1e9;

	fprintf(to, "{\"schema\":\"mercury.load/1\",\n \"window\":{\"start_ns\":%" PRIu64
		",\"end_ns\":%" PRIu64 "},\n \"sent\":%" PRIu64 ",\n", tally->start_ns, tally->end_ns,
		tally->sent);
	outcomes_print(tally, to);
	statuses_print(tally, to);
	fprintf(to, " \"throughput_per_s\":%.3f,\n \"latency_ns\":{\"mean\":%.0f,",
		seconds > 0 ? (double)tally->outcomes[OUTCOME_CORRECT] / seconds : 0,
		histogram_mean(&tally->latency));
	quantile_print(&tally->latency, "p50", 0.5, to);
	quantile_print(&tally->latency, "p90", 0.9, to);
	quantile_print(&tally->latency, "p99", 0.99, to);
	quantile_print(&tally->latency, "p999", 0.999, to);
	fprintf(to, "\"max\":%" PRIu64 "},\n \"send_lateness_ns\":{", tally->latency.maximum);
	quantile_print(&tally->lateness, "p50", 0.5, to);
	quantile_print(&tally->lateness, "p99", 0.99, to);
	fprintf(to, "\"max\":%" PRIu64 "}}\n", tally->lateness.maximum);
	return fflush(to) == 0 && !ferror(to) ? 0 : -EIO;
}
