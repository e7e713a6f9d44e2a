/* SPDX-License-Identifier: Apache-2.0 */
/* Interleaved pairs. Programs that the two loops never run (block, reclaim …) are timed while a file is read and synced. */
#include "command/calibrate_cost.h"

#include "base/clock.h"
#include "base/error.h"
#include "command/calibrate_capture.h"
#include "profile/profile.h"
#include "statistics/quantile.h"
#include "truth/staging.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Of nine differences the second and the eighth enclose the true median with 96 % (the sign test's interval): one pair that
 * met a busy moment moves neither them nor the median. */
enum { PAIRS = 9, LOW = 1, HIGH = 7, LOOP_NS = 300000000 };

/* --- Programs --------------------------------------------------------------------------------------------------- */

static void add_program(struct capture_cost *cost, const char *name, size_t length, double ns, double runs)
{
	size_t i = 0;

	if (length >= sizeof(cost->programs[0].name) || runs <= 0)
		return;
	while (i < cost->program_count && (strncmp(cost->programs[i].name, name, length) || cost->programs[i].name[length]))
		i++;
	if (i == COST_PROGRAM_LIMIT)
		return;
	if (i == cost->program_count)
		memcpy(cost->programs[cost->program_count++].name, name, length);
	cost->programs[i].ns = (cost->programs[i].ns * cost->programs[i].runs + ns) / (cost->programs[i].runs + runs);
	cost->programs[i].runs += runs;
}

static void add_programs(const struct profile *profile, struct capture_cost *cost)
{
	for (size_t i = 0; i < profile_meta_count(profile); i++) {
		const char *key, *value, *end;
		char of_time[96];

		profile_meta_at(profile, i, &key, &value);
		end = strncmp(key, "program.", 8) ? NULL : strrchr(key, '.');
		if (!end || strcmp(end, ".runs"))
			continue;
		(void)snprintf(of_time, sizeof(of_time), "%.*s.run_ns", (int)(end - key), key);
		add_program(cost, key + 8, (size_t)(end - key) - 8, (double)profile_meta_number(profile, of_time, 0),
			    (double)profile_meta_number(profile, key, 0));
	}
}

/* --- Loops ------------------------------------------------------------------------------------------------------ */

static int perform_unwatched(struct staging *staging, struct error *err)
{
	pid_t pid;
	int r = staging_start(staging, &pid, err);

	if (r < 0)
		return r;
	staging_go(staging);
	return staging_wait(staging, err);
}

static int perform_watched(struct staging *staging, const char *path, struct capture_cost *cost, struct error *err)
{
	struct performance performance = { .staging = staging };
	CLEANUP(profile) struct profile *profile = NULL;
	const struct capture_needs none = { 0 };
	int r = calibration_capture(&performance, 1, &none, path, &profile, err);

	if (r < 0)
		return r;
	add_programs(profile, cost);
	if (performance.result < 0)
		*err = performance.error;
	return performance.result;
}

/* CPU time, so that what else the machine does is in it only by way of its caches. */
static double cpu_ns(const struct truth_report *report)
{
	double sum = 0;

	for (unsigned i = 0; i < report->thread_count && i < TRUTH_THREADS; i++)
		sum += (double)report->threads[i].cpu_ns;
	return sum;
}

/* ns of one operation. cost NULL: unwatched. */
static int perform(const struct truth *row, const char *directory, uint64_t duration_ns, const char *path,
		   struct capture_cost *cost, double *ret_ns, struct error *err)
{
	CLEANUP(staging) struct staging *staging = NULL;
	const struct truth_report *report;
	int r = staging_new(row, directory, duration_ns, &staging, err);

	if (!r)
		r = cost ? perform_watched(staging, path, cost, err) : perform_unwatched(staging, err);
	if (r < 0)
		return r;
	report = staging_report(staging);
	*ret_ns = report->operations ? cpu_ns(report) / (double)report->operations : 0;
	return 0;
}

static int measure_rate(const char *name, const char *directory, const char *path, struct progress *progress,
			struct capture_cost *cost, struct rate_cost *ret, struct error *err)
{
	const struct truth *row = truth_find(name);
	double without[PAIRS], with[PAIRS], added[PAIRS];
	int r = 0;

	for (int i = 0; i < PAIRS && !r; i++) {
		progress_show(progress, "cost: %s, pair %d of %d", name, i + 1, PAIRS);
		for (int turn = 0; turn < 2 && !r; turn++) {
			bool watched = (i + turn) & 1;          /* each side comes first as often as the other */

			r = perform(row, directory, LOOP_NS, path, watched ? cost : NULL, watched ? &with[i] : &without[i], err);
		}
	}
	if (r < 0)
		return r;
	for (int i = 0; i < PAIRS; i++)
		added[i] = with[i] - without[i];
	sort_numbers(added, PAIRS);
	*ret = (struct rate_cost){ .without_ns = median(without, PAIRS), .with_ns = median(with, PAIRS), .pairs = PAIRS,
				   .added_ns = median(added, PAIRS), .low_ns = added[LOW], .high_ns = added[HIGH] };
	return 0;
}

/* A kind that cannot be staged leaves its programs unmeasured. */
static int time_programs(const char *name, const char *directory, const char *path, struct capture_cost *cost, struct error *err)
{
	struct error ignored;
	double ns;
	int r = perform(truth_find(name), directory, 0, path, cost, &ns, &ignored);

	if (r == -EINTR)
		*err = ignored;
	return r == -EINTR ? r : 0;
}

int capture_cost_measure(const char *directory, const char *path, struct progress *progress, struct capture_cost *ret,
			 struct error *err)
{
	static const char *const others[] = { "fdatasync", "swap", "flock", "join" };
	int r;

	*ret = (struct capture_cost){ 0 };
	r = measure_rate("futex-ping-pong", directory, path, progress, ret, &ret->ping_pong, err);
	if (!r)
		r = measure_rate("getppid", directory, path, progress, ret, &ret->getppid, err);
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]) && !r; i++) {
		progress_show(progress, "cost: %s", others[i]);
		r = time_programs(others[i], directory, path, ret, err);
	}
	ret->measured_wall_s = (double)(clock_wall_ns() / 1000000000u);
	return r;
}
