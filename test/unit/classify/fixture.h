/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * A wait as a kernel leaves it behind, and the rule that must decide. Where a stack is given it is
 * one that Linux 6.18 had in that wait, or for other kernels what its source calls. `near` names a
 * rule that must not match although little is missing; `beats` one that matches as well, but is
 * asked later.
 */
#include "profile/evidence.h"

struct fixture {
	const char *sentence;
	struct wait_evidence seen;
	const char *release;            /* name of f_op->release; NULL unread */
	const char *frames;             /* the kernel stack, leaf first, separated by blanks; NULL none */
	const char *rule;               /* NULL: unknown */
	const char *near, *beats;
};

/* Task states as the kernel writes them. */
enum {
	ASLEEP = 0x1, ASLEEP_FREEZABLE = 0x2001, BLOCKED = 0x2, BLOCKED_KILLABLE = 0x102,
	BLOCKED_KILLABLE_FREEZABLE = 0x2102, IDLE_THREAD = 0x402, STOPPED = 0x104, TRACED = 0x108,
	FROZEN = 0x8000, PARKED = 0x40,
};

/* Types of files, kinds of sockets and their states. */
enum { REGULAR = 0100000, BLOCK_DEVICE = 0060000, CHARACTER_DEVICE = 0020000, FIFO = 0010000, SOCKET = 0140000 };
enum { UNIX = 1, INET = 2, INET6 = 10, NETLINK = 16, PACKET = 17, STREAM = 1, DATAGRAM = 2 };
enum { CONNECTED = 1, CONNECTING = 2, CLOSED = 7, LISTENING = 10 };

/* Futex operations as glibc passes them. */
enum {
	WAIT_PRIVATE = 128, WAIT_SHARED = 0, BITSET_PRIVATE = 9 | 128, BITSET_REALTIME = 9 | 128 | 256,
	BITSET_REALTIME_SHARED = 9 | 256, LOCK_PI_PRIVATE = 6 | 128, LOCK_PI2_PRIVATE = 13 | 128,
	REQUEUE_PI_PRIVATE = 11 | 128,
};
