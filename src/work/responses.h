/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * What sources with a kernel half have in common: counts by process, port and class that only grow (src/work/response.bpf.h).
 * Each collection hands on what they gained. The row says what a class number is called and how it is judged.
 */
#include "wire/wire.h"
#include "work/work.h"

struct bpf_link;

enum { WORK_LINK_LIMIT = 64 };

struct response_total { struct wire_completion_key key; uint64_t count; };

struct work_state {
	int fd, cpus;
	char *correct;
	void (*name)(unsigned class, char *text, size_t size);
	enum outcome (*judge)(const struct work_state *state, unsigned class);
	struct response_total *totals;
	size_t total_count, total_room;
	struct bpf_link *links[WORK_LINK_LIMIT];             /* of probes put into programs */
	size_t link_count;
};

struct work_state *responses_new(const struct work_options *options, void (*name)(unsigned class, char *text, size_t size),
				 enum outcome (*judge)(const struct work_state *state, unsigned class));
int responses_collect(struct work_state *state, bool last, void (*add)(void *to, const struct work_count *count), void *to,
		      struct error *err);
void responses_close(struct work_state *state);
