/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A perf map is appended to while its runtime compiles, so its last line may be half written: one without a line feed is
 * left out. A name may hold blanks, and node's do ("LazyCompile:*handle /srv/app.js:12:3").
 */
#include "symbol/generated.h"

#include <stdbool.h>
#include <string.h>

#include "symbol/symbol.h"

static int digit_of(char letter)
{
	if (letter >= '0' && letter <= '9')
		return letter - '0';
	letter |= ' ';
	return letter >= 'a' && letter <= 'f' ? letter - 'a' + 10 : -1;
}

/* A number of up to 16 digits and the blanks after it; moves *at behind them. */
static bool read_number(const char **at, const char *end, uint64_t *ret)
{
	unsigned digits = 0;

	*ret = 0;
	if (end - *at > 2 && (*at)[0] == '0' && ((*at)[1] | ' ') == 'x')
		*at += 2;
	for (; *at < end && digit_of(**at) >= 0 && digits <= 16; ++*at, digits++)
		*ret = *ret << 4 | (unsigned)digit_of(**at);
	if (!digits || digits > 16 || *at == end || **at != ' ')
		return false;
	while (*at < end && **at == ' ')
		++*at;
	return true;
}

static void parse_line(const char *at, const char *end, struct generated_codes *into)
{
	struct generated_code code = { 0 };
	uint64_t size;

	if (end > at && end[-1] == '\r')
		end--;
	if (at == end)
		return;
	if (!read_number(&at, end, &code.start) || !read_number(&at, end, &size) || code.start + size < code.start) {
		into->malformed++;
		return;
	}
	code.end = code.start + size;
	code.name = at;
	code.name_size = end - at < GENERATED_NAME_LIMIT ? (uint32_t)(end - at) : GENERATED_NAME_LIMIT;
	generated_codes_add(into, &code);
}

int perf_map_parse(const void *bytes, size_t size, struct generated_codes *into)
{
	const char *at = bytes, *end = at + size, *line_end;

	while (at < end && (line_end = memchr(at, '\n', (size_t)(end - at)))) {
		parse_line(at, line_end, into);
		at = line_end + 1;
	}
	return 0;
}

static void resolve(struct symbol_module *module, struct symbol_query *queries, size_t count)
{
	generated_resolve(module, GENERATED_PERF_MAP, perf_map_parse, queries, count);
}

const struct symbol_source symbol_source_perf_map = {
	.name = "perf-map",
	.summary = "generated code, from the perf map its runtime writes, without times",
	.resolve = resolve,
};
