/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
#pragma once
/* Completions as every kernel half of work counts them, by process, port and class: what the class is, its user half knows. */
#include "probe/kernel.bpf.h"

HIDDEN void response_count(const struct task_struct *task, __u16 port, int class);
