/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which kernel events the kernel half watches, what each serves, and whether this kernel has it. tool/check_rows holds
 * the table to the programs in src/probe and src/work.
 */
#include "base/cleanup.h"
#include "command/doctor.h"
#include "result/document.h"

#include <stdio.h>

struct event {
	const char *name;
	bool function;                  /* of an iterator, and no tracepoint */
	bool required;
	const char *serves;
	const char *costs;              /* what is lost where it is missing */
};

static const struct event events[] = {
	{ "sched_switch", .required = true, .serves = "the ledger", .costs = "no thread's state can be known" },
	{ "sched_waking", .required = true, .serves = "the ledger, wakers", .costs = "waiting and runnable are one" },
	{ "sched_wakeup", .required = true, .serves = "the ledger", .costs = "wakes that race with the switch are missed" },
	{ "sched_wakeup_new", .required = true, .serves = "births", .costs = "new threads are not seen" },
	{ "sched_process_fork", .required = true, .serves = "the population", .costs = "children are not followed" },
	{ "sched_process_exec", .serves = "the population", .costs = "a program that is replaced keeps its old mappings" },
	{ "task_rename", .serves = "--comm", .costs = "threads keep their first name" },
	{ "bpf_iter_task", .function = true, .required = true, .serves = "threads alive at start and end",
	  .costs = "threads that live through the window are not in the ledger" },
	{ "block_bio_queue", .serves = "disk", .costs = "a wait is not known to be for its own disk request" },
	{ "block_rq_complete", .serves = "disk", .costs = "disk waits are not matched to requests" },
	{ "contention_begin", .serves = "lock", .costs = "locks of the kernel are told by their stacks only" },
	{ "contention_end", .serves = "lock", .costs = "locks of the kernel are told by their stacks only" },
	{ "mm_vmscan_direct_reclaim_begin", .serves = "paging", .costs = "waits for reclaim are not told apart" },
	{ "mm_vmscan_direct_reclaim_end", .serves = "paging", .costs = "waits for reclaim are not told apart" },
	{ "mm_vmscan_memcg_reclaim_begin", .serves = "paging", .costs = "waits at a memory limit are not told apart" },
	{ "mm_vmscan_memcg_reclaim_end", .serves = "paging", .costs = "waits at a memory limit are not told apart" },
	{ "mm_compaction_begin", .serves = "paging", .costs = "waits for compaction are not told apart" },
	{ "mm_compaction_end", .serves = "paging", .costs = "waits for compaction are not told apart" },
	{ "sock_send_length", .serves = "--work http", .costs = "HTTP responses cannot be counted (Linux 6.3 and later)" },
};

static const struct column columns[] = {
	{ .key = "name", .title = "event", .unit = "" },
	{ .key = "verdict", .title = "here", .unit = "" },
	{ .key = "serves", .title = "serves", .unit = "" },
	{ .key = "costs", .title = "costs", .unit = "", .hints = COLUMN_MACHINE },
};

static void add_event(struct doctor *doctor, struct table *table, const struct doctor_btf *btf, const struct event *event)
{
	bool here = event->function ? doctor_btf_function(btf, event->name) : doctor_btf_tracepoint(btf, event->name);
	enum doctor_verdict verdict = here ? DOCTOR_OK : event->required ? DOCTOR_IMPOSSIBLE : DOCTOR_LIMITED;
	char name[96];

	table_add(table, (struct value[]){
		value_text(event->name), value_text(doctor_verdict_name(verdict)), value_text(event->serves),
		here ? value_none() : value_text(event->costs),
	});
	(void)snprintf(name, sizeof(name), "no %s", event->name);
	doctor_judge(doctor, verdict, name, event->costs, "a newer kernel, or one built with this tracepoint, has it");
}

/* Where the type information cannot be read, that is the finding, and the events are unknown: no table is added. */
void doctor_tracepoints(struct doctor *doctor)
{
	struct doctor_btf *btf = doctor_btf_read(DOCTOR_BTF);
	struct table *table;

	if (!btf)
		return;
	table = table_new(columns, ARRAY_LENGTH(columns));
	for (size_t i = 0; i < ARRAY_LENGTH(events); i++)
		add_event(doctor, table, btf, &events[i]);
	document_add_table(doctor->document, "events", "kernel events", table);
	doctor_btf_free(btf);
}
