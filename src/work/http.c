/* SPDX-License-Identifier: Apache-2.0 */
/*
 * HTTP/1 responses by status, process and local port. The kernel half's counts only grow; each collection hands on what
 * they gained. Correct is a status below 400, unless --correct says otherwise.
 */
#include "work/work.h"

#include "base/error.h"
#include "base/map.h"
#include "base/memory.h"
#include "base/quantity.h"
#include "work/http_class.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "crosscut.skel.h"

enum { RESPONSE_LIMIT = 4096 };

struct response_total {
	struct wire_completion_key key;
	uint64_t count;
};

struct work_state {
	int fd;
	int cpus;
	char *correct;
	struct response_total *totals;
	size_t total_count, total_room;
};

static int http_check(const char *argument, struct error *err)
{
	uint64_t port;

	if (!argument)
		return 0;
	if (quantity_parse_count(argument, &port, err) < 0 || !port || port > 65535) {
		fail(err, FAILURE_USAGE, -EINVAL, "'%s' is no port", argument);
		return error_try(err, "--work http:8080");
	}
	return 0;
}

static int http_open(const struct work_options *options, struct work_state **ret, struct error *err)
{
	struct work_state *state = xcalloc(1, sizeof(*state));

	(void)err;
	state->fd = bpf_map__fd(options->bpf->maps.http_responses);
	state->cpus = libbpf_num_possible_cpus();
	state->correct = options->correct ? xstrdup(options->correct) : NULL;
	*ret = state;
	return 0;
}

static uint64_t *total_of(struct work_state *state, const struct wire_completion_key *key)
{
	for (size_t i = 0; i < state->total_count; i++) {
		const struct wire_completion_key *at = &state->totals[i].key;

		if (at->process == key->process && at->port == key->port && at->class == key->class)
			return &state->totals[i].count;
	}
	grow(state->totals, state->total_count, state->total_room);
	state->totals[state->total_count] = (struct response_total){ .key = *key };
	return &state->totals[state->total_count++].count;
}

static uint64_t sum_of_cpus(const struct work_state *state, const struct wire_completion_key *key, uint64_t *per_cpu)
{
	uint64_t sum = 0;

	if (bpf_map_lookup_elem(state->fd, key, per_cpu))
		return 0;
	for (int i = 0; i < state->cpus; i++)
		sum += per_cpu[i];
	return sum;
}

static enum outcome http_judge(const struct work_state *state, unsigned status)
{
	char class[16];

	(void)snprintf(class, sizeof(class), "%u", status);
	return (state->correct ? work_class_listed(state->correct, class) : status < 400) ? OUTCOME_CORRECT : OUTCOME_INCORRECT;
}

static int http_collect(struct work_state *state, bool last, void (*add)(void *to, const struct work_count *count), void *to,
			struct error *err)
{
	uint64_t *per_cpu = xcalloc((size_t)state->cpus, sizeof(*per_cpu));
	struct wire_completion_key key, next, *previous = NULL;

	(void)last;
	(void)err;
	while (!bpf_map_get_next_key(state->fd, previous, &next)) {
		uint64_t now, *before;
		char class[8];

		key = next;
		previous = &key;
		now = sum_of_cpus(state, &key, per_cpu);
		before = total_of(state, &key);
		if (now <= *before)
			continue;
		(void)snprintf(class, sizeof(class), "%u", key.class);
		add(to, &(struct work_count){
			.class = class, .process = key.process, .port = key.port, .count = now - *before,
			.outcome = http_judge(state, key.class) });
		*before = now;
	}
	free(per_cpu);
	return 0;
}

static void http_close(struct work_state *state)
{
	if (!state)
		return;
	free(state->correct);
	free(state->totals);
	free(state);
}

extern const struct work work_http;
const struct work work_http = {
	.name = "http", .summary = "HTTP/1 responses by status, counted in the kernel as they are sent",
	.unit = "response", .synopsis = "http[:PORT]",
	.exposes = "the first 12 bytes of what is sent on TCP sockets; only the status number is kept",
	.programs = { { "http_sent", "sock_send_length", 201 } },
	.request_programs = { { "http_received", "sock_recv_length", 150 }, { "http_arrived", "sk_data_ready", 60 },
			      { "http_ended", "inet_sock_set_state", 40 } },
	.class_of = http_class_of, .judge = http_judge,
	.check = http_check, .open = http_open, .collect = http_collect, .close = http_close,
};
