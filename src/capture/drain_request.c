/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Requests on their way to the decoder: a request's first bytes become its class here and go no further. Classes are
 * bounded; beyond that a request is "other", so that paths that nobody can foresee do not fill a capture.
 */
#include "capture/drain_state.h"

#include "base/map.h"
#include "capture/maps.h"
#include "probe/decoder.h"
#include "probe/request_book.h"

#include <stdio.h>
#include <string.h>
#include <sys/uio.h>

#include "crosscut.skel.h"

enum { CLASS_LIMIT = 200, DECOMPOSED_PER_SECOND = 1000, TICKS_PER_SECOND = 10, ONE_IN_LIMIT = 1 << 20 };

static uint64_t hash_of(const char *text)
{
	uint64_t hash = 0xcbf29ce484222325ull;

	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * 0x100000001b3ull;
	return hash;
}

static void bound_class(struct drain *drain, struct work_class *class)
{
	uint64_t hash = hash_of(class->name);

	if (map_find(drain->request_classes, &hash))
		return;
	if (map_count(drain->request_classes) < CLASS_LIMIT)
		*map_put(drain->request_classes, &hash, NULL) = 1;
	else
		(void)snprintf(class->name, sizeof(class->name), "other");
}

/* A constant text that the program itself never touched; reading it brings it into memory, so that it is read once. */
static size_t read_elsewhere(const struct wire_request_place *place, char *text, size_t size)
{
	struct iovec here = { text, size }, there = { (void *)(uintptr_t)place->address, size };
	size_t rest = 4096 - place->address % 4096;
	ssize_t got;

	there.iov_len = here.iov_len = rest < size ? rest : size;
	got = process_vm_readv((pid_t)place->process, &here, 1, &there, 1, 0);
	return got > 0 ? strnlen(text, (size_t)got) : 0;
}

static const struct wire_head *opened(struct drain *drain, const struct wire_request_prefix *wire)
{
	struct work_class class = { .name = "" };
	size_t size, trace, bytes = wire->open.bytes < sizeof(wire->prefix) ? wire->open.bytes : sizeof(wire->prefix);

	const char *prefix = wire->prefix;
	char text[sizeof(class.name)];

	if (wire->open.bytes == WIRE_REQUEST_ELSEWHERE) {
		bytes = read_elsewhere(&wire->place, text, sizeof(text));
		prefix = text;
	}
	if (drain->work && drain->work->class_of)
		drain->work->class_of(prefix, bytes, &class);
	bound_class(drain, &class);
	memset(&drain->opened, 0, sizeof(drain->opened));
	drain->opened.open = wire->open;
	drain->opened.open.head.kind = WIRE_REQUEST_OPEN;
	size = strlen(class.name) + 1;
	trace = strlen(class.trace_id) + 1;
	memcpy(drain->opened.texts, class.name, size);
	memcpy(drain->opened.texts + size, class.trace_id, trace);
	drain->opened.open.head.size = (uint32_t)((sizeof(drain->opened.open) + size + trace + 7) & ~(size_t)7);
	return &drain->opened.open.head;
}

const struct wire_head *drain_request(struct drain *drain, const struct wire_head *head)
{
	if (head->kind == WIRE_REQUEST_PREFIX && head->size >= sizeof(struct wire_request_prefix))
		return opened(drain, (const void *)head);
	if (head->kind != WIRE_REQUEST_EVENT || head->size < sizeof(drain->happened))
		return head;
	drain->happened = *(const struct wire_request_event *)(const void *)head;
	drain->happened.outcome = drain->work && drain->work->judge ? drain->work->judge(drain->work_state, drain->happened.status)
								    : OUTCOME_UNJUDGED;
	return &drain->happened.head;
}

/* Chosen ahead of the requests, so that whatever the rate does each stands for as many as it was chosen from. */
void drain_request_rate(struct drain *drain)
{
	struct crosscut_bpf *bpf = drain->options.bpf;
	uint64_t now, gained, one_in;

	if (!bpf->rodata->requests)
		return;
	now = maps_sum(bpf->maps.counters, COUNT_REQUESTS);
	gained = (now - drain->requests_before) * TICKS_PER_SECOND;
	drain->requests_before = now;
	one_in = (gained + DECOMPOSED_PER_SECOND - 1) / DECOMPOSED_PER_SECOND;
	if (one_in < bpf->data->request_one_in / 2)             /* a pause may end as suddenly as it began */
		one_in = bpf->data->request_one_in / 2;
	bpf->data->request_one_in = one_in < 1 ? 1 : one_in < ONE_IN_LIMIT ? (uint32_t)one_in : ONE_IN_LIMIT;
}

void drain_note_requests(const struct drain *drain)
{
	struct profile *profile = decoder_profile(drain->options.decoder);
	struct bpf_map *counters = drain->options.bpf->maps.counters;
	struct request_statistics statistics;

	if (!drain->options.bpf->rodata->requests)
		return;
	request_book_statistics(decoder_requests(drain->options.decoder), &statistics);
	profile_set_meta_number(profile, "requests.opened", maps_sum(counters, COUNT_REQUESTS));
	profile_set_meta_number(profile, "requests.abandoned", maps_sum(counters, COUNT_REQUESTS_ABANDONED));
	profile_set_meta_number(profile, "requests.responses_unmatched", maps_sum(counters, COUNT_RESPONSES_ORPHANED));
	profile_set_meta_number(profile, "requests.decomposed", statistics.closed);
}
