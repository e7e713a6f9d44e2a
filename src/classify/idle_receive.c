/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A receive on a connection that the peer made, or on a socket without a peer: nothing was asked
 * for, so that nothing is owed. Whether the service itself waits in the middle of a request cannot
 * be seen here, hence ambiguous. Before the receives of clients, over networks and unix sockets
 * alike.
 */
#include "classify/socket.h"

static bool matches(const struct wait_seen *seen)
{
	return socket_is_served(seen) && wait_reads(seen);
}

const struct rule rule_idle_receive = {
	.name = "idle-receive",
	.summary = "the next request on an accepted connection",
	.state = "idle", .part = "receive", .ambiguous = true,
	.matches = matches,
};
