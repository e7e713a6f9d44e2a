/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The programs are started before the capture is opened, so that they hold no descriptor of it, and wait at their
 * pipe. A thread of ours gives each its word and reaps it while the recorder runs; the capture ends when the last has
 * ended.
 */
#include "command/calibrate_capture.h"

#include "base/memory.h"
#include "capture/heap.h"
#include "command/recording.h"
#include "format/format.h"
#include "profile/profile.h"
#include "truth/staging.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct stage_manager {
	struct performance *performances;
	size_t count;
	pthread_t thread;
	bool started;
	atomic_bool over;
};

static void *manage(void *context)
{
	struct stage_manager *manager = context;

	for (size_t i = 0; i < manager->count; i++) {
		struct performance *performance = &manager->performances[i];

		staging_go(performance->staging);
		performance->result = staging_wait(performance->staging, &performance->error);
	}
	manager->over = true;
	return NULL;
}

static void opened(void *context)
{
	struct stage_manager *manager = context;

	manager->started = !pthread_create(&manager->thread, NULL, manage, manager);
	if (!manager->started)
		manager->over = true;
}

static bool is_over(void *context)
{
	return ((struct stage_manager *)context)->over;
}

static int start_all(struct performance *performances, size_t count, pid_t *pids, struct error *err)
{
	for (size_t i = 0; i < count; i++) {
		int r = staging_start(performances[i].staging, &performances[i].pid, err);

		if (r < 0)
			return r;
		pids[i] = performances[i].pid;
	}
	return 0;
}

static int capture(struct recording *recording, struct stage_manager *manager, struct profile **ret, struct error *err)
{
	struct recording_result result = { 0 };
	int r;

	recording->capture.sample_rate_hz = 99;
	recording->capture.wait_stacks = true;
	recording->opened = manager->count ? opened : NULL;
	recording->context = manager;
	recording->replace = true;
	recording->command = "crosscut calibrate";
	r = recording_run(recording, &result, err);
	if (manager->started)
		(void)pthread_join(manager->thread, NULL);
	if (!r && result.interrupted)
		r = fail(err, FAILURE_WORK, -EINTR, "the calibration was ended");
	if (!r)
		r = format_read(recording->path, ret, err);
	recording_result_done(&result);
	return r;
}

int calibration_capture(struct performance *performances, size_t count, const struct capture_needs *needs, const char *path,
			struct profile **ret, struct error *err)
{
	struct stage_manager manager = { .performances = performances, .count = count };
	CLEANUP_TEXT pid_t *pids = xcalloc(count, sizeof(*pids));
	struct recording recording = { .path = path, .until = is_over };
	int r;

	for (size_t i = 0; needs->heap && i < count; i++)
		staging_environment(performances[i].staging, heap_environment(needs->heap));
	for (unsigned i = 0; i < needs->with_count; i++)
		recording.capture.with[recording.capture.with_count++] = needs->with[i];
	recording.capture.heap = needs->heap;
	r = start_all(performances, count, pids, err);

	recording.capture.population = (struct population){ .kind = POPULATION_PROCESSES, .ids = pids, .id_count = count };
	return r < 0 ? r : capture(&recording, &manager, ret, err);
}

int calibration_capture_all(uint64_t duration_ns, const char *path, struct profile **ret, struct error *err)
{
	struct stage_manager manager = { 0 };
	struct recording recording = { .path = path, .duration_ns = duration_ns,
				       .capture.population.kind = POPULATION_ALL };

	return capture(&recording, &manager, ret, err);
}
