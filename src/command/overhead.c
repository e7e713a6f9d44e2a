/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A window with a capture is a whole recording into a scratch file: it opens, the meter runs, it closes; loading before and naming
 * after lie outside. The interval is Student's over the pairs' log ratios, so what drifts over the minutes cancels out.
 */
#include "command/overhead.h"

#include "base/cleanup.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/output.h"
#include "command/recording.h"
#include "compare/objective.h"
#include "investigate/investigate.h"
#include "result/document.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char *const state_names[OVERHEAD_STATES] = { "nominal", "overload" };
static const char *const quantity_names[OVERHEAD_QUANTITIES] = { "throughput", "mean", "p50", "p99" };

struct metering {
	const struct overhead_plan *plan;
	char *path;                          /* of what the meter prints */
	pid_t pid;
	int status;
	double count;                        /* of the counter, as the window opened */
	struct timespec opened;
	double values[OVERHEAD_QUANTITIES];
	struct error *err;
	int code;
};

static pid_t start(const char *command, const char *output, uint64_t window_ns)
{
	pid_t pid;

	(void)fflush(NULL);
	pid = fork();
	if (!pid) {
		char seconds[32];

		(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
		(void)setpgid(0, 0);
		(void)snprintf(seconds, sizeof(seconds), "%.3g", (double)window_ns / 1e9);
		(void)setenv("CROSSCUT_SECONDS", seconds, 1);
		if (!freopen(output, "w", stdout))
			_exit(127);
		(void)execl("/bin/sh", "sh", "-c", command, (char *)NULL);
		_exit(127);
	}
	return pid;
}

static int fail_command(const char *command, struct error *err)
{
	fail(err, FAILURE_WORK, -EIO, "cannot measure with '%.150s'", command);
	error_because(err, "it ended badly, or did not print what was asked");
	return error_try(err, "--meter takes a command that prints a load generator's JSON, --counter one that prints a number");
}

static int read_counter(const struct metering *metering, double *ret, struct error *err)
{
	FILE *from = popen(metering->plan->counter, "re");
	bool found = from && fscanf(from, "%lf", ret) == 1;
	int status = from ? pclose(from) : -1;

	return found && !status ? 0 : fail_command(metering->plan->counter, err);
}

static void window_open(void *context)
{
	struct metering *metering = context;

	metering->pid = 0;
	if (metering->plan->counter) {
		metering->code = read_counter(metering, &metering->count, metering->err);
		(void)clock_gettime(CLOCK_MONOTONIC, &metering->opened);
	} else {
		metering->pid = start(metering->plan->meter, metering->path, metering->plan->window_ns);
	}
}

static double seconds_since(const struct timespec *then)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)(now.tv_sec - then->tv_sec) + (double)(now.tv_nsec - then->tv_nsec) / 1e9;
}

static bool window_over(void *context)
{
	struct metering *metering = context;

	if (metering->code < 0)
		return true;
	if (metering->plan->counter)
		return seconds_since(&metering->opened) * 1e9 >= (double)metering->plan->window_ns;
	if (metering->pid > 0 && waitpid(metering->pid, &metering->status, WNOHANG) == metering->pid)
		metering->pid = 0;
	return metering->pid <= 0;
}

static int window_close(struct metering *metering, struct error *err)
{
	struct objective objective;
	double count, seconds;
	int r;

	for (size_t i = 0; i < OVERHEAD_QUANTITIES; i++)
		metering->values[i] = NAN;
	if (metering->code < 0)
		return metering->code;
	if (metering->plan->counter) {
		seconds = seconds_since(&metering->opened);
		r = read_counter(metering, &count, err);
		metering->values[0] = (count - metering->count) / seconds;
		return r;
	}
	if (metering->pid > 0)                  /* the capture was ended by somebody else */
		(void)kill(-metering->pid, SIGKILL);
	if (metering->pid > 0)
		(void)waitpid(metering->pid, &metering->status, 0);
	r = metering->status ? fail_command(metering->plan->meter, err) : objective_read(metering->path, &objective, err);
	if (r < 0)
		return r;
	metering->values[0] = objective.throughput_per_s;
	metering->values[1] = objective.mean_ns;
	metering->values[2] = objective.p50_ns;
	metering->values[3] = objective.p99_ns;
	return 0;
}

static int window_closed(void *context, struct capture *capture, struct error *err)
{
	(void)capture;
	return window_close(context, err);
}

static int run_without(struct metering *metering, struct error *err)
{
	window_open(metering);
	while (!window_over(metering))
		(void)usleep(20000);
	return window_close(metering, err);
}

static int run_with(struct metering *metering, struct error *err)
{
	struct recording recording = *metering->plan->recording;
	CLEANUP_TEXT char *path = xasprintf("%s.overhead", recording.path);
	struct recording_result result = { 0 };
	int r;

	recording.path = path;
	recording.replace = true;
	recording.duration_ns = recording.jitter_ns = 0;
	recording.progress = false;
	recording.opened = window_open;
	recording.until = window_over;
	recording.closed = window_closed;
	recording.context = metering;
	r = recording_run(&recording, &result, err);
	(void)unlink(path);
	if (r >= 0 && result.interrupted)
		r = fail(err, FAILURE_WORK, -EINTR, "interrupted");
	recording_result_done(&result);
	return r;
}

static void summarise(struct overhead *overhead, unsigned state, unsigned quantity, const double *without, const double *with, unsigned pairs)
{
	struct overhead_effect *effect = &overhead->effects[state][quantity];
	double harm;

	if (statistics_interval_of_ratios(without, with, pairs, 0.95, &effect->change) < 0)
		return;
	effect->known = true;
	for (unsigned i = 0; i < pairs; i++) {
		effect->without += without[i] / pairs;
		effect->with += with[i] / pairs;
	}
	harm = quantity ? effect->change.high : -effect->change.low;
	overhead->worst = fmax(overhead->worst, harm);
}

static int measure_state(const struct overhead_plan *plan, struct metering *metering, unsigned state, struct overhead *ret)
{
	double values[2][OVERHEAD_QUANTITIES][OVERHEAD_PAIRS_MOST];
	int r = 0;

	for (unsigned pair = 0; pair < plan->pairs && !r; pair++) {
		unsigned order[2];

		schedule_order((uint64_t)time(NULL), pair, 2, order);
		for (unsigned i = 0; i < 2 && !r; i++) {
			if (plan->progress)
				fprintf(stderr, "crosscut: overhead, %s, pair %u of %u, %s the capture\n", state_names[state], pair + 1, plan->pairs,
					order[i] ? "with" : "without");
			metering->code = 0;
			r = order[i] ? run_with(metering, metering->err) : run_without(metering, metering->err);
			for (unsigned quantity = 0; quantity < OVERHEAD_QUANTITIES; quantity++)
				values[order[i]][quantity][pair] = metering->values[quantity];
		}
	}
	for (unsigned quantity = 0; quantity < OVERHEAD_QUANTITIES && !r; quantity++)
		summarise(ret, state, quantity, values[0][quantity], values[1][quantity], plan->pairs);
	return r < 0 ? r : 0;
}

int overhead_measure(const struct overhead_plan *plan, struct overhead *ret, struct error *err)
{
	CLEANUP_TEXT char *path = xasprintf("%s.meter", plan->recording->path);
	struct metering metering = { .plan = plan, .path = path, .err = err };
	int r;

	*ret = (struct overhead){ .pairs = plan->pairs, .suspected = plan->suspected };
	r = measure_state(plan, &metering, 0, ret);
	if (!r && plan->overload) {
		pid_t overload = start(plan->overload, "/dev/null", plan->window_ns);

		(void)sleep(1);
		r = measure_state(plan, &metering, 1, ret);
		(void)kill(-overload, SIGKILL);
		(void)waitpid(overload, NULL, 0);
	}
	(void)unlink(path);
	return r;
}

void overhead_note(const struct overhead *overhead, void (*note)(void *to, const char *key, const char *value), void *to)
{
	char text[160];

	for (unsigned state = 0; state < OVERHEAD_STATES; state++)
		for (unsigned quantity = 0; quantity < OVERHEAD_QUANTITIES; quantity++) {
			const struct overhead_effect *effect = &overhead->effects[state][quantity];
			CLEANUP_TEXT char *key = xasprintf("overhead.%s.%s", state_names[state], quantity_names[quantity]);

			(void)snprintf(text, sizeof(text), "%+.2f %% (%+.2f to %+.2f %%, %u pairs)", 100 * effect->change.estimate,
				       100 * effect->change.low, 100 * effect->change.high, overhead->pairs);
			if (effect->known)
				note(to, key, text);
		}
	(void)snprintf(text, sizeof(text), "%.6f", overhead->worst);
	note(to, "overhead.worst", text);
	(void)snprintf(text, sizeof(text), "%.6f", overhead->suspected);
	note(to, "overhead.suspected", text);
}

static const struct column columns[] = {
	{ "state", "state", "", 0 },     { "quantity", "measured from outside", "", 0 }, { "without", "without", "", 0 }, { "with", "with", "", 0 },
	{ "change", "change", "fraction", 0 }, { "low", "from", "fraction", 0 },         { "high", "to", "fraction", 0 },
};

void overhead_document(const struct overhead *overhead, struct document *into)
{
	struct table *table = table_new(columns, ARRAY_LENGTH(columns));

	for (unsigned state = 0; state < OVERHEAD_STATES; state++)
		for (unsigned quantity = 0; quantity < OVERHEAD_QUANTITIES; quantity++) {
			const struct overhead_effect *effect = &overhead->effects[state][quantity];

			if (effect->known)
				table_add(table, (struct value[]){
					value_text(state_names[state]), value_text(quantity_names[quantity]), value_number(effect->without),
					value_number(effect->with), value_number(effect->change.estimate), value_number(effect->change.low),
					value_number(effect->change.high) });
		}
	document_add_table(into, "overhead", "What the capture does to its target, measured from outside", table);
}
