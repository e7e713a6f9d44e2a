/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * What a call on a socket waits for. Families are told apart by where the peer is: behind a
 * network protocol (which includes the loopback device: the same code, the same waits), in another
 * process of this host, or in the kernel.
 */
#include "classify/seen.h"

bool socket_is(const struct wait_seen *seen);           /* a sleep on a socket of a known family */
bool socket_is_network(const struct wait_seen *seen);
bool socket_is_unix(const struct wait_seen *seen);

/*
 * Whether what is to be received was not asked for by this side, as far as can be told: a
 * connection that the peer made, or a socket without a peer, which takes whatever comes (a UDP
 * server, a netlink listener, a packet tap).
 */
bool socket_is_served(const struct wait_seen *seen);
