/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks an answer against the item made anew: every name, label and value, and each share to
 * half a millionth. The body is read with a cursor; nothing is allocated.
 */
#include "answer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../common/record.h"

struct cursor {
	const char *at, *end;
	bool right;
};

static void expect(struct cursor *cursor, const char *text, size_t length)
{
	cursor->right = cursor->right && (size_t)(cursor->end - cursor->at) >= length &&
			!memcmp(cursor->at, text, length);
	if (cursor->right)
		cursor->at += length;
}

static void expect_text(struct cursor *cursor, const char *text)
{
	expect(cursor, text, strlen(text));
}

static void expect_label(struct cursor *cursor, const char *label)
{
	for (; *label; label++) {
		if (*label == '"' || *label == '\\')
			expect(cursor, "\\", 1);
		expect(cursor, label, 1);
	}
}

static uint64_t digits_read(struct cursor *cursor)
{
	const char *start = cursor->at;
	uint64_t value = 0;

	while (cursor->at < cursor->end && *cursor->at >= '0' && *cursor->at <= '9')
		value = value * 10 + (uint64_t)(*cursor->at++ - '0');
	if (cursor->at == start || cursor->at - start > 9)
		cursor->right = false;
	return value;
}

/* A renderer may round a tie either way; nothing else. */
static void expect_share(struct cursor *cursor, uint64_t value, uint64_t total)
{
	const char *start;
	int64_t off;

	expect_text(cursor, "0.");
	start = cursor->at;
	off = (int64_t)(digits_read(cursor) * total) - (int64_t)(value * 1000000);
	if (cursor->at - start != 6 || llabs(off) * 2 > (int64_t)total + 2)
		cursor->right = false;
}

static void expect_field(struct cursor *cursor, const struct item *item, int field)
{
	expect_text(cursor, "{\"name\":\"");
	expect_text(cursor, field_names[field]);
	expect_text(cursor, "\",\"label\":\"");
	expect_label(cursor, item->labels[field]);
	expect_text(cursor, "\",\"value\":");
	if (digits_read(cursor) != item->values[field])
		cursor->right = false;
	expect_text(cursor, ",\"share\":");
	expect_share(cursor, item->values[field], item->total);
	expect_text(cursor, "}");
}

bool answer_is_right(uint32_t id, int warehouse, const char *body, size_t length)
{
	int first = warehouse < 0 ? 0 : warehouse * WAREHOUSE_FIELDS;
	int end = warehouse < 0 ? FIELD_COUNT : first + WAREHOUSE_FIELDS;
	struct cursor cursor = { body, body + length, true };
	struct item item;
	char head[96];

	item_make(&item, id);
	snprintf(head, sizeof(head), "{\"id\":%u,\"version\":%u,\"fields\":[", id, item.version);
	expect_text(&cursor, head);
	for (int field = first; field < end && cursor.right; field++) {
		if (field > first)
			expect_text(&cursor, ",");
		expect_field(&cursor, &item, field);
	}
	expect_text(&cursor, "]}\n");
	return cursor.right && cursor.at == cursor.end;
}
