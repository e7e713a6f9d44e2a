/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A client's receive over a network protocol: it made the connection, so an answer is outstanding.
 * The loopback device is a network: what is waited for there is the same protocol.
 */
#include "classify/socket.h"

static bool matches(const struct wait_seen *seen)
{
	return socket_is_network(seen) && wait_reads(seen);
}

const struct rule rule_network_receive = {
	.name = "network-receive",
	.summary = "data from a peer",
	.state = "network", .part = "receive",
	.matches = matches,
};
