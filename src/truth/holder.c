/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One mutex that goes round: three threads take turns to hold it while they sleep, and two others ask for it each time. Who
 * had it last is written under the mutex itself, so that each who gets it knows from whom.
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <unistd.h>

#include "truth/stage.h"

enum { HOLDERS = 3, ASKING = 2, SURELY_WAITED_NS = STAGE_PACE_NS / 4 };

struct round_of_holders {
	pthread_mutex_t mutex;
	pid_t had;                              /* who had it last: under the mutex */
	sem_t held[ASKING], done, turns[HOLDERS];
	struct truth_context *context;
	atomic_bool closed;
};

struct holder { struct round_of_holders *round; unsigned index; };

static void wait_for(sem_t *semaphore)
{
	while (sem_wait(semaphore) < 0)
		;
}

static void hold_once(struct round_of_holders *round)
{
	(void)pthread_mutex_lock(&round->mutex);
	for (unsigned i = 0; i < ASKING; i++)
		(void)sem_post(&round->held[i]);
	stage_sleep_ns(STAGE_PACE_NS);
	round->had = gettid();
	(void)pthread_mutex_unlock(&round->mutex);
}

static void *hold(void *argument)
{
	struct holder *holder = argument;
	struct round_of_holders *round = holder->round;

	for (;;) {
		wait_for(&round->turns[holder->index]);
		if (atomic_load(&round->closed))
			return NULL;
		hold_once(round);
		for (unsigned i = 0; i < ASKING; i++)
			wait_for(&round->done);
		(void)sem_post(&round->turns[(holder->index + 1) % HOLDERS]);
	}
}

static void note(struct truth_report *report, pid_t tid, pid_t holder)
{
	for (unsigned i = 0; i < report->amount_count; i++) {
		if (report->amounts[i].tid != tid || report->amounts[i].other != holder)
			continue;
		report->amounts[i].value++;
		return;
	}
	if (report->amount_count < TRUTH_AMOUNTS)
		report->amounts[report->amount_count++] = (struct truth_amount){ .tid = tid, .other = holder, .value = 1 };
}

/* What is noted is noted under the mutex. Whoever waited for so short may not have slept. */
static void ask(struct actor *actor)
{
	struct round_of_holders *round = actor->prop;

	while (!stage_over(actor->context)) {
		uint64_t asked_ns, waited_ns;

		wait_for(&round->held[actor->index]);
		if (stage_over(actor->context))
			return;
		asked_ns = clock_now_ns();
		(void)pthread_mutex_lock(&round->mutex);
		waited_ns = clock_now_ns() - asked_ns;
		if (waited_ns >= SURELY_WAITED_NS)
			note(&actor->context->report, gettid(), round->had);
		round->had = gettid();
		stage_spin_ns(STAGE_PACE_NS / 10);
		(void)pthread_mutex_unlock(&round->mutex);
		(void)sem_post(&round->done);
	}
}

static void go_round(struct truth_context *context, void *prop)
{
	struct round_of_holders *round = prop;
	struct holder holders[HOLDERS];
	pthread_t threads[HOLDERS];

	for (unsigned i = 0; i < HOLDERS; i++) {
		holders[i] = (struct holder){ round, i };
		if (pthread_create(&threads[i], NULL, hold, &holders[i]))
			abort();
	}
	(void)sem_post(&round->turns[0]);
	while (stage_more(context))
		stage_sleep_ns(STAGE_PACE_NS);
	atomic_store(&round->closed, true);
	for (unsigned i = 0; i < HOLDERS; i++)
		(void)sem_post(&round->turns[i]);
	for (unsigned i = 0; i < HOLDERS; i++)
		(void)pthread_join(threads[i], NULL);
	atomic_store_explicit(&context->over, true, memory_order_release);
	for (unsigned i = 0; i < ASKING; i++)
		(void)sem_post(&round->held[i]);
}

static int stage_holders(struct truth_context *context, struct error *err)
{
	struct round_of_holders round = { .mutex = PTHREAD_MUTEX_INITIALIZER, .context = context };

	for (unsigned i = 0; i < ASKING; i++)
		(void)sem_init(&round.held[i], 0, 0);
	for (unsigned i = 0; i < HOLDERS; i++)
		(void)sem_init(&round.turns[i], 0, 0);
	(void)sem_init(&round.done, 0, 0);
	return stage_threads(context, ASKING, ask, go_round, &round, err);
}

const struct truth truth_holder = {
	.name = "holder",
	.summary = "a mutex that five threads hand on: who had it",
	.state = "lock", .part = "mutex", .thread = "t-holder", .unit = "hand-offs", .default_ms = 1000,
	.measure = TRUTH_HOLDERS, .with = "locks", .stage = stage_holders,
};
