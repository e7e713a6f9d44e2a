/* SPDX-License-Identifier: Apache-2.0 */
/* The counts are per CPU and never reset, so that none is lost between a look and a reset. */
#include "work/responses.h"

#include "base/memory.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <stdlib.h>

#include "crosscut.skel.h"

struct work_state *responses_new(const struct work_options *options, void (*name)(unsigned class, char *text, size_t size),
				 enum outcome (*judge)(const struct work_state *state, unsigned class))
{
	struct work_state *state = xcalloc(1, sizeof(*state));

	state->fd = bpf_map__fd(options->bpf->maps.http_responses);
	state->cpus = libbpf_num_possible_cpus();
	state->correct = options->correct ? xstrdup(options->correct) : NULL;
	state->name = name;
	state->judge = judge;
	return state;
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

int responses_collect(struct work_state *state, bool last, void (*add)(void *to, const struct work_count *count), void *to,
		      struct error *err)
{
	uint64_t *per_cpu = xcalloc((size_t)state->cpus, sizeof(*per_cpu));
	struct wire_completion_key key, next, *previous = NULL;

	(void)last;
	(void)err;
	while (!bpf_map_get_next_key(state->fd, previous, &next)) {
		uint64_t now, *before;
		char class[32];

		key = next;
		previous = &key;
		now = sum_of_cpus(state, &key, per_cpu);
		before = total_of(state, &key);
		if (now <= *before)
			continue;
		state->name(key.class, class, sizeof(class));
		add(to, &(struct work_count){ .class = class, .process = key.process, .port = key.port, .count = now - *before,
					      .outcome = state->judge(state, key.class) });
		*before = now;
	}
	free(per_cpu);
	return 0;
}

void responses_close(struct work_state *state)
{
	if (!state)
		return;
	for (size_t i = 0; i < state->link_count; i++)
		(void)bpf_link__destroy(state->links[i]);
	free(state->correct);
	free(state->totals);
	free(state);
}
