/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `crosscut record`: from options to a running capture, and from its slices to a file. The first Ctrl-C or SIGTERM ends and
 * keeps the capture, the second aborts; a target that exits ends it.
 */
#include "base/cleanup.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/quantity.h"
#include "base/text.h"
#include "capture/capture.h"
#include "capture/launch.h"
#include "command/answer.h"
#include "command/command.h"
#include "command/cost_cache.h"
#include "command/recording.h"
#include "probe/probe.h"
#include "profile/profile.h"
#include "result/document.h"
#include "work/work.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

struct record_config {
	struct option_list processes, threads, work, without, labels;
	const char *comm, *cgroup, *output, *correct;
	bool all, force, dry_run, as_root, with_arguments, no_wait_stacks, json, quiet;
	uint64_t duration_ns, size_limit_bytes;
	double rate_hz, budget;
};

static const struct record_config defaults = { .rate_hz = 99, .budget = 0.02, .size_limit_bytes = 4ull << 30 };

#define INTO(field) offsetof(struct record_config, field)
static const struct option options[] = {
	{ "pid", 'p', OPTION_LIST, true, INTO(processes), "PID", "these processes, and the children they start", "--pid 1234,5678" },
	{ "tid", 't', OPTION_LIST, true, INTO(threads), "TID", "these threads only", "--tid 1240" },
	{ "comm", 0, OPTION_TEXT, false, INTO(comm), "NAME", "processes of this name, now and later", "--comm nginx" },
	{ "cgroup", 0, OPTION_TEXT, false, INTO(cgroup), "PATH", "the members of a cgroup and of those below it",
	  "--cgroup /sys/fs/cgroup/system.slice/nginx.service" },
	{ "all", 'a', OPTION_FLAG, false, INTO(all), NULL, "every process of this host", "--all" },
	{ "duration", 'd', OPTION_DURATION, false, INTO(duration_ns), "TIME", "stop after this long (default: until the target ends)",
	  "--duration 10s" },
	{ "output", 'o', OPTION_TEXT, false, INTO(output), "FILE", "write here (default: crosscut-DATE-TIME.xcut)", "--output before.xcut" },
	{ "force", 0, OPTION_FLAG, false, INTO(force), NULL, "overwrite an existing file", "--force" },
	{ "frequency", 'F', OPTION_NUMBER, false, INTO(rate_hz), "HZ", "on-CPU samples per second and CPU (default 99; 0: none)",
	  "--frequency 199" },
	{ "work", 'w', OPTION_LIST, false, INTO(work), "SPEC", "what counts as useful work: http[:PORT], log:FILE:REGEX, count:N",
	  "--work http:8080" },
	{ "correct", 0, OPTION_TEXT, false, INTO(correct), "LIST", "classes of work that are correct (HTTP default: below 400)",
	  "--correct 2xx,304" },
	{ "label", 'l', OPTION_LIST, false, INTO(labels), "KEY=VALUE", "a label: build, state, tenant, endpoint …", "--label build=1.2" },
	{ "without", 0, OPTION_LIST, true, INTO(without), "PROBE", "leave out an optional probe (crosscut list probes)", "--without block" },
	{ "no-wait-stacks", 0, OPTION_FLAG, false, INTO(no_wait_stacks), NULL, "take no stacks of waits", "--no-wait-stacks" },
	{ "budget", 0, OPTION_NUMBER, false, INTO(budget), "FRACTION", "own cost per CPU above which stacks get rarer (default 0.02)",
	  "--budget 0.01" },
	{ "max-size", 0, OPTION_BYTES, false, INTO(size_limit_bytes), "SIZE", "end the capture when the file is this large (default 4G)",
	  "--max-size 500M" },
	{ "with-arguments", 0, OPTION_FLAG, false, INTO(with_arguments), NULL, "keep the arguments of commands", "--with-arguments" },
	{ "as-root", 0, OPTION_FLAG, false, INTO(as_root), NULL, "run the command as root under sudo, not as the invoking user",
	  "--as-root" },
	{ "dry-run", 'n', OPTION_FLAG, false, INTO(dry_run), NULL, "say which probes, at what cost, exposing what; record nothing",
	  "--dry-run" },
	{ "quiet", 'q', OPTION_FLAG, false, INTO(quiet), NULL, "no progress and no closing line", "--quiet" },
	{ "json", 0, OPTION_FLAG, false, INTO(json), NULL, "print the answer as JSON", "--json" },
	{ 0 },
};

/* --- What to record --------------------------------------------------------------------------------------------- */

struct job {
	const struct record_config *config;
	struct recording recording;
	pid_t *ids;
	struct launch launch;
	char *path, *command;
};

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
	int targets = (config->processes.count > 0) + (config->threads.count > 0) + !!config->comm + !!config->cgroup + config->all +
		      (arguments->command_count > 0);

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
	error_because(err, "record takes one of -p PID, -t TID, --comm NAME, --cgroup PATH, -a, -- COMMAND");
	return error_try(err, "crosscut record -p PID -d 10s");
}

static int choose_population(struct job *job, const struct option_arguments *arguments, struct error *err)
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
	} else {
		population->kind = POPULATION_COMMAND;
		population->name = arguments->command[0];
	}
	return r;
}

static int choose_probes(struct job *job, struct error *err)
{
	const struct record_config *config = job->config;

	for (size_t i = 0; i < config->without.count; i++) {
		const struct probe *probe = probe_find(config->without.items[i]);

		if (!probe || probe->required || job->recording.capture.without_count == CAPTURE_OMIT_LIMIT) {
			fail(err, FAILURE_USAGE, -EINVAL, "cannot leave out '%s'", config->without.items[i]);
			error_because(err, probe ? "there is no capture without it" : "there is no such probe");
			return error_try(err, "crosscut list probes");
		}
		job->recording.capture.without[job->recording.capture.without_count++] = probe->name;
	}
	if (config->work.count > 1) {
		fail(err, FAILURE_USAGE, -EINVAL, "more than one --work");
		error_because(err, "a ledger is divided by one kind of useful work");
		return error_try(err, "--work %s", config->work.items[0]);
	}
	for (size_t i = 0; i < config->work.count; i++) {
		const struct work *work;
		const char *argument;
		int r = work_parse(config->work.items[i], &work, &argument, err);

		if (r < 0)
			return r;
		job->recording.capture.work[job->recording.capture.work_count++] = config->work.items[i];
	}
	return 0;
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

static int check_numbers(const struct record_config *config, struct error *err)
{
	if (config->rate_hz >= 0 && config->rate_hz <= 10000 && config->budget >= 0 && config->budget <= 1)
		return 0;
	fail(err, FAILURE_USAGE, -ERANGE, "a rate or a budget out of range");
	return error_because(err, "--frequency lies between 0 and 10000, --budget between 0 and 1");
}

/* --- Dry run ---------------------------------------------------------------------------------------------------- */

static const struct column probe_columns[] = {
	{ "probe", "probe", "", 0 }, { "tracepoint", "tracepoint", "", 0 }, { "state", "here", "", 0 },
	{ "cost_ns", "cost per event", "ns", 0 }, { "cost_from", "as measured", "", 0 },
	{ "without", "without it", "", 0 },
};
static const struct column exposes_columns[] = { { "source", "source", "", 0 }, { "exposes", "reads of the user's", "", 0 } };

static void add_exposed(struct table *table, const char *source, const char *exposes)
{
	if (exposes)
		table_add(table, (struct value[]){ value_text(source), value_text(exposes) });
}

/* Measured here if `calibrate` did, else as it was expected when this was built. */
static void add_probe(struct table *table, const struct capture_probe_fact *fact, const struct capture_cost *measured)
{
	const struct program_cost *here = cost_of_program(measured, fact->program);

	table_add(table, (struct value[]){
		value_text(fact->probe), value_text(fact->tracepoint ? fact->tracepoint : fact->program),
		value_text(!fact->chosen ? "left out" : fact->present ? "yes" : "missing"),
		value_number(here ? here->ns : fact->cost_ns), value_text(here ? "here" : "elsewhere"),
		value_text(fact->without) });
}

static int dry_run(struct job *job, struct error *err)
{
	CLEANUP(document) struct document *document = document_new("crosscut.dry-run/1", "what record would do");
	struct table *probes_table = table_new(probe_columns, ARRAY_LENGTH(probe_columns));
	struct table *exposed = table_new(exposes_columns, ARRAY_LENGTH(exposes_columns));
	struct capture_probe_fact facts[64];
	size_t count = capture_probe_facts(&job->recording.capture, facts, ARRAY_LENGTH(facts));
	struct capture_cost measured;
	bool known = cost_cache_read(&measured);

	for (size_t i = 0; i < count; i++)
		add_probe(probes_table, &facts[i], &measured);
	for (const struct probe *const *probe = probes; *probe; probe++)
		add_exposed(exposed, (*probe)->name, (*probe)->exposes);
	for (unsigned i = 0; i < job->recording.capture.work_count; i++) {
		const struct work *work;
		const char *argument;

		if (!work_parse(job->recording.capture.work[i], &work, &argument, err))
			add_exposed(exposed, work->name, work->exposes);
	}
	if (job->recording.capture.with_arguments)
		add_exposed(exposed, "arguments", "the command lines of processes");
	document_add_table(document, "probes", "probes", probes_table);
	document_add_table(document, "exposes", "what it reads", exposed);
	document_add_finding(document, SEVERITY_NOTE,
			     "a thread that does not block pays nothing; one switch with its wake-up pays the first three of sched");
	if (known)
		document_add_finding(document, SEVERITY_NOTE,
				     "measured here: %+.0f ns on a futex round trip of two switches, %+.2f ns on a getppid call",
				     measured.ping_pong.added_ns, measured.getppid.added_ns);
	else
		document_add_finding(document, SEVERITY_NOTE,
				     "these costs were measured elsewhere: crosscut calibrate measures them here");
	return answer_print(document, job->config->json, err);
}

/* --- Run -------------------------------------------------------------------------------------------------------- */

static char *default_path(void)
{
	time_t now = time(NULL);
	struct tm local;
	char text[64];

	(void)localtime_r(&now, &local);
	(void)strftime(text, sizeof(text), "crosscut-%Y%m%d-%H%M%S.xcut", &local);
	return xstrdup(text);
}

static char *command_text(const struct option_arguments *arguments, bool whole)
{
	struct text text = TEXT(4096);

	for (size_t i = 0; i < arguments->command_count && (whole || !i); i++)
		text_print(&text, "%s%s", i ? " " : "", arguments->command[i]);
	return text_take(&text);
}

/* What the caller was told, on stderr: results go to stdout. */
static void closing_line(const struct job *job, const struct recording_result *result)
{
	char length[QUANTITY_SIZE], size[QUANTITY_SIZE];

	fprintf(stderr, "crosscut: %s of %s in %s (%s)\n", quantity_print(length, (double)result->duration_ns, "ns"),
		result->filter, job->path, quantity_print(size, (double)result->file_bytes, "bytes"));
	if (result->lost)
		fprintf(stderr, "crosscut: %llu of %llu events were lost; crosscut check says where\n",
			(unsigned long long)result->lost, (unsigned long long)result->events);
	if (result->full)
		fprintf(stderr, "crosscut: the capture ended at --max-size\n");
	if (job->launch.ended && WIFSIGNALED(job->launch.status))
		fprintf(stderr, "crosscut: the command was ended by signal %d\n", WTERMSIG(job->launch.status));
	else if (job->launch.ended && WEXITSTATUS(job->launch.status))
		fprintf(stderr, "crosscut: the command exited with %d\n", WEXITSTATUS(job->launch.status));
	fprintf(stderr, "try: crosscut report %s\n", job->path);
}

static int answer_json(const struct job *job, const struct recording_result *result, struct error *err)
{
	CLEANUP(document) struct document *document = document_new("crosscut.record/1", "record");

	recording_document(result, job->path, &job->launch, document);
	return answer_print(document, true, err);
}

static int run(struct job *job, struct error *err)
{
	struct recording_result result = { 0 };
	int r = recording_run(&job->recording, &result, err);

	if (r >= 0 && !job->config->quiet && !job->config->json)
		closing_line(job, &result);
	if (r >= 0 && job->config->json)
		r = answer_json(job, &result, err);
	recording_result_done(&result);
	return r;
}

static int record_run(void *config, const struct option_arguments *arguments, struct error *err)
{
	struct job job = { .config = config, .launch = { .go_fd = -1, .error_fd = -1 } };
	const struct record_config *wanted = config;
	int r;

	job.recording.capture.sample_rate_hz = wanted->rate_hz;
	job.recording.capture.wait_stacks = !wanted->no_wait_stacks;
	job.recording.capture.with_arguments = wanted->with_arguments;
	job.recording.capture.correct = wanted->correct;
	job.recording.capture.cost_budget = wanted->budget;
	r = choose_population(&job, arguments, err);
	if (!r)
		r = check_numbers(wanted, err);
	if (!r)
		r = choose_probes(&job, err);
	if (!r)
		r = check_labels(&wanted->labels, err);
	if (!r && wanted->dry_run) {
		r = dry_run(&job, err);
	} else if (!r) {
		job.path = wanted->output ? xstrdup(wanted->output) : default_path();
		job.command = command_text(arguments, wanted->with_arguments);
		job.recording.path = job.path;
		job.recording.replace = wanted->force;
		job.recording.size_limit_bytes = wanted->size_limit_bytes;
		job.recording.duration_ns = wanted->duration_ns;
		job.recording.labels = wanted->labels.items;
		job.recording.label_count = wanted->labels.count;
		job.recording.progress = !wanted->quiet;
		job.recording.command = job.command;
		if (arguments->command_count) {
			r = launch_prepare(&job.launch, arguments->command, NULL, NULL, wanted->as_root, err);
			job.recording.launch = &job.launch;
			job.recording.capture.population.ids = &job.launch.pid;
			job.recording.capture.population.id_count = 1;
		}
		if (!r)
			r = run(&job, err);
	}
	launch_done(&job.launch);
	free(job.ids);
	free(job.path);
	free(job.command);
	return r;
}

static void record_done(void *config)
{
	struct record_config *wanted = config;

	option_list_done(&wanted->processes);
	option_list_done(&wanted->threads);
	option_list_done(&wanted->work);
	option_list_done(&wanted->without);
	option_list_done(&wanted->labels);
}

extern const struct command cmd_record;
const struct command cmd_record = {
	.name = "record", .summary = "capture a running population, or a command, into a file",
	.synopsis = "crosscut record [OPTIONS] -p PID | -t TID | --comm NAME | --cgroup PATH | -a | -- COMMAND",
	.example = "crosscut record -p $(pidof nginx) --work http -d 10s -o before.xcut",
	.options = options, .config_size = sizeof(struct record_config), .defaults = &defaults, .run = record_run, .done = record_done,
};
