/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the head of a request:
 *
 *   GET /item/4711 HTTP/1.1              the whole item
 *   GET /item/4711?warehouse=dublin      what one warehouse has of it
 *   GET /health
 *
 * Of the headers only those count that change how the connection goes on.
 */
#define _GNU_SOURCE 1
#include "request.h"

#include <string.h>
#include <strings.h>

#include "../common/field.h"

struct cursor {
	const char *at, *end;
};

static bool skip(struct cursor *cursor, const char *literal)
{
	size_t length = strlen(literal);

	if ((size_t)(cursor->end - cursor->at) < length || memcmp(cursor->at, literal, length))
		return false;
	cursor->at += length;
	return true;
}

static bool number_read(struct cursor *cursor, uint32_t *number)
{
	const char *start = cursor->at;

	*number = 0;
	for (; cursor->at < cursor->end && *cursor->at >= '0' && *cursor->at <= '9'; cursor->at++)
		*number = *number * 10 + (uint32_t)(*cursor->at - '0');
	return cursor->at > start && cursor->at - start < 10;
}

static int item_read(struct cursor *cursor, struct request *request)
{
	request->route = ROUTE_ITEM;
	if (!number_read(cursor, &request->id))
		return 400;
	if (!skip(cursor, "?warehouse="))
		return 0;
	for (int i = 0; i < WAREHOUSE_COUNT; i++) {
		if (skip(cursor, warehouse_names[i])) {
			request->warehouse = i;
			return 0;
		}
	}
	return 400;
}

static int start_read(struct cursor *cursor, struct request *request)
{
	int status = 0;

	if (!skip(cursor, "GET "))
		return 405;
	if (skip(cursor, "/item/"))
		status = item_read(cursor, request);
	else if (skip(cursor, "/health"))
		request->route = ROUTE_HEALTH;
	else
		while (cursor->at < cursor->end && *cursor->at > ' ')
			cursor->at++;
	if (!status && !skip(cursor, " HTTP/1."))
		status = 400;
	request->keep_alive = !status && skip(cursor, "1");
	return status;
}

static bool header_is(const char *line, const char *end, const char *header)
{
	size_t length = strlen(header);

	return (size_t)(end - line) == length && !strncasecmp(line, header, length);
}

int request_read(struct request *request, const char *head, size_t length)
{
	struct cursor cursor = { head, head + length };
	const char *line, *end;
	int status;

	*request = (struct request){ .warehouse = -1 };
	status = start_read(&cursor, request);
	for (line = cursor.at; !status && line < cursor.end; line = end + 2) {
		end = memmem(line, (size_t)(cursor.end - line), "\r\n", 2);
		if (!end)
			return 400;
		if (header_is(line, end, "Connection: close"))
			request->keep_alive = false;
		if (!strncasecmp(line, "Content-Length:", 15) &&
		    !header_is(line, end, "Content-Length: 0"))
			status = 413;
		if (!strncasecmp(line, "Transfer-Encoding:", 18))
			status = 413;
	}
	return status;
}
