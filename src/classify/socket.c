/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The questions that the rules of socket calls share. A family that was not read (0) is none: no
 * rule then matches, rather than one that would have been right for most sockets.
 */
#include "classify/socket.h"

#include <sys/socket.h>

enum { STATE_CLOSED = 7 };      /* TCP_CLOSE: what a socket of any family without a peer is in */

bool socket_is(const struct wait_seen *seen)
{
	return wait_sleeps(seen) && seen->evidence->socket_family != AF_UNSPEC;
}

bool socket_is_unix(const struct wait_seen *seen)
{
	return socket_is(seen) && seen->evidence->socket_family == AF_UNIX;
}

/* Sockets whose other end is the kernel itself: messages, a copy of the traffic, a cipher. */
static bool is_kernel_family(int family)
{
	return family == AF_NETLINK || family == AF_PACKET || family == AF_ALG;
}

bool socket_is_network(const struct wait_seen *seen)
{
	return socket_is(seen) && !socket_is_unix(seen) &&
	       !is_kernel_family(seen->evidence->socket_family);
}

bool socket_is_served(const struct wait_seen *seen)
{
	const struct wait_evidence *evidence = seen->evidence;

	if (!socket_is(seen))
		return false;
	if (wait_has(seen, EVIDENCE_ACCEPTED) || is_kernel_family(evidence->socket_family))
		return true;
	return evidence->socket_type != SOCK_STREAM && evidence->socket_state == STATE_CLOSED;
}
