/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * What the parts of the drain share: drain.c reads what comes as it happens, drain_slice.c what was added up for a slice,
 * drain_request.c what requests began with; drain_name.c names what records refer to, drain_end.c forgets who ended.
 */
#include "capture/batch.h"
#include "capture/drain.h"
#include "capture/heap.h"
#include "capture/sideband.h"
#include "capture/unwinding.h"
#include "work/work.h"

struct interpreting;
struct kallsyms;
struct lock_names;
struct map;
struct resident;
struct ring;
struct tls;

struct drain {
	struct drain_options options;
	struct ring *ring, *timeline_ring;      /* timeline_ring: NULL where no intervals are asked for */
	struct sideband *sideband;              /* NULL where perf events are not to be had: /proc alone must do */
	struct kallsyms *kernel;
	struct unwinding *unwinding;
	struct interpreting *interpreting;
	struct tls *tls;                        /* NULL: handshakes are not watched */
	struct lock_names *lock_names;
	struct resident *resident;              /* NULL: not asked for */
	struct heap_counts heap_before;
	const struct counters *perf_counters;   /* NULL: none */
	uint32_t *ended;                        /* processes that exited: forgotten a tick later, when their last records are decoded */
	size_t ended_count, ended_before, ended_room;   /* before: those of the tick before stand first */
	bool expects;                           /* a command that is held and will begin */
	bool hurries;                           /* programs begin: the next tick should come soon */
	struct unwinding_stack walked;
	struct { struct wire_request_open open; char texts[sizeof(struct work_class) + 8]; } opened;     /* the request at hand */
	struct wire_request_event happened;
	struct map *request_classes;            /* those there are so far: names of classes */
	uint64_t requests_before;               /* as counted a tick ago */
	struct batch batch;                     /* from the ring and the side band */
	struct batch extra;                     /* what must be decoded before the record at hand */
	struct batch costs;                     /* of the next slice: costs, and completions counted elsewhere */
	const struct work *work;                /* NULL: none is counted */
	struct work_state *work_state;
	uint64_t counters[COUNTERS], before[COUNTERS];
	struct harvested_mapping mapping;       /* too large for a stack */
	struct sideband_statistics band;
	uint64_t malformed;
	struct drain_counts totals;
};

/* drain_request.c: a request's record as the decoder may see it: its class in place of its first bytes, its outcome. */
const struct wire_head *drain_request(struct drain *drain, const struct wire_head *head);

void drain_feed(struct drain *drain, const void *record, size_t size);
void drain_feed_extra(struct drain *drain);
/* Names go before the record that refers to them, if they are not known yet. A return address lies behind its call, which may
 * be the last of its function: it is looked up one before. A function's own address (a file's release operation) is not. */
void drain_name_kernel_address(struct drain *drain, uint64_t address, bool is_return);
void drain_name_waker(struct drain *drain, uint32_t tid);
void drain_name_outsider(struct drain *drain, uint32_t tid, const char *comm);   /* comm: what it was called, should it be gone */
void drain_name_kernel_stack(struct drain *drain, const struct wire_stack *stack);
/* Frames of an interpreter are named while their process lives; code that is gone keeps none. */
void drain_name_interpreted(struct drain *drain, const struct wire_stack *stack);
/* process 0: a lock of the kernel's, whose kind the flags of its contention tell. */
void drain_name_lock(struct drain *drain, uint32_t process, uint64_t lock, uint32_t contention);

void drain_note_end(struct drain *drain, uint32_t pid);
void drain_forget_ended(struct drain *drain);                   /* once a tick */
void drain_keep_born(struct drain *drain, uint32_t pid);        /* it has the number of one that ended */
