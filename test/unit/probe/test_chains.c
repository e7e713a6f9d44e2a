/* SPDX-License-Identifier: Apache-2.0 */
/*
 * live
 * Staged chains: threads that wait for each other in known ways, captured one interval at a time. Each subject's waits must come
 * down to what was staged at the end of its chain, and its time be told without a residual.
 */
#include "unit/recorded.h"

#include "analysis/analysis.h"
#include "base/error.h"
#include "command/recording.h"
#include "format/format.h"
#include "profile/profile.h"
#include "profile/selection.h"
#include "result/document.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { HOLD_US = 2000, PAUSE_US = 200, DURATION_NS = 900000000 };

static pthread_mutex_t plain = PTHREAD_MUTEX_INITIALIZER, outer = PTHREAD_MUTEX_INITIALIZER, inner = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t shared_by_all = PTHREAD_MUTEX_INITIALIZER, done_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t done = PTHREAD_COND_INITIALIZER, wanted = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t guarded = PTHREAD_RWLOCK_INITIALIZER;
static sem_t posted;
static int first_pipe[2], second_pipe[2], pair[2], jobs, answers;

static void hold(pthread_mutex_t *mutex, unsigned microseconds)
{
	(void)pthread_mutex_lock(mutex);
	if (microseconds)
		(void)usleep(microseconds);
	(void)pthread_mutex_unlock(mutex);
	(void)usleep(PAUSE_US);
}

static void holds_plain(void) { hold(&plain, HOLD_US); }
static void wants_plain(void) { hold(&plain, 0); }
static void holds_inner(void) { hold(&inner, HOLD_US); }
static void wants_outer(void) { hold(&outer, 0); }
static void convoys(void) { hold(&shared_by_all, HOLD_US); }

static void holds_outer_and_wants_inner(void)
{
	(void)pthread_mutex_lock(&outer);
	(void)pthread_mutex_lock(&inner);
	(void)pthread_mutex_unlock(&inner);
	(void)pthread_mutex_unlock(&outer);
	(void)usleep(PAUSE_US);
}

static void writes_guarded(void)
{
	(void)pthread_rwlock_wrlock(&guarded);
	(void)usleep(HOLD_US);
	(void)pthread_rwlock_unlock(&guarded);
	(void)usleep(PAUSE_US);
}

static void reads_guarded(void)
{
	(void)pthread_rwlock_rdlock(&guarded);
	(void)pthread_rwlock_unlock(&guarded);
	(void)usleep(PAUSE_US);
}

static void passes(int from, int to)
{
	char byte = 0;

	if (from >= 0 && read(from, &byte, 1) != 1)
		_exit(1);
	if (from < 0)
		(void)usleep(HOLD_US);
	if (to >= 0 && write(to, &byte, 1) != 1)
		_exit(1);
}

static void fills_first(void) { passes(-1, first_pipe[1]); }
static void fills_second(void) { passes(first_pipe[0], second_pipe[1]); }
static void empties_second(void) { passes(second_pipe[0], -1); }
static void fills_socket(void) { passes(-1, pair[1]); }
static void empties_socket(void) { passes(pair[0], -1); }

static void posts(void)
{
	(void)usleep(HOLD_US);
	(void)sem_post(&posted);
}

static void takes(void) { (void)sem_wait(&posted); }

/* A pool: the job is handed over, and its result waited for. */
static void serves(void)
{
	(void)pthread_mutex_lock(&done_lock);
	while (!jobs)
		(void)pthread_cond_wait(&wanted, &done_lock);
	jobs--;
	(void)pthread_mutex_unlock(&done_lock);
	(void)usleep(HOLD_US);
	(void)pthread_mutex_lock(&done_lock);
	answers++;
	(void)pthread_cond_signal(&done);
	(void)pthread_mutex_unlock(&done_lock);
}

static void asks(void)
{
	(void)pthread_mutex_lock(&done_lock);
	jobs++;
	(void)pthread_cond_signal(&wanted);
	while (!answers)
		(void)pthread_cond_wait(&done, &done_lock);
	answers--;
	(void)pthread_mutex_unlock(&done_lock);
}

static void *is_joined(void *context)
{
	(void)prctl(PR_SET_NAME, "j-child");
	(void)usleep(HOLD_US);
	return context;
}

static void joins(void)
{
	pthread_t thread;

	if (!pthread_create(&thread, NULL, is_joined, NULL))
		(void)pthread_join(thread, NULL);
}

/* grounds: how the largest chain of a subject ends, or one of its two largest where there are two. NULL: no subject. */
static const struct role { const char *name; void (*act)(void); const char *ground; } roles[] = {
	{ "h-plain", holds_plain, NULL },
	{ "s-plain", wants_plain, "lock/mutex (plain) ▸ h-plain: timer" },
	{ "h-inner", holds_inner, NULL },
	{ "h-outer", holds_outer_and_wants_inner, NULL },
	{ "s-nested", wants_outer, "lock/mutex (outer) ▸ h-outer: lock/mutex (inner) ▸ h-inner: timer" },
	{ "h-write", writes_guarded, NULL },
	{ "s-read", reads_guarded, " ▸ h-write: timer" },
	{ "p-one", fills_first, NULL },
	{ "p-two", fills_second, NULL },
	{ "s-pipeline", empties_second, " ▸ p-two: idle/queue ▸ p-one: timer" },
	{ "u-peer", fills_socket, NULL },
	{ "s-socket", empties_socket, " ▸ u-peer: timer" },
	{ "b-post", posts, NULL },
	{ "s-semaphore", takes, " ▸ b-post: timer" },
	{ "w-pool", serves, NULL },
	{ "s-pool", asks, " ▸ w-pool: timer" },
	{ "s-join", joins, "child/join ▸ j-child: timer" },
	{ "v-convoy", convoys, NULL },
	{ "v-convoy", convoys, NULL },
	{ "s-convoy", convoys, "lock/mutex (shared_by_all) ▸ v-convoy: timer" },
};

static void *plays(void *context)
{
	const struct role *role = context;

	(void)prctl(PR_SET_NAME, role->name);
	for (;;)
		role->act();
	return NULL;
}

static _Noreturn void stage(void)
{
	pthread_t thread;

	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (pipe(first_pipe) || pipe(second_pipe) || socketpair(AF_UNIX, SOCK_STREAM, 0, pair) || sem_init(&posted, 0, 0))
		_exit(1);
	for (size_t i = 0; i < sizeof(roles) / sizeof(*roles); i++)
		if (pthread_create(&thread, NULL, plays, (void *)&roles[i]))
			_exit(1);
	for (;;)
		(void)pause();
}

static struct profile *captured(void)
{
	char path[] = "/tmp/crosscut-chains-XXXXXX";
	pid_t child = fork();
	struct recording recording = {
		.capture = { .population = { .kind = POPULATION_PROCESSES, .ids = &child, .id_count = 1 }, .wait_stacks = true,
			     .with = { "timeline" }, .with_count = 1 },
		.duration_ns = DURATION_NS };
	struct recording_result result = { 0 };
	struct error err = { 0 };
	int r;

	if (!child)
		stage();
	(void)usleep(50000);
	r = recorded_run(&recording, path, &result, &err);
	return recorded_profile(r, path, child, &result, &err);
}

static const struct value *in_row(const struct table *table, size_t row, const char *key)
{
	for (size_t i = 0; i < table->column_count; i++)
		if (!strcmp(table->columns[i].key, key))
			return &table->cells[row * table->column_count + i];
	return NULL;
}

static double in_record(const struct record *record, const char *key)
{
	for (size_t i = 0; i < record->count; i++)
		if (!strcmp(record->fields[i].key, key))
			return record->fields[i].value.number;
	return -1;
}

static bool ends_with(const char *text, const char *end)
{
	size_t length = strlen(text), size = strlen(end);

	return length >= size && !strcmp(text + length - size, end);
}

/* The largest part of its time that is not its own and not waiting for a processor, of which a busy machine has plenty. */
static const char *largest_chain(const struct table *table)
{
	for (size_t row = 0; row < table->row_count; row++) {
		const char *chain = in_row(table, row, "chain")->text;

		if (strstr(chain, "▸") && !strstr(in_row(table, row, "ground")->text, "runnable"))
			return chain;
	}
	return "";
}

static bool ground_is_right(const struct profile *profile, const struct role *role)
{
	struct selection *selection = selection_new();
	struct document *document = document_new("crosscut.test/1", "test");
	struct question question = { .profile = profile, .selection = selection, .most = 8 };
	struct error err = { 0 };
	char where[64];
	const char *chain;
	bool right;

	(void)snprintf(where, sizeof(where), "comm=%s", role->name);
	assert_int_equal(selection_where(selection, where, &err), 0);
	assert_int_equal(analysis_find("chain")->run(&question, document, &err), 0);
	assert_non_null(document_find(document, "chains"));
	assert_true(in_record(document_find(document, "chain")->record, "residual") == 0);
	chain = largest_chain(document_find(document, "chains")->table);
	right = ends_with(chain, role->ground) && in_record(document_find(document, "chain")->record, "unknown") <= 0.05;
	if (!right)
		print_error("%s: '%s', unknown %.3f, not '%s'\n", role->name, chain,
			    in_record(document_find(document, "chain")->record, "unknown"), role->ground);
	document_free(document);
	selection_free(selection);
	return right;
}

TEST(each_staged_chain_comes_down_to_what_was_staged_and_covers_its_time)
{
	struct profile *profile = captured();
	unsigned wrong = 0;

	if (!profile)
		skip();
	for (size_t i = 0; i < sizeof(roles) / sizeof(*roles); i++)
		wrong += roles[i].ground && !ground_is_right(profile, &roles[i]);
	assert_int_equal(wrong, 0);
	profile_free(profile);
}
