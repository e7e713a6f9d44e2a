/* SPDX-License-Identifier: Apache-2.0 */
/* One keep-alive connection to the service, with at most one request under way. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CLIENT_BYTES_MAX = 65536 };

struct client {
	int fd;                              /* -1: to be connected before the next request */
	bool busy;
	uint64_t intended_ns;
	uint64_t first_sent_ns;              /* of the operation's first attempt */
	unsigned attempts;                   /* of the operation, so far */
	uint32_t item;
	int32_t warehouse;
	size_t filled;
	char bytes[CLIENT_BYTES_MAX];
};

/* Connects. Negative errno on failure. */
int  client_connect(struct client *client, uint16_t port);
void client_close(struct client *client);

/* Asks for an item, or what one warehouse has of it. Negative errno on failure. */
int  client_send(struct client *client, uint32_t item, int32_t warehouse);

/* Reads what has arrived. 1: a whole answer is there, `status` and `body` describe it; 0: not yet;
 * negative errno: the connection is of no more use. */
int  client_receive(struct client *client, int *status, const char **body, size_t *body_length);
