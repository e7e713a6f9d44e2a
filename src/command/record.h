/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * `crosscut record` in four parts: cmd_record.c has the options and runs the job, record_runbook.c fills what they left open,
 * record_choice.c turns them into a recording or refuses them, record_plan.c says what would be done.
 */
#include <stdbool.h>
#include <sys/types.h>

#include "base/option.h"
#include "capture/launch.h"
#include "command/overhead.h"
#include "command/recording.h"
#include "command/trigger.h"

struct error;
struct heap;

struct record_config {
	struct option_list processes, threads, work, with, without, labels, contract;
	const char *comm, *cgroup, *container, *output, *correct, *runbook, *requests, *stages, *trigger, *meter, *counter, *overload;
	bool all, force, dry_run, as_root, with_arguments, jvm_attach, no_wait_stacks, timeline, redact, json, quiet, measure_overhead;
	uint64_t duration_ns, size_limit_bytes, depth, jitter_ns, heap_bytes, keep_ns, overhead_pairs, overhead_window_ns;
	double rate_hz, suspected, budget, abort;       /* budget, abort: below 0 where they were not said */
};

struct record_job {
	const struct record_config *config;
	struct recording recording;
	struct runbook *runbook;
	struct trigger trigger;
	char **texts;                        /* labels of the runbook */
	size_t text_count, text_room;
	pid_t *ids;                          /* what recording's population borrows */
	char *cgroup;
	struct launch launch;
	struct heap *heap;                   /* NULL: not asked for */
	char *path, *command;
	struct overhead overhead;            /* pairs 0: not measured */
	char *notes[64];
	size_t note_count;
};

/* Fills what the command line left open; the job then owns what the config borrows. */
int record_runbook(struct record_job *job, struct record_config *config, const struct option_arguments *arguments, struct error *err);
/* Whom and what: fills the job's recording. A wrong word is FAILURE_USAGE. */
int record_choose(struct record_job *job, const struct option_arguments *arguments, struct error *err);
/* Was an optional probe asked for? */
bool record_has(const struct record_job *job, const char *probe);
/* --measure-overhead: runs the windows, and puts what they showed into the capture that is to come. */
int record_overhead(struct record_job *job, struct error *err);
/* --dry-run: prints which probes there would be, at what cost, exposing what. */
int record_plan(const struct record_job *job, struct error *err);
/* What was asked for beyond the default, and what each event of it will cost: to stderr, before it begins. */
void record_say_costs(const struct record_job *job);
