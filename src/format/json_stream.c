/* SPDX-License-Identifier: Apache-2.0 */
/* A window over the input that grows until one value fits and moves on when it is used up. */
#include "format/json_stream.h"

#include "base/error.h"
#include "format/input.h"

#include <errno.h>
#include <inttypes.h>

void json_stream_init(struct json_stream *stream, struct input *input)
{
	*stream = (struct json_stream){ .input = input, .wanted = JSON_STREAM_WINDOW, .more = true };
}

void json_stream_done(struct json_stream *stream)
{
	json_done(&stream->json);
}

/* Moves the window to where reading stands; false where that gives nothing new. */
static bool window_move(struct json_stream *stream)
{
	size_t before = stream->json.size - stream->at, size;
	const unsigned char *bytes;

	if (!stream->more)
		return false;
	input_skip(stream->input, stream->at);
	stream->at = 0;
	if (before >= stream->wanted / 2 && stream->wanted < INPUT_PEEK_LIMIT)
		stream->wanted *= 2;
	bytes = input_peek(stream->input, stream->wanted, &size);
	stream->json.text = (const char *)bytes;
	stream->json.size = size;
	stream->more = size >= stream->wanted;            /* a peek shows all that is buffered */
	return size > before;
}

char json_stream_look(struct json_stream *stream)
{
	char c;

	while (!(c = json_look(&stream->json, &stream->at)) && stream->at == stream->json.size)
		if (!window_move(stream))
			return 0;
	return c;
}

static int fail_stream(struct json_stream *stream, int code, struct error *err)
{
	fail(err, FAILURE_WORK, code, "cannot read '%s'", input_name(stream->input));
	if (code == -ENODATA)
		return error_because(err, "a value at byte %" PRIu64 " is larger than %d MiB",
				     input_offset(stream->input) + stream->at, INPUT_PEEK_LIMIT >> 20);
	if (code == -E2BIG)
		error_because(err, "a value at byte %" PRIu64 " nests deeper than %d", input_offset(stream->input) + stream->at,
			      JSON_DEPTH_LIMIT);
	else
		error_because(err, "byte %" PRIu64 " is not what JSON has there", input_offset(stream->input) + stream->at);
	return error_try(err, code == -E2BIG ? "a trace without that value" : "the program that wrote it, again");
}

/* Behind a comma; 0 where the container or the text ends. */
static int element_begin(struct json_stream *stream, char close, struct error *err)
{
	char c = json_stream_look(stream);

	if (c == ',' && stream->started) {
		stream->at++;
		c = json_stream_look(stream);
	} else if (c && c != close && stream->started) {
		return fail_stream(stream, -EBADMSG, err);
	}
	stream->started = true;
	if (c == close)
		stream->at++;
	else if (!c && stream->at < stream->json.size)
		return fail_stream(stream, -EBADMSG, err);
	stream->unfinished |= !c;
	return c && c != close;
}

int json_stream_enter(struct json_stream *stream, struct error *err)
{
	char c = json_stream_look(stream);

	if (c != '[' && c != '{')
		return fail_stream(stream, -EBADMSG, err);
	stream->at++;
	stream->started = false;
	return c;
}

int json_stream_value(struct json_stream *stream, struct json_value *ret, struct error *err)
{
	size_t at = stream->at;
	int r = json_parse(&stream->json, &at, ret, err);

	while (r == -ENODATA && window_move(stream)) {
		at = stream->at;
		r = json_parse(&stream->json, &at, ret, err);
	}
	if (r == -ENODATA && stream->json.size - stream->at < INPUT_PEEK_LIMIT) {
		stream->unfinished = true;
		stream->at = stream->json.size;
		return 0;
	}
	if (r < 0) {
		stream->at = at;
		return fail_stream(stream, r, err);
	}
	stream->at = at;
	return 1;
}

int json_stream_next(struct json_stream *stream, struct json_value *ret, struct error *err)
{
	int r = element_begin(stream, ']', err);

	return r > 0 ? json_stream_value(stream, ret, err) : r;
}

int json_stream_key(struct json_stream *stream, struct text *ret, struct error *err)
{
	struct json_value key;
	int r = element_begin(stream, '}', err);

	r = r > 0 ? json_stream_value(stream, &key, err) : r;
	if (r <= 0)
		return r;
	if (key.kind != JSON_STRING)
		return fail_stream(stream, -EBADMSG, err);
	(void)json_decoded(key, ret);
	if (json_stream_look(stream) != ':') {
		stream->unfinished = !stream->more && stream->at == stream->json.size;
		return stream->unfinished ? 0 : fail_stream(stream, -EBADMSG, err);
	}
	stream->at++;
	return 1;
}
