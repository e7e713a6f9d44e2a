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
#include "capture/heap.h"
#include "capture/launch.h"
#include "command/answer.h"
#include "command/command.h"
#include "command/record.h"
#include "result/document.h"
#include "runbook/runbook.h"
#include "wire/wire.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

static const struct record_config defaults = { .rate_hz = 99, .budget = -1, .abort = -1, .overhead_pairs = 6,
					       .overhead_window_ns = 2000000000, .size_limit_bytes = 4ull << 30,
					       .depth = WIRE_USER_STACK_DEPTH, .heap_bytes = HEAP_MEAN_BYTES };

#define INTO(field) offsetof(struct record_config, field)
static const struct option options[] = {
	{ "pid", 'p', OPTION_LIST, true, INTO(processes), "PID", "these processes, and the children they start", "--pid 1234,5678" },
	{ "tid", 't', OPTION_LIST, true, INTO(threads), "TID", "these threads only", "--tid 1240" },
	{ "comm", 0, OPTION_TEXT, false, INTO(comm), "NAME", "processes of this name, now and later", "--comm nginx" },
	{ "cgroup", 0, OPTION_TEXT, false, INTO(cgroup), "PATH", "the members of a cgroup and of those below it",
	  "--cgroup /sys/fs/cgroup/system.slice/nginx.service" },
	{ "container", 0, OPTION_TEXT, false, INTO(container), "ID", "a container by its id, or the first 8 digits or more",
	  "--container 2f0c81a9d3b5" },
	{ "all", 'a', OPTION_FLAG, false, INTO(all), NULL, "every process of this host", "--all" },
	{ "duration", 'd', OPTION_DURATION, false, INTO(duration_ns), "TIME", "stop after this long; 0, the default: when the target ends",
	  "--duration 10s" },
	{ "output", 'o', OPTION_TEXT, false, INTO(output), "FILE", "write here (default: crosscut-DATE-TIME.xcut)", "--output before.xcut" },
	{ "force", 0, OPTION_FLAG, false, INTO(force), NULL, "overwrite an existing file", "--force" },
	{ "frequency", 'F', OPTION_NUMBER, false, INTO(rate_hz), "HZ", "on-CPU samples per second and CPU (default 99; 0: none)",
	  "--frequency 199" },
	{ "work", 'w', OPTION_LIST, false, INTO(work), "SPEC", "what counts as useful work: http[:PORT], marker, log:FILE:REGEX, count:N …",
	  "--work http:8080" },
	{ "correct", 0, OPTION_TEXT, false, INTO(correct), "LIST", "classes of work that are correct (HTTP default: below 400)",
	  "--correct 2xx,304" },
	{ "requests", 0, OPTION_TEXT, false, INTO(requests), "N", "decompose one request in N (default: about 1000 a second; 0: none)",
	  "--requests 1" },
	{ "runbook", 0, OPTION_TEXT, false, INTO(runbook), "FILE", "bounds, labels and contract from a file (see the page)",
	  "--runbook checkout.ini" },
	{ "label", 'l', OPTION_LIST, false, INTO(labels), "KEY=VALUE", "a label: build, state, tenant, endpoint …", "--label build=1.2" },
	{ "contract", 0, OPTION_LIST, false, INTO(contract), "KEY=VALUE", "a fact of the contract as in a runbook: workload, unit, decision …",
	  "--contract decision='ship or roll back'" },
	{ "with", 0, OPTION_LIST, true, INTO(with), "DIM", "add an optional probe (crosscut list probes)", "--with block" },
	{ "without", 0, OPTION_LIST, true, INTO(without), "DIM", "leave out an optional probe (crosscut list probes)",
	  "--without block,contention" },
	{ "heap-sample", 0, OPTION_BYTES, false, INTO(heap_bytes), "SIZE", "with heap: one sample per so many bytes (default 512K)",
	  "--heap-sample 64K" },
	{ "depth", 0, OPTION_COUNT, false, INTO(depth), "FRAMES", "user frames of a stack at most (default 255, at most 512)",
	  "--depth 512" },
	{ "no-wait-stacks", 0, OPTION_FLAG, false, INTO(no_wait_stacks), NULL, "take no stacks of waits", "--no-wait-stacks" },
	{ "timeline", 0, OPTION_FLAG, false, INTO(timeline), NULL, "keep every interval by itself (the same as --with timeline)",
	  "--timeline" },
	{ "keep", 0, OPTION_DURATION, false, INTO(keep_ns), "TIME", "keep only the last so long, in memory, until a --trigger",
	  "--keep 30s" },
	{ "trigger", 0, OPTION_TEXT, false, INTO(trigger), "EXPR", "write what is kept and end: request>TIME, gate:NAME, signal",
	  "--trigger 'request>200ms'" },
	{ "budget", 0, OPTION_FRACTION, false, INTO(budget), "FRACTION", "own cost of a CPU above which detail is given up (default 0.02)",
	  "--budget 0.01" },
	{ "abort-at", 0, OPTION_FRACTION, false, INTO(abort), "FRACTION", "own cost at which it ends (default: a stated budget, else 0.2)",
	  "--abort-at 0.05" },
	{ "stages", 0, OPTION_TEXT, false, INTO(stages), "HZ,…/TIME", "on-CPU rates that rise while they are cheap (TIME: 10s each)",
	  "--stages 19,49,99/10s" },
	{ "jitter", 0, OPTION_DURATION, false, INTO(jitter_ns), "TIME", "start after a random time of at most this, so that hosts differ",
	  "--jitter 30s" },
	{ "measure-overhead", 0, OPTION_FLAG, false, INTO(measure_overhead), NULL, "first measure from outside what it does to the target",
	  "--measure-overhead --meter 'wrk-as-json http://host/'" },
	{ "meter", 0, OPTION_TEXT, false, INTO(meter), "COMMAND", "its load for $CROSSCUT_SECONDS, which prints its figures as JSON",
	  "--meter './load --json --seconds $CROSSCUT_SECONDS'" },
	{ "counter", 0, OPTION_TEXT, false, INTO(counter), "COMMAND", "or a command that prints how many completions there were so far",
	  "--counter 'curl -s localhost:9090/completed'" },
	{ "overload", 0, OPTION_TEXT, false, INTO(overload), "COMMAND", "measure under this load as well (default: the runbook's)",
	  "--overload './load --rate 9000'" },
	{ "overhead-pairs", 0, OPTION_COUNT, false, INTO(overhead_pairs), "N", "pairs of windows without and with it (default 6)",
	  "--overhead-pairs 12" },
	{ "overhead-window", 0, OPTION_DURATION, false, INTO(overhead_window_ns), "TIME", "length of such a window (default 2s)",
	  "--overhead-window 5s" },
	{ "suspected", 0, OPTION_FRACTION, false, INTO(suspected), "FRACTION", "the change in question (default: the runbook's, else 0.03)",
	  "--suspected 0.1" },
	{ "max-size", 0, OPTION_BYTES, false, INTO(size_limit_bytes), "SIZE", "end the capture when the file is this large (default 4G)",
	  "--max-size 500M" },
	{ "with-arguments", 0, OPTION_FLAG, false, INTO(with_arguments), NULL, "keep the arguments of commands", "--with-arguments" },
	{ "jvm-attach", 0, OPTION_FLAG, false, INTO(jvm_attach), NULL, "ask Java machines to write their perf maps at the end",
	  "--jvm-attach" },
	{ "redact", 0, OPTION_FLAG, false, INTO(redact), NULL, "keep no names of programs, paths, hosts and containers", "--redact" },
	{ "as-root", 0, OPTION_FLAG, false, INTO(as_root), NULL, "run the command as root under sudo, not as the invoking user",
	  "--as-root" },
	{ "dry-run", 'n', OPTION_FLAG, false, INTO(dry_run), NULL, "say which probes, at what cost, exposing what; record nothing",
	  "--dry-run" },
	{ "quiet", 'q', OPTION_FLAG, false, INTO(quiet), NULL, "no progress and no closing line", "--quiet" },
	{ "json", 0, OPTION_FLAG, false, INTO(json), NULL, "print the answer as JSON", "--json" },
	{ 0 },
};

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

static void say_untriggered(const struct recording_result *result)
{
	char length[QUANTITY_SIZE];

	fprintf(stderr, "crosscut: nothing fired the trigger in %s; nothing was kept\n",
		quantity_print(length, (double)result->duration_ns, "ns"));
	if (result->blind)
		fprintf(stderr, "crosscut: the guard gave up taking requests apart, and nothing else can fire this trigger: the flight "
				"recorder ended\n"
				"try: a larger --budget, a larger N for --requests, or one more alternative: --trigger 'request>200ms,signal'\n");
	else if (result->given_up)
		fprintf(stderr, "crosscut: the guard ended it: it cost more than --abort-at allows\n");
}

/* What the caller was told, on stderr: results go to stdout. */
static void closing_line(const struct record_job *job, const struct recording_result *result)
{
	char length[QUANTITY_SIZE], size[QUANTITY_SIZE];

	if (result->untriggered) {
		say_untriggered(result);
		return;
	}
	if (*result->trigger)
		fprintf(stderr, "crosscut: %s\n", result->trigger);
	fprintf(stderr, "crosscut: %s of %s in %s (%s)\n", quantity_print(length, (double)result->duration_ns, "ns"),
		result->filter, job->path, quantity_print(size, (double)result->file_bytes, "bytes"));
	if (result->lost)
		fprintf(stderr, "crosscut: %llu of %llu events were lost; crosscut check says where\n",
			(unsigned long long)result->lost, (unsigned long long)result->events);
	if (result->given_up)
		fprintf(stderr, "crosscut: the guard ended the capture: it cost more than --abort-at allows; the report says what was given up when\n");
	if (result->full)
		fprintf(stderr, "crosscut: the capture ended at --max-size\n");
	if (job->launch.ended && WIFSIGNALED(job->launch.status))
		fprintf(stderr, "crosscut: the command was ended by signal %d\n", WTERMSIG(job->launch.status));
	else if (job->launch.ended && WEXITSTATUS(job->launch.status))
		fprintf(stderr, "crosscut: the command exited with %d\n", WEXITSTATUS(job->launch.status));
	fprintf(stderr, "try: crosscut report %s\n", job->path);
}

static int answer_json(const struct record_job *job, const struct recording_result *result, struct error *err)
{
	CLEANUP(document) struct document *document = document_new("crosscut.record/1", "record");

	recording_document(result, job->path, &job->launch, document);
	if (job->overhead.pairs)
		overhead_document(&job->overhead, document);
	return answer_print(document, true, err);
}

static int run(struct record_job *job, struct error *err)
{
	struct recording_result result = { 0 };
	int r;

	if (!job->config->quiet)
		record_say_costs(job);
	r = recording_run(&job->recording, &result, err);

	if (r >= 0 && !job->config->quiet && !job->config->json)
		closing_line(job, &result);
	if (r >= 0 && job->config->json)
		r = answer_json(job, &result, err);
	if (result.given_up)
		launch_outlive(&job->launch);           /* the command is the user's: it goes on without us */
	if (r >= 0 && (result.given_up || result.untriggered))
		r = 1;
	recording_result_done(&result);
	return r;
}

static int prepare_command(struct record_job *job, const struct option_arguments *arguments, struct error *err)
{
	const struct record_config *wanted = job->config;
	struct capture_config *capture = &job->recording.capture;
	int r = 0;

	if (record_has(job, "heap"))
		r = heap_open(&job->heap, wanted->heap_bytes, launch_user(wanted->as_root), err);
	if (!r)
		r = launch_prepare(&job->launch, arguments->command, job->heap ? heap_environment(job->heap) : NULL, NULL, NULL,
				   wanted->as_root, err);
	capture->heap = job->heap;
	job->recording.launch = &job->launch;
	capture->population.ids = &job->launch.pid;
	capture->population.id_count = 1;
	return r;
}

static int record_run(void *config, const struct option_arguments *arguments, struct error *err)
{
	struct record_job job = { .config = config, .launch = { .go_fd = -1, .error_fd = -1 } };
	const struct record_config *wanted = config;
	int r = record_runbook(&job, config, arguments, err);

	if (!r)
		r = record_choose(&job, arguments, err);
	if (!r && wanted->dry_run) {
		r = record_plan(&job, err);
	} else if (!r) {
		job.path = wanted->output ? xstrdup(wanted->output) : default_path();
		job.command = command_text(arguments, wanted->with_arguments);
		job.recording.path = job.path;
		job.recording.replace = wanted->force;
		job.recording.size_limit_bytes = wanted->size_limit_bytes;
		job.recording.duration_ns = wanted->duration_ns;
		job.recording.jitter_ns = wanted->jitter_ns;
		job.recording.keep_ns = wanted->keep_ns;
		job.recording.trigger = &job.trigger;
		job.recording.labels = wanted->labels.items;
		job.recording.label_count = wanted->labels.count;
		job.recording.progress = !wanted->quiet;
		job.recording.redact = wanted->redact;
		job.recording.command = job.command;
		if (arguments->command_count) {
			r = prepare_command(&job, arguments, err);
		}
		if (!r && wanted->measure_overhead)
			r = record_overhead(&job, err);
		if (!r)
			r = run(&job, err);
	}
	launch_done(&job.launch);
	heap_free(job.heap);
	for (size_t i = 0; i < job.text_count; i++)
		free(job.texts[i]);
	for (size_t i = 0; i < job.note_count; i++)
		free(job.notes[i]);
	free(job.texts);
	runbook_free(job.runbook);
	free(job.ids);
	free(job.cgroup);
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
	option_list_done(&wanted->with);
	option_list_done(&wanted->without);
	option_list_done(&wanted->labels);
	option_list_done(&wanted->contract);
}

extern const struct command cmd_record;
const struct command cmd_record = {
	.name = "record", .summary = "capture a running population, or a command, into a file",
	.takes_command = true,
	.synopsis = "crosscut record [OPTIONS] -p PID|-t TID|--comm NAME|--cgroup PATH|--container ID|-a|-- CMD",
	.example = "crosscut record -p $(pidof nginx) --work http -d 10s -o before.xcut",
	.options = options, .config_size = sizeof(struct record_config), .defaults = &defaults, .run = record_run, .done = record_done,
};
