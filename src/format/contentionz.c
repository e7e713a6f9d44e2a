/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads contention profiles: how often, and how long, threads waited for locks by the stack that
 * released them. From gperftools and Go, and from Google's Java agent, whose heap profiles look the
 * same.
 *
 *	--- contentionz 1 ---
 *	cycles/second = 3201000000
 *	sampling period = 100
 *	  19490304       27 @ 0xbccc97 0xc61202
 *
 * Cycles times the period over the clock are nanoseconds. Java's rows are numbers of places that are
 * named at the end, and its delays are in the unit that "resolution" says.
 */
#include "format/addresses.h"
#include "format/format.h"
#include "format/heap_scale.h"
#include "format/import.h"
#include "format/input.h"
#include "format/java_names.h"
#include "format/lines.h"

#include <stdio.h>
#include <string.h>

extern const struct format contentionz_format;

enum { UNIT_SIZE = 32, JAVA_HEAP_RATE = 524288 };

struct contention {
	struct addresses addresses;
	struct addresses_head head;
	bool java, heap;                         /* heap: "--- heapz 1 ---", which only Java writes */
	int64_t period, cycles_per_second;
	char unit[UNIT_SIZE];
};

static int contentionz_recognise(const void *head, size_t size)
{
	static const char *const starts[] = { "--- contentionz ", "--- mutex:", "--- contention:",
					      "--- heapz 1 ---" };

	for (size_t i = 0; i < ARRAY_LENGTH(starts); i++)
		if (line_starts(head, size, starts[i]))
			return 95;
	return 0;
}

/* --- The head --------------------------------------------------------------------------------- */

static bool key_is(const char *line, size_t size, const char *key)
{
	line_trim(&line, &size);
	return size == strlen(key) && !memcmp(line, key, size);
}

static bool value_number(const char *value, size_t size, int64_t *ret)
{
	const char *end = value + size;

	line_trim(&value, &size);
	return line_number(&value, end, ret) && *ret >= 0;
}

static bool attribute_read(struct contention *read, const char *line, size_t size,
			   const char *equals)
{
	const char *value = equals + 1;
	size_t key_size = (size_t)(equals - line), value_size = size - key_size - 1;
	int64_t ms = 0;

	line_trim(&value, &value_size);
	if (key_is(line, key_size, "cycles/second"))
		return value_number(value, value_size, &read->cycles_per_second);
	if (key_is(line, key_size, "sampling period"))
		return value_number(value, value_size, &read->period);
	if (key_is(line, key_size, "ms since reset")) {
		if (!value_number(value, value_size, &ms) || ms > INT64_MAX / 1000000)
			return false;
		read->head.duration_ns = (uint64_t)ms * 1000000;
		return true;
	}
	if (key_is(line, key_size, "format")) {
		read->java = key_is(value, value_size, "java");
		return read->java;
	}
	if (key_is(line, key_size, "resolution"))
		(void)snprintf(read->unit, sizeof(read->unit), "%.*s", (int)value_size, value);
	return key_is(line, key_size, "resolution") || key_is(line, key_size, "discarded samples");
}

/* The attributes; *at is left at the first line that is none. False where one makes no sense. */
static bool head_read(struct contention *read, const char **at, const char *end, size_t *number)
{
	const char *line, *next = *at, *equals;
	size_t size;

	if (!line_next(&next, end, &line, &size))
		return false;
	read->heap = line_starts(line, size, "--- heapz");
	for (*at = next; line_next(&next, end, &line, &size); *at = next) {
		equals = memchr(line, '=', size);
		if (!line_is_comment(line, size) && (!equals || memchr(line, '@', size)))
			return true;
		++*number;
		if (!line_is_comment(line, size) && !attribute_read(read, line, size, equals))
			return false;
	}
	return true;
}

/* --- Rows ------------------------------------------------------------------------------------- */

static int64_t to_whole(double value)
{
	if (value >= 9223372036854775807.0)
		return INT64_MAX;
	return value <= -9223372036854775808.0 ? INT64_MIN : (int64_t)value;
}

static void values_scale(const struct contention *read, int64_t delay, int64_t count,
			 struct address_sample *row)
{
	double period = read->period > 0 ? (double)read->period : 1;

	row->numbers[0] = to_whole((double)count * period);
	if (read->java)
		delay = to_whole((double)delay * period);
	else if (read->period > 0 && read->cycles_per_second > 0)
		delay = to_whole((double)delay * period / ((double)read->cycles_per_second / 1e9));
	row->numbers[1] = delay;
}

static bool row_read(struct contention *read, const char *line, size_t size)
{
	const char *at = line, *end = line + size;
	struct address_sample *row;
	int64_t first, second;

	if (!line_number(&at, end, &first) || !line_number(&at, end, &second) ||
	    !line_char(&at, end, '@'))
		return false;
	if (read->heap && !second)
		return false;
	row = addresses_begin(&read->addresses);
	if (read->heap) {
		row->block_bytes = first / second;
		heap_scale(&second, &first, JAVA_HEAP_RATE);
		row->numbers[0] = second;
		row->numbers[1] = first;
	} else {
		values_scale(read, first, second, row);
	}
	return addresses_push_text(&read->addresses, at, (size_t)(end - at), !read->java);
}

/* The map stands behind a head of its own, whatever stands in front of that. */
static void map_read(struct contention *read, const char *at, const char *end)
{
	const char *line;
	size_t size;

	while (line_next(&at, end, &line, &size))
		if (addresses_is_map_head(line, size))
			break;
	addresses_map_text(&read->addresses, at, (size_t)(end - at));
}

/* The line that makes no sense, or 0. */
static size_t rows_read(struct contention *read, const char *at, const char *end, size_t number)
{
	const char *line, *start = at;
	size_t size;

	for (; line_next(&at, end, &line, &size); start = at) {
		number++;
		line_trim(&line, &size);
		if (line_is_comment(line, size))
			continue;
		if (line_starts(line, size, "---") || addresses_is_map_head(line, size)) {
			map_read(read, start, end);
			return 0;
		}
		if (row_read(read, line, size))
			continue;
		if (!read->java)
			return number;
		java_names_read(&read->addresses, start, (size_t)(end - start));
		return 0;
	}
	return 0;
}

/* --- The file --------------------------------------------------------------------------------- */

static void head_make(struct contention *read)
{
	struct addresses_head *head = &read->head;

	head->source = "contentionz";
	head->type_count = 2;
	if (read->heap) {
		head->types[0] = (struct addresses_type){ "inuse_objects", "count" };
		head->types[1] = (struct addresses_type){ "inuse_space", read->unit };
		head->weighting = WEIGHTING_ESTIMATED;
		head->drop_frames = addresses_drop_heap;
		head->keep_frames = addresses_keep_heap;
		return;
	}
	head->types[0] = (struct addresses_type){ "contentions", "count" };
	head->types[1] = (struct addresses_type){ "delay", read->java ? read->unit : "nanoseconds" };
	head->weighting = read->period > 1 ? WEIGHTING_SAMPLED : WEIGHTING_EXACT;
	head->period_type = (struct addresses_type){ "contentions", "count" };
	head->period = (uint64_t)read->period;
	head->drop_frames = addresses_drop_lock;
}

static size_t file_read(struct contention *read, const char *at, const char *end)
{
	size_t number = 1, wrong;

	if (!head_read(read, &at, end, &number))
		return number;
	if (read->heap && !read->java)
		return number;
	wrong = rows_read(read, at, end, number);
	if (wrong)
		return wrong;
	import_bias(read->addresses.import, read->heap ? "allocation" : "contention");
	head_make(read);
	addresses_into(&read->addresses, &read->head);
	return 0;
}

static int contentionz_read(struct input *input, struct profile *into, struct error *err)
{
	CLEANUP(import) struct import *import = import_new(into, input, &contentionz_format);
	struct contention read = { .period = 1 };
	const unsigned char *bytes;
	size_t size, wrong;
	int r = input_whole(input, INPUT_WHOLE_LIMIT, &bytes, &size, err);

	if (r < 0)
		return r;
	addresses_init(&read.addresses, import);
	wrong = file_read(&read, (const char *)bytes, (const char *)bytes + size);
	addresses_done(&read.addresses);
	if (wrong)
		return import_refuse(import, err, "line", wrong,
				     "it is no 'delay count @ addresses'");
	return import_finish(import, err);
}

const struct format contentionz_format = {
	.name = "contentionz",
	.summary = "lock contention of gperftools, Go and Google's Java agent",
	.recognise = contentionz_recognise,
	.read = contentionz_read,
};
