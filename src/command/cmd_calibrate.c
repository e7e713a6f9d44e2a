/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `crosscut calibrate`: the proof on this machine. Programs whose waits are known perform inside captures; each kind's
 * truth stands beside what was seen. A kind that is out of bounds is tried again later, up to twice, since a machine
 * does not stand still; what was found before stays in the answer.
 */
#include "base/cleanup.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/terminal.h"
#include "capture/heap.h"
#include "command/answer.h"
#include "command/calibrate_answer.h"
#include "command/calibrate_capture.h"
#include "command/calibrate_cost.h"
#include "command/calibrate_judge.h"
#include "command/command.h"
#include "command/cost_cache.h"
#include "profile/profile.h"
#include "result/document.h"
#include "truth/staging.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

enum { ATTEMPTS = 3, QUICK_NS = 200000000, QUICK_LONGEST_MS = 1200, MACHINE_NS = 2000000000, MACHINE_QUICK_NS = 1000000000 };
enum { HEAP_SAMPLE_BYTES_EACH = 8 << 10 };       /* so that some thousand samples are taken */
enum { MAGIC_TMPFS = 0x01021994, MAGIC_RAMFS = 0x858458f6 };

struct calibrate_config {
	const char *keep;
	bool quick, untimed, list, cost, json;
};

static const struct option options[] = {
	{ .name = "quick", .type = OPTION_FLAG, .into = offsetof(struct calibrate_config, quick),
	  .help = "one short capture of the kinds that need no disk", .example = "--quick" },
	{ .name = "untimed", .type = OPTION_FLAG, .into = offsetof(struct calibrate_config, untimed),
	  .help = "judge states and sums, not lengths: for an emulated machine", .example = "--untimed" },
	{ .name = "keep", .type = OPTION_TEXT, .into = offsetof(struct calibrate_config, keep), .value = "DIR",
	  .help = "keep the captures there, one a kind", .example = "--keep captures" },
	{ .name = "cost", .type = OPTION_FLAG, .into = offsetof(struct calibrate_config, cost),
	  .help = "measure what a capture costs here, even if that is known", .example = "--cost" },
	{ .name = "list", .type = OPTION_FLAG, .into = offsetof(struct calibrate_config, list),
	  .help = "print the kinds and what they wait for; run none", .example = "--list" },
	{ .name = "json", .type = OPTION_FLAG, .into = offsetof(struct calibrate_config, json),
	  .help = "print the answer as JSON", .example = "--json" },
	{ 0 },
};

struct job {
	const struct calibrate_config *config;
	struct calibration *kinds;
	size_t count;
	bool chosen;                    /* by name: neither the machine nor its cost is asked for */
	char *directory;                /* for the programs' files, and captures that nobody keeps */
	struct machine_balance machine;
	struct capture_cost cost;
	struct progress progress;
};

/* --- Which kinds ------------------------------------------------------------------------------------------------ */

static int unknown_kind(const char *name, struct error *err)
{
	const char *names[128], *near;
	size_t count = 0;

	for (const struct truth *const *row = truths; *row && count < ARRAY_LENGTH(names) - 1; row++)
		names[count++] = (*row)->name;
	names[count] = NULL;
	near = nearest_name(name, names);
	(void)fail(err, FAILURE_USAGE, -EINVAL, "unknown kind '%.64s'", name);
	(void)error_because(err, "no program stages a wait of that name");
	return near ? error_try(err, "crosscut calibrate %s", near) : error_try(err, "crosscut calibrate --list");
}

static void choose(struct job *job, const struct truth *row)
{
	job->kinds[job->count++] = (struct calibration){ .row = row, .untimed = job->config->untimed };
}

/* Rates are no waits: they are measured beside, for the cost. */
static int choose_kinds(struct job *job, const struct option_arguments *arguments, struct error *err)
{
	size_t rows = 0;

	while (truths[rows])
		rows++;
	job->chosen = arguments->operand_count > 0;
	job->kinds = xcalloc(rows + arguments->operand_count, sizeof(*job->kinds));
	for (size_t i = 0; !job->chosen && i < rows; i++)
		if (truths[i]->measure != TRUTH_RATE)
			choose(job, truths[i]);
	for (size_t i = 0; i < arguments->operand_count; i++) {
		const struct truth *row = truth_find(arguments->operands[i]);

		if (!row)
			return unknown_kind(arguments->operands[i], err);
		if (row->measure != TRUTH_RATE) {
			choose(job, row);
			continue;
		}
		(void)fail(err, FAILURE_USAGE, -EINVAL, "'%s' is no wait", row->name);
		(void)error_because(err, "it measures what a capture costs");
		return error_try(err, "crosscut calibrate --cost");
	}
	return 0;
}

/* --- Where ------------------------------------------------------------------------------------------------------ */

static bool is_in_memory(const char *path)
{
	struct statfs system;

	return statfs(path, &system) || (unsigned long)system.f_type == MAGIC_TMPFS ||
	       (unsigned long)system.f_type == MAGIC_RAMFS;
}

/* On a disk, if one can be written to; a machine without any can still stage most kinds. */
static int make_directory(struct job *job, struct error *err)
{
	const char *wanted = getenv("TMPDIR"), *places[] = { wanted && *wanted ? wanted : "/tmp", "/var/tmp", ".", "/tmp" };

	for (size_t i = 0; i < ARRAY_LENGTH(places); i++) {
		if (i + 1 < ARRAY_LENGTH(places) && is_in_memory(places[i]))
			continue;
		job->directory = xasprintf("%s/crosscut-calibrate-XXXXXX", places[i]);
		if (mkdtemp(job->directory))
			return 0;
		free(take(job->directory));
	}
	return fail(err, FAILURE_WORK, -errno, "cannot make a directory for the programs' files");
}

static int prepare_places(struct job *job, struct error *err)
{
	if (job->config->keep && mkdir(job->config->keep, 0700) && errno != EEXIST)
		return fail(err, FAILURE_WORK, -errno, "cannot make '%s'", job->config->keep);
	return make_directory(job, err);
}

static char *capture_path(const struct job *job, const char *name, unsigned attempt)
{
	const char *directory = job->config->keep ? job->config->keep : job->directory;

	return attempt ? xasprintf("%s/%s-%u.xcut", directory, name, attempt + 1) : xasprintf("%s/%s.xcut", directory, name);
}

static void forget_capture(const struct job *job, const char *path)
{
	if (!job->config->keep)
		(void)unlink(path);     /* best effort: the directory is reported when it cannot be removed */
}

/* --- One capture of some kinds ---------------------------------------------------------------------------------- */

static void not_run(struct calibration *kind, const char *what, const char *why)
{
	kind->verdict = CALIBRATION_NOT_RUN;
	(void)snprintf(kind->why, sizeof(kind->why), "%.100s%s%.200s", what, *what ? ": " : "", why);
}

/* A staging that fails though it is possible is no excuse: the kind is out of bounds. */
static void not_staged(struct calibration *kind, const struct error *error)
{
	not_run(kind, error->kind == FAILURE_CANNOT ? "" : error->what, error->why);
	if (error->kind != FAILURE_CANNOT)
		kind->verdict = CALIBRATION_OUTSIDE;
}

/* What waits for a disk, takes long, or needs a probe that others would pay for, is left out of a quick look. */
static bool is_quick(const struct truth *row)
{
	return row->default_ms <= QUICK_LONGEST_MS && row->measure != TRUTH_RATE && !row->with && strcmp(row->state, "disk") &&
	       strcmp(row->state, "paging");
}

static uint64_t duration_ns(const struct job *job, const struct truth *row)
{
	return job->config->quick && row->default_ms < 1000 ? QUICK_NS : 0;
}

static bool stage(struct job *job, struct calibration *kind, struct performance *performance)
{
	struct error error = { 0 };

	kind->attempts++;
	*performance = (struct performance){ 0 };
	if (job->config->quick && !job->chosen && !is_quick(kind->row)) {
		not_run(kind, "", "left out of a quick look");
		return false;
	}
	if (!staging_new(kind->row, job->directory, duration_ns(job, kind->row), &performance->staging, &error))
		return true;
	not_staged(kind, &error);
	return false;
}

static void judge(struct calibration *kind, const struct performance *performance, const struct profile *profile)
{
	char before[sizeof(kind->before)];

	(void)snprintf(before, sizeof(before), "%s", kind->attempts > 1 ? kind->why : "");
	if (performance->result < 0)
		not_staged(kind, &performance->error);
	else
		calibration_judge(staging_report(performance->staging), profile, kind);
	(void)snprintf(kind->before, sizeof(kind->before), "%s", before);
}

/* What they need to be seen. Where the shim cannot be had, nobody will listen to it, and the row says so. */
static void needs_of(struct calibration **kinds, size_t count, struct capture_needs *ret)
{
	struct error ignored = { 0 };

	*ret = (struct capture_needs){ 0 };
	for (size_t i = 0; i < count; i++) {
		const char *with = kinds[i]->row->with;
		bool known = !with;

		for (unsigned k = 0; !known && k < ret->with_count; k++)
			known = !strcmp(ret->with[k], with);
		if (known || ret->with_count >= ARRAY_LENGTH(ret->with))
			continue;
		ret->with[ret->with_count++] = with;
		if (!strcmp(with, "heap"))
			(void)heap_open(&ret->heap, HEAP_SAMPLE_BYTES_EACH, geteuid(), &ignored);
	}
}

/* Stages them, captures them together, and judges each. */
static int calibrate_together(struct job *job, struct calibration **kinds, size_t count, const char *path, struct error *err)
{
	struct capture_needs needs;
	struct performance *performances = xcalloc(count, sizeof(*performances));
	CLEANUP(profile) struct profile *profile = NULL;
	size_t staged = 0;
	int r = 0;

	for (size_t i = 0; i < count; i++)
		if (stage(job, kinds[i], &performances[staged]))
			kinds[staged++] = kinds[i];
	needs_of(kinds, staged, &needs);
	if (staged)
		r = calibration_capture(performances, staged, &needs, path, &profile, err);
	heap_free(needs.heap);
	for (size_t i = 0; !r && i < staged; i++)
		judge(kinds[i], &performances[i], profile);
	for (size_t i = 0; i < staged; i++)
		staging_free(performances[i].staging);
	forget_capture(job, path);
	free(performances);
	return r;
}

static bool is_open(const struct calibration *kind, unsigned attempt)
{
	return !attempt || kind->verdict == CALIBRATION_OUTSIDE;
}

static int calibrate_each(struct job *job, unsigned attempt, struct error *err)
{
	int r = 0;

	for (size_t i = 0; i < job->count && !r; i++) {
		struct calibration *kind = &job->kinds[i];
		CLEANUP_TEXT char *path = capture_path(job, kind->row->name, attempt);

		if (!is_open(kind, attempt))
			continue;
		progress_show(&job->progress, "%zu of %zu: %s%s", i + 1, job->count, kind->row->name, attempt ? ", again" : "");
		r = calibrate_together(job, &kind, 1, path, err);
	}
	return r;
}

static int calibrate_at_once(struct job *job, unsigned attempt, struct error *err)
{
	struct calibration **kinds = xcalloc(job->count + 1, sizeof(*kinds));
	CLEANUP_TEXT char *path = capture_path(job, "quick", attempt);
	size_t count = 0;
	int r = 0;

	for (size_t i = 0; i < job->count; i++)
		if (is_open(&job->kinds[i], attempt))
			kinds[count++] = &job->kinds[i];
	progress_show(&job->progress, "%zu kinds%s", count, attempt ? ", again" : "");
	if (count)
		r = calibrate_together(job, kinds, count, path, err);
	free(kinds);
	return r;
}

static int calibrate_kinds(struct job *job, struct error *err)
{
	int r = 0;

	for (unsigned attempt = 0; attempt < ATTEMPTS && !r; attempt++)
		r = job->config->quick ? calibrate_at_once(job, attempt, err) : calibrate_each(job, attempt, err);
	return r;
}

/* --- The machine and the cost ----------------------------------------------------------------------------------- */

static int calibrate_machine(struct job *job, struct error *err)
{
	uint64_t length_ns = job->config->quick ? MACHINE_QUICK_NS : MACHINE_NS;
	char before[sizeof(job->machine.why)] = "";
	int r = 0;

	for (unsigned attempt = 0; attempt < ATTEMPTS && !r; attempt++) {
		CLEANUP(profile) struct profile *profile = NULL;
		CLEANUP_TEXT char *path = capture_path(job, "machine", attempt);

		progress_show(&job->progress, "the whole machine%s", attempt ? ", again" : "");
		r = calibration_capture_all(length_ns, path, &profile, err);
		forget_capture(job, path);
		if (r < 0)
			break;
		calibration_balance(profile, &job->machine);
		job->machine.attempts = attempt + 1;
		(void)snprintf(job->machine.before, sizeof(job->machine.before), "%s", before);
		if (job->machine.verdict == CALIBRATION_WITHIN)
			break;
		(void)snprintf(before, sizeof(before), "%s", job->machine.why);
	}
	return r;
}

/* Measured once per kernel, unless asked for: it takes half a minute. */
static int calibrate_cost(struct job *job, struct error *err)
{
	CLEANUP_TEXT char *path = capture_path(job, "cost", 0);
	int r;

	if (!job->config->cost && cost_cache_read(&job->cost))
		return 0;
	r = capture_cost_measure(job->directory, path, &job->progress, &job->cost, err);
	forget_capture(job, path);
	if (!r && cost_cache_write(&job->cost, err) < 0) {
		progress_clear(&job->progress);
		fprintf(stderr, "crosscut: %s: %s\n", err->what, err->why);     /* the figures stand in the answer */
	}
	return r;
}

/* --- Run -------------------------------------------------------------------------------------------------------- */

static int calibrate_all(struct job *job, struct error *err)
{
	int r = prepare_places(job, err);

	if (!r)
		r = calibrate_kinds(job, err);
	if (!r && !job->chosen)
		r = calibrate_machine(job, err);
	if (!r && (job->config->cost || (!job->chosen && !job->config->quick)))
		r = calibrate_cost(job, err);
	progress_clear(&job->progress);
	if (job->directory && rmdir(job->directory))
		fprintf(stderr, "crosscut: '%s' was not removed: %s\n", job->directory, strerror(errno));
	return r;
}

static int calibrate_run(void *config, const struct option_arguments *arguments, struct error *err)
{
	struct job job = { .config = config };
	CLEANUP(document) struct document *document = document_new("crosscut.calibrate/1", "calibration");
	int r = choose_kinds(&job, arguments, err);

	progress_init(&job.progress, stderr);
	if (!r && job.config->list) {
		calibration_list(job.kinds, job.count, document);
	} else if (!r) {
		r = calibrate_all(&job, err);
		if (!r)
			r = calibration_answer(job.kinds, job.count, &job.machine, &job.cost, document);
	}
	if (r >= 0) {
		int printed = answer_print(document, job.config->json, err);

		r = printed < 0 ? printed : r;
	}
	free(job.kinds);
	free(job.directory);
	return r;
}

extern const struct command cmd_calibrate;
const struct command cmd_calibrate = {
	.name = "calibrate",
	.summary = "prove it here: programs whose waits are known, and what is seen of them",
	.synopsis = "crosscut calibrate [OPTIONS] [KIND...]",
	.example = "crosscut calibrate mutex read-direct",
	.options = options,
	.config_size = sizeof(struct calibrate_config),
	.run = calibrate_run,
};
