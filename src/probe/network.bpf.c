/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * What happens on connections, whether somebody waits for it or not: made, sent, received, sent once more, reset, looked up.
 * A socket of the population remembers what was begun on it (socket storage): when it was connected, when the first byte was asked
 * for, since when what came lies unread. Of what is sent only the length is kept, and whether it goes to port 53.
 *
 *	send ──▶ … network, peer … ──▶ arrived ──▶ read
 *	      first byte, or a lookup          queue
 */
#include "probe/connection.bpf.h"

#include <bpf/bpf_endian.h>

enum { STATE_ESTABLISHED = 1, STATE_SYN_SENT = 2, STATE_SYN_RECEIVED = 3, STATE_CLOSE = 7, STATE_LISTEN = 10, CONGESTION_LOSS = 4,
       NR_SENDTO = 44, NR_SENDMSG = 46, PEEKS = 2 };
#define LOOKUP_LIMIT_NS 30000000000ull

struct connection {
	struct wire_connection_key key;
	__u64 opened_ns;                /* it began to be made; of an incoming one, it was made */
	__u64 asked_ns;                 /* the first send that nothing has come after */
	__u64 arrived_ns;               /* what lies unread came */
	__u64 lookup_ns, counted_ns;    /* the lookup in progress began; up to here it is counted */
	__u32 queries, answers;
	__u8 owned;                     /* by a thread of the population; until then nothing is counted */
	__u8 lookup;                    /* it asks a name server */
};
struct {
	__uint(type, BPF_MAP_TYPE_SK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct connection);
} socket_connections SEC(".maps");

/* The kernel's uapi structs, whose layout never changes. */
struct user_address { __u16 family, port; };
struct user_message { void *name; __u32 name_length, padding; };

static struct connection *connection_of(const struct sock *sock, bool create)
{
	return bpf_sk_storage_get(&socket_connections, (struct sock *)sock, NULL, create ? BPF_SK_STORAGE_GET_F_CREATE : 0);
}

/* Of a socket that the current thread works on, if it is of the population. */
static struct connection *connection_owned(const struct sock *sock, bool sent)
{
	__u16 family = sock->__sk_common.skc_family;
	struct task_struct *task = bpf_get_current_task_btf();
	struct connection *connection;
	struct wire_connection_value *value;

	if ((family != FAMILY_INET && family != FAMILY_INET6) || !window_is_open() || !ledger_of(task, false))
		return NULL;
	connection = connection_of(sock, true);
	if (!connection)
		return NULL;
	if (!connection->owned) {
		if (!connection_key(sock, task, &connection->key))
			return NULL;
		connection->lookup = connection->key.direction == WIRE_OUTGOING && connection->key.port == DOMAIN_PORT;
		connection->owned = 1;
		value = connection->opened_ns ? connection_value(&connection->key) : NULL;
		if (value)
			CONNECTION_COUNT(value, CONNECTION_OPENED, 1);
		connection->opened_ns = 0;
	}
	if (tls_watched)
		tls_touch(&connection->key, sent);
	return connection;
}

/* From an interrupt: whom current belongs to says nothing then. */
static struct connection *connection_known(const struct sock *sock)
{
	struct connection *connection = window_is_open() ? connection_of(sock, false) : NULL;

	return connection && connection->owned ? connection : NULL;
}

/* --- Lookups ---------------------------------------------------------------------------------------------------- */

/* A datagram socket without a peer names it with each message. */
static void note_name_server(struct connection *connection)
{
	const struct pt_regs *regs = (const struct pt_regs *)bpf_task_pt_regs(bpf_get_current_task_btf());
	struct wire_connection_key *key = &connection->key;
	struct user_message message = {};
	struct user_address to = {};
	const void *from = NULL;

	if (regs->orig_ax == NR_SENDTO)
		from = (const void *)regs->r8;
	else if (regs->orig_ax == NR_SENDMSG && !bpf_probe_read_user(&message, sizeof(message), (const void *)regs->si))
		from = message.name;
	if (!from || bpf_probe_read_user(&to, sizeof(to), from) || to.port != bpf_htons(DOMAIN_PORT))
		return;
	connection->lookup = 1;
	key->direction = WIRE_OUTGOING;
	key->port = DOMAIN_PORT;
	key->family = to.family;
	if (to.family == FAMILY_INET)
		bpf_probe_read_user(key->address, 4, from + 4);         /* sin_addr */
	else
		bpf_probe_read_user(key->address, 16, from + 8);        /* sin6_addr */
	BPF_CORE_READ_STR_INTO(&key->comm, bpf_get_current_task_btf(), group_leader, comm);
}

static void count_lookup(struct connection *connection, struct wire_connection_value *value, __u64 now)
{
	struct wire_connection_part_value *part = &value->parts[CONNECTION_LOOKUP];

	__sync_fetch_and_add(&part->ns, now - connection->counted_ns);
	if (now - connection->lookup_ns > part->maximum_ns)
		part->maximum_ns = now - connection->lookup_ns;
	connection->counted_ns = now;
}

/* A resolver asks for several records at once, and again when no answer comes: that is one lookup, from the first question to
 * the last answer. What was asked in vain counts up to the next question. */
static void lookup_asked(struct connection *connection, struct wire_connection_value *value, __u64 now)
{
	bool over = connection->answers >= connection->queries || now - connection->lookup_ns > LOOKUP_LIMIT_NS;

	if (over) {
		connection->lookup_ns = connection->counted_ns = now;
		connection->queries = connection->answers = 0;
		__sync_fetch_and_add(&value->parts[CONNECTION_LOOKUP].count, 1);
	} else if (now - connection->counted_ns > 1000000000ull) {
		count_lookup(connection, value, now);
	}
	connection->queries++;
}

static void lookup_answered(struct connection *connection, struct wire_connection_value *value, __u64 now)
{
	if (connection->answers >= connection->queries)
		return;
	if (!connection->answers++)
		CONNECTION_COUNT(value, CONNECTION_ANSWERED, 1);
	count_lookup(connection, value, now);
}

/* --- Sent and received ------------------------------------------------------------------------------------------ */

SEC("?tp_btf/sock_send_length")
int BPF_PROG(network_sent, struct sock *sock, int sent, int flags)
{
	struct connection *connection = sent > 0 ? connection_owned(sock, true) : NULL;
	struct wire_connection_value *value;
	__u64 now;

	if (!connection)
		return 0;
	if (!connection->lookup && connection->key.direction == WIRE_INCOMING && connection->key.protocol == PROTOCOL_UDP)
		note_name_server(connection);
	value = connection_value(&connection->key);
	if (!value)
		return 0;
	now = bpf_ktime_get_ns();
	CONNECTION_COUNT(value, CONNECTION_SENDS, 1);
	CONNECTION_COUNT(value, CONNECTION_SENT_BYTES, sent);
	if (connection->lookup)
		lookup_asked(connection, value, now);
	else if (connection->key.direction == WIRE_OUTGOING && !connection->asked_ns)
		connection->asked_ns = now;
	return 0;
}

static __always_inline bool has_unread(const struct connection *connection, const struct sock *sock)
{
	const struct tcp_sock *tcp = (const struct tcp_sock *)sock;

	return connection->key.protocol == PROTOCOL_TCP && READ(tcp, rcv_nxt) != READ(tcp, copied_seq);
}

SEC("?tp_btf/sock_recv_length")
int BPF_PROG(network_received, struct sock *sock, int received, int flags)
{
	struct connection *connection = received > 0 && !(flags & PEEKS) ? connection_owned(sock, false) : NULL;
	struct wire_connection_value *value = connection ? connection_value(&connection->key) : NULL;
	__u64 now;

	if (!value)
		return 0;
	now = bpf_ktime_get_ns();
	CONNECTION_COUNT(value, CONNECTION_RECEIVES, 1);
	CONNECTION_COUNT(value, CONNECTION_RECEIVED_BYTES, received);
	if (connection->arrived_ns && now > connection->arrived_ns)
		connection_add(value, CONNECTION_QUEUE, now - connection->arrived_ns);
	connection->arrived_ns = has_unread(connection, sock) ? now : 0;
	return 0;
}

SEC("?tp_btf/sk_data_ready")
int BPF_PROG(network_arrived, const struct sock *sock)
{
	struct connection *connection;
	struct wire_connection_value *value;
	__u64 now;

	if (!window_is_open())
		return 0;
	now = bpf_ktime_get_ns();
	socket_delivered(sock, now);
	connection = connection_of(sock, false);
	if (!connection)
		return 0;
	if (!connection->arrived_ns)
		connection->arrived_ns = now;
	if (!connection->owned || (!connection->asked_ns && !connection->lookup))
		return 0;
	value = connection_value(&connection->key);
	if (!value)
		return 0;
	if (connection->lookup)
		lookup_answered(connection, value, now);
	else if (now > connection->asked_ns)
		connection_add(value, CONNECTION_FIRST_BYTE, now - connection->asked_ns);
	connection->asked_ns = 0;
	if (connection->key.protocol == PROTOCOL_TCP)
		connection_add_round_trip(value, sock);
	return 0;
}

/* --- Made, repaired, reset -------------------------------------------------------------------------------------- */

static void count_of(const struct sock *sock, enum wire_connection_count which)
{
	struct connection *connection = connection_known(sock);
	struct wire_connection_value *value = connection ? connection_value(&connection->key) : NULL;

	if (value)
		CONNECTION_COUNT(value, which, 1);
}

static void connecting_ended(const struct sock *sock, bool made)
{
	struct connection *connection = connection_known(sock);
	struct wire_connection_value *value = connection ? connection_value(&connection->key) : NULL;
	__u64 now = bpf_ktime_get_ns();

	socket_delivered(sock, now);
	if (!value || !connection->opened_ns)
		return;
	CONNECTION_COUNT(value, made ? CONNECTION_OPENED : CONNECTION_FAILED, 1);
	if (made)
		connection_add(value, CONNECTION_CONNECT, now - connection->opened_ns);
	connection->opened_ns = 0;
}

SEC("?tp_btf/inet_sock_set_state")
int BPF_PROG(network_state_set, const struct sock *sock, int before, int after)
{
	struct connection *connection;

	if (!window_is_open() || READ(sock, sk_protocol) != PROTOCOL_TCP)
		return 0;
	if (after == STATE_SYN_SENT) {
		connection = connection_owned(sock, false);
		if (connection)
			connection->opened_ns = bpf_ktime_get_ns();
	} else if (before == STATE_SYN_SENT) {
		connecting_ended(sock, after == STATE_ESTABLISHED);
	} else if (before == STATE_SYN_RECEIVED && after == STATE_ESTABLISHED) {
		connection = connection_of(sock, true);
		if (connection)                         /* whose it is shows when somebody works on it */
			connection->opened_ns = bpf_ktime_get_ns();
	}
	return 0;
}

/* One buffer may be several segments, each of which goes out as a packet. */
static __u64 segments_of(struct sk_buff *buffer)
{
	const struct tcp_skb_cb *control = (const void *)&buffer->cb;
	__u64 segments = bpf_core_field_exists(buffer->cb) ? READ(control, tcp_gso_segs) : 0;

	return segments ? segments : 1;
}

SEC("?tp_btf/tcp_retransmit_skb")
int BPF_PROG(network_retransmitted, const struct sock *sock, struct sk_buff *buffer)
{
	struct connection *connection = connection_known(sock);
	struct wire_connection_value *value = connection ? connection_value(&connection->key) : NULL;
	const struct inet_connection_sock *connecting = (const struct inet_connection_sock *)sock;
	__u64 segments = segments_of(buffer);

	if (!value)
		return 0;
	CONNECTION_COUNT(value, CONNECTION_RETRANSMITS, segments);
	if (bpf_core_field_exists(connecting->icsk_ca_state) &&
	    BPF_CORE_READ_BITFIELD_PROBED(connecting, icsk_ca_state) == CONGESTION_LOSS)
		CONNECTION_COUNT(value, CONNECTION_TIMEOUTS, segments);
	return 0;
}

SEC("?tp_btf/tcp_receive_reset")
int BPF_PROG(network_reset_received, const struct sock *sock)
{
	count_of(sock, CONNECTION_RESETS_RECEIVED);
	return 0;
}

SEC("?tp_btf/tcp_send_reset")
int BPF_PROG(network_reset_sent, const struct sock *sock)
{
	if (sock)
		count_of(sock, CONNECTION_RESETS_SENT);
	return 0;
}
