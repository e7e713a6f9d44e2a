/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * One arm of the demo: a Mercury service under load, recorded. The load generator's own count of correct answers inside
 * the very window of the capture is the denominator; the kernel's count of responses stands beside it.
 */
#include <stdbool.h>
#include <stdint.h>

struct error;

struct demo_config {
	const char *programs;                /* folder of mercury-baseline, mercury-candidate, mercury-load */
	const char *directory;               /* for captures, the store and the load's counts */
	uint64_t duration_ns, rate, connections;
	bool progress, replace;
	bool without_capture;                /* BPF cannot load: the load's own figures are all there is */
};

struct demo_load {
	uint64_t sent, correct, incorrect, failed;
	double throughput_per_s;
	double mean_ns, p50_ns, p90_ns, p99_ns, p999_ns, maximum_ns;
	double late_p99_ns, late_maximum_ns; /* how late the generator itself was */
};

struct demo_arm {
	const char *name;                    /* "baseline" */
	char *capture;                       /* the file */
	struct demo_load load;
};

int demo_arm_run(const struct demo_config *config, const char *name, unsigned pair, struct demo_arm *ret, struct error *err);
void demo_arm_done(struct demo_arm *arm);
