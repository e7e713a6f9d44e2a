/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Starts a service and its load on processors of their own, before other work there where that is allowed, so that a busy
 * machine does not decide the comparison; records the service, and opens and closes the load's counting
 * window with the capture's, by signals.
 */
#include "command/demo_arm.h"

#include "base/cleanup.h"
#include "base/error.h"
#include "base/memory.h"
#include "command/recording.h"
#include "profile/profile.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { WARM_UP_MS = 1500, LOAD_SECONDS_MORE = 60, STORE_WAIT_S = 120, END_WAIT_S = 30 };

struct child {
	pid_t pid;
	int output;                          /* its stdout; -1: not ours */
};

struct running {
	const struct demo_config *config;
	const char *name;
	struct child service, load;
	unsigned port;
	char *counts;                        /* the load's JSON */
	struct demo_load *figures;
};

static void child_start(struct child *child, char *const *arguments, bool read_output)
{
	int ends[2] = { -1, -1 };

	if (read_output && pipe2(ends, O_CLOEXEC))
		ends[0] = ends[1] = -1;
	(void)fflush(NULL);
	child->pid = fork();
	if (!child->pid) {
		int out = read_output ? ends[1] : open("/dev/null", O_WRONLY | O_CLOEXEC);

		(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (out >= 0)
			(void)dup2(out, STDOUT_FILENO);
		(void)execv(arguments[0], arguments);
		_exit(127);
	}
	if (ends[1] >= 0)
		(void)close(ends[1]);
	child->output = ends[0];
}

/* Waits up to seconds for its end; then kills it. Returns its wait status. */
static int child_end(struct child *child, int seconds)
{
	int status = 0;

	if (child->pid <= 0)
		return 0;
	for (int i = 0; i < seconds * 100; i++) {
		if (waitpid(child->pid, &status, WNOHANG) == child->pid) {
			child->pid = 0;
			break;
		}
		(void)usleep(10000);
	}
	if (child->pid) {
		(void)kill(child->pid, SIGKILL);
		(void)waitpid(child->pid, &status, 0);
	}
	if (child->output >= 0)
		(void)close(child->output);
	*child = (struct child){ .output = -1 };
	return status;
}

static bool has_two_processors(void)
{
	return sysconf(_SC_NPROCESSORS_ONLN) > 1;
}

static int start_service(struct running *running, struct error *err)
{
	const struct demo_config *config = running->config;
	CLEANUP_TEXT char *program = xasprintf("%s/mercury-%s", config->programs, running->name);
	CLEANUP_TEXT char *store = xasprintf("%s/mercury.store", config->directory);
	char *arguments[] = { program, "--port", "0", "--store", store, "--realtime", has_two_processors() ? "--cpu" : NULL, "0", NULL };
	struct pollfd first_line = { .events = POLLIN };
	FILE *output;
	int found = 0;

	if (access(program, X_OK)) {
		fail(err, FAILURE_WORK, -errno, "cannot start '%s'", program);
		return error_try(err, "make; the demo's services are built beside crosscut");
	}
	child_start(&running->service, arguments, true);
	output = fdopen(running->service.output, "r");
	first_line.fd = running->service.output;
	if (output && poll(&first_line, 1, STORE_WAIT_S * 1000) == 1)    /* the first start writes its store */
		found = fscanf(output, "listening %u", &running->port);
	running->service.output = -1;
	if (output)
		(void)fclose(output);
	if (found == 1)
		return 0;
	fail(err, FAILURE_WORK, -EIO, "the %s service did not start", running->name);
	return error_try(err, "%s --port 0 --store %s", program, store);
}

static void start_load(struct running *running)
{
	const struct demo_config *config = running->config;
	CLEANUP_TEXT char *program = xasprintf("%s/mercury-load", config->programs);
	char port[16], rate[32], seconds[32], connections[32];
	char *arguments[] = { program, "--port", port, "--rate", rate, "--seconds", seconds, "--connections", connections, "--json",
			      running->counts, "--realtime", has_two_processors() ? "--cpu" : NULL, "1", NULL };

	(void)snprintf(port, sizeof(port), "%u", running->port);
	(void)snprintf(rate, sizeof(rate), "%llu", (unsigned long long)config->rate);
	(void)snprintf(seconds, sizeof(seconds), "%llu", (unsigned long long)(config->duration_ns / 1000000000 + LOAD_SECONDS_MORE));
	(void)snprintf(connections, sizeof(connections), "%llu", (unsigned long long)config->connections);
	child_start(&running->load, arguments, false);
	(void)usleep(WARM_UP_MS * 1000);
}

static double number_of(const json_t *object, const char *key)
{
	return json_number_value(json_object_get(object, key));
}

static int read_counts(struct running *running, struct error *err)
{
	struct demo_load *figures = running->figures;
	json_error_t where;
	json_t *root = json_load_file(running->counts, JSON_REJECT_DUPLICATES, &where);
	const json_t *latency = json_object_get(root, "latency_ns"), *late = json_object_get(root, "send_lateness_ns");

	if (!root) {
		fail(err, FAILURE_WORK, -EBADMSG, "the load generator left no counts in '%s'", running->counts);
		return error_because(err, "%s", where.text);
	}
	*figures = (struct demo_load){
		.sent = (uint64_t)number_of(root, "sent"), .correct = (uint64_t)number_of(root, "correct"),
		.incorrect = (uint64_t)number_of(root, "incorrect"), .failed = (uint64_t)number_of(root, "failed"),
		.throughput_per_s = number_of(root, "throughput_per_s"), .mean_ns = number_of(latency, "mean"),
		.p50_ns = number_of(latency, "p50"), .p90_ns = number_of(latency, "p90"), .p99_ns = number_of(latency, "p99"),
		.p999_ns = number_of(latency, "p999"), .maximum_ns = number_of(latency, "max"),
		.late_p99_ns = number_of(late, "p99"), .late_maximum_ns = number_of(late, "max"),
	};
	json_decref(root);
	return 0;
}

static void window_opened(void *context)
{
	(void)kill(((struct running *)context)->load.pid, SIGUSR1);
}

static int window_closed(void *context, struct capture *capture, struct error *err)
{
	struct running *running = context;
	int r;

	(void)kill(running->load.pid, SIGUSR2);
	(void)child_end(&running->load, END_WAIT_S);
	r = read_counts(running, err);
	if (r < 0)
		return r;
	if (capture) {
		capture_count(capture, "mercury-load", "correct", OUTCOME_CORRECT, running->figures->correct);
		capture_count(capture, "mercury-load", "incorrect", OUTCOME_INCORRECT,
			      running->figures->incorrect + running->figures->failed);
	}
	return 0;
}

static int record_arm(struct running *running, const char *path, struct error *err)
{
	CLEANUP_TEXT char *work = xasprintf("http:%u", running->port), *label = xasprintf("build=%s", running->name);
	const char *labels[] = { label, "state=nominal", "service=mercury" };
	struct recording recording = {
		.capture = { .population = { .kind = POPULATION_PROCESSES, .ids = &running->service.pid, .id_count = 1 },
			     .sample_rate_hz = 99, .wait_stacks = true, .work = work, .cost_budget = 0.05 },
		.path = path, .replace = running->config->replace, .progress = running->config->progress,
		.duration_ns = running->config->duration_ns, .labels = labels, .label_count = ARRAY_LENGTH(labels),
		.opened = window_opened, .closed = window_closed, .context = running,
		.work_source = "mercury-load", .work_unit = "correct response",
	};
	struct recording_result result = { 0 };
	int r = recording_run(&recording, &result, err);

	/* A kernel without the tracepoint that counts responses still has the load's own counts. */
	if (r < 0 && err->kind == FAILURE_CANNOT && strstr(err->what, "--work")) {
		recording.capture.work = NULL;
		r = recording_run(&recording, &result, err);
	}
	recording_result_done(&result);
	return r;
}

static int run_without_capture(struct running *running, struct error *err)
{
	struct timespec length = { .tv_sec = (time_t)(running->config->duration_ns / 1000000000),
				   .tv_nsec = (long)(running->config->duration_ns % 1000000000) };

	window_opened(running);
	(void)nanosleep(&length, NULL);
	return window_closed(running, NULL, err);
}

int demo_arm_run(const struct demo_config *config, const char *name, unsigned pair, struct demo_arm *ret, struct error *err)
{
	struct demo_arm arm = { .name = name, .capture = xasprintf("%s/mercury-%s-%u.xcut", config->directory, name, pair) };
	struct running running = { .config = config, .name = name, .service.output = -1, .load.output = -1, .figures = &arm.load,
				   .counts = xasprintf("%s/mercury-%s-%u.json", config->directory, name, pair) };
	int r = start_service(&running, err);

	if (!r) {
		start_load(&running);
		r = config->without_capture ? run_without_capture(&running, err) : record_arm(&running, arm.capture, err);
	}
	if (running.load.pid > 0)
		(void)kill(running.load.pid, SIGKILL);
	(void)child_end(&running.load, 1);
	if (running.service.pid > 0)
		(void)kill(running.service.pid, SIGTERM);
	(void)child_end(&running.service, END_WAIT_S);
	free(running.counts);
	if (r < 0)
		demo_arm_done(&arm);
	else
		*ret = arm;
	return r;
}

void demo_arm_done(struct demo_arm *arm)
{
	free(arm->capture);
	arm->capture = NULL;
}
