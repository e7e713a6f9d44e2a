/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
#pragma once
/*
 * Requests, as the sources of work tell of them: opened when a thread has read one, closed when its response is sent. A
 * thread counts those that it has open, so that a wait can be told from idling; of one in so many, chosen as it opens, every
 * interval of its threads is sent (timeline.bpf.h), so that the user half can say where its time went.
 *
 * A request that another thread answers went there by a wake-up, if it did: the waker lends the one it works on to a thread
 * that had none. That is a guess until this thread answers; it ends when the thread waits again where it was woken.
 */
#include "probe/kernel.bpf.h"

extern const volatile bool requests;                    /* set before load: without it nothing here is even verified */
extern volatile __u32 request_one_in;                   /* changed while it runs; 0: none is decomposed */

/* What a connection remembers of the request that is open on it, and of the next. All zero: none is. */
struct request_state {
	__u64 arrived_ns;               /* when the next one was there to be read; 0: not seen */
	__u32 id;                       /* of a decomposed one; 0: it is only counted */
	__u32 thread;                   /* that opened it (serial); 0: none is open */
	__u32 sequence;                 /* of its thread's requests */
	__u32 overlap;
	bool is_foreign;                /* it speaks another protocol from here on: nothing more is a request */
};

/* From the ledger's own thread, which runs. What was read lies at `from`; NULL where it cannot be said. REQUEST_TEXT: it is a
 * text that ends, the class itself. */
enum { REQUEST_TEXT = 0 };
HIDDEN void request_open(struct request_state *state, struct task_ledger *ledger, const void *from, __u32 bytes);
HIDDEN void request_touch(const struct request_state *state, struct task_ledger *ledger);
HIDDEN void request_close(struct request_state *state, struct task_ledger *ledger, __u32 status);
HIDDEN void request_abandon(struct request_state *state);               /* from any context */

/* A thread is about to wait in a call at a place: WIRE_SERVES, WIRE_IN_REQUEST. */
HIDDEN __u32 request_waits(struct task_ledger *ledger, __u32 place);
/* A thread was made runnable by another of its process, in that one's context. */
HIDDEN void request_handed(struct task_ledger *woken, const struct task_ledger *waker);

/* timeline.bpf.c: into the ring of intervals. False where it is full. */
HIDDEN bool timeline_send(void *record, __u32 size);
HIDDEN bool timeline_send_prefix(const struct wire_request_open *head, const void *from, __u32 bytes);
