/* SPDX-License-Identifier: Apache-2.0 */
/* One HTTP request, as far as this service cares. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { REQUEST_HEAD_MAX = 8192 };

enum route { ROUTE_NONE, ROUTE_ITEM, ROUTE_HEALTH };

struct request {
	enum route route;
	uint32_t id;
	int warehouse;                       /* -1: all of them */
	bool keep_alive;
};

/* Reads a head that ends with the empty line. 0, or the HTTP status to refuse the request with. */
int request_read(struct request *request, const char *head, size_t length);
