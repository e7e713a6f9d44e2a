/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * The TCP ports this host listens on: a connection whose local port is one of them was accepted, so waiting for data on it
 * is waiting for work, not for a peer.
 */
#include <stddef.h>
#include <stdint.h>

/* Asks the kernel for listening sockets only, so a host with many connections costs nothing. Returns how many, at most room. */
size_t listeners_read(uint16_t *ports, size_t room);
