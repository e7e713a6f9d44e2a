/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * The evidence of a wait. A blocked thread's registers still hold the system call it is in and its arguments, so no
 * system-call tracepoint is needed: what does not block costs nothing. A kernel stack is taken only where the call
 * does not say enough: faults, uninterruptible sleeps, kernel locks, reclaim.
 */
#include "probe/evidence.bpf.h"
#include "probe/locks.bpf.h"
#include "probe/block.bpf.h"
#include "probe/loopback.bpf.h"
#include "probe/request.bpf.h"
#include "probe/timeline.bpf.h"

enum { PF_KTHREAD_BIT = 0x00200000, PF_IO_WORKER_BIT = 0x00000010 };
enum { STATE_INTERRUPTIBLE = 1, STATE_UNINTERRUPTIBLE = 2, STATE_STOPPED = 4, STATE_TRACED = 8, STATE_NOLOAD = 0x400 };
/* Waits of this length and longer are all taken, shorter ones in proportion, never below 1 in 64: so a stack stands for at
 * least this much waiting, of which it costs a hundredth, and still for far less than an on-CPU sample does (10 ms). */
enum { EXPECTED_SAMPLED_NS = 400000, SHIFT_LIMIT = 6 };

enum { S_IFMT_BITS = 0170000, S_IFSOCK_BITS = 0140000, FAMILY_UNIX = 1, FAMILY_INET = 2, FAMILY_INET6 = 10 };
enum { FUTEX_COMMAND = 127, FUTEX_WAIT = 0, FUTEX_LOCK_PI = 6, FUTEX_WAIT_BITSET = 9, FUTEX_LOCK_PI2 = 13, FUTEX_TID = 0x3fffffff };

/* x86-64 system calls whose arguments matter here. */
enum {
	NR_READ = 0, NR_WRITE = 1, NR_FSTAT = 5, NR_POLL = 7, NR_MMAP = 9, NR_PREAD = 17, NR_PWRITE = 18, NR_READV = 19, NR_WRITEV = 20,
	NR_SELECT = 23, NR_CONNECT = 42, NR_ACCEPT = 43, NR_SENDTO = 44, NR_RECVFROM = 45, NR_SENDMSG = 46, NR_RECVMSG = 47,
	NR_FCNTL = 72, NR_FLOCK = 73, NR_FSYNC = 74, NR_FDATASYNC = 75, NR_FTRUNCATE = 77, NR_GETDENTS = 78, NR_FUTEX = 202,
	NR_GETDENTS64 = 217, NR_EPOLL_WAIT = 232, NR_PSELECT = 270, NR_PPOLL = 271, NR_SYNC_FILE_RANGE = 277, NR_EPOLL_PWAIT = 281,
	NR_FALLOCATE = 285, NR_ACCEPT4 = 288, NR_PREADV = 295, NR_PWRITEV = 296, NR_RECVMMSG = 299, NR_SENDMMSG = 307, NR_PREADV2 = 327,
	NR_PWRITEV2 = 328, NR_IO_URING_ENTER = 426, NR_EPOLL_PWAIT2 = 441, NR_SENDFILE = 40,
};

static void gather_socket(struct file *file, struct wire_evidence *evidence)
{
	struct socket *socket = READ(file, private_data);
	struct sock *sock = READ(socket, sk);
	__u16 port;

	evidence->socket_type = READ(socket, type);
	evidence->socket_family = READ(sock, __sk_common.skc_family);
	evidence->socket_state = READ(sock, __sk_common.skc_state);
	if (evidence->socket_family == FAMILY_INET || evidence->socket_family == FAMILY_INET6) {
		/* An accepted socket is a copy of its listener, whose queue had a length; the table of ports is as old as the
		 * last slice, but knows a listener without a queue. */
		port = READ(sock, __sk_common.skc_num);
		if (READ(sock, sk_max_ack_backlog) || port_is_listening(port))
			evidence->flags |= WIRE_ACCEPTED;
	} else if (evidence->socket_family == FAMILY_UNIX) {
		/* An accepted socket shares its listener's address; a connecting one has none unless it was bound. */
		if (READ((struct unix_sock *)sock, addr))
			evidence->flags |= WIRE_ACCEPTED;
	}
}

static void gather_descriptor(struct task_struct *task, __u32 descriptor, struct wire_evidence *evidence)
{
	struct files_struct *files = bpf_core_field_exists(task->files) ? task->files : NULL;
	struct fdtable *table;
	struct file **array, *file = NULL;
	const struct file_operations *operations;
	struct inode *inode;

	if (!files)
		return;
	table = READ(files, fdt);
	if (!table || descriptor >= READ(table, max_fds))
		return;
	array = READ(table, fd);
	bpf_probe_read_kernel(&file, sizeof(file), &array[descriptor]);
	if (!file)
		return;
	operations = READ(file, f_op);
	inode = READ(file, f_inode);
	evidence->file_release = (__u64)READ(operations, release);
	evidence->file_type = READ(inode, i_mode) & S_IFMT_BITS;
	if (evidence->file_type == S_IFSOCK_BITS)
		gather_socket(file, evidence);
}

/* What is waited for can be held: a mutex (2, or its owner's id), a reader-writer lock (2 or 3). Conditions and semaphores
 * are waited for at other values, joins by the id in a call that mutexes with an id do not use. */
static bool futex_is_lock(__u32 command, __u8 word)
{
	if (command == FUTEX_LOCK_PI || command == FUTEX_LOCK_PI2)
		return true;
	if (word == WIRE_WORD_TWO || word == WIRE_WORD_THREE)
		return command == FUTEX_WAIT || command == FUTEX_WAIT_BITSET;
	return word == WIRE_WORD_THREAD && command == FUTEX_WAIT;
}

static void gather_futex(struct task_struct *task, const struct pt_regs *regs, struct task_ledger *ledger)
{
	struct wire_evidence *evidence = &ledger->evidence;
	__u32 operation = (__u32)regs->si, command = operation & FUTEX_COMMAND, expected = (__u32)regs->dx;
	__u32 words[3] = {};                            /* the futex, the next, and where glibc keeps a mutex's owner */
	bool readable = !bpf_probe_read_user(words, sizeof(words), (void *)regs->di);

	evidence->futex_operation = operation;
	if (regs->r10 && command != FUTEX_LOCK_PI)
		evidence->flags |= WIRE_TIMEOUT;
	if (command == FUTEX_LOCK_PI || command == FUTEX_LOCK_PI2)
		expected = words[0];
	if (expected < 4)
		evidence->futex_word = WIRE_WORD_ZERO + expected;
	else
		evidence->futex_word = thread_serial(task->tgid, expected & FUTEX_TID) ? WIRE_WORD_THREAD : WIRE_WORD_OTHER;
	if (locks_watched && futex_is_lock(command, evidence->futex_word)) {
		ledger->lock = regs->di;
		ledger->lock_process = task->tgid;
	}
	if (!readable)
		return;
	if (!words[2]) {
		evidence->futex_owner = WIRE_OWNER_NONE;
		return;
	}
	ledger->owner = thread_serial(task->tgid, words[2] & FUTEX_TID);
	evidence->futex_owner = ledger->owner ? WIRE_OWNER_THREAD : WIRE_OWNER_OTHER;
}

static void gather_call(struct task_struct *task, const struct pt_regs *regs, struct task_ledger *ledger)
{
	struct wire_evidence *evidence = &ledger->evidence;
	__u32 descriptor = (__u32)regs->di;

	switch (evidence->syscall) {
	case NR_FUTEX:
		gather_futex(task, regs, ledger);
		break;
	case NR_POLL:
	case NR_PPOLL:
		if (!regs->si)
			evidence->flags |= WIRE_NO_DESCRIPTORS;
		if (evidence->syscall == NR_POLL ? (int)regs->dx >= 0 : regs->dx != 0)
			evidence->flags |= WIRE_TIMEOUT;
		if (regs->si == 1 && !bpf_probe_read_user(&descriptor, sizeof(descriptor), (void *)regs->di))
			gather_descriptor(task, descriptor, evidence);
		break;
	case NR_SELECT:
	case NR_PSELECT:
		if (!regs->di)
			evidence->flags |= WIRE_NO_DESCRIPTORS;
		if (regs->r8)
			evidence->flags |= WIRE_TIMEOUT;
		break;
	case NR_EPOLL_WAIT:
	case NR_EPOLL_PWAIT:
		if ((int)regs->r10 >= 0)
			evidence->flags |= WIRE_TIMEOUT;
		gather_descriptor(task, descriptor, evidence);
		break;
	case NR_MMAP:
		gather_descriptor(task, (__u32)regs->r8, evidence);
		break;
	case NR_READ: case NR_WRITE: case NR_FSTAT: case NR_PREAD: case NR_PWRITE: case NR_READV: case NR_WRITEV: case NR_CONNECT:
	case NR_ACCEPT: case NR_ACCEPT4: case NR_SENDTO: case NR_RECVFROM: case NR_SENDMSG: case NR_RECVMSG: case NR_RECVMMSG:
	case NR_SENDMMSG: case NR_FCNTL: case NR_FLOCK: case NR_FSYNC: case NR_FDATASYNC: case NR_FTRUNCATE: case NR_GETDENTS:
	case NR_GETDENTS64: case NR_SYNC_FILE_RANGE: case NR_FALLOCATE: case NR_PREADV: case NR_PREADV2: case NR_PWRITEV:
	case NR_PWRITEV2: case NR_IO_URING_ENTER: case NR_EPOLL_PWAIT2: case NR_SENDFILE:
		gather_descriptor(task, descriptor, evidence);
		break;
	}
}

/* What other programs left for the wait that begins. */
VERIFIED_ONCE __u32 flags_left(const struct task_ledger *ledger)
{
	__u32 flags = 0;

	if (!ledger)
		return 0;
	if (ledger->contended)
		flags |= WIRE_CONTENDED;
	if (ledger->reclaim)
		flags |= WIRE_RECLAIM;
	if (ledger->compaction)
		flags |= WIRE_COMPACTION;
	if (ledger->own_bio)
		flags |= WIRE_OWN_BIO;
	return flags;
}

static __u32 gather_flags(struct task_struct *task, const struct task_ledger *ledger)
{
	__u32 flags = flags_left(ledger);

	if (bpf_core_field_exists(task->in_iowait) && BPF_CORE_READ_BITFIELD(task, in_iowait))
		flags |= WIRE_IOWAIT;
	if (bpf_core_field_exists(task->frozen) && BPF_CORE_READ_BITFIELD(task, frozen))
		flags |= WIRE_FROZEN;
	if (task->flags & (PF_KTHREAD_BIT | PF_IO_WORKER_BIT))
		flags |= WIRE_KERNEL_THREAD;
	return flags;
}

/* Whether the call and the state leave the cause open, so that the kernel stack must tell. */
static bool needs_kernel_stack(const struct wire_evidence *evidence)
{
	__u16 state = evidence->task_state;

	if (state & (STATE_STOPPED | STATE_TRACED))
		return false;
	if (evidence->flags & WIRE_KERNEL_THREAD)
		return (state & STATE_UNINTERRUPTIBLE) && !(state & STATE_NOLOAD);
	if (evidence->flags & (WIRE_CONTENDED | WIRE_RECLAIM | WIRE_COMPACTION))
		return true;
	return !(state & STATE_INTERRUPTIBLE) || evidence->syscall < 0;
}

/* Reads everything but the stacks. Returns the user's instruction pointer, 0 for kernel threads. */
static __u64 gather_common(struct task_struct *task, struct task_ledger *ledger, unsigned int state)
{
	struct wire_evidence *evidence = &ledger->evidence;
	const struct pt_regs *regs;

	__builtin_memset(evidence, 0, sizeof(*evidence));
	ledger->owner = 0;
	ledger->waker = 0;
	ledger->waker_stack = 0;
	ledger->sampled = 0;
	ledger->site = WAIT_SITES;
	ledger->lock = locks_watched && ledger->contended ? ledger->kernel_lock : 0;
	ledger->lock_process = 0;
	evidence->task_state = (__u16)state;
	evidence->flags = gather_flags(task, ledger);
	evidence->contention = ledger->contention;
	evidence->syscall = -1;
	if (evidence->flags & WIRE_KERNEL_THREAD)
		return 0;
	regs = (const struct pt_regs *)bpf_task_pt_regs(task);
	evidence->syscall = (__s16)regs->orig_ax;
	if (evidence->syscall < 0)
		evidence->flags |= WIRE_FAULT;
	else
		gather_call(task, regs, ledger);
	if (requests)
		evidence->flags |= request_waits(ledger, (__u32)regs->ip ^ (__u32)regs->di * 31);
	return regs->ip;
}

/* One in 2^k: k from the mean of the previous waits at this place (system call and instruction). */
static __u32 choose_shift(struct task_ledger *ledger, __u64 ip)
{
	__u32 tag = (__u32)(ip ^ (ip >> 20)) * 31 + (__u16)ledger->evidence.syscall, index = (tag ^ (tag >> 8)) & (WAIT_SITES - 1);
	struct wait_site *site = &ledger->sites[index];
	__u32 shift = 0, expected;

	ledger->site = index;
	if (site->tag != tag) {
		site->tag = tag;
		site->expected_ns = EXPECTED_SAMPLED_NS;
	}
	expected = site->expected_ns;
	for (int i = 0; i < SHIFT_LIMIT; i++) {
		if (expected >= EXPECTED_SAMPLED_NS)
			break;
		expected <<= 1;
		expected |= 1;
		shift++;
	}
	return shift + stack_shift;
}

HIDDEN void evidence_gather(void *ctx, struct task_struct *task, struct task_ledger *ledger, unsigned int state)
{
	__u64 ip = gather_common(task, ledger, state);
	__u32 shift;

	if (stack_shift < 64 && needs_kernel_stack(&ledger->evidence))
		ledger->evidence.kernel_stack = stack_take(ctx, SCRATCH_TASK);
	if (!ip || !stacks_on_wait)
		return;
	shift = choose_shift(ledger, ip);
	if (requests && ledger->requests_traced)
		shift = stack_shift;                    /* a decomposed request shows the stacks of all its waits */
	if (shift > 31 || (bpf_get_prandom_u32() & ((1u << shift) - 1)))
		return;
	ledger->p_log2 = shift;
	ledger->user_stack = unwind_take(SCRATCH_TASK);
	/* Before the window there may be no tables for it yet: such a wait has no stack, as those have none that began before it was seen. */
	ledger->sampled = ledger->user_stack || window_start_ns != ~0ull;
	if (waker_stacks && ledger->lock)
		lock_wanted(ledger);
}

HIDDEN void evidence_of_sleeper(struct task_struct *task, struct task_ledger *ledger, unsigned int state)
{
	(void)gather_common(task, ledger, state);
	ledger->evidence.flags |= WIRE_ITERATED;
	if (needs_kernel_stack(&ledger->evidence))
		ledger->evidence.kernel_stack = stack_take_task(task, SCRATCH_ITERATOR);
}

/* Interrupts in progress on this CPU. The count lies at a fixed distance from the CPU's runqueue, which current knows. */
static __u8 wake_context(struct task_struct *current)
{
	struct rq *rq;
	int preempt_count = 0;

	if (!preempt_count_offset)                      /* then the fields below may be missing too */
		return WIRE_WAKE_UNSEEN;
	rq = current->se.cfs_rq->rq;
	bpf_probe_read_kernel(&preempt_count, sizeof(preempt_count), (void *)rq + preempt_count_offset);
	if (preempt_count & 0xff0000)
		return WIRE_WAKE_HARDIRQ;
	return preempt_count & 0x00ff00 ? WIRE_WAKE_SOFTIRQ : WIRE_WAKE_TASK;
}

/* The waker's own stack: of its process where it has one, else the kernel's (a worker). */
static __always_inline __u64 stack_of_waker(void *ctx, struct task_struct *current)
{
	if (current->flags & (PF_KTHREAD_BIT | PF_IO_WORKER_BIT))
		return stack_take(ctx, SCRATCH_TASK);
	return ledger_of(current, false) ? unwind_take(SCRATCH_TASK) : 0;
}

/* Calls that may wait for data of a socket, or for a connection. */
static __always_inline bool awaits_socket(const struct wire_evidence *evidence)
{
	switch (evidence->syscall) {
	case NR_READ: case NR_READV: case NR_RECVFROM: case NR_RECVMSG: case NR_RECVMMSG: case NR_ACCEPT: case NR_ACCEPT4:
	case NR_POLL: case NR_PPOLL: case NR_SELECT: case NR_PSELECT: case NR_EPOLL_WAIT: case NR_EPOLL_PWAIT: case NR_EPOLL_PWAIT2:
		return true;
	}
	return false;
}

HIDDEN void evidence_of_wake(void *ctx, struct task_struct *task, struct task_ledger *ledger)
{
	struct task_struct *current = bpf_get_current_task_btf();
	struct wire_evidence *evidence = &ledger->evidence;
	struct task_ledger *waker;

	evidence->wake_context = wake_context(current);
	if (ledger->own_bio && evidence->wake_context != WIRE_WAKE_TASK && block_completed_here(ledger))
		evidence->flags |= WIRE_OWN_BIO_DONE;
	ledger->own_bio = 0;
	ledger->waker = 0;
	if (timeline && evidence->wake_context == WIRE_WAKE_SOFTIRQ && awaits_socket(evidence) && loopback_delivers(current)) {
		evidence->flags |= WIRE_PEER_WOKE;
		ledger->waker = current->pid;
	}
	if (evidence->wake_context != WIRE_WAKE_TASK || !current->pid)
		return;                                 /* current was only interrupted: no waker */
	ledger->waker = current->pid;
	if (waker_stacks && (ledger->sampled || (ledger->lock && lock_is_wanted(ledger))))
		ledger->waker_stack = stack_of_waker(ctx, current);
	if (current->tgid == task->tgid)
		evidence->flags |= WIRE_SAME_PROCESS_WOKE;
	if (requests && current->tgid == task->tgid)
		request_handed(ledger, ledger_of(current, false));
	if (!ledger->owner)
		return;
	waker = ledger_of(current, false);
	if (waker && waker->serial == ledger->owner)
		evidence->flags |= WIRE_OWNER_WOKE;
}
