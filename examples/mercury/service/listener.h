/* SPDX-License-Identifier: Apache-2.0 */
/* The listening socket: accepts connections until a signal says stop. */
#pragma once

#include <stdint.h>

struct pool;

/* Listens on 127.0.0.1. A port of 0 is chosen by the kernel and written back. The socket, or
 * negative errno. */
int listener_open(uint16_t *port);

/* Accepts until `stop`, a signalfd, becomes readable. */
int listener_run(int listener, int stop, struct pool *pool);
