/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The two kinds of lines of `perf script`. A comm may hold blanks and numbers, a symbol may hold
 * blanks and parentheses, a module may end in " (deleted)": an event line is split at its first
 * number between blanks, a frame line at its last " (", as stackcollapse-perf.pl does.
 */
#include "format/perf_line.h"

#include <string.h>

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static int hex_digit(char c)
{
	if (is_digit(c))
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* A number; NULL where none stands there. Cut at what fits: no such number is true anyway. */
static const char *number_parse(const char *at, const char *end, uint64_t *ret)
{
	const char *start = at;
	uint64_t value = 0;

	for (; at < end && is_digit(*at); at++)
		value = value > (UINT64_MAX - 9) / 10 ? UINT64_MAX : value * 10 + (uint64_t)(*at - '0');
	*ret = value;
	return at > start ? at : NULL;
}

static const char *blanks_skip(const char *at, const char *end)
{
	while (at < end && is_blank(*at))
		at++;
	return at;
}

static const char *token_end(const char *at, const char *end)
{
	while (at < end && !is_blank(*at))
		at++;
	return at;
}

/* --- Event lines ------------------------------------------------------------------------------ */

/* "1234" or "1230/1234" behind blanks and before them; returns what follows, NULL where there is none. */
static const char *numbers_find(const char *line, const char *end, struct perf_event *ret)
{
	for (const char *at = line + 1; at < end; at++) {
		uint64_t first, second = 0;
		const char *after;

		if (!is_digit(*at) || !is_blank(at[-1]))
			continue;
		after = number_parse(at, end, &first);
		if (after < end && *after == '/' && after + 1 < end && is_digit(after[1])) {
			after = number_parse(after + 1, end, &second);
			ret->pid = (uint32_t)first;
			first = second;
		}
		if (after == end || !is_blank(*after)) {
			ret->pid = 0;
			continue;
		}
		ret->tid = (uint32_t)first;
		ret->comm = line;
		ret->comm_size = (size_t)(at - line);
		while (ret->comm_size && is_blank(line[ret->comm_size - 1]))
			ret->comm_size--;
		return after;
	}
	return NULL;
}

/* "94564.109216:" */
static bool time_parse(const char *at, const char *end, uint64_t *ret_ns)
{
	uint64_t seconds, fraction = 0, scale = 1000000000;

	at = number_parse(at, end, &seconds);
	if (!at || at == end || *at++ != '.')
		return false;
	for (; at < end && is_digit(*at); at++)
		if (scale > 1) {
			scale /= 10;
			fraction = fraction * 10 + (uint64_t)(*at - '0');
		}
	if (at + 1 != end || *at != ':' || seconds > UINT64_MAX / 2000000000)
		return false;
	*ret_ns = seconds * 1000000000 + fraction * scale;
	return true;
}

/* Tokens up to the event's name, which ends in a colon; the number before it is the period. */
static void fields_parse(const char *at, const char *end, struct perf_event *ret)
{
	uint64_t number = 0;

	while ((at = blanks_skip(at, end)) < end) {
		const char *after = token_end(at, end), *number_end;

		if (time_parse(at, after, &ret->time_ns)) {
			number = 0;
		} else if (after[-1] == ':' && after - at > 1) {
			ret->name = at;
			ret->name_size = (size_t)(after - at) - 1;
			ret->period = number;
			ret->rest = blanks_skip(after, end);
			ret->rest_size = (size_t)(end - ret->rest);
			return;
		} else {
			number_end = number_parse(at, after, &number);
			number = number_end == after ? number : 0;
		}
		at = after;
	}
}

bool perf_event_parse(const char *line, size_t size, bool indented, struct perf_event *ret)
{
	const char *end = line + size, *after;

	*ret = (struct perf_event){ 0 };
	after = size ? numbers_find(line, end, ret) : NULL;
	if (!after)
		return false;
	fields_parse(after, end, ret);
	if (ret->name)
		return !indented || ret->time_ns || !ret->rest_size;
	return !indented && ret->time_ns;
}

/* --- Frame lines ------------------------------------------------------------------------------ */

static bool is_kernel(const char *module, size_t size)
{
	static const char *const others[] = { "[unknown", "[vdso", "[stack", "[heap", "[anon", "[vsyscall", "[vvar" };

	if (size >= 7 && !memcmp(module + size - 7, "vmlinux", 7))
		return true;
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (size >= strlen(others[i]) && !memcmp(module, others[i], strlen(others[i])))
			return false;
	return size && *module == '[';
}

static const char *address_parse(const char *at, const char *end, uint64_t *ret)
{
	const char *start = at;
	uint64_t value = 0;

	for (; at < end && hex_digit(*at) >= 0; at++)
		value = value << 4 | (uint64_t)hex_digit(*at);
	*ret = value;
	return at > start && at < end && is_blank(*at) ? at : NULL;
}

/* The " (" in front of the module; " (deleted)" belongs to the module. */
static const char *module_find(const char *at, const char *end)
{
	static const char deleted[] = " (deleted))";

	if (end - at > (ptrdiff_t)sizeof(deleted) && !memcmp(end - (sizeof(deleted) - 1), deleted, sizeof(deleted) - 1))
		end -= sizeof(deleted) - 1;
	for (const char *open = end - 2; open >= at; open--)
		if (open[0] == ' ' && open[1] == '(')
			return open;
	return NULL;
}

/* "+0x1b" says where in the function; the address says it, too. */
static size_t offset_strip(const char *function, size_t size)
{
	size_t digits = size;

	while (digits && hex_digit(function[digits - 1]) >= 0)
		digits--;
	return digits >= 3 && digits < size && !memcmp(function + digits - 3, "+0x", 3) ? digits - 3 : size;
}

bool perf_frame_parse(const char *line, size_t size, struct perf_frame *ret)
{
	const char *end = line + size, *at, *open;

	*ret = (struct perf_frame){ 0 };
	while (end > line && end[-1] != ')')
		end--;
	at = address_parse(line, end, &ret->address);
	open = at && end > line ? module_find(at, end) : NULL;
	if (!open || end - open < 3)
		return false;
	ret->module = open + 2;
	ret->module_size = (size_t)(end - 1 - ret->module);
	ret->kernel = is_kernel(ret->module, ret->module_size);
	if (ret->module_size == 7 && !memcmp(ret->module, "inlined", 7))
		ret->module = NULL, ret->module_size = 0;
	ret->function = blanks_skip(at, open);
	ret->function_size = offset_strip(ret->function, (size_t)(open - ret->function));
	if (ret->function_size)
		return *ret->function != '(';
	ret->function = " ";                     /* perf knew the module and had no symbol at all */
	ret->function_size = 1;
	return open > at;
}

bool perf_is_process_name(const char *line, size_t size)
{
	const char *at = line;
	uint64_t address;

	at = size && line[size - 1] == ')' ? address_parse(line, line + size, &address) : NULL;
	at = at ? blanks_skip(at, line + size) : NULL;
	return at && *at == '(';
}

bool perf_is_source_line(const char *line, size_t size)
{
	size_t digits = size;

	if (size && line[size - 1] == ']')
		return memchr(line, '[', size) != NULL;
	while (digits && is_digit(line[digits - 1]))
		digits--;
	return digits > 1 && digits < size && line[digits - 1] == ':';
}
