/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Drives a capture and writes its slices. The first Ctrl-C or SIGTERM ends and keeps the capture; the second ends us, and
 * the file still reads up to its last slice.
 */
#include "command/recording.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/directory.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/quantity.h"
#include "base/terminal.h"
#include "capture/harvest.h"
#include "capture/harvest_generated.h"
#include "command/flight.h"
#include "command/trigger.h"
#include "format/native.h"
#include "profile/profile.h"
#include "result/document.h"
#include "runbook/runbook.h"
#include "symbol/symbol.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/wait.h>
#include <unistd.h>

/* Slices are seldom shorter than they should be, and never by half. */
enum { SLICE_NS = 1000000000, FLIGHT_BYTES = 256 << 20, FLIGHT_SLICES_MORE = 8 };

static volatile sig_atomic_t stop_signals, user_signals;

static void on_signal(int number)
{
	if (++stop_signals > 1) {
		(void)signal(number, SIG_DFL);
		(void)raise(number);
	}
}

static void on_user_signal(int number)
{
	(void)number;
	user_signals++;
}

struct watched { struct sigaction interrupt, terminate, user; };

static void watch_signals(struct watched *before)
{
	struct sigaction action = { .sa_handler = on_signal }, user = { .sa_handler = on_user_signal, .sa_flags = SA_RESTART };

	stop_signals = user_signals = 0;
	(void)sigaction(SIGUSR1, &user, &before->user);
	(void)sigaction(SIGINT, &action, &before->interrupt);
	(void)sigaction(SIGTERM, &action, &before->terminate);
}

static void unwatch_signals(const struct watched *before)
{
	(void)sigaction(SIGUSR1, &before->user, NULL);
	(void)sigaction(SIGINT, &before->interrupt, NULL);
	(void)sigaction(SIGTERM, &before->terminate, NULL);
}

struct run {
	const struct recording *recording;
	struct capture *capture;
	struct native *native;
	struct flight *flight;               /* NULL: slices are written as they are cut */
	bool full, triggered, said, blind;   /* blind: nothing can fire the trigger any more */
	char reason[TRIGGER_REASON_SIZE];
};

static void keep_slice(struct run *run, const struct profile *profile, struct slice_id slice)
{
	flight_keep(run->flight, profile, slice);
	if (!run->triggered)
		run->triggered = trigger_fires(run->recording->trigger, profile, user_signals > 0, run->reason);
}

static int on_slice(void *to, const struct profile *profile, struct slice_id slice, struct error *err)
{
	struct run *run = to;
	int r;

	if (run->flight) {
		keep_slice(run, profile, slice);
		return 0;
	}
	r = run->full ? 0 : native_slice(run->native, profile, slice, err);
	if (r != -EFBIG)
		return r;
	run->full = true;                       /* what is stored is kept, and the end is said */
	return 0;
}

static void note_contract(const struct recording *recording, struct profile *profile)
{
	uint64_t random = 0;
	char id[17];

	(void)!getrandom(&random, sizeof(random), 0);
	(void)snprintf(id, sizeof(id), "%016llx", (unsigned long long)random);
	profile_set_meta(profile, "capture.id", id);
	if (recording->runbook)
		runbook_note_contract(recording->runbook, profile);
	if (recording->command && *recording->command)
		profile_set_meta(profile, "capture.command", recording->command);
	if (recording->work_source)
		profile_set_meta(profile, "work.source", recording->work_source);
	if (recording->work_unit)
		profile_set_meta(profile, "work.unit", recording->work_unit);
	for (const char *const *note = recording->notes; note && *note; note += 2)
		profile_set_meta(profile, note[0], note[1]);
	for (size_t i = 0; i < recording->label_count; i++) {
		const char *equals = strchr(recording->labels[i], '=');
		char *key = xasprintf("label.%.*s", (int)(equals - recording->labels[i]), recording->labels[i]);

		profile_set_meta(profile, key, equals + 1);
		free(key);
	}
}

/* A flight recorder that waits for what it cannot see any more would wait for ever, and whoever relies on it not know. */
static void look_after_trigger(struct run *run, const struct capture_status *status)
{
	if (!run->flight || !status->requests_given_up || run->said || !trigger_needs_requests(run->recording->trigger))
		return;
	run->said = true;
	run->blind = !trigger_has_others(run->recording->trigger);
	if (!run->blind)
		fprintf(stderr, "crosscut: warning: the guard gave up taking requests apart: of --trigger only the rest can fire\n");
}

static bool is_over(const struct run *run, const struct capture_status *status)
{
	const struct recording *recording = run->recording;

	return stop_signals || run->full || run->triggered || run->blind || status->given_up || status->target_gone || (recording->launch && launch_ended(recording->launch)) ||
	       (recording->duration_ns && status->elapsed_ns + 50000000 >= recording->duration_ns) ||
	       (recording->until && recording->until(recording->context));
}

static int loop(struct run *run, struct error *err)
{
	struct capture_status status;
	struct progress progress;
	char elapsed[QUANTITY_SIZE], size[QUANTITY_SIZE], cost[QUANTITY_SIZE];
	int r = 0;

	progress_init(&progress, stderr);
	for (;;) {
		capture_status(run->capture, &status);
		look_after_trigger(run, &status);
		if (is_over(run, &status))
			break;
		r = capture_step(run->capture, err);
		if (r < 0)
			break;
		if (run->recording->progress)
			progress_show(&progress, "recording %s, %llu threads, %s, own cost %s of a CPU, %llu events lost",
				      quantity_print(elapsed, (double)status.elapsed_ns, "ns"), (unsigned long long)status.threads,
				      quantity_print(size, (double)native_size_bytes(run->native), "bytes"),
				      quantity_print(cost, status.own_cost, "fraction"), (unsigned long long)status.lost);
	}
	progress_clear(&progress);
	return r;
}

/* Whoever records waits for it; crosscut symbolize FILE reads what was left. */
#define RECORD_DEBUG_WALL_NS 5000000000ull

static int resolve(struct capture *capture, struct error *err)
{
	CLEANUP_TEXT char *caches = directory_of_caches();
	struct symbol_statistics statistics;
	struct symbol_options options = { .open = harvest_open, .open_context = capture_harvest(capture),
					  .cache_directory = caches, .debug_wall_ns = RECORD_DEBUG_WALL_NS };
	struct profile *profile = capture_profile(capture);
	int r;

	options.generated = harvest_generated_files(harvest_generated(capture_harvest(capture)),
						    profile_meta_number(profile, "capture.start_ns", 0),
						    profile_meta_number(profile, "capture.end_ns", 0), &options.generated_count);
	r = symbol_resolve(profile, &options, &statistics, err);
	if (r < 0)
		return r;
	profile_set_meta_number(profile, "symbol.frames", statistics.frames);
	profile_set_meta_number(profile, "symbol.unresolved", statistics.unresolved);
	profile_set_meta_number(profile, "symbol.files_refused", statistics.files_refused);
	profile_set_meta_number(profile, "symbol.frames_refused", statistics.frames_refused);
	profile_set_meta_number(profile, "symbol.files_missing", statistics.files_missing);
	profile_set_meta_number(profile, "symbol.frames_missing", statistics.frames_missing);
	profile_set_meta_number(profile, "symbol.files_unchecked", statistics.files_unchecked);
	profile_set_meta_number(profile, "symbol.frames_used_again", statistics.frames_used_again);
	profile_set_meta_number(profile, "symbol.table_ns", statistics.table_ns);
	profile_set_meta_number(profile, "symbol.table_bytes", statistics.table_bytes);
	profile_set_meta_number(profile, "symbol.frames_lines", statistics.frames_lines);
	profile_set_meta_number(profile, "symbol.calls_inlined", statistics.calls_inlined);
	profile_set_meta_number(profile, "symbol.debug_files", statistics.files_read + statistics.files_cached);
	profile_set_meta_number(profile, "symbol.debug_failed",
				statistics.debug_failed + statistics.debug_crashed + statistics.debug_timed_out);
	profile_set_meta_number(profile, "symbol.debug_partial", statistics.debug_partial);
	profile_set_meta_number(profile, "symbol.debug_ns", statistics.debug_ns);
	profile_set_meta_number(profile, "symbol.debug_bytes", statistics.debug_bytes);
	for (size_t i = 0; i < symbol_source_count; i++) {
		char *key = xasprintf("symbol.resolved.%s", symbol_sources[i]->name);

		profile_set_meta_number(profile, key, statistics.resolved[i]);
		free(key);
	}
	return 0;
}

static void note_end(const struct recording *recording, struct profile *profile)
{
	char status[64];

	if (!recording->launch || !recording->launch->ended)
		return;
	if (WIFSIGNALED(recording->launch->status))
		(void)snprintf(status, sizeof(status), "signal %d", WTERMSIG(recording->launch->status));
	else
		(void)snprintf(status, sizeof(status), "%d", WEXITSTATUS(recording->launch->status));
	profile_set_meta(profile, "capture.exit_status", status);
}

static int record_window(struct run *run, struct error *err)
{
	const struct recording *recording = run->recording;
	int r = capture_start(run->capture, err), finished;
	struct error late;

	if (r < 0)
		return r;
	if (recording->launch)
		r = launch_go(recording->launch, err);
	if (r < 0)
		return r;
	if (recording->opened)
		recording->opened(recording->context);
	r = loop(run, err);
	if (recording->closed) {
		capture_close(run->capture);
		finished = recording->closed(recording->context, run->capture, r < 0 ? &late : err);
		r = r < 0 ? r : finished;
	}
	finished = capture_finish(run->capture, r < 0 ? &late : err);
	return r < 0 ? r : finished;
}

/* A file that is in the way is told before the capture begins; one is made only when there is something to keep. */
static int make_file(struct run *run, bool kept, struct error *err)
{
	const struct recording *recording = run->recording;

	if (run->flight && !kept && (recording->replace || access(recording->path, F_OK)))
		return 0;
	return native_create(run->native, recording->path, recording->replace, recording->size_limit_bytes, err);
}

static int write_flight(struct run *run, struct error *err)
{
	struct profile *profile = capture_profile(run->capture);
	struct flight_state state;
	int r = make_file(run, true, err);

	if (r < 0)
		return r;
	flight_state(run->flight, &state);
	profile_set_meta(profile, "flight.trigger", run->reason);
	profile_set_meta_number(profile, "flight.kept_ns", state.kept_ns);
	profile_set_meta_number(profile, "flight.slices_forgotten_for_room", state.forgotten_for_room);
	r = flight_write(run->flight, profile, run->native, err);
	if (r != -EFBIG)
		return r;
	run->full = true;
	return 0;
}

static int seal(struct run *run, struct error *err)
{
	struct profile *profile = capture_profile(run->capture);
	int r = run->flight ? write_flight(run, err) : 0;

	if (!r)
		r = resolve(run->capture, err);
	note_end(run->recording, profile);
	return r < 0 ? r : native_seal(run->native, profile, err);
}

static void fill_result(const struct run *run, struct recording_result *ret)
{
	const struct profile *profile = capture_profile(run->capture);
	struct capture_status status;

	capture_status(run->capture, &status);
	ret->start_ns = profile_meta_number(profile, "capture.start_ns", 0);
	ret->duration_ns = profile_meta_number(profile, "capture.end_ns", 0) - ret->start_ns;
	ret->file_bytes = native_size_bytes(run->native);
	ret->events = status.events;
	ret->lost = status.lost;
	ret->threads = status.threads;
	ret->filter = xstrdup(profile_meta(profile, "capture.filter") ? profile_meta(profile, "capture.filter") : "");
	ret->full = run->full;
	ret->interrupted = stop_signals > 0;
	ret->given_up = status.given_up;
	ret->untriggered = run->flight && !run->triggered;
	ret->blind = run->blind && !run->triggered;
	(void)snprintf(ret->trigger, sizeof(ret->trigger), "%s", run->reason);
}

/* Hosts of a fleet that are told the same time start apart. A signal ends the wait, and with it the capture as it begins. */
static uint64_t wait_random(uint64_t most_ns)
{
	uint64_t random = 0, start_ns = clock_now_ns(), wait_ns;

	if (!most_ns || getrandom(&random, sizeof(random), 0) < 0)
		return 0;
	wait_ns = random % (most_ns + 1);
	while (!stop_signals && clock_now_ns() < start_ns + wait_ns)
		(void)usleep(10000);
	return clock_now_ns() - start_ns;
}

static uint32_t slices_kept(uint64_t keep_ns)
{
	uint64_t slices = keep_ns / SLICE_NS * 2;

	if (!keep_ns)
		return 0;
	return (uint32_t)(slices < FLIGHT_SLICES_MOST ? slices : FLIGHT_SLICES_MOST) + FLIGHT_SLICES_MORE;
}

int recording_run(const struct recording *recording, struct recording_result *ret, struct error *err)
{
	struct run run = { .recording = recording };
	struct capture_config config = recording->capture;
	struct watched before;
	uint64_t waited_ns;
	bool started;
	int r;

	config.slice_ns = SLICE_NS;
	config.slice = on_slice;
	config.to = &run;
	config.kept_slices = slices_kept(recording->keep_ns);
	watch_signals(&before);
	waited_ns = wait_random(recording->jitter_ns);
	run.flight = recording->keep_ns ? flight_new(recording->keep_ns, FLIGHT_BYTES) : NULL;
	run.native = native_new();
	if (recording->redact)
		native_redact(run.native);
	run.capture = capture_new(&config);
	profile_forget_ended(capture_profile(run.capture));
	note_contract(recording, capture_profile(run.capture));
	if (recording->jitter_ns) {
		profile_set_meta_number(capture_profile(run.capture), "capture.jitter_ns", recording->jitter_ns);
		profile_set_meta_number(capture_profile(run.capture), "capture.jittered_ns", waited_ns);
	}
	r = capture_prepare(run.capture, err);
	if (!r)
		r = make_file(&run, false, err);
	started = !r;
	if (!r)
		r = record_window(&run, err);
	if (!r && (!run.flight || run.triggered))
		r = seal(&run, err);
	if (!r)
		fill_result(&run, ret);
	if (r < 0 && started && !run.flight && profile_slice_count(capture_profile(run.capture)) <= 1)        /* id 0 is none */
		(void)unlink(recording->path);          /* nothing was captured: an empty file helps nobody */
	native_free(run.native);
	capture_free(run.capture);
	flight_free(run.flight);
	unwatch_signals(&before);
	return r;
}

void recording_result_done(struct recording_result *result)
{
	free(result->filter);
	*result = (struct recording_result){ 0 };
}

void recording_document(const struct recording_result *result, const char *path, const struct launch *launch,
			struct document *into)
{
	struct record *record = record_new();

	record_add(record, "file", "file", "", value_text(path));
	record_add(record, "bytes", "size", "bytes", value_integer((int64_t)result->file_bytes));
	record_add(record, "duration_ns", "window", "ns", value_integer((int64_t)result->duration_ns));
	record_add(record, "filter", "population", "", value_text(result->filter));
	record_add(record, "threads", "threads", "count", value_integer((int64_t)result->threads));
	record_add(record, "events", "events seen", "count", value_integer((int64_t)result->events));
	record_add(record, "lost", "events lost", "count", value_integer((int64_t)result->lost));
	record_add(record, "given_up", "ended by the guard", "", value_truth(result->given_up));
	record_add(record, "full", "ended at --max-size", "", value_truth(result->full));
	if (result->untriggered)
		record_add(record, "blind", "ended since nothing could fire the trigger", "", value_truth(result->blind));
	if (result->untriggered || *result->trigger)
		record_add(record, "trigger", "trigger", "", *result->trigger ? value_text(result->trigger) : value_none());
	if (launch->pid)
		record_add(record, "exit_status", "command's status", "",
			   WIFEXITED(launch->status) ? value_integer(WEXITSTATUS(launch->status)) : value_none());
	document_add_record(into, "capture", "capture", record);
}
