/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * Who belongs, from when to when: births, names and ends of the population's threads, and the two walks over all tasks that
 * give every thread a ledger before the window opens and end what is open after it closed. What a thread did in between,
 * and the state it is in, is sched.bpf.c's alone: here nothing is written to a ledger but whether it was announced, and
 * the evidence of a wait that began before anybody looked.
 */
#include "probe/connection.bpf.h"
#include "probe/evidence.bpf.h"
#include "probe/lifetime.bpf.h"
#include "probe/syscalls.bpf.h"

HIDDEN void thread_announce(struct task_ledger *ledger, struct task_struct *task, __u64 now)
{
	struct wire_thread record = {
		.head = { .size = sizeof(record), .kind = WIRE_THREAD, .time_ns = now },
		.start_ns = ledger->start_ns, .thread = ledger->serial, .tid = task->pid, .process = task->tgid,
	};

	record.parent = BPF_CORE_READ(task, real_parent, tgid);
	record.namespace_tid = namespace_tid(task);
	record.namespace_process = namespace_tid(BPF_CORE_READ(task, group_leader));
	bpf_probe_read_kernel(record.comm, sizeof(record.comm), task->comm);
	ledger->announced = record_send(&record, sizeof(record));
}

/* What the kernel itself charged the thread for inside the window. */
static __u64 runtime_in_window(const struct task_ledger *ledger, struct task_struct *task)
{
	__u64 all = READ(task, se.sum_exec_runtime) - ledger->runtime_start_ns;

	if (ledger->runtime_start_ns == RUNTIME_LATER)
		return 0;
	return all > ledger->oncpu_before_ns ? all - ledger->oncpu_before_ns : 0;
}

HIDDEN void thread_gone(struct task_ledger *ledger, struct task_struct *task, __u64 now)
{
	struct wire_exit record = {
		.head = { .size = sizeof(record), .kind = WIRE_EXIT, .time_ns = now }, .thread = ledger->serial,
		.runtime_ns = runtime_in_window(ledger, task),
	};

	if (!ledger->announced)
		thread_announce(ledger, task, now);
	if (syscalls_watched)
		syscall_cut(ledger);
	record_send(&record, sizeof(record));
	thread_serial_set(task->tgid, namespace_tid(task), 0);
}

static __always_inline bool close(struct task_struct *task, struct wire_ledger *ret)
{
	struct task_ledger *ledger = ledger_of(task, false);
	__u64 end;

	if (!ledger || !ledger_close(ledger, &end))
		return false;
	if (syscalls_watched)
		syscall_cut(ledger);
	if (network_watched)
		socket_wait_end(task, ledger, end);
	if (!ledger->announced)
		thread_announce(ledger, task, end);
	*ret = (struct wire_ledger){
		.head = { .size = sizeof(*ret), .kind = WIRE_LEDGER, .time_ns = end }, .thread = ledger->serial,
		.start_ns = ledger->start_ns, .runtime_ns = runtime_in_window(ledger, task),
	};
	return true;
}

HIDDEN void thread_died_late(struct task_struct *task)
{
	struct wire_ledger record;

	if (close(task, &record))
		record_send(&record, sizeof(record));
}

/* A child's ledger is there, in the state TASK_NEW (0), before the child can be woken for the first time. */
SEC("tp_btf/sched_process_fork")
int BPF_PROG(sched_forked, struct task_struct *parent, struct task_struct *child)
{
	if (population_all || population_by_thread || !ledger_of(parent, false))
		return 0;
	(void)ledger_of(child, true);
	return 0;
}

SEC("tp_btf/sched_wakeup_new")
int BPF_PROG(sched_born, struct task_struct *task)
{
	struct task_ledger *ledger = ledger_of(task, population_all);
	__u64 now = bpf_ktime_get_ns();

	if (!ledger || now > window_end_ns)
		return 0;
	if (!ledger->serial)
		ledger_start(ledger, task, now, TASK_WOKEN, true);
	return 0;
}

static void renamed(struct task_struct *task, const char *comm)
{
	struct task_ledger *ledger = ledger_of(task, false);
	struct wire_rename record = {
		.head = { .size = sizeof(record), .kind = WIRE_RENAME, .time_ns = bpf_ktime_get_ns() }, .tid = task->pid,
	};

	if (!ledger || !ledger->serial)
		return;
	record.thread = ledger->serial;
	bpf_probe_read_kernel_str(record.comm, sizeof(record.comm), comm);
	record_send(&record, sizeof(record));
}

SEC("?tp_btf/task_rename")
int BPF_PROG(task_renamed, struct task_struct *task, const char *comm)
{
	renamed(task, comm);
	return 0;
}

/* --comm NAME: a program that becomes NAME joins the population at its exec; -- COMMAND: so does the child that was held for
 * it. The kernel charges a thread for its run time at ticks and switches, and here it is in the middle of both. */
SEC("?tp_btf/sched_process_exec")
int BPF_PROG(sched_execed, struct task_struct *task)
{
	struct task_ledger *ledger;

	if (ledger_of(task, false) || !population_asked(task))
		return 0;
	ledger = ledger_of(task, true);
	if (ledger && !ledger->serial) {
		ledger_start(ledger, task, bpf_ktime_get_ns(), TASK_RUNNING, true);
		ledger->runtime_start_ns = RUNTIME_LATER;
	}
	return 0;
}

static __always_inline __u8 state_now(struct task_struct *task, unsigned int state)
{
	if (bpf_core_field_exists(task->on_cpu) && task->on_cpu)
		return TASK_RUNNING;
	return state ? TASK_BLOCKED : TASK_PREEMPTED;
}

/* Before the window opens: every thread of the population gets a ledger in its present state. */
SEC("iter/task")
int ledger_begin(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	struct task_ledger *ledger;
	__u64 now = bpf_ktime_get_ns();
	unsigned int state;

	if (!task || !task->pid)
		return 0;
	if ((population_at_exec || !population_asked(task)) && !ledger_of(task, false))
		return 0;
	ledger = ledger_of(task, true);
	if (!ledger)
		return 0;
	if (ledger->serial) {
		/* Once all threads have their numbers, a lock word can be seen to name one of them. */
		if (now <= window_start_ns && ledger->state == TASK_BLOCKED && task->__state &&
		    (ledger->evidence.flags & WIRE_ITERATED))
			evidence_of_sleeper(task, ledger, task->__state);
		return 0;
	}
	state = task->__state;
	ledger_start(ledger, task, now, state_now(task, state), window_start_ns != ~0ull);
	if (ledger->state == TASK_BLOCKED) {
		evidence_of_sleeper(task, ledger, state);
		if (network_watched)
			socket_wait_begin(task, now);
	}
	return 0;
}

/* After the window closed: what is still open ends at its end, for every thread alike. */
SEC("iter/task")
int ledger_end(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	struct wire_ledger record;

	if (task && task->pid && close(task, &record))
		bpf_seq_write(ctx->meta->seq, &record, sizeof(record));
	return 0;
}
