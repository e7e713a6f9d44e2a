/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * What the kernel's type information says of fields and per-CPU variables that move from one kernel to the next. The
 * kernel half tests each optional field where it reads it; here is said, in the capture, what a missing one costs.
 */
struct btf;
struct profile;

/* Where a CPU's count of interrupts in progress lies, from its runqueue: a variable of its own, or, between Linux 6.2
 * and 6.14, a member of pcpu_hot. 0 where neither is found: the wake context is then unseen. */
long kernel_preempt_count_distance(const struct btf *btf);
/* Each optional field that is not there goes into the profile's meta as "probe.missing.FIELD". */
void kernel_note_missing_fields(const struct btf *btf, struct profile *profile);
