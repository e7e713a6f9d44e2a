/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A value is preceded by a comma unless it is the first at its depth or follows its key; one bit per depth is all the
 * state that needs. Names come from foreign programs, so each text is checked as UTF-8 on its way out.
 */
#include "view/json_writer.h"

#include "base/output.h"
#include "view/utf8.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void json_separate(struct json_writer *json)
{
	uint64_t bit = UINT64_C(1) << json->depth;

	if (json->keyed) {
		json->keyed = false;
		return;
	}
	if (json->filled & bit)
		output_puts(json->to, ",");
	json->filled |= bit;
	if (json->line) {
		output_print(json->to, "\n%*s", (int)json->depth, "");
		json->line = false;
	}
}

static void json_begin(struct json_writer *json, const char *mark)
{
	json_separate(json);
	output_puts(json->to, mark);
	json->depth++;
	assert(json->depth < JSON_DEPTH_LIMIT);
	json->filled &= ~(UINT64_C(1) << json->depth);
}

static void json_end(struct json_writer *json, const char *mark)
{
	assert(json->depth > 0 && !json->keyed);
	json->depth--;
	if (json->line)
		output_print(json->to, "\n%*s", (int)json->depth, "");
	json->line = false;
	output_puts(json->to, mark);
}

void json_object_begin(struct json_writer *json)
{
	json_begin(json, "{");
}

void json_object_end(struct json_writer *json)
{
	json_end(json, "}");
}

void json_array_begin(struct json_writer *json)
{
	json_begin(json, "[");
}

void json_array_end(struct json_writer *json)
{
	json_end(json, "]");
}

static bool character_plain(const struct json_writer *json, unsigned char byte)
{
	if (byte < 0x20 || byte >= 0x7f || byte == '"' || byte == '\\')
		return false;
	return !json->markup_safe || (byte != '<' && byte != '>' && byte != '&');
}

/* Writes the one character that text starts with, escaped, and returns its size. */
static size_t json_escape(struct json_writer *json, const char *text, size_t size)
{
	static const char letters[] = "\b\f\n\r\t\"\\";
	uint32_t character;
	size_t length = utf8_decode(text, size, &character);
	const char *letter = character && character < 0x80 ? strchr(letters, (int)character) : NULL;

	if (letter)
		output_print(json->to, "\\%c", "bfnrt\"\\"[letter - letters]);
	else if (character == UTF8_INVALID)
		output_puts(json->to, "\xef\xbf\xbd");
	else if (character < 0xa0 || character == 0x2028 || character == 0x2029)
		output_print(json->to, "\\u%04" PRIx32, character);
	else
		output_write(json->to, text, length);
	return length;
}

static void json_quoted(struct json_writer *json, const char *text, size_t size)
{
	output_puts(json->to, "\"");
	for (size_t at = 0; at < size;) {
		size_t plain = at;

		while (plain < size && character_plain(json, (unsigned char)text[plain]))
			plain++;
		output_write(json->to, text + at, plain - at);
		at = plain;
		if (at < size)
			at += json_escape(json, text + at, size - at);
	}
	output_puts(json->to, "\"");
}

void json_key_size(struct json_writer *json, const char *key, unsigned long size)
{
	assert(!json->keyed);
	json_separate(json);
	json_quoted(json, key, size);
	output_puts(json->to, ":");
	json->keyed = true;
}

void json_key(struct json_writer *json, const char *key)
{
	json_key_size(json, key, strlen(key));
}

void json_text(struct json_writer *json, const char *text)
{
	json_separate(json);
	json_quoted(json, text, strlen(text));
}

void json_signed(struct json_writer *json, int64_t integer)
{
	json_separate(json);
	output_print(json->to, "%" PRId64, integer);
}

void json_unsigned(struct json_writer *json, uint64_t integer)
{
	json_separate(json);
	output_print(json->to, "%" PRIu64, integer);
}

void json_number(struct json_writer *json, double number)
{
	char text[32];

	if (!isfinite(number)) {
		json_none(json);
		return;
	}
	if (number == floor(number) && fabs(number) <= 0x1p53) {
		json_signed(json, (int64_t)number);
		return;
	}
	for (int digits = 15; digits <= 17; digits++) {
		(void)snprintf(text, sizeof(text), "%.*g", digits, number);
		if (strtod(text, NULL) == number)
			break;
	}
	json_separate(json);
	output_puts(json->to, text);
}

void json_truth(struct json_writer *json, bool truth)
{
	json_separate(json);
	output_puts(json->to, truth ? "true" : "false");
}

void json_none(struct json_writer *json)
{
	json_separate(json);
	output_puts(json->to, "null");
}

void json_line(struct json_writer *json)
{
	json->line = true;
}
