/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * The only writer of what a ledger holds of requests. A request that ends where its thread cannot be reached (another
 * answered it, or its connection was reset in an interrupt) is settled by that thread itself when it next looks.
 */
#include "probe/request.bpf.h"

const volatile bool requests = false;
volatile __u32 request_one_in = 16;
__u32 next_request = 0;

/* By serial of the thread that opened them. */
struct settlement { __u32 open, traced; };
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 16384);
	__type(key, __u32);
	__type(value, struct settlement);
} request_settlements SEC(".maps");

enum { BORROWED = 1, BORROWED_TRACED = 2, FUTEX_CALL = 202 };

static bool send_event(struct wire_request_event *event)
{
	event->head.size = sizeof(*event);
	event->head.kind = WIRE_REQUEST_EVENT;
	event->head.time_ns = bpf_ktime_get_ns();
	count(COUNT_REQUEST_RECORDS);
	if (timeline_send(event, sizeof(*event)))
		return true;
	count(COUNT_REQUEST_RECORDS_LOST);
	return false;
}

static void settle_later(__u32 thread, bool traced)
{
	struct settlement none = {}, *later = bpf_map_lookup_elem(&request_settlements, &thread);

	if (!later) {
		bpf_map_update_elem(&request_settlements, &thread, &none, BPF_NOEXIST);
		later = bpf_map_lookup_elem(&request_settlements, &thread);
	}
	if (!later)
		return;
	__sync_fetch_and_add(&later->open, 1);
	if (traced)
		__sync_fetch_and_add(&later->traced, 1);
}

static void close_own(struct task_ledger *ledger, __u32 open, __u32 traced)
{
	ledger->requests_open = ledger->requests_open > open ? ledger->requests_open - open : 0;
	ledger->requests_traced = ledger->requests_traced > traced ? ledger->requests_traced - traced : 0;
}

static void settle(struct task_ledger *ledger)
{
	__u32 thread = ledger->serial, open, traced;
	struct settlement *later;

	if (!ledger->requests_open)
		return;
	later = bpf_map_lookup_elem(&request_settlements, &thread);
	if (!later || !later->open)
		return;
	open = __sync_lock_test_and_set(&later->open, 0);
	traced = __sync_lock_test_and_set(&later->traced, 0);
	close_own(ledger, open, traced);
}

static void return_borrowed(struct task_ledger *ledger)
{
	if (ledger->request_borrowed == BORROWED_TRACED) {
		close_own(ledger, 0, 1);
		ledger->request_current = 0;
	}
	ledger->request_borrowed = 0;
}

static bool is_chosen(void)
{
	__u32 one_in = request_one_in;

	return one_in && (one_in == 1 || bpf_get_prandom_u32() % one_in == 0);
}

static __u32 announce(const struct request_state *state, const struct task_ledger *ledger, const void *from, __u32 bytes)
{
	struct wire_request_open head = {
		.head = { .kind = WIRE_REQUEST_PREFIX, .time_ns = bpf_ktime_get_ns() },
		.arrived_ns = state->arrived_ns, .thread = ledger->serial, .one_in = request_one_in,
	};

	head.request = __sync_fetch_and_add(&next_request, 1) + 1;
	count(COUNT_REQUEST_RECORDS);
	if (timeline_send_prefix(&head, from, from ? bytes : 0))
		return head.request;
	count(COUNT_REQUEST_RECORDS_LOST);
	return 0;                                       /* it is only counted then */
}

HIDDEN void request_open(struct request_state *state, struct task_ledger *ledger, const void *from, __u32 bytes)
{
	settle(ledger);
	if (ledger->request_borrowed)
		return_borrowed(ledger);
	count(COUNT_REQUESTS);
	state->thread = ledger->serial;
	state->overlap = ledger->requests_open != 0;
	state->id = is_chosen() ? announce(state, ledger, from, bytes) : 0;
	state->arrived_ns = 0;
	state->sequence = ++ledger->requests_opened;
	request_touch(state, ledger);
	ledger->requests_open++;
	if (state->id)
		ledger->requests_traced++;
}

HIDDEN void request_touch(const struct request_state *state, struct task_ledger *ledger)
{
	struct wire_request_event event = { .event = WIRE_REQUEST_TOUCHED, .request = state->id, .thread = ledger->serial };

	if (ledger->request_current == state->id)
		return;
	ledger->request_current = state->id;
	if (ledger->requests_traced)
		send_event(&event);
}

HIDDEN void request_close(struct request_state *state, struct task_ledger *ledger, __u32 status)
{
	struct wire_request_event event = {
		.event = WIRE_REQUEST_CLOSED, .request = state->id, .thread = ledger->serial, .since_ns = ledger->since_ns,
		.status = status, .overlap = state->overlap,
	};

	if (state->thread == ledger->serial) {
		event.overlap |= state->sequence != ledger->requests_opened;
		close_own(ledger, 1, state->id != 0);
	} else {
		settle_later(state->thread, state->id != 0);
		if (ledger->request_borrowed)
			return_borrowed(ledger);
	}
	if (state->id)
		send_event(&event);
	if (ledger->request_current == state->id)
		ledger->request_current = 0;
	state->thread = state->id = 0;
}

HIDDEN void request_abandon(struct request_state *state)
{
	struct wire_request_event event = { .event = WIRE_REQUEST_ABANDONED, .request = state->id, .thread = state->thread };

	count(COUNT_REQUESTS_ABANDONED);
	settle_later(state->thread, state->id != 0);
	if (state->id)
		send_event(&event);
	state->thread = state->id = 0;
}

HIDDEN __u32 request_waits(struct task_ledger *ledger, __u32 place)
{
	__u32 flags = 0;

	ledger->wait_place = place;
	if (ledger->request_borrowed && ledger->queue_place == place)
		return_borrowed(ledger);
	settle(ledger);
	if (ledger->requests_opened || ledger->queue_place)
		flags |= WIRE_SERVES;
	if (ledger->requests_open || ledger->request_borrowed)
		flags |= WIRE_IN_REQUEST;
	return flags;
}

/* Who waited for a lock has work of its own already, or was given none by being let in. */
static bool waited_for_lock(const struct wire_evidence *evidence)
{
	return evidence->syscall == FUTEX_CALL &&
	       (evidence->futex_word == WIRE_WORD_TWO || evidence->futex_owner == WIRE_OWNER_THREAD);
}

HIDDEN void request_handed(struct task_ledger *woken, const struct task_ledger *waker)
{
	struct wire_request_event event = { .event = WIRE_REQUEST_HANDED };

	if (!waker || (!waker->requests_open && !waker->request_borrowed))
		return;
	if (woken->requests_open || woken->request_borrowed || waited_for_lock(&woken->evidence))
		return;
	woken->request_borrowed = BORROWED;
	woken->queue_place = woken->wait_place;
	if (!waker->request_current)
		return;
	event.request = woken->request_current = waker->request_current;
	woken->request_borrowed = BORROWED_TRACED;
	woken->requests_traced++;
	event.thread = woken->serial;
	event.from = waker->serial;
	event.since_ns = waker->since_ns;
	send_event(&event);
}
