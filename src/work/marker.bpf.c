/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * Work that a program tells of: where it put our markers, or where a probe was put into it. The markers' arguments stand in two
 * registers (include/crosscut.h). A request is known by its process and the number that the program gave it, on whatever thread
 * it ends.
 */
#include "probe/request.bpf.h"
#include "work/response.bpf.h"

struct marked { __u64 number; __u32 process, reserved; };
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 16384);
	__type(key, struct marked);
	__type(value, struct request_state);
} marked_requests SEC(".maps");

enum { OUTCOME_LAST = 15 };

static struct task_ledger *ledger_now(void)
{
	struct task_ledger *ledger;

	if (window_start_ns == ~0ull || window_end_ns != ~0ull)
		return NULL;
	ledger = ledger_of(bpf_get_current_task_btf(), false);
	return ledger && ledger->serial ? ledger : NULL;
}

SEC("?uprobe")
int marker_begun(struct pt_regs *ctx)
{
	struct marked key = { .number = ctx->di, .process = bpf_get_current_pid_tgid() >> 32 };
	struct task_ledger *ledger = ledger_now();
	struct request_state none = {}, *state;

	if (!ledger)
		return 0;
	bpf_map_update_elem(&marked_requests, &key, &none, BPF_NOEXIST);
	state = bpf_map_lookup_elem(&marked_requests, &key);
	if (!state)
		return 0;
	if (state->thread)
		request_touch(state, ledger);           /* it was begun already */
	else
		request_open(state, ledger, (const void *)ctx->si, REQUEST_TEXT);
	return 0;
}

SEC("?uprobe")
int marker_ended(struct pt_regs *ctx)
{
	struct marked key = { .number = ctx->di, .process = bpf_get_current_pid_tgid() >> 32 };
	__u32 outcome = ctx->si <= OUTCOME_LAST ? ctx->si : 0;
	struct task_ledger *ledger = ledger_now();
	struct request_state *state;

	if (!ledger)
		return 0;
	count(COUNT_SENDS);
	response_count(bpf_get_current_task_btf(), 0, outcome);
	state = bpf_map_lookup_elem(&marked_requests, &key);
	if (!requests || !state || !state->thread) {
		count(COUNT_RESPONSES_ORPHANED);
		return 0;
	}
	request_close(state, ledger, outcome);
	bpf_map_delete_elem(&marked_requests, &key);
	return 0;
}

SEC("?uprobe")
int place_passed(struct pt_regs *ctx)
{
	if (!ledger_now())
		return 0;
	count(COUNT_SENDS);
	response_count(bpf_get_current_task_btf(), 0, 0);
	return 0;
}
