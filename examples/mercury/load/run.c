/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One thread, one epoll. A request leaves at its planned time on any connection that is free; if
 * none is, it leaves when one becomes free, and both its lateness and its latency count from the
 * planned time. The sleep between two requests ends by a high-resolution timeout; nothing spins.
 */
#define _GNU_SOURCE 1
#include "run.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "../common/clock.h"
#include "answer.h"
#include "client.h"
#include "schedule.h"
#include "tally.h"

#define DRAIN_NS 2000000000u

struct run {
	const struct run_config *config;
	const struct schedule *schedule;
	struct tally *tally;
	struct client *clients;
	struct client **idle;                /* a stack of those that are free */
	size_t idle_count, next;
	uint64_t start_ns;
	uint64_t next_deadline_ns;           /* the earliest of all under way; UINT64_MAX: none */
	int epoll;
	bool by_signal;                      /* the window belongs to the signals */
	bool sending;
	bool started;                        /* the clients are initialised */
};

static int client_watch(struct run *run, struct client *client)
{
	struct epoll_event event = { .events = EPOLLIN, .data.ptr = client };
	int r = client_connect(client, run->config->port);

	if (r == 0 && epoll_ctl(run->epoll, EPOLL_CTL_ADD, client->fd, &event) < 0)
		r = -errno;
	return r;
}

/* The one used last is used next, as it and its thread are still warm; but one that failed goes to
 * the bottom, so that a refused connection does not keep the working ones from their turn. */
static void client_rest(struct run *run, struct client *client, bool last)
{
	size_t place = last ? 0 : run->idle_count;

	memmove(&run->idle[place + 1], &run->idle[place],
		(run->idle_count - place) * sizeof(*run->idle));
	run->idle[place] = client;
	run->idle_count++;
}

static void client_finish(struct run *run, struct client *client, int status, enum outcome outcome)
{
	tally_done(run->tally, client->intended_ns, status, outcome);
	client->busy = false;
	client->filled = 0;
	client_rest(run, client, outcome >= OUTCOME_FAILED);
}

static void attempt_send(struct run *run, struct client *client, uint32_t item,
			 int32_t warehouse)
{
	int r = client->fd < 0 ? client_watch(run, client) : 0;

	client->attempts++;
	tally_sent(run->tally, client->intended_ns, clock_now_ns());
	if (r == 0)
		r = client_send(client, item, warehouse);
	if (r < 0) {
		client_close(client);
		client_finish(run, client, 0, OUTCOME_FAILED);
	}
}

static void request_send(struct run *run, const struct planned *planned)
{
	struct client *client = run->idle[--run->idle_count];

	client->busy = true;
	client->attempts = 0;
	client->intended_ns = run->start_ns + planned->at_ns;
	client->first_sent_ns = clock_now_ns();
	if (client->first_sent_ns + run->config->deadline_ns < run->next_deadline_ns)
		run->next_deadline_ns = client->first_sent_ns + run->config->deadline_ns;
	attempt_send(run, client, planned->item, planned->warehouse);
}

/* Told that there is no room. That connection is closed; another attempt needs another. */
static void rejection_take(struct run *run, struct client *client, int status)
{
	client_close(client);
	client->filled = 0;
	if (client->attempts > run->config->retries) {
		client_finish(run, client, status, OUTCOME_REJECTED);
		return;
	}
	tally_done(run->tally, client->intended_ns, status, OUTCOME_RETRIED);
	attempt_send(run, client, client->item, client->warehouse);
}

/* Gives up what has waited for too long; and its connection, since an answer may yet come there. */
static void deadlines_pass(struct run *run, uint64_t now_ns)
{
	uint64_t earliest_ns = UINT64_MAX;

	if (!run->config->deadline_ns || now_ns < run->next_deadline_ns)
		return;
	for (size_t i = 0; i < run->config->connections; i++) {
		struct client *client = &run->clients[i];
		uint64_t deadline_ns = client->first_sent_ns + run->config->deadline_ns;

		if (!client->busy)
			continue;
		if (deadline_ns > now_ns) {
			earliest_ns = deadline_ns < earliest_ns ? deadline_ns : earliest_ns;
			continue;
		}
		client_close(client);
		client_finish(run, client, 0, OUTCOME_ABANDONED);
	}
	run->next_deadline_ns = earliest_ns;
}

static void answer_take(struct run *run, struct client *client)
{
	const char *body;
	size_t length;
	int status, r = client_receive(client, &status, &body, &length);

	if (r == 0)
		return;
	if (r < 0 || !client->busy) {                /* closed by the service, or refused unasked */
		client_close(client);
		if (client->busy)
			client_finish(run, client, 0, OUTCOME_FAILED);
		return;
	}
	if (status == 503)
		rejection_take(run, client, status);
	else if (status != 200)
		client_finish(run, client, status, OUTCOME_FAILED);
	else
		client_finish(run, client, status,
			      answer_is_right(client->item, client->warehouse, body, length) ?
			      OUTCOME_CORRECT : OUTCOME_INCORRECT);
}

static void signals_take(struct run *run)
{
	struct signalfd_siginfo info;

	while (read(run->config->signals, &info, sizeof(info)) == sizeof(info)) {
		if (info.ssi_signo == SIGUSR1) {
			run->by_signal = true;
			tally_open(run->tally);
		} else {                     /* SIGUSR2; SIGTERM and SIGINT end the run too */
			tally_close(run->tally);
			run->sending = false;
		}
	}
}

/* Opens and closes the window where no signal does, sends what is due. */
static void clock_advance(struct run *run, uint64_t now_ns)
{
	uint64_t gone_ns = now_ns - run->start_ns;

	deadlines_pass(run, now_ns);
	if (!run->by_signal && !run->tally->start_ns && gone_ns >= run->config->warm_up_ns)
		tally_open(run->tally);
	if (gone_ns >= run->config->length_ns) {
		tally_close(run->tally);
		run->sending = false;
	}
	while (run->sending && run->idle_count && run->next < run->schedule->count &&
	       run->schedule->planned[run->next].at_ns <= gone_ns) {
		request_send(run, &run->schedule->planned[run->next++]);
		gone_ns = clock_now_ns() - run->start_ns;
	}
}

/* When something is to be done even if nothing arrives. */
static uint64_t next_due_ns(const struct run *run)
{
	uint64_t due_ns = run->config->length_ns;

	if (!run->tally->start_ns && !run->by_signal && run->config->warm_up_ns < due_ns)
		due_ns = run->config->warm_up_ns;
	if (run->idle_count && run->next < run->schedule->count &&
	    run->schedule->planned[run->next].at_ns < due_ns)
		due_ns = run->schedule->planned[run->next].at_ns;
	due_ns += run->start_ns;
	return run->config->deadline_ns && run->next_deadline_ns < due_ns ? run->next_deadline_ns : due_ns;
}

static void events_wait(struct run *run, uint64_t until_ns)
{
	struct epoll_event events[64];
	uint64_t now_ns = clock_now_ns(), wait_ns = until_ns > now_ns ? until_ns - now_ns : 0;
	struct timespec timeout = { (time_t)(wait_ns / 1000000000), (long)(wait_ns % 1000000000) };
	int count = epoll_pwait2(run->epoll, events, 64, &timeout, NULL);

	for (int i = 0; i < count; i++) {
		if (events[i].data.ptr)
			answer_take(run, events[i].data.ptr);
		else
			signals_take(run);
	}
}

static int run_start(struct run *run)
{
	struct epoll_event event = { .events = EPOLLIN };
	int r = 0;

	run->epoll = epoll_create1(EPOLL_CLOEXEC);
	run->clients = calloc(run->config->connections, sizeof(*run->clients));
	run->idle = calloc(run->config->connections, sizeof(*run->idle));
	if (run->epoll < 0 || !run->clients || !run->idle)
		return run->epoll < 0 ? -errno : -ENOMEM;
	for (size_t i = 0; i < run->config->connections; i++) {
		run->clients[i].fd = -1;
		run->idle[run->idle_count++] = &run->clients[i];
	}
	run->started = true;
	if (epoll_ctl(run->epoll, EPOLL_CTL_ADD, run->config->signals, &event) < 0)
		return -errno;
	for (size_t i = 0; i < run->config->connections && r == 0; i++)
		r = client_watch(run, &run->clients[i]);
	(void)prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0);    /* best effort: lateness is measured */
	return r;
}

static void run_end(struct run *run)
{
	for (size_t i = 0; i < run->config->connections && run->started; i++)
		client_close(&run->clients[i]);
	if (run->epoll >= 0)
		close(run->epoll);
	free(run->clients);
	free(run->idle);
}

int run(const struct run_config *config, const struct schedule *schedule,
	struct tally *tally)
{
	struct run run = { .config = config, .schedule = schedule, .tally = tally,
			   .sending = true, .next_deadline_ns = UINT64_MAX };
	int r = run_start(&run);
	uint64_t drained_ns;

	run.start_ns = clock_now_ns();
	while (r == 0 && run.sending) {
		events_wait(&run, next_due_ns(&run));
		clock_advance(&run, clock_now_ns());
	}
	drained_ns = clock_now_ns() + DRAIN_NS;
	while (r == 0 && run.idle_count < config->connections && clock_now_ns() < drained_ns)
		events_wait(&run, drained_ns);
	run_end(&run);
	return r;
}
