/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * Reads JSON (RFC 8259) out of memory. A text becomes a tape of 16-byte nodes; an array that holds only scalars is one
 * node however long it is, and is lexed again as it is walked. So the columns of a profile cost no more than their text,
 * where a tree of values would cost ten times it.
 *
 *	struct json json = json_of(text, size);
 *	r = json_parse(&json, &at, &root, err);      one value, from at on; at then lies behind it
 *	struct json_value threads = json_get(root, "threads");
 *	for (struct json_items items = json_items(threads); json_next(&items);)
 *		use(items.value);
 *	json_done(&json);
 *
 * Trailing commas are accepted, since trace writers leave them. Depth, nodes and text are limited. A value that is not
 * there is JSON_ABSENT, and every question to it has an answer: nothing, 0, no items.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct error;
struct text;

enum json_kind {
	JSON_ABSENT, JSON_NULL, JSON_FALSE, JSON_TRUE, JSON_NUMBER, JSON_STRING, JSON_ARRAY, JSON_OBJECT,
};

struct json_node {
	uint64_t offset : 48, kind : 8, flat : 8;    /* flat: an array of scalars, which have no nodes */
	uint32_t next;                               /* the node behind this one and all in it */
	uint32_t count;                              /* of elements or members */
};
_Static_assert(sizeof(struct json_node) == 16, "the tape is what large files cost");

struct json {
	const char *text;                            /* borrowed */
	size_t size;
	struct json_node *nodes;
	size_t count, room;
};

struct json_value {
	const struct json *json;
	size_t offset;
	uint32_t node;                               /* JSON_NO_NODE for a scalar in a flat array */
	enum json_kind kind;
};

struct json_items {
	struct json_value value, key;                /* the key is absent in arrays */
	size_t index;                                /* of value, from 0 */
	struct json_value of;
	size_t at, left;
	uint32_t node;
};

enum { JSON_NO_NODE = UINT32_MAX, JSON_DEPTH_LIMIT = 4096 };

struct json json_of(const char *text, size_t size);
void json_done(struct json *json);
/* Replaces what was parsed before. -ENODATA: the text ends inside the value; -EBADMSG: at *at it is no JSON; err says so. */
int json_parse(struct json *json, size_t *at, struct json_value *ret, struct error *err);
/* The next byte that is no white space, or 0 at the end; *at then lies on it. */
char json_look(const struct json *json, size_t *at);

struct json_value json_get(struct json_value object, const char *key);
/* json_path(root, "shared", "frameTable", NULL) */
struct json_value json_path(struct json_value value, ...) __attribute__((sentinel));
size_t json_count(struct json_value value);                  /* of elements or members */
struct json_items json_items(struct json_value value);
bool json_next(struct json_items *items);
struct json_value json_at(struct json_value array, size_t index);

/* The text of a string without its escapes, or the digits of a number; "" for all else. Valid until text changes. */
const char *json_decoded(struct json_value value, struct text *text);
bool json_is(struct json_value value, const char *text);     /* a string of exactly this, without escapes */
double json_double(struct json_value value, double otherwise);
/* Not json_integer: jansson, which is in the same program, has and itself calls a function of that name. */
int64_t json_whole(struct json_value value, int64_t otherwise);
/* The number, or the number that a string holds, times 10^shift, rounded to the nearest whole; false where it is none or
 * too large. Exact for decimals, which a double of today's nanoseconds is not. */
bool json_decimal(struct json_value value, int shift, int64_t *ret);
/* The same of plain text: "12.5", "+.5", "1e3". */
bool decimal_scaled(const char *text, size_t size, int shift, int64_t *ret);
