/* SPDX-License-Identifier: Apache-2.0 */
/* Names for the numbers that stand for places in Java profiles. Lines that are none are passed over,
 * as upstream does. */
#include "format/java_names.h"

#include "format/addresses.h"
#include "format/lines.h"

#include <ctype.h>
#include <string.h>

static bool take_number(const char **at, const char *end, uint64_t *ret)
{
	const char *c = *at;
	uint64_t number = 0;

	if (end - c < 3 || c[0] != '0' || c[1] != 'x' || !isxdigit((unsigned char)c[2]))
		return false;
	for (c += 2; c < end && isxdigit((unsigned char)*c); c++) {
		if (number >> 60)
			return false;
		number = number << 4 |
			 (uint64_t)(isdigit((unsigned char)*c) ? *c - '0' : (*c | 32) - 'a' + 10);
	}
	if (c == end || !isspace((unsigned char)*c))
		return false;
	*at = c;
	*ret = number;
	return true;
}

/* "file:line" between its brackets; -1 and smaller are no line. */
static bool split_line(const char *text, size_t size, size_t *ret_path_size, uint32_t *ret_line)
{
	const char *colon = memrchr(text, ':', size), *c;
	uint64_t number = 0;

	if (!colon || colon == text || colon + 1 == text + size)
		return false;
	c = colon + 1 + (colon[1] == '-' && colon + 2 < text + size);
	for (const char *digit = c; digit < text + size; digit++) {
		if (!isdigit((unsigned char)*digit))
			return false;
		number = number > UINT32_MAX ? number : number * 10 + (uint64_t)(*digit - '0');
	}
	*ret_path_size = (size_t)(colon - text);
	*ret_line = c == colon + 1 && number <= UINT32_MAX ? (uint32_t)number : 0;
	return true;
}

static struct address_name name_of(struct profile *profile, const char *text, size_t size)
{
	struct address_name name = { 0 };
	const char *open = size && text[size - 1] == ')' ? memrchr(text, '(', size) : NULL;
	size_t inner_size, path_size, name_size = size;
	const char *inner, *slash;

	if (!open || open == text || !isspace((unsigned char)open[-1])) {
		static const char stub[] = "generated stub/JIT";

		if (memmem(text, size, stub, sizeof(stub) - 1))
			name.name = profile_string(profile, "STUB");
		else
			name.name = profile_string_size(profile, text, size);
		return name;
	}
	inner = open + 1;
	inner_size = (size_t)(text + size - 1 - inner);
	name_size = (size_t)(open - text);
	line_trim(&text, &name_size);
	name.name = profile_string_size(profile, text, name_size);
	if (split_line(inner, inner_size, &path_size, &name.line)) {
		name.path = profile_string_size(profile, inner, path_size);
		return name;
	}
	slash = memrchr(inner, '/', inner_size);
	if (slash)
		inner_size -= (size_t)(slash + 1 - inner);
	name.path = profile_string_size(profile, slash ? slash + 1 : inner, inner_size);
	return name;
}

void java_names_read(struct addresses *addresses, const char *text, size_t size)
{
	const char *end = text + size, *line;
	uint64_t number;

	while (line_next(&text, end, &line, &size)) {
		const char *at, *line_end;

		line_trim(&line, &size);
		at = line;
		line_end = line + size;
		if (!take_number(&at, line_end, &number))
			continue;
		size = (size_t)(line_end - at);
		line_trim(&at, &size);
		addresses_name(addresses, number, name_of(addresses->profile, at, size));
	}
}
