/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A send over a network protocol that waits for room: the peer or the path takes data more slowly
 * than it is given. Of a server as of a client.
 */
#include "classify/socket.h"

static bool matches(const struct wait_seen *seen)
{
	return socket_is_network(seen) && wait_writes(seen);
}

const struct rule rule_network_send = {
	.name = "network-send",
	.summary = "room in a send buffer",
	.state = "network", .part = "send",
	.matches = matches,
};
