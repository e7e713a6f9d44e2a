/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Connections by endpoint: amounts of what happened on them, and of what was waited for them. An endpoint is called by its program
 * and peer, or by its port where connections come in, so that the same service has the same name in every capture.
 */
#include "probe/probe.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

/* So many endpoints have names in one capture; of what comes beyond only the sum is kept. */
enum { ENDPOINT_LIMIT = 65536, UDP = 17 };

/* A total is the sum of what it has as parts; details say more of it. */
struct amount { const char *parent, *name; enum measure_role role; };
static const struct amount part_names[CONNECTION_PARTS] = {
	[CONNECTION_WAIT_CONNECT] = { "network-waits", "connect", ROLE_TOTAL },
	[CONNECTION_WAIT_RECEIVE] = { "network-waits", "receive", ROLE_TOTAL },
	[CONNECTION_WAIT_SEND] = { "network-waits", "send", ROLE_TOTAL },
	[CONNECTION_WAIT_ACCEPT] = { "network-waits", "accept", ROLE_TOTAL },
	[CONNECTION_SOFTIRQ] = { "network-waits", "softirq", ROLE_DETAIL },
	[CONNECTION_WINDOW] = { "network-waits", "window", ROLE_DETAIL },
	[CONNECTION_RECOVERY] = { "network-waits", "recovery", ROLE_DETAIL },
	[CONNECTION_QUEUE] = { "connections", "queue", ROLE_DETAIL },
	[CONNECTION_CONNECT] = { "network-phases", "connect", ROLE_TOTAL },
	[CONNECTION_LOOKUP] = { "network-phases", "lookup", ROLE_TOTAL },
	[CONNECTION_HANDSHAKE] = { "network-phases", "handshake", ROLE_TOTAL },
	[CONNECTION_FIRST_BYTE] = { "network-phases", "first-byte", ROLE_TOTAL },
	[CONNECTION_ROUND_TRIP] = { "connections", "round-trip", ROLE_DETAIL },
};
static const struct amount count_names[CONNECTION_COUNTS] = {
	[CONNECTION_OPENED] = { NULL, "connections", ROLE_TOTAL },
	[CONNECTION_SENT_BYTES] = { "network-bytes", "sent", ROLE_TOTAL },
	[CONNECTION_RECEIVED_BYTES] = { "network-bytes", "received", ROLE_TOTAL },
	[CONNECTION_SENDS] = { "connections", "sends", ROLE_DETAIL },
	[CONNECTION_RECEIVES] = { "connections", "receives", ROLE_DETAIL },
	[CONNECTION_RETRANSMITS] = { NULL, "retransmits", ROLE_TOTAL },
	[CONNECTION_TIMEOUTS] = { "retransmits", "timeouts", ROLE_DETAIL },
	[CONNECTION_RESETS_RECEIVED] = { "resets", "received", ROLE_TOTAL },
	[CONNECTION_RESETS_SENT] = { "resets", "sent", ROLE_TOTAL },
	[CONNECTION_FAILED] = { "connections", "failed", ROLE_DETAIL },
	[CONNECTION_ANSWERED] = { "connections", "answered", ROLE_DETAIL },
	[CONNECTION_ZERO_WINDOWS] = { "connections", "zero-windows", ROLE_DETAIL },
};

static void peer_name(const struct wire_connection_key *key, char *text, size_t size)
{
	char address[INET6_ADDRSTRLEN] = "?";

	(void)inet_ntop(key->family == AF_INET6 ? AF_INET6 : AF_INET, key->address, address, sizeof(address));
	(void)snprintf(text, size, key->family == AF_INET6 ? "%.*s [%s]:%u%s" : "%.*s %s:%u%s", (int)strnlen(key->comm, WIRE_COMM),
		       key->comm, address, key->port, key->protocol == UDP ? "/udp" : "");
}

static struct object_id endpoint_of(struct profile *profile, const struct wire_connection_key *key)
{
	const char *protocol = key->protocol == UDP ? "/udp" : "";
	bool incoming = key->direction == WIRE_INCOMING;
	char name[96] = "others";

	if (key->direction == WIRE_OUTGOING)
		peer_name(key, name, sizeof(name));
	else if (incoming && key->port)
		(void)snprintf(name, sizeof(name), ":%u%s", key->port, protocol);
	else if (incoming)
		(void)snprintf(name, sizeof(name), "any port%s", protocol);
	if (profile_object_count(profile) > ENDPOINT_LIMIT)
		(void)snprintf(name, sizeof(name), "others");
	return profile_object(profile, (struct object){ .kind = profile_string(profile, incoming ? "incoming" : "connection"),
							.name = profile_string(profile, name) });
}

static void add(struct decoder *decoder, struct object_id object, const struct amount *amount,
		const struct wire_connection_part_value *value)
{
	struct profile *profile = decoder_profile(decoder);

	if (!value->count && !value->ns)
		return;
	profile_add_cell(profile, (struct cell){
		.slice = decoder_slice(decoder), .object = object, .count = value->count, .value = value->ns, .maximum = value->maximum_ns,
		.measure = profile_measure(profile, (struct measure){
			.dimension = profile_dimension(profile, dimension_row_find(amount->parent, amount->name)),
			.role = amount->role, .weighting = WEIGHTING_EXACT, .source = profile_string(profile, "network") }) });
}

static void decode_connection(struct decoder *decoder, const struct wire_head *record)
{
	const struct wire_connection *wire = (const void *)record;
	struct object_id object = endpoint_of(decoder_profile(decoder), &wire->key);

	for (unsigned i = 0; i < CONNECTION_PARTS; i++)
		add(decoder, object, &part_names[i], &wire->value.parts[i]);
	for (unsigned i = 0; i < CONNECTION_COUNTS; i++) {
		bool happened = !count_names[i].parent || !strcmp(count_names[i].parent, "resets");
		struct wire_connection_part_value value = { .ns = wire->value.counts[i], .count = happened ? wire->value.counts[i] : 0 };

		add(decoder, object, &count_names[i], &value);
	}
}

static const struct wire_decoder decoders[] = { { WIRE_CONNECTION, sizeof(struct wire_connection), decode_connection }, { 0 } };

extern const struct probe probe_network;
const struct probe probe_network = {
	.name = "network", .summary = "connections: waits, phases, retransmits and resets by endpoint",
	.fills = "network, network-waits, connections, retransmits", .without = "network waits have no peer, no phases and no retransmits",
	.exposes = "addresses and ports of peers, names of programs that connect to them",
	.programs = { { "network_switched", "sched_switch", 410 }, { "network_softirq_raised", "softirq_raise", 180 },
		      { "network_softirq_begun", "softirq_entry", 45 }, { "network_softirq_ended", "softirq_exit", 45 },
		      { "network_sent", "sock_send_length", 310 }, { "network_received", "sock_recv_length", 330 },
		      { "network_arrived", "sk_data_ready", 380 }, { "network_state_set", "inet_sock_set_state", 400 },
		      { "network_retransmitted", "tcp_retransmit_skb", 400 }, { "network_reset_received", "tcp_receive_reset", 300 },
		      { "network_reset_sent", "tcp_send_reset", 300 } },
	.decoders = decoders,
};
