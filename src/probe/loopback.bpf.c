/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * TCP between threads of one host. What a thread sends through the loopback device is received in a softirq that runs before its call
 * returns, in its own time: whoever waits there is woken by an interrupt, and yet by this thread. It is so where the socket
 * that data arrive at is the other end of the one that current is sending on: their ports are each other's. A softirq that merely
 * interrupted current delivers to some other socket; one that ran late, in ksoftirqd, has nobody's time.
 */
#include "probe/loopback.bpf.h"

enum { PROTOCOL_TCP = 6, FAMILY_INET = 2, FAMILY_INET6 = 10, DELIVERY_NS = 100000, PF_KTHREAD_BIT = 0x00200000,
       S_IFMT_BITS = 0170000, S_IFSOCK_BITS = 0140000 };
/* x86-64. */
enum { NR_WRITE = 1, NR_WRITEV = 20, NR_SENDFILE = 40, NR_CONNECT = 42, NR_SENDTO = 44, NR_SENDMSG = 46, NR_SENDMMSG = 307 };

struct delivery_here { __u64 at_ns; __u32 sender, reserved; };
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct delivery_here);
} deliveries_here SEC(".maps");

static bool sends(long call)
{
	return call == NR_WRITE || call == NR_WRITEV || call == NR_SENDFILE || call == NR_CONNECT || call == NR_SENDTO || call == NR_SENDMSG ||
	       call == NR_SENDMMSG;
}

static const struct sock *socket_of_call(struct task_struct *task, __u32 descriptor)
{
	struct files_struct *files = bpf_core_field_exists(task->files) ? task->files : NULL;
	struct fdtable *table = READ(files, fdt);
	struct file **array = READ(table, fd), *file = NULL;
	struct socket *socket;
	struct inode *inode;

	if (!array || descriptor >= READ(table, max_fds))
		return NULL;
	bpf_core_read(&file, sizeof(file), array + descriptor);
	inode = file ? READ(file, f_inode) : NULL;
	if (!inode || (READ(inode, i_mode) & S_IFMT_BITS) != S_IFSOCK_BITS)
		return NULL;
	socket = READ(file, private_data);
	return READ(socket, sk);
}

static bool is_tcp(const struct sock *sock)
{
	__u16 family = READ(sock, __sk_common.skc_family);

	return (family == FAMILY_INET || family == FAMILY_INET6) && READ(sock, sk_protocol) == PROTOCOL_TCP;
}

/* A connection that is being made arrives at a listener, which has no peer. */
static bool are_ends(const struct sock *from, const struct sock *to, bool connects)
{
	const struct inet_sock *sender = (const void *)from, *receiver = (const void *)to;
	__u16 peer = READ(to, __sk_common.skc_dport);

	if (READ(from, __sk_common.skc_dport) != READ(receiver, inet_sport))
		return false;
	return peer == READ(sender, inet_sport) || (connects && !peer);
}

SEC("?tp_btf/sk_data_ready")
int BPF_PROG(loopback_arrived, const struct sock *sock)
{
	struct task_struct *current = bpf_get_current_task_btf();
	const struct pt_regs *regs = (const struct pt_regs *)bpf_task_pt_regs(current);
	__u32 zero = 0;
	struct delivery_here *here = bpf_map_lookup_elem(&deliveries_here, &zero);
	const struct sock *from;
	long call;

	if (!here)
		return 0;
	here->sender = 0;
	if (!current->pid || (current->flags & PF_KTHREAD_BIT) || !is_tcp(sock))
		return 0;
	call = regs->orig_ax;
	from = sends(call) ? socket_of_call(current, regs->di) : NULL;
	if (!from || !is_tcp(from) || !are_ends(from, sock, call == NR_CONNECT))
		return 0;
	here->sender = current->pid;
	here->at_ns = bpf_ktime_get_ns();
	return 0;
}

HIDDEN bool loopback_delivers(struct task_struct *current)
{
	__u32 zero = 0;
	struct delivery_here *here = bpf_map_lookup_elem(&deliveries_here, &zero);

	return here && here->sender && here->sender == (__u32)current->pid && bpf_ktime_get_ns() - here->at_ns < DELIVERY_NS;
}
