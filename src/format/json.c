/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Text to tape, with an explicit stack instead of recursion. An array's scalars get no nodes as long as no container is
 * among them; the first one that comes makes up for those before it.
 */
#include "format/json.h"

#include "base/error.h"
#include "base/memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { NODE_LIMIT = 1u << 30 };

struct json json_of(const char *text, size_t size)
{
	return (struct json){ .text = text, .size = size };
}

void json_done(struct json *json)
{
	free(json->nodes);
	*json = (struct json){ 0 };
}

char json_look(const struct json *json, size_t *at)
{
	while (*at < json->size) {
		char c = json->text[*at];

		if (c != ' ' && c != '\n' && c != '\r' && c != '\t')
			return c;
		++*at;
	}
	return 0;
}

/* --- Where scalars end ------------------------------------------------------------------------ */

/* Behind the closing quote; 0 where there is none. */
static size_t string_end(const struct json *json, size_t at)
{
	for (;;) {
		const char *quote = memchr(json->text + at, '"', json->size - at);
		size_t backslashes = 0;

		if (!quote)
			return 0;
		while (quote[-1 - (ssize_t)backslashes] == '\\')
			backslashes++;
		at = (size_t)(quote - json->text) + 1;
		if (backslashes % 2 == 0)
			return at;
	}
}

static bool is_number_byte(char c)
{
	return (c >= '0' && c <= '9') || c == '-' || c == '+' || c == '.' || c == 'e' || c == 'E';
}

static bool is_number(const char *text, size_t size)
{
	size_t at = size && text[0] == '-';
	bool digit = at < size && text[at] >= '0' && text[at] <= '9', exponent = false;

	for (; at < size; at++) {
		bool e = text[at] == 'e' || text[at] == 'E';

		if (e && exponent)
			return false;
		if ((text[at] == '+' || text[at] == '-') && (!at || (text[at - 1] != 'e' && text[at - 1] != 'E')))
			return false;
		exponent |= e;
	}
	return digit && text[size - 1] >= '0' && text[size - 1] <= '9';
}

struct scalar { enum json_kind kind; size_t end; int code; };

static struct scalar word_at(const struct json *json, size_t at, const char *word, enum json_kind kind)
{
	size_t size = strlen(word), left = json->size - at;

	if (left < size && !memcmp(json->text + at, word, left))
		return (struct scalar){ .code = -ENODATA };
	if (left < size || memcmp(json->text + at, word, size) != 0)
		return (struct scalar){ .code = -EBADMSG };
	return (struct scalar){ kind, at + size, 0 };
}

static struct scalar scalar_at(const struct json *json, size_t at)
{
	size_t end = at;

	switch (json->text[at]) {
	case '"':
		end = string_end(json, at + 1);
		return end ? (struct scalar){ JSON_STRING, end, 0 } : (struct scalar){ .code = -ENODATA };
	case 'n': return word_at(json, at, "null", JSON_NULL);
	case 't': return word_at(json, at, "true", JSON_TRUE);
	case 'f': return word_at(json, at, "false", JSON_FALSE);
	default: break;
	}
	while (end < json->size && is_number_byte(json->text[end]))
		end++;
	if (end == json->size && end > at)
		return (struct scalar){ .code = -ENODATA };     /* more digits may follow */
	if (!is_number(json->text + at, end - at))
		return (struct scalar){ .code = -EBADMSG };
	return (struct scalar){ JSON_NUMBER, end, 0 };
}

/* --- The tape --------------------------------------------------------------------------------- */

struct parser {
	struct json *json;
	size_t at;
	struct { uint32_t node; uint32_t count; bool nested, array; } open[JSON_DEPTH_LIMIT];
	size_t depth;
};

static int fail_json(const struct parser *parser, int code, struct error *err)
{
	size_t line = 1;

	for (size_t i = 0; i < parser->at && i < parser->json->size; i++)
		line += parser->json->text[i] == '\n';
	fail(err, FAILURE_WORK, code, "cannot read JSON");
	if (code == -ENODATA)
		error_because(err, "it ends in the middle, at byte %zu", parser->json->size);
	else if (code == -E2BIG)
		error_because(err, "it nests deeper than %d or holds more than %u values", JSON_DEPTH_LIMIT, NODE_LIMIT);
	else
		error_because(err, "byte %zu in line %zu is not what JSON has there", parser->at, line);
	return error_try(err, "the program that wrote it, again");
}

static int node_put(struct parser *parser, enum json_kind kind, size_t offset)
{
	struct json *json = parser->json;

	if (json->count >= NODE_LIMIT)
		return -E2BIG;
	grow(json->nodes, json->count, json->room);
	json->nodes[json->count] = (struct json_node){ .offset = offset, .kind = kind,
							.next = (uint32_t)json->count + 1 };
	json->count++;
	return 0;
}

/* Nodes for the scalars that lie in the innermost array in front of its first container. */
static int scalars_make_up(struct parser *parser)
{
	size_t top = parser->depth - 1, at = parser->json->nodes[parser->open[top].node].offset + 1;
	int r = 0;

	parser->open[top].nested = true;
	for (uint32_t i = 1; !r && i < parser->open[top].count; i++) {
		struct scalar scalar;

		if (json_look(parser->json, &at) == ',') {
			at++;
			(void)json_look(parser->json, &at);
		}
		scalar = scalar_at(parser->json, at);
		r = node_put(parser, scalar.kind, at);
		at = scalar.end;
	}
	return r;
}

static int container_open(struct parser *parser, char bracket)
{
	uint32_t node;
	int r = 0;

	if (parser->depth == JSON_DEPTH_LIMIT)
		return -E2BIG;
	if (parser->depth && parser->open[parser->depth - 1].array && !parser->open[parser->depth - 1].nested)
		r = scalars_make_up(parser);
	if (r < 0)
		return r;
	node = (uint32_t)parser->json->count;
	r = node_put(parser, bracket == '[' ? JSON_ARRAY : JSON_OBJECT, parser->at);
	parser->open[parser->depth].node = node;
	parser->open[parser->depth].count = 0;
	parser->open[parser->depth].nested = false;
	parser->open[parser->depth++].array = bracket == '[';
	parser->at++;
	return r;
}

static void container_close(struct parser *parser)
{
	struct json *json = parser->json;
	size_t top = --parser->depth;
	struct json_node *node = &json->nodes[parser->open[top].node];

	node->count = parser->open[top].count;
	node->flat = parser->open[top].array && !parser->open[top].nested;
	node->next = (uint32_t)json->count;
	parser->at++;
}

static int scalar_put(struct parser *parser)
{
	struct scalar scalar = scalar_at(parser->json, parser->at);
	size_t top = parser->depth - 1;
	bool flat = parser->depth && parser->open[top].array && !parser->open[top].nested;
	int r = scalar.code || flat ? scalar.code : node_put(parser, scalar.kind, parser->at);

	if (!r)
		parser->at = scalar.end;
	return r;
}

static int key_put(struct parser *parser)
{
	char c = json_look(parser->json, &parser->at);
	int r;

	if (c != '"')
		return c ? -EBADMSG : -ENODATA;
	r = scalar_put(parser);
	if (r < 0)
		return r;
	c = json_look(parser->json, &parser->at);
	if (c != ':')
		return c ? -EBADMSG : -ENODATA;
	parser->at++;
	return 0;
}

static int value_put(struct parser *parser)
{
	char c = json_look(parser->json, &parser->at);

	if (!c)
		return parser->at < parser->json->size ? -EBADMSG : -ENODATA;
	return c == '[' || c == '{' ? container_open(parser, c) : scalar_put(parser);
}

/* One element, or the end, of the innermost open container. */
static int element_put(struct parser *parser)
{
	size_t top = parser->depth - 1;
	char close = parser->open[top].array ? ']' : '}', c = json_look(parser->json, &parser->at);
	int r;

	if (c == ',' && parser->open[top].count) {
		parser->at++;
		c = json_look(parser->json, &parser->at);
	} else if (c != close && parser->open[top].count) {
		return c || parser->at < parser->json->size ? -EBADMSG : -ENODATA;
	}
	if (c == close) {
		container_close(parser);
		return 0;
	}
	r = parser->open[top].array ? 0 : key_put(parser);
	parser->open[top].count++;
	return r < 0 ? r : value_put(parser);
}

int json_parse(struct json *json, size_t *at, struct json_value *ret, struct error *err)
{
	struct parser parser = { .json = json, .at = *at };
	int r;

	json->count = 0;
	r = value_put(&parser);
	while (!r && parser.depth)
		r = element_put(&parser);
	*at = parser.at;
	if (r < 0)
		return fail_json(&parser, r, err);
	*ret = (struct json_value){ json, json->nodes[0].offset, 0, (enum json_kind)json->nodes[0].kind };
	return 0;
}
