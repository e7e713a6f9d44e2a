/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * HTTP/1 responses, counted where they leave: after a socket send succeeded, in the sender's context. The call's arguments
 * still stand in the thread's registers, so no system-call tracepoint is needed. Of the payload only the twelve bytes of
 * "HTTP/1.1 200" are looked at, and only the number is kept.
 *
 * A request opens where a server's socket is read and nothing is open on it, and closes with the first response that is sent
 * there: of pipelined ones the first is followed, the others are counted.
 */
#include "probe/request.bpf.h"
#include "work/response.bpf.h"

#include <bpf/bpf_endian.h>

enum { NR_WRITE = 1, NR_WRITEV = 20, NR_SENDTO = 44, NR_SENDMSG = 46, NR_SENDMMSG = 307, VECTORS = 16, HEAD_BYTES = 12,
       FAMILY_INET = 2, FAMILY_INET6 = 10, NR_READ = 0, NR_READV = 19, NR_RECVFROM = 45, NR_RECVMSG = 47, PEEKS = 2,
       STATUS_SWITCHING = 101, STATUS_FINAL = 200, STATUS_ERROR = 400 };
enum { STATE_FIN_WAIT1 = 4, STATE_CLOSE = 7, STATE_LAST_ACK = 9 };

const volatile bool speaks_resp = false;        /* Redis' protocol, in place of HTTP */
const volatile __u16 http_port = 0;     /* 0: every port of the population */

struct {
	__uint(type, 5);                /* BPF_MAP_TYPE_PERCPU_HASH */
	__uint(max_entries, 4096);
	__type(key, struct wire_completion_key);
	__type(value, __u64);
} http_responses SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_SK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct request_state);
} http_connections SEC(".maps");

/* The kernel's uapi structs, whose layout never changes. */
struct user_vector { void *base; __u64 length; };
struct user_message { void *name; __u32 name_length, padding; struct user_vector *vectors; __u64 vector_count; };

/* A reply begins with its type; an error is one. What is sent in one piece counts once, however many replies are in it. */
static __always_inline int reply_status(const void *from)
{
	char type = 0;

	if (bpf_probe_read_user(&type, sizeof(type), from)) {
		count(COUNT_SENDS_UNREAD);
		return 0;
	}
	switch (type) {
	case '-': case '!':
		return STATUS_ERROR;
	case '+': case ':': case '$': case '*': case '_': case '#': case ',': case '(': case '=': case '%': case '~':
		return STATUS_FINAL;
	}
	return 0;
}

/* What comes before the response ("100 Continue", "103 Early Hints") is none, and 0: the request has its answer yet to come. */
static __always_inline int response_status(const void *from)
{
	char head[HEAD_BYTES] = {};
	int status;

	if (speaks_resp)
		return reply_status(from);

	if (bpf_probe_read_user(head, sizeof(head), from)) {
		count(COUNT_SENDS_UNREAD);
		return 0;
	}
	if (head[0] != 'H' || head[1] != 'T' || head[2] != 'T' || head[3] != 'P' || head[4] != '/' || head[5] != '1' || head[8] != ' ')
		return 0;
	for (int i = 9; i < 12; i++)
		if (head[i] < '0' || head[i] > '9')
			return 0;
	status = (head[9] - '0') * 100 + (head[10] - '0') * 10 + head[11] - '0';
	return status >= STATUS_FINAL || status == STATUS_SWITCHING ? status : 0;
}

HIDDEN void response_count(const struct task_struct *task, __u16 port, int status)
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

/* Each vector may start a response: that is how pipelined ones leave. Returns the status of the first, 0: there is none. */
static int count_vectors(const struct task_struct *task, __u16 port, const struct user_vector *vectors, __u64 vector_count, __u64 sent)
{
	__u64 offset = 0;
	int first = 0;

	for (int i = 0; i < VECTORS; i++) {
		struct user_vector vector = {};
		int status;

		if ((__u64)i >= vector_count || offset >= sent)
			break;
		if (bpf_probe_read_user(&vector, sizeof(vector), &vectors[i])) {
			count(COUNT_SENDS_UNREAD);
			break;
		}
		status = vector.length >= HEAD_BYTES || (speaks_resp && !i && vector.length) ? response_status(vector.base) : 0;
		if (speaks_resp && i)
			break;                  /* the reply that was begun goes on */
		if (status)
			response_count(task, port, status);
		if (!first)
			first = status;
		offset += vector.length;
	}
	return first;
}

/* Counts what is sent by the current call. */
static int count_call(const struct task_struct *task, __u16 port, int sent)
{
	const struct pt_regs *regs = (const struct pt_regs *)bpf_task_pt_regs((struct task_struct *)task);
	struct user_message message = {};
	int status;

	switch ((int)regs->orig_ax) {
	case NR_WRITE:
	case NR_SENDTO:
		status = response_status((const void *)regs->si);
		if (status)
			response_count(task, port, status);
		return status;
	case NR_WRITEV:
		return count_vectors(task, port, (const void *)regs->si, regs->dx, sent);
	case NR_SENDMSG:
		if (!bpf_probe_read_user(&message, sizeof(message), (const void *)regs->si))
			return count_vectors(task, port, message.vectors, message.vector_count, sent);
		count(COUNT_SENDS_UNREAD);
		return 0;
	default:
		count(COUNT_SENDS_OTHER);       /* sendfile and splice carry bodies; io_uring is not read */
		return 0;
	}
}

static void follow_sent(struct sock *sock, struct task_ledger *ledger, int status)
{
	struct request_state *state = bpf_sk_storage_get(&http_connections, sock, NULL, 0);

	if (state && state->thread && !status)
		request_touch(state, ledger);   /* more of a body, or what comes before a response */
	else if (state && state->thread)
		request_close(state, ledger, status);
	else if (status)
		count(COUNT_RESPONSES_ORPHANED);
	if (state && status == STATUS_SWITCHING)
		state->is_foreign = true;
}

SEC("?tp_btf/sock_send_length")
int BPF_PROG(http_sent, struct sock *sock, int sent, int flags)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct task_ledger *ledger;
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
	ledger = ledger_of(task, false);
	if (!ledger)
		return 0;
	count(COUNT_SENDS);
	status = count_call(task, port, sent);
	if (requests)
		follow_sent(sock, ledger, status);
	return 0;
}

/* --- Where requests begin and end otherwise; attached only where they are followed ------------------------------ */

static __always_inline bool serves(const struct sock *sock)
{
	__u16 family = sock->__sk_common.skc_family, port;

	if (family != FAMILY_INET && family != FAMILY_INET6)
		return false;
	port = sock->__sk_common.skc_num;
	return http_port ? port == http_port : port_is_listening(port);
}

/* Where the current call put what it read; NULL where that is not one piece of memory. */
static __always_inline const void *place_read(struct task_struct *task)
{
	const struct pt_regs *regs = (const struct pt_regs *)bpf_task_pt_regs(task);
	struct user_message message = {};
	struct user_vector vector = {};

	switch ((int)regs->orig_ax) {
	case NR_READ:
	case NR_RECVFROM:
		return (const void *)regs->si;
	case NR_READV:
		bpf_probe_read_user(&vector, sizeof(vector), (const void *)regs->si);
		return vector.base;
	case NR_RECVMSG:
		bpf_probe_read_user(&message, sizeof(message), (const void *)regs->si);
		bpf_probe_read_user(&vector, sizeof(vector), message.vectors);
		return vector.base;
	}
	return NULL;
}

SEC("?tp_btf/sock_recv_length")
int BPF_PROG(http_received, struct sock *sock, int received, int flags)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct request_state *state;
	struct task_ledger *ledger;

	if (received < 0 || (flags & PEEKS) || window_start_ns == ~0ull || window_end_ns != ~0ull || !serves(sock))
		return 0;
	ledger = ledger_of(task, false);
	if (!ledger || !ledger->serial)
		return 0;
	state = bpf_sk_storage_get(&http_connections, sock, NULL, received ? BPF_SK_STORAGE_GET_F_CREATE : 0);
	if (!state || state->is_foreign)
		return 0;
	if (!received) {
		if (state->thread)
			request_abandon(state);
	} else if (state->thread) {
		request_touch(state, ledger);
		state->arrived_ns = 0;
	} else {
		request_open(state, ledger, place_read(task), received);
	}
	return 0;
}

SEC("?tp_btf/sk_data_ready")
int BPF_PROG(http_arrived, const struct sock *sock)
{
	struct request_state *state;

	if (window_start_ns == ~0ull || window_end_ns != ~0ull || !serves(sock))
		return 0;
	state = bpf_sk_storage_get(&http_connections, (struct sock *)sock, NULL, BPF_SK_STORAGE_GET_F_CREATE);
	if (state && !state->arrived_ns)
		state->arrived_ns = bpf_ktime_get_ns();
	return 0;
}

SEC("?tp_btf/inet_sock_set_state")
int BPF_PROG(http_ended, const struct sock *sock, int old, int state_now)
{
	struct request_state *state;

	if (state_now != STATE_CLOSE && state_now != STATE_FIN_WAIT1 && state_now != STATE_LAST_ACK)
		return 0;
	state = bpf_sk_storage_get(&http_connections, (struct sock *)sock, NULL, 0);
	if (state && state->thread)
		request_abandon(state);
	return 0;
}
