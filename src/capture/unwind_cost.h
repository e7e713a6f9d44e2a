/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/* What walking stacks cost, and what its tables hold, as the profile's meta: unwind.oncpu.p99_ns, unwind.rows … */
struct crosscut_bpf;
struct profile;
struct unwinding;

void unwind_cost_note(struct crosscut_bpf *bpf, const struct unwinding *unwinding, struct profile *profile);
