/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The candidate's parser and renderer, and the load generator's check of an answer: what the
 * service writes is accepted, and one changed byte is not.
 */
#define MERCURY_CANDIDATE
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "../../../examples/mercury/common/checksum.c"
#include "../../../examples/mercury/common/field.c"
#include "../../../examples/mercury/common/record.c"
#include "../../../examples/mercury/service/parse.c"
#include "../../../examples/mercury/service/response.c"

#define cursor answer_cursor                     /* the parser has one of its own */
#include "../../../examples/mercury/load/answer.c"
#undef cursor

#include "test.h"                            /* last: its macros are called as our functions are */

static struct record record;
static struct document document;
static struct response response;

static void text_set(const char *text)
{
	memset(&record, 0, sizeof(record));
	record.length = (uint32_t)strlen(text);
	memcpy(record.text, text, record.length);
}

static bool text_parses(const char *text)
{
	text_set(text);
	return parse(&document, &record);
}

#define OSLO "warehouse.inventory.current.oslo.ordered"

TEST(every_document_parses_to_the_item_it_was_made_from)
{
	struct item item;

	for (uint32_t id = 0; id < 12288; id += 97) {
		record_make(&record, id);
		item_make(&item, id);
		assert_true(record_is(&record, id));
		assert_true(parse(&document, &record));
		assert_int_equal(document.total, item.total);
		for (int i = 0; i < FIELD_COUNT; i++) {
			assert_int_equal(document.fields[i].value, item.values[i]);
			assert_int_equal(document.fields[i].label_length, strlen(item.labels[i]));
			assert_memory_equal(document.fields[i].label, item.labels[i],
					    strlen(item.labels[i]));
		}
	}
}

TEST(malformed_documents_are_refused)
{
	assert_true(text_parses(""));
	assert_true(text_parses(OSLO "=12;a%20b\n"));
	assert_true(text_parses("WAREHOUSE.inventory.current.OSLO.ordered=12;x\n"));
	assert_false(text_parses("unheard.of=12;x\n"));
	assert_false(text_parses(OSLO));
	assert_false(text_parses(OSLO "=\n"));
	assert_false(text_parses(OSLO "=12\n"));
	assert_false(text_parses(OSLO "=1000000;x\n"));
	assert_false(text_parses(OSLO "=12;x"));
	assert_false(text_parses(OSLO "=12;%4\n"));
	assert_false(text_parses(OSLO "=12;%zz\n"));
}

TEST(the_new_parser_also_refuses_bad_utf8_and_repeated_fields)
{
	assert_false(text_parses(OSLO "=12;%C3%28\n"));
	assert_false(text_parses(OSLO "=12;%C0%AF\n"));
	assert_false(text_parses(OSLO "=12;%ED%A0%80\n"));
	assert_false(text_parses(OSLO "=12;%F4%90%80%80\n"));
	assert_false(text_parses(OSLO "=12;%E2%82\n"));
	assert_false(text_parses(OSLO "=12;%0A\n"));
	assert_true(text_parses(OSLO "=12;%E2%82%AC%F0%9F%98%80\n"));
	assert_false(text_parses(OSLO "=12;x\n" OSLO "=13;x\n"));
}

TEST(old_and_new_rendering_of_a_field_are_the_same_bytes)
{
	char old[512], new[512];

	record_make(&record, 4711);
	assert_true(parse(&document, &record));
	for (int i = 0; i < FIELD_COUNT; i++) {
		const struct document_field *field = &document.fields[i];

		*put_field_old(old, field_names[i], field, document.total) = '\0';
		*put_field_new(new, field_names[i], field, document.total) = '\0';
		assert_string_equal(old, new);
	}
	assert_int_equal(checksum(record.text, 1001), checksum_bitwise(record.text, 1001));
	assert_int_equal(checksum("123456789", 9), 0xcbf43926);
}

TEST(an_answer_is_right_only_if_every_byte_is)
{
	for (int warehouse = -1; warehouse < WAREHOUSE_COUNT; warehouse += 5) {
		const struct request request = { .warehouse = warehouse, .keep_alive = true };

		record_make(&record, 33);
		assert_true(parse(&document, &record));
		response_item(&response, &request, &document);
		assert_int_equal(response.status, 200);
		assert_true(answer_is_right(33, warehouse, response.body, response.body_length));
		assert_false(answer_is_right(34, warehouse, response.body, response.body_length));
		assert_false(answer_is_right(33, warehouse, response.body,
					     response.body_length - 1));
		for (size_t i = 0; i < response.body_length; i += 7) {
			response.body[i] ^= 4;
			assert_false(answer_is_right(33, warehouse, response.body,
						     response.body_length));
			response.body[i] ^= 4;
		}
	}
}

TEST(a_response_starts_with_its_status_line_and_a_length)
{
	response_status(&response, 503, false);
	assert_memory_equal(response.head, "HTTP/1.1 503 Service Unavailable\r\n", 34);
	assert_non_null(strstr(response.head, "\r\nContent-Length: 8\r\n"));
	assert_non_null(strstr(response.head, "\r\nConnection: close\r\n\r\n"));
}
