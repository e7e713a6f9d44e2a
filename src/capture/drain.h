/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * Empties what the kernel half filled, and turns it into wire records in time order: the ring and the side band every
 * tenth of a second, the maps once a slice. Beside them it harvests what the records refer to and what will be gone later:
 * processes, mappings, kernel names.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/cleanup.h"

struct counters;
struct crosscut_bpf;
struct decoder;
struct drain;
struct error;
struct harvest;
struct heap;
struct unwinding;
struct work;
struct work_state;

struct drain_options {
	struct crosscut_bpf *bpf;
	struct decoder *decoder;
	struct harvest *harvest;
	bool with_arguments;
	bool everybody;                 /* of the machine is in the population */
	uint32_t stack_depth;
	struct heap *heap;              /* borrowed; NULL: no shim */
	bool heap_running;              /* probes at the allocators of processes that run */
	bool resident;                  /* look at what processes' memory consists of */
};

int drain_open(struct drain **ret, const struct drain_options *options, struct error *err);
void drain_free(struct drain *drain);
DEFINE_CLEANUP(drain)

struct unwinding *drain_unwinding(struct drain *drain);
/* A process that is not of the population yet, and will be: what it maps on its way is not to be overheard. */
void drain_expect(struct drain *drain, uint32_t pid);
void drain_set_work(struct drain *drain, const struct work *work, struct work_state *state);  /* borrowed */
void drain_set_counters(struct drain *drain, const struct counters *counters);       /* borrowed */
void drain_tick(struct drain *drain);                                  /* ring and side band */
/* Chooses of how many requests one is decomposed, by how many there were in the last tick. */
void drain_request_rate(struct drain *drain);
void drain_note_requests(const struct drain *drain);                 /* how many there were, into the profile's meta */
/* Whether programs began in the last tick: their mappings are yet to come. */
bool drain_hurries(const struct drain *drain);
/* Turns to the other half of the maps and hands on what lies in this one, as the slice [start_ns, end_ns). */
int drain_slice(struct drain *drain, uint64_t start_ns, uint64_t end_ns, bool last, struct error *err);
void drain_bytes(struct drain *drain, const void *bytes, size_t size); /* of an iterator */
/* Completions that somebody else counted, into the next slice. */
void drain_completion(struct drain *drain, const char *source, const char *class, uint32_t outcome, uint64_t count);
void drain_cost(struct drain *drain, const char *source, uint64_t ns, uint64_t events);  /* into the next slice */

void drain_note_interpreting(const struct drain *drain);             /* what runtimes told, into the profile's meta */

struct drain_counts { uint64_t events, lost, threads; };
void drain_counts(const struct drain *drain, struct drain_counts *ret);  /* since the start */
