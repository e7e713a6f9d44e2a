/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * The map of endpoints: one of a pair is filled while the drain empties the other, as with waits. Several processors add to one
 * value, hence the atomic additions; a longest that two of them write at once may be the shorter.
 */
#include "probe/connection.bpf.h"

#include <bpf/bpf_endian.h>

enum { EPHEMERAL_PORT = 32768, STATE_LISTENING = 10 };

const volatile bool network_watched = false;

PAIR_OF_MAPS(connections, 4096, 0, struct wire_connection_key, struct wire_connection_value);

/* What found no room, of both epochs. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 2);
	__type(key, __u32);
	__type(value, struct wire_connection_value);
} connections_other SEC(".maps");

static bool is_mapped(const __u8 *address)
{
	const __u32 *words = (const __u32 *)address;

	return !words[0] && !words[1] && words[2] == bpf_htonl(0xffff);
}

static void read_peer(const struct sock *sock, struct wire_connection_key *ret)
{
	__u32 *words = (__u32 *)ret->address;

	ret->port = bpf_ntohs(READ(sock, __sk_common.skc_dport));
	if (ret->family == FAMILY_INET) {
		words[0] = READ(sock, __sk_common.skc_daddr);
		return;
	}
	if (!bpf_core_field_exists(sock->__sk_common.skc_v6_daddr))
		return;
	bpf_core_read(ret->address, sizeof(ret->address), &sock->__sk_common.skc_v6_daddr);
	if (is_mapped(ret->address)) {
		ret->family = FAMILY_INET;
		words[0] = words[3];
		words[2] = words[3] = 0;
	}
}

/* An accepted socket is a copy of its listener, whose queue had a length. A datagram socket without a peer takes what comes to
 * its port; one that was given any free port is not told from others. */
HIDDEN bool connection_key(const struct sock *sock, struct task_struct *task, struct wire_connection_key *ret)
{
	__u16 port = bpf_ntohs(READ((const struct inet_sock *)sock, inet_sport)), backlog = READ(sock, sk_max_ack_backlog) != 0;

	__builtin_memset(ret, 0, sizeof(*ret));
	ret->family = READ(sock, __sk_common.skc_family);
	ret->protocol = READ(sock, sk_protocol);
	if (ret->family != FAMILY_INET && ret->family != FAMILY_INET6)
		return false;
	if (ret->protocol != PROTOCOL_TCP && ret->protocol != PROTOCOL_UDP)
		return false;
	read_peer(sock, ret);
	ret->direction = WIRE_OUTGOING;
	if (backlog || READ(sock, __sk_common.skc_state) == STATE_LISTENING || (ret->protocol == PROTOCOL_UDP && !ret->port)) {
		__builtin_memset(ret->address, 0, sizeof(ret->address));
		ret->port = ret->protocol == PROTOCOL_UDP && port >= EPHEMERAL_PORT ? 0 : port;
		ret->direction = WIRE_INCOMING;
		ret->family = 0;                        /* a listener for both gets both */
	} else if (task) {
		BPF_CORE_READ_STR_INTO(&ret->comm, task, group_leader, comm);
	}
	return true;
}

HIDDEN struct wire_connection_value *connection_value(const struct wire_connection_key *key)
{
	struct wire_connection_value *value;
	__u32 odd = epoch & 1;

	count(COUNT_CONNECTION_EVENTS);
	value = PAIR_VALUE(connections, key);
	if (value)
		return value;
	count(COUNT_CONNECTION_EVENTS_MERGED);
	return bpf_map_lookup_elem(&connections_other, &odd);
}
