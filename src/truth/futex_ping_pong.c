/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two processes on one CPU that wake each other up through one word: two context switches, two
 * waits and two wake-ups in each round trip, and next to nothing else. The rate with and without a
 * capture gives what watching costs per round trip here.
 */
#include <linux/futex.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "truth/stage.h"

enum { ROUNDS = 100 };                  /* between two looks at the clock */
enum { PINGS_TURN, PONGS_TURN, CLOSED };

static void futex(atomic_uint *word, int operation, unsigned value)
{
	(void)syscall(SYS_futex, word, operation, value, NULL, NULL, 0);
}

/*
 * Waits as long as the word is `other`, then writes `next`; false when the word was closed
 * meanwhile.
 */
static bool turn(atomic_uint *word, unsigned other, unsigned next)
{
	unsigned seen;

	while ((seen = atomic_load(word)) == other)
		futex(word, FUTEX_WAIT, other);
	if (seen == CLOSED)
		return false;
	atomic_store(word, next);
	futex(word, FUTEX_WAKE, 1);
	return true;
}

static void pong(struct actor *actor)
{
	while (turn(&actor->context->signal, PINGS_TURN, PINGS_TURN))
		;
}

static void ping(struct actor *actor)
{
	struct truth_context *context = actor->context;
	uint64_t start_ns = clock_now_ns();

	while (stage_more(context)) {
		for (int round = 0; round < ROUNDS; round++)
			(void)turn(&context->signal, PONGS_TURN, PONGS_TURN);
		context->report.operations += ROUNDS;
	}
	context->report.elapsed_ns = clock_now_ns() - start_ns;
	(void)turn(&context->signal, PONGS_TURN, CLOSED);
}

static int stage(struct truth_context *context, struct error *err)
{
	pid_t pid;
	int r = stage_pin();

	if (r < 0)
		return fail(err, FAILURE_WORK, r, "cannot stay on one CPU");
	r = stage_process(context, pong, NULL, &pid, err);
	if (r >= 0)
		r = stage_threads(context, 1, ping, NULL, NULL, err);
	if (r >= 0)
		(void)waitpid(pid, NULL, 0);
	return r;
}

const struct truth truth_futex_ping_pong = {
	.name = "futex-ping-pong",
	.summary = "two processes that wake each other up, on one CPU",
	.operation = "round trip", .thread = "t-ping-pong",
	.measure = TRUTH_RATE, .default_ms = 1000,
	.stage = stage,
};
