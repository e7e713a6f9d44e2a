/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the text form of Go's count profiles (/debug/pprof/goroutine?debug=1 and its like): how many
 * of a thing stand on each stack.
 *
 *	goroutine profile: total 7
 *	4 @ 0x43a1d6 0x44ae2f 0x61c1b5 0x46c1a1
 *	# labels: {"worker":"3"}
 *	#	0x61c1b4	main.work+0x34		/src/main.go:14
 */
#include "format/addresses.h"
#include "format/format.h"
#include "format/import.h"
#include "format/input.h"
#include "format/lines.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

extern const struct format gocount_format;

enum { TYPE_SIZE = 128 };
struct count_head { char type[TYPE_SIZE]; int64_t total; };

/* "goroutine profile: total 7" */
static bool head_read(const char *line, size_t size, struct count_head *ret)
{
	static const char middle[] = " profile: total ";
	const char *at = memmem(line, size, middle, sizeof(middle) - 1), *end = line + size;

	if (!at || at == line || at - line >= TYPE_SIZE || memchr(line, ' ', (size_t)(at - line)))
		return false;
	(void)snprintf(ret->type, TYPE_SIZE, "%.*s", (int)(at - line), line);
	at += sizeof(middle) - 1;
	return line_number(&at, end, &ret->total) && at == end;
}

static int gocount_recognise(const void *head, size_t size)
{
	const char *at = head, *end = at + size, *line;
	struct count_head ignored;

	while (line_next(&at, end, &line, &size))
		if (!line_is_comment(line, size))
			return head_read(line, size, &ignored) ? 95 : 0;
	return 0;
}

static uint64_t hex_digit(char c)
{
	return (uint64_t)(c <= '9' ? c - '0' : (c | 32) - 'a' + 10);
}

/* "#	0x61c1b4	main.work+0x34		/src/main.go:14" names an address as it stands in a
 * stack, less one. */
static void name_read(struct addresses *addresses, const char *line, size_t size)
{
	const char *end = line + size, *tab, *plus, *colon;
	struct address_name name = { .at_address = true };
	uint64_t address = 0;
	size_t digits = 0;
	int64_t number;

	if (!line_starts(line, size, "#\t0x"))
		return;
	for (line += 4; line < end && isxdigit((unsigned char)*line); line++, digits++)
		address = address << 4 | hex_digit(*line);
	if (!digits || digits > 16 || line == end || *line != '\t' ||
	    addresses_has_name(addresses, address))
		return;
	line++;
	tab = memchr(line, '\t', (size_t)(end - line));
	plus = tab ? memrchr(line, '+', (size_t)(tab - line)) : NULL;
	if (!plus)
		return;
	name.name = profile_string_size(addresses->profile, line, (size_t)(plus - line));
	while (tab < end && *tab == '\t')
		tab++;
	colon = memrchr(tab, ':', (size_t)(end - tab));
	if (colon) {
		name.path = profile_string_size(addresses->profile, tab, (size_t)(colon - tab));
		colon++;
		name.line = line_number(&colon, end, &number) && number > 0 && number <= UINT32_MAX
				    ? (uint32_t)number
				    : 0;
	}
	addresses_name(addresses, address, name);
}

static bool row_read(struct addresses *addresses, const char *line, size_t size, uint64_t *seen)
{
	const char *at = line, *end = line + size;
	struct address_sample *sample;
	int64_t count;

	if (!line_number(&at, end, &count) || !line_char(&at, end, '@'))
		return false;
	sample = addresses_begin(addresses);
	sample->numbers[0] = count;
	*seen += (uint64_t)count;
	return addresses_push_text(addresses, at, (size_t)(end - at), 1);
}

/* The line that makes no sense, or 0. */
static size_t rows_read(struct addresses *addresses, const char *at, const char *end, struct count_head *head, uint64_t *seen)
{
	size_t size, number = 0;
	bool headed = false;
	const char *line;

	while (line_next(&at, end, &line, &size)) {
		number++;
		if (line_is_comment(line, size)) {
			name_read(addresses, line, size);
		} else if (!headed) {
			headed = head_read(line, size, head);
			if (!headed)
				return number;
		} else if (addresses_is_map_head(line, size)) {
			addresses_map_text(addresses, at, (size_t)(end - at));
			return 0;
		} else if (!line_starts(line, size, "---") && !row_read(addresses, line, size, seen)) {
			return number;
		}
	}
	return headed ? 0 : number + 1;
}

static size_t file_read(struct addresses *addresses, const char *at, const char *end, struct count_head *head)
{
	uint64_t seen = 0;
	size_t wrong = rows_read(addresses, at, end, head, &seen);

	if (!wrong && head->total > 0 && seen < (uint64_t)head->total)
		import_warn(addresses->import, "the lines hold less than the first one says: the file may be cut", "line", 1);
	return wrong;
}

static int gocount_read(struct input *input, struct profile *into, struct error *err)
{
	CLEANUP(import) struct import *import = import_new(into, input, &gocount_format);
	struct count_head counted = { 0 };
	struct addresses_head head = { .source = "gocount",
				       .types = { { counted.type, "count" } },
				       .type_count = 1,
				       .weighting = WEIGHTING_EXACT,
				       .period_type = { counted.type, "count" },
				       .period = 1,
				       .drop_frames = addresses_drop_cpu };
	const unsigned char *bytes;
	struct addresses addresses;
	size_t size, wrong;
	int r = input_whole(input, INPUT_WHOLE_LIMIT, &bytes, &size, err);

	if (r < 0)
		return r;
	addresses_init(&addresses, import);
	wrong = file_read(&addresses, (const char *)bytes, (const char *)bytes + size, &counted);
	if (!wrong)
		addresses_into(&addresses, &head);
	addresses_done(&addresses);
	if (wrong)
		return import_refuse(import, err, "line", wrong, "it is no 'count @ addresses'");
	return import_finish(import, err);
}

const struct format gocount_format = {
	.name = "gocount",
	.summary = "goroutine and other count profiles of Go, as text",
	.recognise = gocount_recognise,
	.read = gocount_read,
};
