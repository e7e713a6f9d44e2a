/* SPDX-License-Identifier: Apache-2.0 */
/* The heads of requests that the service accepts, and those that it refuses. */
#include "../../../examples/mercury/common/field.c"
#include "../../../examples/mercury/service/request.c"

#include "test.h"                            /* last: its macros are called as our functions are */

static struct request request;

static int status_of(const char *head)
{
	return request_read(&request, head, strlen(head));
}

TEST(an_item_is_asked_for_whole_or_by_warehouse)
{
	assert_int_equal(status_of("GET /item/4711 HTTP/1.1\r\nHost: a\r\n\r\n"), 0);
	assert_int_equal(request.route, ROUTE_ITEM);
	assert_int_equal(request.id, 4711);
	assert_int_equal(request.warehouse, -1);
	assert_true(request.keep_alive);
	assert_int_equal(status_of("GET /item/0?warehouse=dublin HTTP/1.1\r\n\r\n"), 0);
	assert_string_equal(warehouse_names[request.warehouse], "dublin");
}

TEST(a_connection_ends_when_the_client_says_so_or_is_old)
{
	assert_int_equal(status_of("GET /health HTTP/1.1\r\nconnection: CLOSE\r\n\r\n"), 0);
	assert_int_equal(request.route, ROUTE_HEALTH);
	assert_false(request.keep_alive);
	assert_int_equal(status_of("GET /health HTTP/1.0\r\n\r\n"), 0);
	assert_false(request.keep_alive);
}

TEST(what_is_not_understood_is_refused_with_the_fitting_status)
{
	assert_int_equal(status_of("POST /item/1 HTTP/1.1\r\n\r\n"), 405);
	assert_int_equal(status_of("GET /item/ HTTP/1.1\r\n\r\n"), 400);
	assert_int_equal(status_of("GET /item/99999999999 HTTP/1.1\r\n\r\n"), 400);
	assert_int_equal(status_of("GET /item/1?warehouse=atlantis HTTP/1.1\r\n\r\n"), 400);
	assert_int_equal(status_of("GET /item/1 SPDY/3\r\n\r\n"), 400);
	assert_int_equal(status_of("GET /health HTTP/1.1\r\nContent-Length: 5\r\n\r\n"), 413);
	assert_int_equal(status_of("GET / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"), 413);
	assert_int_equal(status_of("GET /health HTTP/1.1\r\nContent-Length: 0\r\n\r\n"), 0);
	assert_int_equal(status_of("GET /elsewhere HTTP/1.1\r\n\r\n"), 0);
	assert_int_equal(request.route, ROUTE_NONE);
}
