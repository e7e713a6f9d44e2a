/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Connecting to, receiving from or sending to a process of this host. Receives on accepted
 * connections are idle-receive, which is asked first.
 */
#include "classify/socket.h"

static bool matches(const struct wait_seen *seen)
{
	if (!socket_is_unix(seen))
		return false;
	return wait_in(seen, CALL_CONNECT) || wait_reads(seen) || wait_writes(seen);
}

const struct rule rule_ipc_unix_socket = {
	.name = "ipc-unix-socket",
	.summary = "a peer behind a unix socket",
	.state = "ipc", .part = "unix-socket",
	.matches = matches,
};
