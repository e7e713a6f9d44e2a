/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * How long requests took. Those that were decomposed stand for one_in each, so quantiles are of the population and not of the
 * sample. Latency is from the read of a request to its response; elapsed also has the time it waited to be read.
 */
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"

struct profile;
struct selection;

struct latency { uint64_t ns; uint32_t request, one_in; };
struct latencies { struct latency *rows; size_t count; double weight; };     /* ascending; weight: of all */

enum latency_kind { LATENCY_SERVED = 1, LATENCY_ELAPSED, LATENCY_QUEUED };   /* queued: only of those whose arrival was seen */

/* Of those that are selected; selection NULL: of all. */
struct latencies *latencies_new(const struct profile *profile, const struct selection *selection, enum latency_kind kind);
void latencies_free(struct latencies *latencies);
DEFINE_CLEANUP(latencies)
double latencies_quantile(const struct latencies *latencies, double fraction);       /* NAN where there are none */

/* The requests around a quantile: [first, end) of the rows, at least one where there are any. */
struct latency_cohort { const char *name; double fraction, from, to; };
enum { LATENCY_COHORTS = 4 };
extern const struct latency_cohort latency_cohorts[LATENCY_COHORTS];         /* p50, p90, p99, p99.9 */
void latencies_cohort(const struct latencies *latencies, const struct latency_cohort *cohort, size_t *ret_first, size_t *ret_end);
