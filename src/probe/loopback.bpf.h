/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
#pragma once
/* Who sent what an interrupt delivers, where that is a thread of this host. Watched with the timeline only. */
#include "probe/kernel.bpf.h"

/* Whether current, in whose time a softirq wakes somebody, is sending just now to a socket that this softirq has filled. */
HIDDEN bool loopback_delivers(struct task_struct *current);
