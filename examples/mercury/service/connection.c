/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The path of a request: received, read, looked up in the cache, fetched from the store if it is
 * not there, checked, parsed, rendered, sent. A worker thread owns one of these and uses it for
 * one client after another.
 */
#define _GNU_SOURCE 1
#include "connection.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "../common/checksum.h"
#include "cache.h"
#include "document.h"
#include "request.h"
#include "response.h"
#include "store.h"

struct connection {
	struct record record;                /* first: aligned, for direct I/O */
	struct store *store;
	struct cache *cache;
	size_t filled;
	char bytes[REQUEST_HEAD_MAX];
	struct request request;
	struct document document;
	struct response response;
};

struct connection *connection_new(struct store *store, struct cache *cache)
{
	const size_t unit = RECORD_ALIGNMENT;
	size_t size = (sizeof(struct connection) + unit - 1) / unit * unit;
	struct connection *connection = aligned_alloc(unit, size);

	if (!connection)
		return NULL;
	memset(connection, 0, size);
	connection->store = store;
	connection->cache = cache;
	return connection;
}

void connection_free(struct connection *connection)
{
	free(connection);
}

/* Receives until a whole head is there. Its length; 0 when the client is gone, -1 when it is too
 * long. */
static ssize_t head_receive(struct connection *connection, int fd)
{
	size_t searched = 0;

	for (;;) {
		char *from = connection->bytes + searched, *end;
		ssize_t n;

		end = memmem(from, connection->filled - searched, "\r\n\r\n", 4);
		if (end)
			return end + 4 - connection->bytes;
		if (connection->filled == sizeof(connection->bytes))
			return -1;
		searched = connection->filled > 3 ? connection->filled - 3 : 0;
		n = recv(fd, connection->bytes + connection->filled,
			 sizeof(connection->bytes) - connection->filled, 0);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return 0;
		connection->filled += (size_t)n;
	}
}

/* Finds the item and understands it. Negative errno on failure. */
static int item_load(struct connection *connection, uint32_t id)
{
	const struct record *record = &connection->record;
	int r = 0;

	if (id >= STORE_ITEMS)
		return -ENOENT;
	if (!cache_get(connection->cache, id, &connection->record))
		r = store_fetch(connection->store, connection->cache, id, &connection->record);
	if (r < 0)
		return r;
	if (checksum(record->text, record->length) != record->checksum)
		return -EIO;
	return parse(&connection->document, record) ? 0 : -EIO;
}

static void answer(struct connection *connection, size_t length)
{
	const struct request *request = &connection->request;
	struct response *response = &connection->response;
	int status = request_read(&connection->request, connection->bytes, length);

	if (status) {
		response_status(response, status, false);
	} else if (request->route == ROUTE_ITEM) {
		int r = item_load(connection, request->id);

		if (r == 0)
			response_item(response, request, &connection->document);
		else
			response_status(response, r == -ENOENT ? 404 : 500, request->keep_alive);
	} else {
		status = request->route == ROUTE_HEALTH ? 200 : 404;
		response_status(response, status, request->keep_alive);
	}
}

void connection_serve(struct connection *connection, int fd)
{
	connection->filled = 0;
	do {
		ssize_t length = head_receive(connection, fd);

		if (length == 0)
			return;
		if (length < 0) {
			response_status(&connection->response, 431, false);
		} else {
			answer(connection, (size_t)length);
			connection->filled -= (size_t)length;
			memmove(connection->bytes, connection->bytes + length, connection->filled);
		}
	} while (response_send(&connection->response, fd) == 0 && connection->response.keep_alive);
}
