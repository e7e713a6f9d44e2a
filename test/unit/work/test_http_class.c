/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include <string.h>

#include "work/http_class.h"

static struct work_class class;

static const char *named(const char *request)
{
	http_class_of(request, strlen(request), &class);
	return class.name;
}

TEST(a_class_is_method_and_path)
{
	assert_string_equal(named("GET /orders/list HTTP/1.1\r\nHost: a\r\n\r\n"), "GET /orders/list");
	assert_string_equal(named("POST / HTTP/1.0\r\n\r\n"), "POST /");
}

TEST(what_identifies_one_of_many_is_left_out)
{
	assert_string_equal(named("GET /user/12345/orders HTTP/1.1\r\n"), "GET /user/:n/orders");
	assert_string_equal(named("GET /o/6ba7b810-9dad-11d1-80b4-00c04fd430c8 HTTP/1.1\r\n"), "GET /o/:n");
	assert_string_equal(named("GET /mail/a@example.org HTTP/1.1\r\n"), "GET /mail/:n");
	assert_string_equal(named("GET /find/a%20name HTTP/1.1\r\n"), "GET /find/:n");
	assert_string_equal(named("GET /t/eyJhbGciOiJIUzI1NiIsInR5cCI6 HTTP/1.1\r\n"), "GET /t/:n");
	assert_string_equal(named("GET /image/1234.jpg HTTP/1.1\r\n"), "GET /image/:n.jpg");
}

TEST(words_stay_also_with_a_number)
{
	assert_string_equal(named("GET /api/v2/orders.json HTTP/1.1\r\n"), "GET /api/v2/orders.json");
	assert_string_equal(named("GET /decade HTTP/1.1\r\n"), "GET /decade");
}

TEST(queries_and_fragments_go)
{
	assert_string_equal(named("GET /find?name=secret&token=1 HTTP/1.1\r\n"), "GET /find");
	assert_string_equal(named("GET /page#here HTTP/1.1\r\n"), "GET /page");
}

TEST(a_proxy_is_asked_by_the_whole_address)
{
	assert_string_equal(named("GET http://example.org:80/a/7 HTTP/1.1\r\n"), "GET /a/:n");
}

TEST(what_is_no_request_has_no_class)
{
	assert_string_equal(named(""), "");
	assert_string_equal(named("\x16\x03\x01"), "");
	assert_string_equal(named("get / HTTP/1.1\r\n"), "");
	assert_string_equal(named("GET"), "");
}

TEST(a_long_path_is_cut)
{
	char request[600] = "GET ";

	for (int i = 0; i < 100; i++)
		strcat(request, "/abc");
	strcat(request, " HTTP/1.1\r\n");
	assert_true(strlen(named(request)) < sizeof(class.name));
}

TEST(the_trace_is_read_whatever_the_case_of_its_header)
{
	named("GET / HTTP/1.1\r\nHost: a\r\nTraceParent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01\r\n\r\n");
	assert_string_equal(class.trace_id, "0af7651916cd43dd8448eb211c80319c");
}

TEST(a_trace_that_is_cut_or_malformed_is_none)
{
	named("GET / HTTP/1.1\r\ntraceparent: 00-0af7651916cd43dd8448eb2");
	assert_string_equal(class.trace_id, "");
	named("GET / HTTP/1.1\r\ntraceparent: 00-zzz7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01\r\n\r\n");
	assert_string_equal(class.trace_id, "");
	named("GET / HTTP/1.1\r\nx-traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01\r\n\r\n");
	assert_string_equal(class.trace_id, "");
}
