/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
#pragma once
/*
 * System calls, where they are asked for. sched.bpf.c keeps a clock in the ledger that goes while the thread has a
 * processor; what it gained between the entry to a call and its exit is the kernel's exact share of the thread's time.
 */
#include "probe/kernel.bpf.h"

extern const volatile bool syscalls_watched;            /* set before load */

/* The thread ends, or the window does: what it ran inside a call that it is still in. The ledger's clock stands. */
VERIFIED_ONCE int syscall_cut(struct task_ledger *ledger);
