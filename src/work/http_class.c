/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Classes must be few, and must not tell who asked: of a path, segments that are numbers, hexadecimal ids, long tokens, or hold
 * an at-sign or an escape become ":n"; the query goes. Headers are searched for one name only.
 */
#include "work/http_class.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>
#include <strings.h>

enum { METHOD_LIMIT = 10, TOKEN_LIMIT = 24, HEXADECIMAL_LEAST = 8, TRACE_ID = 32, VERSION = 3 };

struct writer { char *at, *end; };

static void put(struct writer *writer, const char *text, size_t size)
{
	for (size_t i = 0; i < size && writer->at < writer->end; i++)
		*writer->at++ = isgraph((unsigned char)text[i]) ? text[i] : '?';
	*writer->at = '\0';
}

/* Names of things are words; what has digits in it, unless it is a short word with a number ("v2"), names one of many. */
static bool is_identity(const char *text, size_t size)
{
	size_t digits = 0, hexadecimal = 0;

	for (size_t i = 0; i < size; i++) {
		if (text[i] == '@' || text[i] == '%')
			return true;
		digits += isdigit((unsigned char)text[i]) != 0;
		hexadecimal += isxdigit((unsigned char)text[i]) || text[i] == '-';
	}
	if (!size)
		return false;
	return digits == size || size > TOKEN_LIMIT || (digits && hexadecimal == size && size >= HEXADECIMAL_LEAST) ||
	       (digits > 3 && 2 * digits >= size);
}

static void put_segment(struct writer *writer, const char *text, size_t size)
{
	const char *dot = memrchr(text, '.', size);
	size_t stem = dot && dot > text && (size_t)(text + size - dot) <= 6 ? (size_t)(dot - text) : size;

	if (memchr(text, '@', size) || memchr(text, '%', size))
		stem = size;
	if (is_identity(text, stem))
		put(writer, ":n", 2);
	else
		put(writer, text, stem);
	put(writer, text + stem, size - stem);
}

static void put_path(struct writer *writer, const char *path, size_t size)
{
	while (size) {
		const char *slash = memchr(path + 1, '/', size - 1);
		size_t length = slash ? (size_t)(slash - path) : size;

		if (*path == '/') {
			put(writer, "/", 1);
			put_segment(writer, path + 1, length - 1);
		} else {
			put_segment(writer, path, length);
		}
		path += length;
		size -= length;
	}
}

/* The length of the line that begins here; its end may lie beyond what was read. */
static size_t line_length(const char *text, size_t size)
{
	const char *end = memchr(text, '\n', size);

	return end ? (size_t)(end - text) : size;
}

static void find_trace(const char *text, size_t size, struct work_class *ret)
{
	static const char name[] = "traceparent:";

	for (size_t line = line_length(text, size); line < size; line = line_length(text, size)) {
		const char *at, *end;

		text += line + 1;
		size -= line + 1;
		at = text + sizeof(name) - 1;
		end = text + size;
		if (size < sizeof(name) + VERSION + TRACE_ID || strncasecmp(text, name, sizeof(name) - 1) != 0)
			continue;
		while (at < end && *at == ' ')
			at++;
		if (end - at < VERSION + TRACE_ID || at[2] != '-')
			return;
		at += VERSION;
		for (size_t i = 0; i < TRACE_ID; i++)
			if (!isxdigit((unsigned char)at[i]))
				return;
		memcpy(ret->trace_id, at, TRACE_ID);
		ret->trace_id[TRACE_ID] = '\0';
		return;
	}
}

void http_class_of(const char *prefix, size_t size, struct work_class *ret)
{
	struct writer writer = { ret->name, ret->name + sizeof(ret->name) - 1 };
	size_t line = line_length(prefix, size), method = 0, path;
	const char *at;

	*ret = (struct work_class){ .name = "" };
	while (method < line && method < METHOD_LIMIT && isupper((unsigned char)prefix[method]))
		method++;
	if (!method || method >= line || prefix[method] != ' ')
		return;
	put(&writer, prefix, method);
	put(&writer, ".", 1);
	writer.at[-1] = ' ';
	at = prefix + method + 1;
	line -= method + 1;
	if (line > 7 && !strncasecmp(at, "http://", 7)) {       /* a proxy is asked by the whole address */
		const char *slash = memchr(at + 7, '/', line - 7);

		line -= slash ? (size_t)(slash - at) : line;
		at = slash ? slash : at;
	}
	for (path = 0; path < line && !strchr(" ?#\r", at[path]) && at[path]; path++)
		;
	put_path(&writer, at, path);
	find_trace(prefix, size, ret);
}
