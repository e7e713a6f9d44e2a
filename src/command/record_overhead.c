/* SPDX-License-Identifier: Apache-2.0 */
/* `record --measure-overhead`: what is suspected, from the runbook or the options, and what was found, into the capture. */
#include "command/record.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "runbook/runbook.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SUSPECTED 0.03                       /* where nothing was predicted, as of the margin of equivalence */

/* The smallest change of an objective that the runbook predicts: "p99:0.5". */
static double suspected_of(const struct record_job *job)
{
	const char *list = job->runbook ? runbook_value(job->runbook, "hypothesis", "must-move") : NULL;
	const char *by = job->runbook ? runbook_value(job->runbook, "hypothesis", "by") : NULL;
	double least = INFINITY;

	if (job->config->suspected > 0)
		return job->config->suspected;
	for (const char *at = list; at && *at; at += strspn(at, ", \t")) {
		size_t size = strcspn(at, ", \t"), name_size = strcspn(at, ":, \t");
		CLEANUP_TEXT char *name = xstrndup(at, name_size);
		double share = name_size < size ? strtod(at + name_size + 1, NULL) : by ? strtod(by, NULL) : 0;

		if (runbook_is_objective(name) && share > 0)
			least = fmin(least, share);
		at += size;
	}
	return isfinite(least) ? least : SUSPECTED;
}

static void add_note(void *to, const char *key, const char *value)
{
	struct record_job *job = to;

	if (job->note_count + 3 > ARRAY_LENGTH(job->notes))
		return;
	job->notes[job->note_count++] = xstrdup(key);
	job->notes[job->note_count++] = xstrdup(value);
}

static int check(const struct record_job *job, struct error *err)
{
	const struct record_config *config = job->config;

	if (!config->meter == !config->counter) {
		fail(err, FAILURE_USAGE, -EINVAL, "--measure-overhead takes either --meter or --counter");
		error_because(err, "the effect on the target is measured by something that is no part of the capture");
		return error_try(err, "--counter 'COMMAND that prints the number of completions so far'");
	}
	if (job->launch.pid) {
		fail(err, FAILURE_USAGE, -EINVAL, "--measure-overhead of a command that is started for the capture");
		return error_try(err, "start it before, and name it by -p PID");
	}
	if (config->overhead_pairs < 2 || config->overhead_pairs > OVERHEAD_PAIRS_MOST || !config->overhead_window_ns) {
		fail(err, FAILURE_USAGE, -ERANGE, "--overhead-pairs or --overhead-window out of range");
		return error_because(err, "it takes 2 to %d pairs, of windows longer than nothing", OVERHEAD_PAIRS_MOST);
	}
	return 0;
}

int record_overhead(struct record_job *job, struct error *err)
{
	const struct record_config *config = job->config;
	const char *overload = config->overload ? config->overload : job->runbook ? runbook_value(job->runbook, "arms", "overload") : NULL;
	struct overhead_plan plan = { .recording = &job->recording, .meter = config->meter, .counter = config->counter, .overload = overload,
				      .suspected = suspected_of(job), .pairs = (unsigned)config->overhead_pairs,
				      .window_ns = config->overhead_window_ns, .progress = !config->quiet };
	int r = check(job, err);

	if (!r)
		r = overhead_measure(&plan, &job->overhead, err);
	if (r < 0)
		return r;
	overhead_note(&job->overhead, add_note, job);
	job->recording.notes = (const char *const *)job->notes;
	if (!config->quiet && !config->json)
		for (size_t i = 0; i + 1 < job->note_count; i += 2)
			fprintf(stderr, "crosscut: %s: %s\n", job->notes[i], job->notes[i + 1]);
	return 0;
}
