/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
#pragma once
/*
 * What is added up by endpoint: connections have no names, and a peer's port of the moment would make one of each. An outgoing
 * connection counts under its program and the peer's address and port, an incoming one under the port it came to. Where the
 * map is full all else counts under one key that says so.
 */
#include "probe/kernel.bpf.h"

extern const volatile bool network_watched;             /* set before load */

enum { FAMILY_INET = 2, FAMILY_INET6 = 10, PROTOCOL_TCP = 6, PROTOCOL_UDP = 17, DOMAIN_PORT = 53 };

/* Of any socket, from any context; task, whose connection it is, may be NULL. False: neither TCP nor UDP. */
HIDDEN bool connection_key(const struct sock *sock, struct task_struct *task, struct wire_connection_key *ret);
/* NULL only where there is no map. */
HIDDEN struct wire_connection_value *connection_value(const struct wire_connection_key *key);

#define CONNECTION_COUNT(value, which, amount) __sync_fetch_and_add(&(value)->counts[which], amount)

static __always_inline void connection_add(struct wire_connection_value *value, enum wire_connection_part part, __u64 ns)
{
	__sync_fetch_and_add(&value->parts[part].count, 1);
	__sync_fetch_and_add(&value->parts[part].ns, ns);
	if (ns > value->parts[part].maximum_ns)
		value->parts[part].maximum_ns = ns;
}

/* The kernel's estimate of the round trip, in eighths of a microsecond; 0: none yet. */
static __always_inline void connection_add_round_trip(struct wire_connection_value *value, const struct sock *sock)
{
	__u64 eighths = READ((const struct tcp_sock *)sock, srtt_us);

	if (eighths)
		connection_add(value, CONNECTION_ROUND_TRIP, eighths * 125);
}

/* network_wait.bpf.c. A thread waits in a call on a socket since `now`; its wait is over at `wake`, or when the window ends. */
HIDDEN void socket_wait_begin(struct task_struct *task, __u64 now);
HIDDEN void socket_wait_end(struct task_struct *task, const struct task_ledger *ledger, __u64 now);
/* tls.bpf.c: the current thread has sent or received on this connection; it may be in a handshake. */
extern const volatile bool tls_watched;
HIDDEN void tls_touch(const struct wire_connection_key *key, bool sent);
/* What a thread may wait for on this socket has come, and will wake it next, on this processor. */
HIDDEN void socket_delivered(const struct sock *sock, __u64 now);
