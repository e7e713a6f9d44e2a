/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * What users saw while a capture ran: elapsed time and throughput, measured where requests are sent. From a load generator's
 * JSON, as Mercury's writes it:
 *
 *	{"attempts": 6012, "operations": 6007, "correct": 6000, "incorrect": 0, "failed": 0,
 *	 "rejected": 4, "retried": 5, "abandoned": 3, "throughput_per_s": 300.0,
 *	 "latency_ns": {"mean": 8.1e6, "p50": 7.9e6, "p90": …, "p99": …, "p999": …, "max": …},
 *	 "send_lateness_ns": {"p99": …}}
 *
 * or from a capture's own requests. What is not known is NAN.
 */
#include <stdbool.h>

struct error;
struct profile;
struct request;
struct selection;

struct objective {
	bool known;
	const char *source;                  /* "the load generator", "requests"; static */
	double mean_ns, p50_ns, p90_ns, p99_ns, p999_ns, maximum_ns;
	double throughput_per_s;
	double correct, incorrect;           /* attempts, as it counted them; the outcomes are apart, and add up to the attempts */
	double rejected, retried, abandoned; /* NAN where it does not tell them apart */
	double late_p99_ns;                  /* how late the generator itself sent */
	double requests, shared;             /* of a capture: those of the selection, and those of them that do not count; else 0 */
};

/* All attempts; those that nobody repeated are the operations. NAN where the outcomes are not told apart. */
double objective_attempts(const struct objective *objective);
double objective_operations(const struct objective *objective);
/* FAILURE_WORK where the file cannot be read or is no such JSON; unknown members are left alone. */
int objective_read(const char *path, struct objective *ret, struct error *err);
/* Whose time is its own: its thread held no other meanwhile. Whatever is said of elapsed time is of these alone. */
bool objective_counts(const struct profile *profile, const struct selection *selection, const struct request *request);
double objective_stands_for(const struct request *request);          /* requests, itself among them */
/* From the requests of a capture; known is false where none counts. */
void objective_of_requests(const struct profile *profile, const struct selection *selection, struct objective *ret);
