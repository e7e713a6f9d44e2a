/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whom did threads wait for over the network, and what did the connections go through? By endpoint: a program and its peer where it
 * makes the connection, the local port where it is given one. What this host itself took is measured (its receive queue, the
 * socket's); all else is called the network's or the peer's, since nobody can tell these apart from one side.
 */
#include "analysis/account.h"
#include "analysis/analysis.h"
#include "analysis/figure.h"
#include "base/map.h"
#include "base/memory.h"
#include "profile/selection.h"
#include "result/document.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_MOST = 40 };

/* In the order of names[]. */
enum amount {
	WAIT_CONNECT, WAIT_RECEIVE, WAIT_SEND, WAIT_ACCEPT, SOFTIRQ, WINDOW, RECOVERY, CONNECT, LOOKUP, HANDSHAKE, FIRST_BYTE,
	OPENED, FAILED, ANSWERED, SENDS, RECEIVES, QUEUE, ROUND_TRIP, ZERO_WINDOWS, RETRANSMITS, TIMEOUTS, RESETS_RECEIVED, RESETS_SENT,
	SENT_BYTES, RECEIVED_BYTES, AMOUNTS
};
static const struct { const char *parent, *name; } names[AMOUNTS] = {
	[WAIT_CONNECT] = { "network-waits", "connect" }, [WAIT_RECEIVE] = { "network-waits", "receive" },
	[WAIT_SEND] = { "network-waits", "send" }, [WAIT_ACCEPT] = { "network-waits", "accept" },
	[SOFTIRQ] = { "network-waits", "softirq" }, [WINDOW] = { "network-waits", "window" }, [RECOVERY] = { "network-waits", "recovery" },
	[CONNECT] = { "network-phases", "connect" }, [LOOKUP] = { "network-phases", "lookup" },
	[HANDSHAKE] = { "network-phases", "handshake" }, [FIRST_BYTE] = { "network-phases", "first-byte" },
	[OPENED] = { NULL, "connections" }, [FAILED] = { "connections", "failed" }, [ANSWERED] = { "connections", "answered" },
	[SENDS] = { "connections", "sends" }, [RECEIVES] = { "connections", "receives" }, [QUEUE] = { "connections", "queue" },
	[ROUND_TRIP] = { "connections", "round-trip" }, [ZERO_WINDOWS] = { "connections", "zero-windows" },
	[RETRANSMITS] = { NULL, "retransmits" }, [TIMEOUTS] = { "retransmits", "timeouts" },
	[RESETS_RECEIVED] = { "resets", "received" }, [RESETS_SENT] = { "resets", "sent" },
	[SENT_BYTES] = { "network-bytes", "sent" }, [RECEIVED_BYTES] = { "network-bytes", "received" },
};

struct tallied { double count, total, longest; };
struct endpoint { struct object_id object; struct tallied amounts[AMOUNTS]; double weight; };

struct network {
	const struct question *question;
	const struct profile *profile;
	struct map *index;
	struct endpoint *endpoints;
	size_t count, room;
	size_t shown;
};

static struct endpoint *endpoint_of(struct network *network, struct object_id object)
{
	bool added = false;
	uint32_t *at = map_put(network->index, &object.index, &added);

	if (added) {
		grow(network->endpoints, network->count, network->room);
		network->endpoints[network->count] = (struct endpoint){ .object = object };
		*at = (uint32_t)network->count++;
	}
	return &network->endpoints[*at];
}

static void add_cell(struct network *network, const struct cell *cell, enum amount amount)
{
	struct endpoint *endpoint = endpoint_of(network, cell->object);
	struct tallied *tallied = &endpoint->amounts[amount];

	tallied->count += (double)cell->count;
	tallied->total += (double)cell->value;
	tallied->longest = fmax(tallied->longest, (double)cell->maximum);
	if (amount <= WAIT_SEND)
		endpoint->weight += (double)cell->value;
}

static void add_cells(struct network *network)
{
	struct dimension_id ids[AMOUNTS];

	for (unsigned i = 0; i < AMOUNTS; i++)
		ids[i] = profile_dimension_find(network->profile, names[i].parent, names[i].name);
	for (size_t i = 0; i < profile_cell_count(network->profile); i++) {
		const struct cell *cell = profile_cell_at(network->profile, i);
		struct dimension_id id = profile_cell_dimension(network->profile, cell);

		if (!cell->object.index || !selection_has_cell(network->question->selection, network->profile, cell))
			continue;
		for (unsigned amount = 0; amount < AMOUNTS; amount++)
			if (ids[amount].index && dimension_is(id, ids[amount]))
				add_cell(network, cell, amount);
	}
}

/* Those that were waited for longest first, then by what they carried. */
static int compare_endpoints(const void *left, const void *right)
{
	const struct endpoint *a = left, *b = right;
	double bytes_a = a->amounts[SENT_BYTES].total + a->amounts[RECEIVED_BYTES].total;
	double bytes_b = b->amounts[SENT_BYTES].total + b->amounts[RECEIVED_BYTES].total;

	if (a->weight != b->weight)
		return a->weight > b->weight ? -1 : 1;
	if (bytes_a != bytes_b)
		return bytes_a > bytes_b ? -1 : 1;
	return a->object.index < b->object.index ? -1 : a->object.index > b->object.index;
}

static const struct object *object_of(const struct network *network, const struct endpoint *endpoint)
{
	return profile_object_at(network->profile, endpoint->object.index);
}

static struct value name_of(const struct network *network, const struct endpoint *endpoint)
{
	return value_text(profile_text(network->profile, object_of(network, endpoint)->name));
}

static struct value direction_of(const struct network *network, const struct endpoint *endpoint)
{
	return value_text(strcmp(profile_text(network->profile, object_of(network, endpoint)->kind), "incoming") ? "out" : "in");
}

static struct value total(const struct endpoint *endpoint, enum amount amount)
{
	return endpoint->amounts[amount].count > 0 ? figure_whole(endpoint->amounts[amount].total) : value_none();
}

static struct value number(const struct endpoint *endpoint, enum amount amount)
{
	return endpoint->amounts[amount].total > 0 ? figure_whole(endpoint->amounts[amount].total) : value_none();
}

static struct value occurrences(const struct endpoint *endpoint, enum amount amount)
{
	return endpoint->amounts[amount].count > 0 ? figure_whole(endpoint->amounts[amount].count) : value_none();
}

static struct value mean(const struct endpoint *endpoint, enum amount amount)
{
	const struct tallied *tallied = &endpoint->amounts[amount];

	return figure(tallied->count > 0 ? tallied->total / tallied->count : NAN);
}

static struct value longest(const struct endpoint *endpoint, enum amount amount)
{
	return endpoint->amounts[amount].count > 0 ? figure_whole(endpoint->amounts[amount].longest) : value_none();
}

static bool has_any(const struct endpoint *endpoint, enum amount first, enum amount last)
{
	for (unsigned i = first; i <= last; i++)
		if (endpoint->amounts[i].count > 0 || endpoint->amounts[i].total > 0)
			return true;
	return false;
}

/* --- Tables ----------------------------------------------------------------------------------------------------- */

static const struct column wait_columns[] = {
	{ "endpoint", "endpoint", "", COLUMN_LEFT }, { "direction", "way", "", COLUMN_LEFT }, { "count", "waits", "count", 0 },
	{ "connect", "connect", "ns", 0 }, { "receive", "receive", "ns", 0 }, { "send", "send", "ns", 0 }, { "accept", "accept", "ns", 0 },
	{ "longest", "longest", "ns", 0 }, { "softirq", "this host", "ns", 0 }, { "remote", "network or peer", "ns", 0 },
	{ "window", "peer's window", "ns", 0 }, { "recovery", "repairing", "ns", 0 },
};

static void add_waits(const struct network *network, struct document *into)
{
	struct table *table = table_new(wait_columns, ARRAY_LENGTH(wait_columns));

	for (size_t i = 0; i < network->shown; i++) {
		const struct endpoint *endpoint = &network->endpoints[i];
		const struct tallied *amounts = endpoint->amounts;
		double waits = 0, longest_ns = 0;

		if (!has_any(endpoint, WAIT_CONNECT, WAIT_ACCEPT))
			continue;
		for (unsigned kind = WAIT_CONNECT; kind <= WAIT_ACCEPT; kind++) {
			waits += amounts[kind].count;
			longest_ns = fmax(longest_ns, amounts[kind].longest);
		}
		table_add(table, (struct value[]){
			name_of(network, endpoint), direction_of(network, endpoint), figure_whole(waits), total(endpoint, WAIT_CONNECT),
			total(endpoint, WAIT_RECEIVE), total(endpoint, WAIT_SEND), total(endpoint, WAIT_ACCEPT), figure_whole(longest_ns),
			total(endpoint, SOFTIRQ),
			figure_whole(fmax(0, endpoint->weight + amounts[WAIT_ACCEPT].total - amounts[SOFTIRQ].total)),
			total(endpoint, WINDOW), total(endpoint, RECOVERY) });
	}
	(void)document_add_table(into, "network_waits", "Waits in calls on sockets: thread time, whole", table);
}

static const struct column phase_columns[] = {
	{ "endpoint", "endpoint", "", COLUMN_LEFT }, { "phase", "phase", "", COLUMN_LEFT }, { "count", "times", "count", 0 },
	{ "total", "total", "ns", 0 }, { "mean", "mean", "ns", 0 }, { "longest", "longest", "ns", 0 },
	{ "unanswered", "unanswered", "count", 0 },
};

static void add_phases(const struct network *network, struct document *into)
{
	static const struct { const char *name; enum amount amount; } phases[] = {
		{ "lookup", LOOKUP }, { "connect", CONNECT }, { "handshake", HANDSHAKE }, { "first byte", FIRST_BYTE }, { "unread", QUEUE },
		{ "round trip", ROUND_TRIP },
	};
	struct table *table = table_new(phase_columns, ARRAY_LENGTH(phase_columns));

	for (size_t i = 0; i < network->shown; i++)
		for (size_t phase = 0; phase < ARRAY_LENGTH(phases); phase++) {
			const struct endpoint *endpoint = &network->endpoints[i];
			enum amount amount = phases[phase].amount;
			double unanswered = endpoint->amounts[LOOKUP].count - endpoint->amounts[ANSWERED].total;

			if (!has_any(endpoint, amount, amount))
				continue;
			table_add(table, (struct value[]){
				name_of(network, endpoint), value_text(phases[phase].name), occurrences(endpoint, amount),
				amount == ROUND_TRIP ? value_none() : total(endpoint, amount), mean(endpoint, amount), longest(endpoint, amount),
				amount == LOOKUP ? figure_whole(fmax(0, unanswered)) : value_none() });
		}
	(void)document_add_table(into, "network_phases", "What connections went through, waited for or not", table);
}

static const struct column traffic_columns[] = {
	{ "endpoint", "endpoint", "", COLUMN_LEFT }, { "direction", "way", "", COLUMN_LEFT }, { "opened", "made", "count", 0 },
	{ "failed", "failed", "count", 0 }, { "sent", "sent", "bytes", 0 }, { "received", "received", "bytes", 0 },
	{ "sends", "sends", "count", 0 }, { "receives", "receives", "count", 0 }, { "retransmits", "sent again", "count", 0 },
	{ "timeouts", "timed out", "count", 0 }, { "resets_received", "resets from peer", "count", 0 },
	{ "resets_sent", "resets sent", "count", 0 }, { "zero_windows", "closed windows", "count", 0 },
};

static void add_traffic(const struct network *network, struct document *into)
{
	struct table *table = table_new(traffic_columns, ARRAY_LENGTH(traffic_columns));

	for (size_t i = 0; i < network->shown; i++) {
		const struct endpoint *endpoint = &network->endpoints[i];

		if (!has_any(endpoint, OPENED, RECEIVED_BYTES))
			continue;
		table_add(table, (struct value[]){
			name_of(network, endpoint), direction_of(network, endpoint), number(endpoint, OPENED), number(endpoint, FAILED),
			number(endpoint, SENT_BYTES), number(endpoint, RECEIVED_BYTES), number(endpoint, SENDS), number(endpoint, RECEIVES),
			number(endpoint, RETRANSMITS), number(endpoint, TIMEOUTS), number(endpoint, RESETS_RECEIVED),
			number(endpoint, RESETS_SENT), number(endpoint, ZERO_WINDOWS) });
	}
	(void)document_add_table(into, "network_traffic", "What connections carried, and what went wrong", table);
}

/* --- The question ----------------------------------------------------------------------------------------------- */

static int network_run(const struct question *question, struct document *into, struct error *err)
{
	CLEANUP(map) struct map *index = map_new(sizeof(uint32_t));
	struct network network = { .question = question, .profile = question->profile, .index = index };
	size_t most = question->most ? question->most : DEFAULT_MOST;

	(void)err;
	add_cells(&network);
	if (!network.count)
		document_add_finding(into, SEVERITY_NOTE, "no connection is known: crosscut record --with network");
	if (network.count)
		qsort(network.endpoints, network.count, sizeof(*network.endpoints), compare_endpoints);
	network.shown = network.count < most ? network.count : most;
	if (network.shown < network.count)
		document_add_finding(into, SEVERITY_NOTE, "%zu of %zu endpoints are shown", network.shown, network.count);
	add_waits(&network, into);
	add_phases(&network, into);
	add_traffic(&network, into);
	free(network.endpoints);
	return 0;
}

extern const struct analysis analysis_network;
const struct analysis analysis_network = {
	.name = "network",
	.asks = "whom did threads wait for over the network, and what went wrong there?",
	.run = network_run,
	.not_by_request = "connections are not kept by request: of these requests, --question waits has the waits for the network",
};
