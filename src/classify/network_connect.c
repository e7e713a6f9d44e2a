/* SPDX-License-Identifier: Apache-2.0 */
/*
 * connect() over a network protocol: the round trip to the peer, and its listener's queue.
 */
#include "classify/socket.h"

static bool matches(const struct wait_seen *seen)
{
	return socket_is_network(seen) && wait_in(seen, CALL_CONNECT);
}

const struct rule rule_network_connect = {
	.name = "network-connect",
	.summary = "a connection being made",
	.state = "network", .part = "connect",
	.matches = matches,
};
