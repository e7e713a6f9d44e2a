/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * Walks a large JSON text from its top down without holding it: what is wanted of it is parsed value by value, each
 * replacing the one before.
 *
 *	r = json_stream_enter(&stream, err);         '[' or '{': what the outermost value is, or negative
 *	while ((r = json_stream_next(&stream, &value, err)) > 0)
 *		…                                    0: the array or object has ended, or the text has
 *
 * In an object json_stream_key() comes before each value; instead of json_stream_next() an array can then be entered.
 */
#include <stdbool.h>

#include "base/text.h"
#include "format/json.h"

struct error;
struct input;

struct json_stream {
	struct input *input;
	struct json json;                            /* of the window */
	size_t at, wanted;
	bool more;                                   /* the window was filled: the input may go on */
	bool started;                                /* inside the innermost container: an element was read */
	bool unfinished;                             /* the text ended before what it began */
};

enum { JSON_STREAM_WINDOW = 256 * 1024 };

void json_stream_init(struct json_stream *stream, struct input *input);
void json_stream_done(struct json_stream *stream);
/* '[' or '{', entered; -EBADMSG where neither comes. */
int json_stream_enter(struct json_stream *stream, struct error *err);
/* 1 and the next value of the array, valid until the next call; 0 at its end. */
int json_stream_next(struct json_stream *stream, struct json_value *ret, struct error *err);
/* 1 and the next key of the object, its value comes next; 0 at its end. */
int json_stream_key(struct json_stream *stream, struct text *ret, struct error *err);
/* The value behind a key. */
int json_stream_value(struct json_stream *stream, struct json_value *ret, struct error *err);
/* The byte that comes next without white space, 0 at the end. */
char json_stream_look(struct json_stream *stream);
