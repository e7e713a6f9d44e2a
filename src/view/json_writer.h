/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * Writes JSON as it goes: nothing is held in memory, and commas and nesting cannot be got wrong by a caller. Integers are
 * exact, what is not finite is null, and texts come out as valid UTF-8 whatever bytes they were.
 *
 *	struct json_writer json = { .to = output };
 *	json_object_begin(&json);
 *	json_key(&json, "threads");
 *	json_signed(&json, 12);
 *	json_object_end(&json);
 */
#include <stdbool.h>
#include <stdint.h>

struct output;

enum { JSON_DEPTH_LIMIT = 64 };

struct json_writer {
	struct output *to;
	bool markup_safe;            /* escapes < > & as well, so that a page can embed it */
	bool keyed;                  /* a key was written and waits for its value */
	bool line;                   /* json_line() was asked for */
	unsigned depth;
	uint64_t filled;             /* a bit per depth: something stands there already */
};

void json_object_begin(struct json_writer *json);
void json_object_end(struct json_writer *json);
void json_array_begin(struct json_writer *json);
void json_array_end(struct json_writer *json);
void json_key(struct json_writer *json, const char *key);
void json_key_size(struct json_writer *json, const char *key, unsigned long size);
void json_text(struct json_writer *json, const char *text);
void json_signed(struct json_writer *json, int64_t integer);
void json_unsigned(struct json_writer *json, uint64_t integer);
void json_number(struct json_writer *json, double number);       /* the shortest form that reads back the same */
void json_truth(struct json_writer *json, bool truth);
void json_none(struct json_writer *json);
/* The next key or value starts a line of its own, indented by its depth: for people who look at it, and for diffs. */
void json_line(struct json_writer *json);
