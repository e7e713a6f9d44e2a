/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * HTTP/1 responses, counted where they leave: after a socket send succeeded, in the sender's context. The call's arguments
 * still stand in the thread's registers, so no system-call tracepoint is needed. Of the payload only the twelve bytes of
 * "HTTP/1.1 200" are looked at, and only the number is kept.
 */
#include "probe/kernel.bpf.h"

#include <bpf/bpf_endian.h>

enum { NR_WRITE = 1, NR_WRITEV = 20, NR_SENDTO = 44, NR_SENDMSG = 46, NR_SENDMMSG = 307, VECTORS = 16, HEAD_BYTES = 12,
       FAMILY_INET = 2, FAMILY_INET6 = 10 };

const volatile __u16 http_port = 0;     /* 0: every port of the population */

struct {
	__uint(type, 5);                /* BPF_MAP_TYPE_PERCPU_HASH */
	__uint(max_entries, 4096);
	__type(key, struct wire_completion_key);
	__type(value, __u64);
} http_responses SEC(".maps");

/* The kernel's uapi structs, whose layout never changes. */
struct user_vector { void *base; __u64 length; };
struct user_message { void *name; __u32 name_length, padding; struct user_vector *vectors; __u64 vector_count; };

static __always_inline int response_status(const void *from)
{
	char head[HEAD_BYTES] = {};

	if (bpf_probe_read_user(head, sizeof(head), from)) {
		count(COUNT_SENDS_UNREAD);
		return 0;
	}
	if (head[0] != 'H' || head[1] != 'T' || head[2] != 'T' || head[3] != 'P' || head[4] != '/' || head[5] != '1' || head[8] != ' ')
		return 0;
	for (int i = 9; i < 12; i++)
		if (head[i] < '0' || head[i] > '9')
			return 0;
	return (head[9] - '0') * 100 + (head[10] - '0') * 10 + head[11] - '0';
}

static __always_inline void count_response(const struct task_struct *task, __u16 port, int status)
{
	struct wire_completion_key key = { .process = task->tgid, .port = port, .class = status };
	__u64 none = 0, *value = bpf_map_lookup_elem(&http_responses, &key);

	if (!value) {                           /* whoever makes it: another thread may be faster, on another CPU */
		bpf_map_update_elem(&http_responses, &key, &none, BPF_NOEXIST);
		value = bpf_map_lookup_elem(&http_responses, &key);
	}
	if (value)
		*value += 1;
	else
		count(COUNT_COMPLETIONS_LOST);
}

/* skc_num would not do: where the peer has gone, its reset arrives inside the very send and clears that number. */
static __always_inline __u16 local_port(const struct sock *sock)
{
	return bpf_ntohs(BPF_CORE_READ((const struct inet_sock *)sock, inet_sport));
}

/* Each vector may start a response: that is how pipelined ones leave. */
static void count_vectors(const struct task_struct *task, __u16 port, const struct user_vector *vectors, __u64 vector_count, __u64 sent)
{
	__u64 offset = 0;

	for (int i = 0; i < VECTORS; i++) {
		struct user_vector vector = {};
		int status;

		if ((__u64)i >= vector_count || offset >= sent)
			return;
		if (bpf_probe_read_user(&vector, sizeof(vector), &vectors[i])) {
			count(COUNT_SENDS_UNREAD);
			return;
		}
		status = vector.length >= HEAD_BYTES ? response_status(vector.base) : 0;
		if (status)
			count_response(task, port, status);
		offset += vector.length;
	}
}

SEC("?tp_btf/sock_send_length")
int BPF_PROG(http_sent, struct sock *sock, int sent, int flags)
{
	struct task_struct *task = bpf_get_current_task_btf();
	const struct pt_regs *regs;
	__u16 port, family;
	int status;

	if (sent <= 0 || window_start_ns == ~0ull || bpf_ktime_get_ns() > window_end_ns)
		return 0;
	family = sock->__sk_common.skc_family;
	if (family != FAMILY_INET && family != FAMILY_INET6)
		return 0;
	port = local_port(sock);
	if (http_port && port != http_port)
		return 0;
	if (!ledger_of(task, false))
		return 0;
	count(COUNT_SENDS);
	regs = (const struct pt_regs *)bpf_task_pt_regs(task);
	switch ((int)regs->orig_ax) {
	case NR_WRITE:
	case NR_SENDTO:
		status = response_status((const void *)regs->si);
		if (status)
			count_response(task, port, status);
		break;
	case NR_WRITEV:
		count_vectors(task, port, (const void *)regs->si, regs->dx, sent);
		break;
	case NR_SENDMSG: {
		struct user_message message = {};

		if (bpf_probe_read_user(&message, sizeof(message), (const void *)regs->si))
			count(COUNT_SENDS_UNREAD);
		else
			count_vectors(task, port, message.vectors, message.vector_count, sent);
		break;
	}
	default:
		count(COUNT_SENDS_OTHER);       /* sendfile and splice carry bodies; io_uring is not read */
	}
	return 0;
}
