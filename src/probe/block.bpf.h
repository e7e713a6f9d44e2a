/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
#pragma once
/* What sched.bpf.c and evidence.bpf.c ask of block I/O. */
#include "probe/kernel.bpf.h"

/* Of a thread that is woken now and has submitted a request: did this CPU complete that one last? Adds the links of its chain. */
HIDDEN bool block_completed_here(struct task_ledger *ledger);
/* It runs again, after so long: the last link. Only where ledger->bio_resumes is set. */
HIDDEN void block_resumed(struct task_ledger *ledger, __u64 runnable_ns);
