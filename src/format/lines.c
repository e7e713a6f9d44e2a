/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of a text in memory. Ends of lines are LF or CR LF; the last one may lack its end. */
#include "format/lines.h"

#include <string.h>

bool line_next(const char **at, const char *end, const char **ret_line, size_t *ret_size)
{
	const char *line_end;

	if (*at >= end)
		return false;
	line_end = memchr(*at, '\n', (size_t)(end - *at));
	*ret_line = *at;
	*ret_size = (size_t)((line_end ? line_end : end) - *at);
	*at = line_end ? line_end + 1 : end;
	if (*ret_size && (*ret_line)[*ret_size - 1] == '\r')
		--*ret_size;
	return true;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

void line_trim(const char **line, size_t *size)
{
	while (*size && is_blank(**line)) {
		++*line;
		--*size;
	}
	while (*size && is_blank((*line)[*size - 1]))
		--*size;
}

bool line_starts(const char *line, size_t size, const char *start)
{
	size_t length = strlen(start);

	return size >= length && !memcmp(line, start, length);
}

bool line_is_comment(const char *line, size_t size)
{
	line_trim(&line, &size);
	return !size || *line == '#';
}

bool line_number(const char **at, const char *end, int64_t *ret)
{
	const char *c = *at;
	uint64_t number = 0;
	bool negative = false, digits = false;

	while (c < end && *c == ' ')
		c++;
	if (c < end && (*c == '-' || *c == '+'))
		negative = *c++ == '-';
	for (; c < end && *c >= '0' && *c <= '9'; c++, digits = true)
		if (__builtin_mul_overflow(number, 10, &number) ||
		    __builtin_add_overflow(number, (uint64_t)(*c - '0'), &number) ||
		    number > INT64_MAX)
			return false;
	if (!digits)
		return false;
	*ret = negative ? -(int64_t)number : (int64_t)number;
	*at = c;
	return true;
}

bool line_char(const char **at, const char *end, char wanted)
{
	const char *c = *at;

	while (c < end && *c == ' ')
		c++;
	if (c == end || *c != wanted)
		return false;
	*at = c + 1;
	return true;
}
