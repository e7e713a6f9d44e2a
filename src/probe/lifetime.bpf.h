/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
#pragma once
/*
 * The seam between a thread's time (sched.bpf.c) and its birth, name and end (lifetime.bpf.c). There is one writer of state:
 * lifetime.bpf.c says that a thread was born or that the window ends, and the two ledger functions do what follows.
 */
#include "probe/kernel.bpf.h"

/* sched.bpf.c. Gives a thread its serial number and the state it is in now; born: it did not live before. */
HIDDEN void ledger_start(struct task_ledger *ledger, struct task_struct *task, __u64 now, __u8 state, bool born);
/* Ends what is open with the window and sets *ret_end to that time. False where there is nothing to end. */
HIDDEN bool ledger_close(struct task_ledger *ledger, __u64 *ret_end);

/* lifetime.bpf.c. Tells the user half of a thread; tried again at each switch-in until the ring has room. */
HIDDEN void thread_announce(struct task_ledger *ledger, struct task_struct *task, __u64 now);
HIDDEN void thread_gone(struct task_ledger *ledger, struct task_struct *task, __u64 now);
/* Who dies between the window's end and the iterator's visit cannot be visited. */
HIDDEN void thread_died_late(struct task_struct *task);
