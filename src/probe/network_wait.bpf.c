/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * Waits on sockets by endpoint: beside the ledger, which alone says what state a thread is in, and with its times. A thread that
 * leaves its processor in a call on a socket is noted with that socket; when it comes back, the wait counts under its endpoint.
 *
 *	packet on this CPU            delivered to the socket
 *	  softirq raised ─▶ begins ─▶ … ─▶ thread woken ─▶ thread runs
 *	  ├────────── SOFTIRQ ───────────────┤
 *
 * The time before the softirq was raised is the network's or the peer's: from this side nobody can say which.
 */
#include "probe/connection.bpf.h"

enum { SOFTIRQ_RECEIVE = 3, PF_KTHREAD_BIT = 0x00200000, PF_IO_WORKER_BIT = 0x00000010, STATE_INTERRUPTIBLE = 1,
       S_IFMT_BITS = 0170000, S_IFSOCK_BITS = 0140000, RECEIVE_LIMITED = 2 /* TCP_CHRONO_RWND_LIMITED */, CONGESTION_RECOVERY = 3 };

/* x86-64. */
enum { NR_READ = 0, NR_WRITE = 1, NR_READV = 19, NR_WRITEV = 20, NR_SENDFILE = 40, NR_CONNECT = 42, NR_ACCEPT = 43, NR_SENDTO = 44,
       NR_RECVFROM = 45, NR_SENDMSG = 46, NR_RECVMSG = 47, NR_ACCEPT4 = 288, NR_RECVMMSG = 299, NR_SENDMMSG = 307 };

const volatile __u32 jiffy_ns = 0;      /* set before load; 0: unknown */

struct socket_wait {
	__u64 start_ns, sock, limited_jiffies;
	struct wire_connection_key key;
	__u8 waits, kind, closed_window;
};
struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct socket_wait);
} socket_waits SEC(".maps");

/* By socket that somebody waits for: since when this host had what came. */
struct delivery { __u64 raised_ns, at_ns; };
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 16384);
	__type(key, __u64);
	__type(value, struct delivery);
} socket_deliveries SEC(".maps");

struct receive_softirq { __u64 raised_ns, since_ns; };          /* pending since; the one that runs was raised at */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct receive_softirq);
} receive_softirqs SEC(".maps");

static struct receive_softirq *softirq_here(void)
{
	__u32 zero = 0;

	return bpf_map_lookup_elem(&receive_softirqs, &zero);
}

SEC("?tp_btf/softirq_raise")
int BPF_PROG(network_softirq_raised, unsigned int vector)
{
	struct receive_softirq *here = vector == SOFTIRQ_RECEIVE ? softirq_here() : NULL;

	if (here && !here->raised_ns)
		here->raised_ns = bpf_ktime_get_ns();
	return 0;
}

SEC("?tp_btf/softirq_entry")
int BPF_PROG(network_softirq_begun, unsigned int vector)
{
	struct receive_softirq *here = vector == SOFTIRQ_RECEIVE ? softirq_here() : NULL;

	if (!here)
		return 0;
	here->since_ns = here->raised_ns ? here->raised_ns : bpf_ktime_get_ns();
	here->raised_ns = 0;
	return 0;
}

SEC("?tp_btf/softirq_exit")
int BPF_PROG(network_softirq_ended, unsigned int vector)
{
	struct receive_softirq *here = vector == SOFTIRQ_RECEIVE ? softirq_here() : NULL;

	if (here)
		here->since_ns = 0;
	return 0;
}

HIDDEN void socket_delivered(const struct sock *sock, __u64 now)
{
	__u64 key = (__u64)sock;
	struct delivery *delivery = bpf_map_lookup_elem(&socket_deliveries, &key);
	struct receive_softirq *here;

	if (!delivery || delivery->at_ns)
		return;
	here = softirq_here();
	delivery->raised_ns = here ? here->since_ns : 0;
	delivery->at_ns = now;
}

/* --- The wait --------------------------------------------------------------------------------------------------- */

/* 1 and more: the wait's part, plus one. */
static __always_inline __u32 wait_of_call(__s64 call)
{
	switch (call) {
	case NR_CONNECT:
		return CONNECTION_WAIT_CONNECT + 1;
	case NR_ACCEPT: case NR_ACCEPT4:
		return CONNECTION_WAIT_ACCEPT + 1;
	case NR_READ: case NR_READV: case NR_RECVFROM: case NR_RECVMSG: case NR_RECVMMSG:
		return CONNECTION_WAIT_RECEIVE + 1;
	case NR_WRITE: case NR_WRITEV: case NR_SENDTO: case NR_SENDMSG: case NR_SENDMMSG: case NR_SENDFILE:
		return CONNECTION_WAIT_SEND + 1;
	}
	return 0;
}

static struct sock *sock_of(struct task_struct *task, __u32 descriptor)
{
	struct files_struct *files = bpf_core_field_exists(task->files) ? task->files : NULL;
	struct fdtable *table = files ? READ(files, fdt) : NULL;
	struct file **array, *file = NULL;
	struct socket *socket;

	if (!table || descriptor >= READ(table, max_fds))
		return NULL;
	array = READ(table, fd);
	bpf_probe_read_kernel(&file, sizeof(file), &array[descriptor]);
	if (!file || (BPF_CORE_READ(file, f_inode, i_mode) & S_IFMT_BITS) != S_IFSOCK_BITS)
		return NULL;
	socket = READ(file, private_data);
	return socket ? READ(socket, sk) : NULL;
}

/* How long the peer's window, not the path, has held this connection back; in jiffies. */
static __u64 limited_jiffies(const struct sock *sock)
{
	const struct tcp_sock *tcp = (const struct tcp_sock *)sock;
	__u64 jiffies;

	if (!bpf_core_field_exists(tcp->chrono_stat) || !bpf_core_field_exists(tcp->chrono_type))
		return 0;
	jiffies = BPF_CORE_READ(tcp, chrono_stat[RECEIVE_LIMITED - 1]);
	if (BPF_CORE_READ_BITFIELD_PROBED(tcp, chrono_type) == RECEIVE_LIMITED)
		jiffies += (__u32)((__u32)bpf_jiffies64() - BPF_CORE_READ(tcp, chrono_start));
	return jiffies;
}

HIDDEN void socket_wait_begin(struct task_struct *task, __u64 now)
{
	const struct pt_regs *regs;
	struct socket_wait *wait;
	struct delivery none = {};
	struct sock *sock;
	__u32 kind;

	if (task->flags & (PF_KTHREAD_BIT | PF_IO_WORKER_BIT))
		return;
	regs = (const struct pt_regs *)bpf_task_pt_regs(task);
	kind = wait_of_call((__s64)regs->orig_ax);
	if (!kind || !ledger_of(task, false))
		return;
	sock = sock_of(task, (__u32)regs->di);
	if (!sock)
		return;
	wait = bpf_task_storage_get(&socket_waits, task, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (!wait || !connection_key(sock, task, &wait->key))
		return;
	wait->sock = (__u64)sock;
	wait->kind = kind - 1;
	wait->start_ns = now;
	wait->closed_window = 0;
	if (kind == CONNECTION_WAIT_SEND + 1 && wait->key.protocol == PROTOCOL_TCP) {
		wait->limited_jiffies = limited_jiffies(sock);
		wait->closed_window = !READ((const struct tcp_sock *)sock, snd_wnd);
	}
	wait->waits = 1;
	count(COUNT_SOCKET_WAITS);
	if (bpf_map_update_elem(&socket_deliveries, &wait->sock, &none, BPF_ANY))
		count(COUNT_SOCKET_WAITS_LOST);
}

static __always_inline void add_host_time(struct wire_connection_value *value, const struct socket_wait *wait, __u64 start, __u64 wake)
{
	struct delivery *delivery = bpf_map_lookup_elem(&socket_deliveries, &wait->sock);
	__u64 since;

	if (!delivery)
		return;
	since = delivery->raised_ns > start ? delivery->raised_ns : start;
	if (delivery->raised_ns && wake > since)
		connection_add(value, CONNECTION_SOFTIRQ, wake - since);
	bpf_map_delete_elem(&socket_deliveries, &wait->sock);
}

/* The socket lives: the thread is still in the call that holds it. */
static __always_inline void add_connection_state(struct wire_connection_value *value, const struct socket_wait *wait, __u64 ns)
{
	const struct sock *sock = (const struct sock *)wait->sock;
	const struct inet_connection_sock *connection = (const struct inet_connection_sock *)sock;
	__u64 limited;

	connection_add_round_trip(value, sock);
	if (bpf_core_field_exists(connection->icsk_ca_state) &&
	    BPF_CORE_READ_BITFIELD_PROBED(connection, icsk_ca_state) >= CONGESTION_RECOVERY)
		connection_add(value, CONNECTION_RECOVERY, ns);
	if (wait->kind != CONNECTION_WAIT_SEND)
		return;
	if (wait->closed_window)
		CONNECTION_COUNT(value, CONNECTION_ZERO_WINDOWS, 1);
	limited = (limited_jiffies(sock) - wait->limited_jiffies) * jiffy_ns;
	if (limited)
		connection_add(value, CONNECTION_WINDOW, limited < ns ? limited : ns);
}

HIDDEN void socket_wait_end(struct task_struct *task, const struct task_ledger *ledger, __u64 now)
{
	struct socket_wait *wait = bpf_task_storage_get(&socket_waits, task, NULL, 0);
	struct wire_connection_value *value;
	__u64 wake, start, ns;
	__u32 kind;

	if (!wait || !wait->waits)
		return;
	wait->waits = 0;
	start = wait->start_ns > window_start_ns ? wait->start_ns : window_start_ns;
	wake = ledger && ledger->wake_ns > wait->start_ns ? ledger->wake_ns : now;
	kind = wait->kind;
	if (wake <= start || kind > CONNECTION_WAIT_ACCEPT) {           /* over before the window opened */
		bpf_map_delete_elem(&socket_deliveries, &wait->sock);
		return;
	}
	value = connection_value(&wait->key);
	if (!value)
		return;
	ns = wake - start;
	connection_add(value, kind, ns);
	add_host_time(value, wait, start, wake);
	if (wait->key.protocol == PROTOCOL_TCP && kind != CONNECTION_WAIT_ACCEPT)
		add_connection_state(value, wait, ns);
}

/* Beside sched_switched, in whatever order: it reads of the ledger only what neither side of a switch writes. */
SEC("?tp_btf/sched_switch")
int BPF_PROG(network_switched, bool preempt, struct task_struct *prev, struct task_struct *next, unsigned int prev_state)
{
	__u64 now;

	if (window_end_ns != ~0ull)
		return 0;
	now = bpf_ktime_get_ns();
	if (prev->pid && !preempt && (prev_state & STATE_INTERRUPTIBLE))
		socket_wait_begin(prev, now);
	if (next->pid)
		socket_wait_end(next, ledger_of(next, false), now);
	return 0;
}
