/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
#pragma once
/* Every interval by itself, beside the sums: called by sched.bpf.c where one has ended, and only where `timeline` is set or the
 * thread has a request open that is decomposed. */
#include "probe/request.bpf.h"

extern const volatile bool timeline;                    /* set before load: without it the calls are not even verified */

static __always_inline bool timeline_wants(const struct task_ledger *ledger)
{
	return timeline || (requests && ledger->requests_traced);
}

/* [start, end) inside the window; an empty one is none. */
HIDDEN void timeline_add(const struct task_ledger *ledger, __u32 state, __u64 start, __u64 end);
HIDDEN void timeline_add_wait(const struct task_ledger *ledger, const struct wire_evidence *evidence, __u64 start, __u64 end);
HIDDEN void timeline_add_link(const struct wire_link *record);
