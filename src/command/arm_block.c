/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The commands are run by the shell, which each replaces itself: a signal to the process is a signal to the program. What a
 * runbook starts is ended with us, whatever becomes of us.
 */
#include "command/arm_block.h"

#include "base/cleanup.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/quantity.h"
#include "base/text.h"
#include "command/recording.h"
#include "profile/profile.h"
#include "runbook/runbook.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { LOAD_SECONDS_MORE = 60, READY_WAIT_S = 120, END_WAIT_S = 30, COMMAND_LIMIT = 8192 };
#define WARM_UP_NS 1500000000ull

struct child { pid_t pid; bool over; int status; };

struct running {
	const struct block_config *config;
	const char *arm;
	unsigned pair, port;
	struct child service, load;
	struct block *block;
	bool by_signals;
};

/* --- Commands --------------------------------------------------------------------------------------------------- */

static const char *arms_value(const struct running *running, const char *key)
{
	return runbook_value(running->config->runbook, "arms", key);
}

static void put_word(struct text *text, const struct running *running, const char *word, size_t size)
{
	const struct block_config *config = running->config;
	const struct { const char *name, *value; } words[] = {
		{ "arm", running->arm }, { "directory", config->directory }, { "objective", running->block->objective_path },
		{ "programs", config->programs }, { "workers", config->workers ? config->workers : "64" },
		{ "rate", config->rate ? config->rate : "500" }, { "scratch", config->scratch ? config->scratch : "/var/tmp" },
	};

	for (size_t i = 0; i < ARRAY_LENGTH(words); i++)
		if (strlen(words[i].name) == size && !strncmp(words[i].name, word, size)) {
			text_print(text, "%s", words[i].value);
			return;
		}
	if (size == 4 && !strncmp(word, "port", 4))
		text_print(text, "%u", running->port);
	else if (size == 4 && !strncmp(word, "pair", 4))
		text_print(text, "%u", running->pair);
	else if (size == 7 && !strncmp(word, "seconds", 7))
		text_print(text, "%llu", (unsigned long long)(config->duration_ns / 1000000000 + LOAD_SECONDS_MORE));
	else
		text_print(text, "{%.*s}", (int)size, word);
}

/* "exec COMMAND", its {words} replaced. */
static char *command_of(const struct running *running, const char *from)
{
	struct text text = TEXT(COMMAND_LIMIT);

	text_print(&text, "exec ");
	while (*from) {
		size_t size = strcspn(from, "{"), word;

		text_append(&text, from, size);
		from += size;
		if (!*from)
			break;
		word = strcspn(from, "}");
		put_word(&text, running, from + 1, word ? word - 1 : 0);
		from += word + (from[word] == '}');
	}
	return text_take(&text);
}

static int child_start(struct child *child, const char *command, bool read_output)
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
		(void)execl("/bin/sh", "sh", "-c", command, (char *)NULL);
		_exit(127);
	}
	if (ends[1] >= 0)
		(void)close(ends[1]);
	return ends[0];
}

/* How it ended is kept. */
static bool child_is_over(struct child *child)
{
	if (child->pid > 0 && waitpid(child->pid, &child->status, WNOHANG) == child->pid) {
		child->pid = 0;
		child->over = true;
	}
	return child->over;
}

static bool child_failed(const struct child *child)
{
	return child->over && !(WIFEXITED(child->status) && !WEXITSTATUS(child->status));
}

enum { HOW_SIZE = 64 };
static const char *child_how(const struct child *child, char text[HOW_SIZE])
{
	if (WIFEXITED(child->status))
		(void)snprintf(text, HOW_SIZE, "it ended with exit status %d", WEXITSTATUS(child->status));
	else
		(void)snprintf(text, HOW_SIZE, "signal %d ended it", WTERMSIG(child->status));
	return text;
}

/* Waits for its end, then kills it. */
static void child_end(struct child *child, int seconds)
{
	for (int i = 0; i < seconds * 100 && child->pid > 0 && !child_is_over(child); i++)
		(void)usleep(10000);
	if (child->pid <= 0)
		return;
	(void)kill(child->pid, SIGKILL);
	(void)waitpid(child->pid, NULL, 0);
	child->pid = 0;
}

/* --- Ready ------------------------------------------------------------------------------------------------------ */

static bool port_answers(unsigned port)
{
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr = { htonl(INADDR_LOOPBACK) } };
	CLEANUP_FD int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	return fd >= 0 && !connect(fd, (struct sockaddr *)&address, sizeof(address));
}

/* The last number of its first line: "listening 40123". */
static bool read_port(int fd, unsigned *ret)
{
	struct pollfd first = { .fd = fd, .events = POLLIN };
	char line[256];
	ssize_t size = fd >= 0 && poll(&first, 1, READY_WAIT_S * 1000) == 1 ? read(fd, line, sizeof(line) - 1) : 0;
	bool found = false;

	line[size > 0 ? size : 0] = '\0';
	for (const char *at = line; *at && *at != '\n'; at++)
		if (isdigit((unsigned char)*at) && (at == line || !isdigit((unsigned char)at[-1]))) {
			*ret = (unsigned)strtoul(at, NULL, 10);
			found = true;
		}
	return found || size > 0;
}

static bool wait_ready(struct running *running, int output)
{
	const char *ready = arms_value(running, "ready");
	struct error ignored = { 0 };
	uint64_t wait_ns;

	if (!ready || !strcmp(ready, "line"))
		return read_port(output, &running->port);
	if (strncmp(ready, "port:", 5)) {
		if (quantity_parse_duration(ready, &wait_ns, &ignored) < 0)
			return false;
		(void)usleep((useconds_t)(wait_ns / 1000));
		return true;
	}
	running->port = (unsigned)strtoul(ready + 5, NULL, 10);
	for (int i = 0; i < READY_WAIT_S * 20 && !child_is_over(&running->service); i++) {
		if (port_answers(running->port))
			return true;
		(void)usleep(50000);
	}
	return false;
}

/* Whatever answered or was said: a service that has ended serves nothing. One whose output ended is about to. */
static int check_service(struct running *running, bool is_ready, const char *command, struct error *err)
{
	const char *ready = arms_value(running, "ready");
	bool by_line = !ready || !strcmp(ready, "line");
	char how[HOW_SIZE];

	for (int i = 0; i < 50 && !is_ready && by_line && !child_is_over(&running->service); i++)
		(void)usleep(10000);
	if (!child_is_over(&running->service) && is_ready)
		return 0;
	fail(err, FAILURE_WORK, -EIO, "the %s service did not start", running->arm);
	if (running->service.over)
		error_because(err, "%s before it was ready", child_how(&running->service, how));
	else
		error_because(err, "in %d s %s%.64s ([arms] ready)", READY_WAIT_S, by_line ? "it printed no line" : "nothing answered on ",
			      by_line ? "" : ready);
	return error_try(err, "%.400s", command);
}

static int start_service(struct running *running, struct error *err)
{
	const char *from = arms_value(running, running->arm);
	CLEANUP_TEXT char *command = from ? command_of(running, from) : NULL;
	int output;
	bool is_ready;

	if (!command) {
		fail(err, FAILURE_USAGE, -EINVAL, "the runbook does not say how the %s arm starts", running->arm);
		return error_try(err, "[arms] %s = COMMAND", running->arm);
	}
	output = child_start(&running->service, command, true);
	is_ready = wait_ready(running, output);
	if (output >= 0)
		(void)close(output);
	return check_service(running, is_ready, command + strlen("exec "), err);
}

/* One that ended by itself, before it was told to: its figures, if any, are of another time than the block. */
static int check_load(struct running *running, struct error *err)
{
	CLEANUP_TEXT char *command = command_of(running, arms_value(running, "load"));
	char how[HOW_SIZE];

	if (!child_is_over(&running->load) || (!running->by_signals && !child_failed(&running->load)))
		return 0;
	fail(err, FAILURE_WORK, -EIO, "the load of the %s arm did not last for the block", running->arm);
	error_because(err, "%s before the block was over", child_how(&running->load, how));
	return error_try(err, "%.400s", command + strlen("exec "));
}

static int start_load(struct running *running, struct error *err)
{
	const char *from = arms_value(running, "load"), *warm_up = arms_value(running, "warm-up"), *window = arms_value(running, "window");
	CLEANUP_TEXT char *command = from ? command_of(running, from) : NULL;
	uint64_t warm_up_ns = WARM_UP_NS;
	struct timespec wait;

	if (!command)
		return fail(err, FAILURE_USAGE, -EINVAL, "the runbook does not say how the load starts");
	if (warm_up && quantity_parse_duration(warm_up, &warm_up_ns, err) < 0)
		return err->code;
	running->by_signals = window && !strcmp(window, "signals");
	(void)unlink(running->block->objective_path);
	(void)child_start(&running->load, command, false);
	wait = (struct timespec){ (time_t)(warm_up_ns / 1000000000), (long)(warm_up_ns % 1000000000) };
	(void)nanosleep(&wait, NULL);
	return check_load(running, err);
}

/* --- The window ------------------------------------------------------------------------------------------------- */

static void window_opened(void *context)
{
	struct running *running = context;

	if (running->by_signals && running->load.pid > 0)
		(void)kill(running->load.pid, SIGUSR1);
}

/* Where the load leaves its figures in a place of its own, they are moved to ours. */
static void take_objective(const struct running *running)
{
	const char *from = arms_value(running, "objective");
	CLEANUP_TEXT char *command = from ? command_of(running, from) : NULL;
	const char *path = command ? command + strlen("exec ") : NULL;

	if (path && strcmp(path, running->block->objective_path))
		(void)rename(path, running->block->objective_path);     /* reading it says what is missing */
}

static void count_others(struct capture *capture, const struct objective *objective)
{
	const struct { enum outcome outcome; double count; } others[] = {
		{ OUTCOME_INCORRECT, objective->incorrect }, { OUTCOME_REJECTED, objective->rejected },
		{ OUTCOME_RETRIED, objective->retried },     { OUTCOME_ABANDONED, objective->abandoned },
	};

	for (size_t i = 0; i < ARRAY_LENGTH(others); i++)
		if (others[i].count > 0)
			capture_count(capture, "load", outcome_name(others[i].outcome), others[i].outcome, (uint64_t)others[i].count);
}

/* The load's own count of right answers in that very window is the denominator, where the load knows the window. */
static int window_closed(void *context, struct capture *capture, struct error *err)
{
	struct running *running = context;
	struct objective *objective = &running->block->objective;
	int r = check_load(running, err);

	if (r < 0)
		return r;
	if (running->load.pid > 0)
		(void)kill(running->load.pid, running->by_signals ? SIGUSR2 : SIGTERM);
	child_end(&running->load, END_WAIT_S);
	take_objective(running);
	r = objective_read(running->block->objective_path, objective, err);
	if (r < 0)
		return r;
	if (capture && running->by_signals && isfinite(objective->correct)) {
		capture_count(capture, "load", "correct", OUTCOME_CORRECT, (uint64_t)objective->correct);
		count_others(capture, objective);
	}
	return 0;
}

static void choose_probes(const struct block_config *config, struct capture_config *capture)
{
	capture->sample_rate_hz = config->cheap ? 0 : 99;
	capture->wait_stacks = !config->cheap && !config->without_wait_stacks;
	if (config->cheap || !config->with_block)
		capture->without[capture->without_count++] = "block";
	if (config->cheap || !config->with_contention)
		capture->without[capture->without_count++] = "contention";
}

static int record(struct running *running, struct error *err)
{
	const struct block_config *config = running->config;
	const char *work = runbook_value(config->runbook, "capture", "work"), *unit = runbook_value(config->runbook, "contract", "unit");
	CLEANUP_TEXT char *label = xasprintf("build=%s", running->arm), *state = xasprintf("state=%s",
		runbook_value(config->runbook, "contract", "state") ? runbook_value(config->runbook, "contract", "state") : "nominal");
	const char *const labels[] = { label, state };
	double budget = 0.05;
	struct recording recording = {
		.capture = { .population = { .kind = POPULATION_PROCESSES, .ids = &running->service.pid, .id_count = 1 },
			     .work = running->by_signals ? NULL : work, .cost_budget = budget },
		.path = running->block->capture, .replace = true, .progress = config->progress, .duration_ns = config->duration_ns,
		.labels = labels, .label_count = ARRAY_LENGTH(labels), .runbook = config->runbook, .opened = window_opened,
		.closed = window_closed, .context = running,
		.work_source = running->by_signals ? "load" : NULL, .work_unit = running->by_signals ? unit : NULL,
	};
	struct recording_result result = { 0 };
	int r;

	if (runbook_share(config->runbook, "bounds", "overhead", &budget))
		recording.capture.cost_budget = budget;
	choose_probes(config, &recording.capture);
	r = recording_run(&recording, &result, err);
	if (r >= 0 && result.interrupted) {
		fail(err, FAILURE_WORK, -EINTR, "interrupted");
		r = error_because(err, "what was recorded so far is in %.200s", config->directory);
	}
	recording_result_done(&result);
	return r;
}

static int run_without_capture(struct running *running, struct error *err)
{
	struct timespec length = { (time_t)(running->config->duration_ns / 1000000000), (long)(running->config->duration_ns % 1000000000) };

	window_opened(running);
	(void)nanosleep(&length, NULL);
	return window_closed(running, NULL, err);
}

int block_run(const struct block_config *config, const char *arm, unsigned pair, const char *name, struct block *ret, struct error *err)
{
	struct block block = { .arm = arm, .pair = pair, .capture = xasprintf("%s/%s.xcut", config->directory, name),
			       .objective_path = xasprintf("%s/%s.json", config->directory, name) };
	struct running running = { .config = config, .arm = arm, .pair = pair, .block = &block };
	int r = start_service(&running, err);

	if (!r)
		r = start_load(&running, err);
	if (!r)
		r = config->without_capture ? run_without_capture(&running, err) : record(&running, err);
	if (running.load.pid > 0)
		(void)kill(running.load.pid, SIGKILL);
	child_end(&running.load, 1);
	if (running.service.pid > 0)
		(void)kill(running.service.pid, SIGTERM);
	child_end(&running.service, END_WAIT_S);
	if (r < 0)
		block_done(&block);
	else
		*ret = block;
	return r < 0 ? r : 0;
}

void block_done(struct block *block)
{
	free(block->capture);
	free(block->objective_path);
	block->capture = block->objective_path = NULL;
}
