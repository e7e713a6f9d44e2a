/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What `record` was asked for, checked before anything is loaded: one target, probes and sources of work that exist, labels
 * and numbers that make sense.
 */
#include "command/cost_cache.h"
#include "command/record.h"

#include "base/cleanup.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/quantity.h"
#include "base/text.h"
#include "capture/container.h"
#include "capture/counters.h"
#include "capture/heap_running.h"
#include "capture/population.h"
#include "probe/probe.h"
#include "work/work.h"
#include "wire/wire.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BUDGET 0.02
#define ABORT 0.2
#define STAGE_NS 10000000000ull

static int parse_ids(const struct option_list *list, pid_t **ret, size_t *ret_count, struct error *err)
{
	pid_t *ids = xcalloc(list->count, sizeof(*ids));

	for (size_t i = 0; i < list->count; i++) {
		char *end;
		long id = strtol(list->items[i], &end, 10);

		if (*end || end == list->items[i] || id <= 0 || id > INT_MAX) {
			fail(err, FAILURE_USAGE, -EINVAL, "'%s' is no process id", list->items[i]);
			free(ids);
			return error_try(err, "--comm NAME records by name");
		}
		ids[i] = (pid_t)id;
	}
	*ret = ids;
	*ret_count = list->count;
	return 0;
}

static int one_target(const struct record_config *config, const struct option_arguments *arguments, struct error *err)
{
	int targets = (config->processes.count > 0) + (config->threads.count > 0) + !!config->comm + !!config->cgroup +
		      !!config->container + config->all + (arguments->command_count > 0);

	if (arguments->operand_count) {
		fail(err, FAILURE_USAGE, -EINVAL, "'%s' is no option", arguments->operands[0]);
		error_because(err, "a command to run comes after --");
		return error_try(err, "crosscut record -- %s", arguments->operands[0]);
	}
	if (config->comm && !*config->comm) {
		fail(err, FAILURE_USAGE, -EINVAL, "--comm: the name is empty");
		error_because(err, "no process has such a name");
		return error_try(err, "--comm nginx");
	}
	if (targets == 1)
		return 0;
	fail(err, FAILURE_USAGE, -EINVAL, targets ? "more than one target" : "nothing to record");
	error_because(err, "record takes one of -p PID, -t TID, --comm NAME, --cgroup PATH, --container ID, -a, -- COMMAND");
	return error_try(err, "crosscut record -p PID -d 10s");
}

static int choose_population(struct record_job *job, const struct option_arguments *arguments, struct error *err)
{
	const struct record_config *config = job->config;
	struct population *population = &job->recording.capture.population;
	int r = one_target(config, arguments, err);

	if (r < 0)
		return r;
	if (config->processes.count || config->threads.count) {
		population->kind = config->processes.count ? POPULATION_PROCESSES : POPULATION_THREADS;
		r = parse_ids(config->processes.count ? &config->processes : &config->threads, &job->ids, &population->id_count, err);
		population->ids = job->ids;
	} else if (config->all) {
		population->kind = POPULATION_ALL;
	} else if (config->comm) {
		population->kind = POPULATION_COMM;
		population->name = config->comm;
	} else if (config->cgroup) {
		population->kind = POPULATION_CGROUP;
		population->name = config->cgroup;
	} else if (config->container) {
		r = container_find("/sys/fs/cgroup", config->container, &job->cgroup, err);
		population->kind = POPULATION_CGROUP;
		population->name = job->cgroup;
	} else {
		population->kind = POPULATION_COMMAND;
		population->name = arguments->command[0];
	}
	return r;
}

static int fail_probe(const char *option, const char *name, const struct probe *probe, struct error *err)
{
	struct text known = TEXT(512);

	fail(err, FAILURE_USAGE, -EINVAL, "%s: cannot %s '%s'", option, probe ? "leave out" : "find", name);
	for (const struct probe *const *row = probes; *row; row++)
		if (!(*row)->required)
			text_print(&known, "%s%s", known.size ? ", " : "", (*row)->name);
	error_because(err, probe ? "there is no capture without it; these are optional: %s" : "there are these: %s",
		      text_string(&known));
	text_done(&known);
	return error_try(err, "crosscut list probes");
}

static bool is_listed(const struct option_list *list, const char *name)
{
	for (size_t i = 0; i < list->count; i++)
		if (!strcmp(list->items[i], name))
			return true;
	return false;
}

/* What is named twice is taken once; more names than probes exist cannot be. */
static int add_probe(const char *option, const char *name, const char **names, unsigned *count, struct error *err)
{
	const struct probe *probe = probe_find(name);

	if (!probe)
		return fail_probe(option, name, NULL, err);
	for (unsigned i = 0; i < *count; i++)
		if (!strcmp(names[i], name))
			return 0;
	if (*count < CAPTURE_PROBE_LIMIT)
		names[(*count)++] = probe->name;
	return 0;
}

static int choose_probes(struct record_job *job, struct error *err)
{
	const struct record_config *config = job->config;
	struct capture_config *capture = &job->recording.capture;
	int r = 0;

	if (config->timeline)
		r = add_probe("--timeline", "timeline", capture->with, &capture->with_count, err);
	for (size_t i = 0; i < config->with.count && !r; i++)
		r = add_probe("--with", config->with.items[i], capture->with, &capture->with_count, err);
	for (size_t i = 0; i < config->without.count && !r; i++) {
		const char *name = config->without.items[i];
		const struct probe *probe = probe_find(name);

		r = add_probe("--without", name, capture->without, &capture->without_count, err);
		if (r)
			break;
		if (probe->required)
			return fail_probe("--without", name, probe, err);
		if (is_listed(&config->with, name) || (config->timeline && !strcmp(name, "timeline"))) {
			fail(err, FAILURE_USAGE, -EINVAL, "'%s' both with and without", name);
			return error_because(err, "one of them must be meant");
		}
		if (!strcmp(name, "sampler"))
			capture->sample_rate_hz = 0;
	}
	return r;
}

bool record_has(const struct record_job *job, const char *probe)
{
	const struct capture_config *capture = &job->recording.capture;

	for (unsigned i = 0; i < capture->with_count; i++)
		if (!strcmp(capture->with[i], probe))
			return true;
	return false;
}

static int check_heap(const struct record_job *job, struct error *err)
{
	if (!job->config->heap_bytes || job->config->heap_bytes > 1ull << 40) {
		fail(err, FAILURE_USAGE, -ERANGE, "--heap-sample is out of range");
		return error_because(err, "it lies between 1 and 1T");
	}
	return 0;
}

/* The shim can be put before a command's allocator, not into a process that runs: that one gets probes, if they are cheap there. */
static int choose_heap(struct record_job *job, struct error *err)
{
	struct capture_config *capture = &job->recording.capture;
	int r;

	capture->heap_mean_bytes = job->config->heap_bytes;
	if (!record_has(job, "heap-running") && (!record_has(job, "heap") || capture->population.kind == POPULATION_COMMAND))
		return 0;
	if (capture->population.kind != POPULATION_PROCESSES) {
		fail(err, FAILURE_CANNOT, -ENOTSUP, "cannot sample the heap of whoever that is");
		error_because(err, "the shim is preloaded when a command starts, and probes are put into processes that are named");
		return error_try(err, "crosscut record --with heap -- COMMAND, or --pid PID; --with resident,faults shows how memory grows");
	}
	if (!record_has(job, "heap-running"))
		capture->with[capture->with_count++] = "heap-running";
	r = population_check(&capture->population, err);
	return r ? r : heap_running_check(capture->population.ids, capture->population.id_count, err);
}

/* Said before anything starts. Where nothing else was asked for there is nothing to do. */
static int check_counters(const struct record_job *job, struct error *err)
{
	if (!record_has(job, "counters") || counters_have_hardware())
		return 0;
	if (job->recording.capture.with_count > 1) {
		fprintf(stderr, "crosscut: this machine shows no counters of its processor: cycles, instructions and misses are left out\n");
		return 0;
	}
	fail(err, FAILURE_CANNOT, -ENODEV, "cannot read the processor's counters");
	error_because(err, "this machine shows none (a virtual machine without a performance monitoring unit, or no right to it)");
	return error_try(err, "--with faults counts page faults here; crosscut doctor");
}

static int choose_work(struct record_job *job, struct error *err)
{
	const struct option_list *list = &job->config->work;
	const struct work *work;
	const char *argument;

	if (!list->count)
		return 0;
	if (list->count > 1) {
		fail(err, FAILURE_USAGE, -EINVAL, "more than one --work");
		error_because(err, "a ledger is divided by one kind of useful work");
		return error_try(err, "--work %s", list->items[0]);
	}
	job->recording.capture.work = list->items[0];
	return work_parse(list->items[0], &work, &argument, err);
}

static int check_labels(const struct option_list *labels, struct error *err)
{
	for (size_t i = 0; i < labels->count; i++) {
		if (strchr(labels->items[i], '=') > labels->items[i])
			continue;
		fail(err, FAILURE_USAGE, -EINVAL, "'%s' is no label", labels->items[i]);
		return error_try(err, "--label build=1.2");
	}
	return 0;
}

static bool is_share(double value)
{
	return value == -1 || (value >= 0 && value <= 1);       /* -1: not said */
}

static int check_numbers(const struct record_config *config, struct error *err)
{
	if (config->rate_hz >= 0 && config->rate_hz <= 10000 && is_share(config->budget) && is_share(config->abort) && config->depth >= 1 &&
	    config->depth <= WIRE_STACK_DEPTH_LIMIT)
		return 0;
	fail(err, FAILURE_USAGE, -ERANGE, "a rate, a budget, an abort or a depth out of range");
	return error_because(err, "--frequency lies between 0 and 10000, --budget and --abort-at between 0 and 1, --depth between 1 and %d",
			     WIRE_STACK_DEPTH_LIMIT);
}

static int choose_requests(struct record_job *job, struct error *err)
{
	const char *text = job->config->requests;
	uint64_t one_in;

	job->recording.capture.requests = REQUESTS_BY_RATE;
	if (!text)
		return 0;
	if (quantity_parse_count(text, &one_in, err) < 0 || one_in >= REQUESTS_BY_RATE) {
		fail(err, FAILURE_USAGE, -EINVAL, "--requests: '%s' is no number of requests", text);
		return error_try(err, "--requests 16 decomposes one in sixteen");
	}
	job->recording.capture.requests = (uint32_t)one_in;
	return 0;
}

/* A capture is written slice by slice into a database, which a pipe cannot hold. */
static int check_output(const struct record_config *config, struct error *err)
{
	if (!config->output || strcmp(config->output, "-"))
		return 0;
	fail(err, FAILURE_USAGE, -EINVAL, "--output -: a capture cannot be written to a pipe");
	error_because(err, "it is a database that grows slice by slice");
	return error_try(err, "--output x.xcut; a file of that very name is ./-");
}

/* Who states a budget means it: above it nothing goes on. Who does not gets the ledger for as long as that is bearable. */
static void choose_budget(const struct record_config *config, struct capture_config *capture)
{
	struct capture_cost measured;

	capture->cost_budget = config->budget < 0 ? BUDGET : config->budget;
	capture->cost_abort = config->abort >= 0 ? config->abort : config->budget < 0 ? ABORT : config->budget;
	if (cost_cache_read(&measured))
		capture->outside_ns = cost_outside_ns(&measured);
}

/* "19,49,99/10s" */
static int choose_stages(const struct record_config *config, struct capture_config *capture, struct error *err)
{
	struct guard_stages *stages = &capture->stages;
	const char *at = config->stages, *slash = at ? strchr(at, '/') : NULL;
	char *end = NULL;
	bool bad = false;

	if (!at)
		return 0;
	stages->each_ns = STAGE_NS;
	for (; !bad && stages->count < GUARD_STAGES_MOST; at = end + 1) {
		double rate = strtod(at, &end), before = stages->count ? stages->rates_hz[stages->count - 1] : 0;

		bad = end == at || !(rate > before) || rate > 10000;
		stages->rates_hz[stages->count++] = rate;
		if (*end != ',')
			break;
	}
	if (bad || *end != (slash ? '/' : '\0') || (slash && quantity_parse_duration(slash + 1, &stages->each_ns, err) < 0)) {
		fail(err, FAILURE_USAGE, -EINVAL, "--stages: '%.100s' is no list of rates", config->stages);
		error_because(err, "it takes at most %d rates that rise, and how long each holds", GUARD_STAGES_MOST);
		return error_try(err, "--stages 19,49,99/10s");
	}
	capture->sample_rate_hz = stages->rates_hz[0];
	return 0;
}

static bool leaves_out_requests(const struct capture_config *capture)
{
	for (unsigned i = 0; i < capture->without_count; i++)
		if (!strcmp(capture->without[i], "request"))
			return true;
	return false;
}

static bool follows_requests(const struct capture_config *capture)
{
	const struct work *work;
	const char *argument;

	return capture->requests && !leaves_out_requests(capture) && capture->work && !work_parse(capture->work, &work, &argument, NULL) && work->class_of;
}

static const char *why_no_request(const struct capture_config *capture)
{
	if (leaves_out_requests(capture))
		return "--without request none is taken apart";
	return capture->requests ? "without --work that follows requests none is taken apart" : "with --requests 0 none is taken apart";
}

/* What could never fire is said before anybody relies on it. */
static int parse_trigger(struct record_job *job, struct error *err)
{
	int r = trigger_parse(job->config->trigger, &job->trigger, err);

	if (r || !trigger_needs_requests(&job->trigger) || follows_requests(&job->recording.capture))
		return r;
	if (trigger_has_others(&job->trigger)) {
		fprintf(stderr, "crosscut: warning: no request would fire --trigger '%.64s', only the rest of it: %s\n", job->config->trigger,
			why_no_request(&job->recording.capture));
		return 0;
	}
	(void)fail(err, FAILURE_USAGE, -EINVAL, "nothing would fire --trigger '%.64s'", job->config->trigger);
	(void)error_because(err, "%s", why_no_request(&job->recording.capture));
	return error_try(err, "--work http --trigger 'request>200ms'");
}

static int choose_trigger(struct record_job *job, struct error *err)
{
	const struct record_config *config = job->config;

	if (!config->keep_ns == !config->trigger)
		return config->trigger ? parse_trigger(job, err) : 0;
	(void)fail(err, FAILURE_USAGE, -EINVAL, config->trigger ? "--trigger without --keep" : "--keep without --trigger");
	(void)error_because(err, "the last slices are kept for something to make them worth a file");
	return error_try(err, "--keep 30s --trigger signal");
}

int record_choose(struct record_job *job, const struct option_arguments *arguments, struct error *err)
{
	struct capture_config *capture = &job->recording.capture;
	const struct record_config *config = job->config;
	int r = check_numbers(config, err);

	capture->sample_rate_hz = config->rate_hz;
	capture->stack_depth = (uint32_t)config->depth;
	capture->wait_stacks = !config->no_wait_stacks;
	capture->with_arguments = config->with_arguments;
	capture->jvm_attach = config->jvm_attach;
	capture->correct = config->correct;
	choose_budget(config, capture);
	if (!r)
		r = choose_stages(config, capture, err);
	if (!r)
		r = check_output(config, err);
	if (!r)
		r = choose_requests(job, err);
	if (!r && config->redact && config->with_arguments) {
		r = fail(err, FAILURE_USAGE, -EINVAL, "both --redact and --with-arguments");
		error_because(err, "arguments are names and paths");
		r = error_try(err, "one of them");
	}
	if (!r)
		r = check_labels(&config->labels, err);
	if (!r)
		r = choose_probes(job, err);
	if (!r)
		r = check_heap(job, err);
	if (!r && !config->dry_run)
		r = check_counters(job, err);
	if (!r)
		r = choose_work(job, err);
	if (!r)
		r = choose_trigger(job, err);
	if (!r)
		r = choose_population(job, arguments, err);
	return r ? r : choose_heap(job, err);
}
