/* SPDX-License-Identifier: Apache-2.0 */
/* Walking a tape, and what scalars mean. */
#include "format/json.h"

#include "base/text.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBER_DIGITS = 64 };

/* --- Walking ---------------------------------------------------------------------------------- */

static const struct json_node *node_of(struct json_value value)
{
	return value.json && value.node != JSON_NO_NODE ? &value.json->nodes[value.node] : NULL;
}

static struct json_value value_of(const struct json *json, uint32_t node)
{
	return (struct json_value){ json, json->nodes[node].offset, node, (enum json_kind)json->nodes[node].kind };
}

size_t json_count(struct json_value value)
{
	const struct json_node *node = node_of(value);

	return node ? node->count : 0;
}

struct json_items json_items(struct json_value value)
{
	return (struct json_items){ .of = value, .index = SIZE_MAX, .left = json_count(value),
				    .node = value.node + 1, .at = value.offset + 1 };
}

static enum json_kind kind_of(char c)
{
	switch (c) {
	case '"': return JSON_STRING;
	case 'n': return JSON_NULL;
	case 't': return JSON_TRUE;
	case 'f': return JSON_FALSE;
	default: return JSON_NUMBER;
	}
}

/* Behind a scalar that is known to be whole. */
static size_t scalar_skip(const char *text, size_t at)
{
	if (text[at] == '"') {
		for (at++; text[at] != '"'; at++)
			at += text[at] == '\\';
		return at + 1;
	}
	while (text[at] != ',' && text[at] != ']' && text[at] != ' ' && text[at] != '\n' && text[at] != '\r' &&
	       text[at] != '\t')
		at++;
	return at;
}

static void flat_next(struct json_items *items)
{
	const struct json *json = items->of.json;

	if (json_look(json, &items->at) == ',') {
		items->at++;
		(void)json_look(json, &items->at);
	}
	items->value = (struct json_value){ json, items->at, JSON_NO_NODE, kind_of(json->text[items->at]) };
	items->at = scalar_skip(json->text, items->at);
}

bool json_next(struct json_items *items)
{
	const struct json *json = items->of.json;

	if (!items->left)
		return false;
	items->left--;
	items->index++;
	if (json->nodes[items->of.node].flat) {
		flat_next(items);
		return true;
	}
	if (items->of.kind == JSON_OBJECT)
		items->key = value_of(json, items->node++);
	items->value = value_of(json, items->node);
	items->node = json->nodes[items->node].next;
	return true;
}

struct json_value json_at(struct json_value array, size_t index)
{
	for (struct json_items items = json_items(array); index < json_count(array) && json_next(&items);)
		if (items.index == index)
			return items.value;
	return (struct json_value){ 0 };
}

struct json_value json_get(struct json_value object, const char *key)
{
	if (object.kind == JSON_OBJECT)
		for (struct json_items items = json_items(object); json_next(&items);)
			if (json_is(items.key, key))
				return items.value;
	return (struct json_value){ 0 };
}

struct json_value json_path(struct json_value value, ...)
{
	const char *key;
	va_list keys;

	va_start(keys, value);
	while ((key = va_arg(keys, const char *)))
		value = json_get(value, key);
	va_end(keys);
	return value;
}

/* --- Strings ---------------------------------------------------------------------------------- */

bool json_is(struct json_value value, const char *text)
{
	size_t size = strlen(text);

	return value.kind == JSON_STRING && value.json->size - value.offset > size + 1 &&
	       !memcmp(value.json->text + value.offset + 1, text, size) &&
	       value.json->text[value.offset + 1 + size] == '"';
}

static bool hex4(const char *at, unsigned *ret)
{
	*ret = 0;
	for (size_t i = 0; i < 4; i++) {
		char c = at[i];
		int digit = c >= '0' && c <= '9'   ? c - '0'
			    : c >= 'a' && c <= 'f' ? c - 'a' + 10
			    : c >= 'A' && c <= 'F' ? c - 'A' + 10
						   : -1;

		if (digit < 0)
			return false;
		*ret = *ret << 4 | (unsigned)digit;
	}
	return true;
}

static void code_point_append(struct text *text, unsigned code)
{
	char bytes[4];
	size_t size = 0;

	if (code >= 0xd800 && code < 0xe000)
		code = 0xfffd;                   /* half of a pair alone */
	if (code < 0x80) {
		bytes[size++] = (char)(code ? code : ' ');
	} else if (code < 0x800) {
		bytes[size++] = (char)(0xc0 | code >> 6);
	} else if (code < 0x10000) {
		bytes[size++] = (char)(0xe0 | code >> 12);
		bytes[size++] = (char)(0x80 | (code >> 6 & 0x3f));
	} else {
		bytes[size++] = (char)(0xf0 | code >> 18);
		bytes[size++] = (char)(0x80 | (code >> 12 & 0x3f));
		bytes[size++] = (char)(0x80 | (code >> 6 & 0x3f));
	}
	if (code >= 0x80)
		bytes[size++] = (char)(0x80 | (code & 0x3f));
	text_append(text, bytes, size);
}

/* at lies behind the backslash; returns how much of it the escape takes. */
static size_t escape_append(struct text *text, const char *at, const char *end)
{
	static const char letters[] = "bfnrt", meanings[] = "\b\f\n\r\t";
	const char *letter = memchr(letters, *at, sizeof(letters) - 1);
	unsigned code, low;

	if (letter) {
		text_append(text, meanings + (letter - letters), 1);
		return 1;
	}
	if (*at != 'u' || end - at < 5 || !hex4(at + 1, &code)) {
		text_append(text, at, 1);
		return 1;
	}
	if (code >= 0xd800 && code < 0xdc00 && end - at >= 11 && at[5] == '\\' && at[6] == 'u' &&
	    hex4(at + 7, &low) && low >= 0xdc00 && low < 0xe000) {
		code_point_append(text, 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00));
		return 11;
	}
	code_point_append(text, code);
	return 5;
}

static void string_append(struct text *text, const char *at, const char *end)
{
	while (at < end) {
		const char *backslash = memchr(at, '\\', (size_t)(end - at));

		text_append(text, at, (size_t)((backslash ? backslash : end) - at));
		if (!backslash)
			return;
		at = backslash + 1;
		at += escape_append(text, at, end);
	}
}

static size_t value_size(struct json_value value)
{
	size_t end = value.offset;

	if (value.kind == JSON_STRING)
		return scalar_skip(value.json->text, value.offset) - value.offset;
	while (end < value.json->size && strchr("+-.0123456789eE", value.json->text[end]) && value.json->text[end])
		end++;
	return end - value.offset;
}

const char *json_decoded(struct json_value value, struct text *text)
{
	text_clear(text);
	if (value.kind == JSON_STRING) {
		const char *at = value.json->text + value.offset;

		string_append(text, at + 1, at + value_size(value) - 1);
	} else if (value.kind == JSON_NUMBER) {
		text_append(text, value.json->text + value.offset, value_size(value));
	}
	return text_string(text);
}

/* --- Numbers ---------------------------------------------------------------------------------- */

static bool number_of(const char *at, size_t size, double *ret)
{
	char digits[NUMBER_DIGITS + 1], *end;
	uint64_t whole = 0;
	size_t i = 0;

	while (i < size && i < 15 && at[i] >= '0' && at[i] <= '9')
		whole = whole * 10 + (uint64_t)(at[i++] - '0');
	*ret = (double)whole;
	if (i == size && size)
		return true;
	if (size > NUMBER_DIGITS)
		size = NUMBER_DIGITS;
	memcpy(digits, at, size);
	digits[size] = '\0';
	*ret = strtod(digits, &end);
	return end == digits + size && size && isfinite(*ret);
}

double json_double(struct json_value value, double otherwise)
{
	double number;

	if (value.kind != JSON_NUMBER ||
	    !number_of(value.json->text + value.offset, value_size(value), &number))
		return otherwise;
	return number;
}

int64_t json_whole(struct json_value value, int64_t otherwise)
{
	int64_t integer;

	return value.kind == JSON_NUMBER && json_decimal(value, 0, &integer) ? integer : otherwise;
}

bool json_decimal(struct json_value value, int shift, int64_t *ret)
{
	const char *at;
	size_t size;

	if (value.kind != JSON_NUMBER && value.kind != JSON_STRING)
		return false;
	at = value.json->text + value.offset;
	size = value_size(value);
	return value.kind == JSON_STRING ? decimal_scaled(at + 1, size - 2, shift, ret)
					 : decimal_scaled(at, size, shift, ret);
}

/* By strtod: what has an exponent, or more digits than 64 bits hold. */
static bool decimal_inexact(const char *text, size_t size, int shift, int64_t *ret)
{
	double number;

	if (!memchr("0123456789", text[size - 1], 10) && text[size - 1] != '.')
		return false;
	if (memchr("xXnN", text[0], 4) || memchr(text, 'x', size) || memchr(text, 'X', size) ||
	    !number_of(text, size, &number))
		return false;
	number = round(number * pow(10, shift));
	if (!(fabs(number) < 9.2e18))
		return false;
	*ret = (int64_t)number;
	return true;
}

bool decimal_scaled(const char *text, size_t size, int shift, int64_t *ret)
{
	size_t at = size && (text[0] == '-' || text[0] == '+');
	bool negative = at && text[0] == '-', point = false, digit = false, up = false;
	int64_t number = 0;
	int left = shift;

	for (; at < size && (text[at] == '.' || (text[at] >= '0' && text[at] <= '9')); at++) {
		if (text[at] == '.' && point)
			return false;
		point |= text[at] == '.';
		digit |= text[at] != '.';
		if (text[at] == '.')
			continue;
		if (point && left-- <= 0) {
			up |= left == -1 && text[at] >= '5';
			continue;
		}
		if (number > (INT64_MAX - (text[at] - '0')) / 10)
			return decimal_inexact(text, size, shift, ret);
		number = number * 10 + (text[at] - '0');
	}
	if (!digit)
		return false;
	if (at < size)
		return decimal_inexact(text, size, shift, ret);
	for (; left > 0; left--)
		if (__builtin_mul_overflow(number, 10, &number))
			return false;
	number += up;
	*ret = negative ? -number : number;
	return true;
}
