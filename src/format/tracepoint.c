/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Source of the layout: tools/lib/traceevent (trace.dat version 6) and tools/perf/util/trace-event-read.c of Linux. All sizes
 * come from the file: each is held against what is left.
 */
#include "format/tracepoint.h"

#include "base/memory.h"
#include "format/perf_bytes.h"

#include <stdio.h>
#include <stdlib.h>

struct tracepoints {
	struct tracepoint *rows;
	size_t count, room;
};

/* --- One description -------------------------------------------------------------------------------------------------- */

static uint64_t number_after(const char *line, const char *end, const char *key)
{
	size_t size = strlen(key);
	const char *at = memmem(line, (size_t)(end - line), key, size);
	uint64_t number = 0;

	for (at = at ? at + size : end; at < end && *at == ' '; at++)
		;
	for (; at < end && *at >= '0' && *at <= '9' && number < UINT32_MAX; at++)
		number = number * 10 + (uint64_t)(*at - '0');
	return number;
}

static bool is_word(char letter)
{
	return letter == '_' || (letter >= '0' && letter <= '9') || ((letter | ' ') >= 'a' && (letter | ' ') <= 'z');
}

/* "field:char prev_comm[16];": the last word before the brackets or the semicolon. */
static void field_parse(struct tracepoint *into, const char *line, const char *end)
{
	const char *stop = memchr(line, ';', (size_t)(end - line)), *bracket, *start;
	struct tracepoint_field *field = &into->fields[into->field_count];

	if (!stop || into->field_count == TRACEPOINT_FIELD_LIMIT)
		return;
	bracket = memchr(line, '[', (size_t)(stop - line));
	*field = (struct tracepoint_field){
		.offset = (uint32_t)number_after(stop, end, "offset:"), .size = (uint32_t)number_after(stop, end, "size:"),
		.is_signed = number_after(stop, end, "signed:"),
	};
	for (stop = bracket ? bracket : stop; stop > line && !is_word(stop[-1]); stop--)
		;
	for (start = stop; start > line && is_word(start[-1]); start--)
		;
	(void)snprintf(field->name, sizeof(field->name), "%.*s", (int)(stop - start), start);
	into->field_count++;
}

bool tracepoint_parse(const char *text, size_t size, struct tracepoint *ret)
{
	const char *at = text, *end = text + size;
	bool has_id = false;

	*ret = (struct tracepoint){ 0 };
	while (at < end) {
		const char *feed = memchr(at, '\n', (size_t)(end - at)), *line_end = feed ? feed : end;

		while (at < line_end && (*at == '\t' || *at == ' '))
			at++;
		if (line_end - at > 6 && !memcmp(at, "name: ", 6))
			(void)snprintf(ret->name, sizeof(ret->name), "%.*s", (int)(line_end - at - 6), at + 6);
		if (line_end - at > 4 && !memcmp(at, "ID: ", 4)) {
			ret->id = number_after(at, line_end, "ID:");
			has_id = true;
		}
		if (line_end - at > 6 && !memcmp(at, "field:", 6))
			field_parse(ret, at + 6, line_end);
		at = line_end + 1;
	}
	return has_id;
}

const struct tracepoint_field *tracepoint_field(const struct tracepoint *tracepoint, const char *name)
{
	for (size_t i = 0; i < tracepoint->field_count; i++)
		if (!strcmp(tracepoint->fields[i].name, name))
			return &tracepoint->fields[i];
	return NULL;
}

int64_t tracepoint_number(const struct tracepoint_field *field, const uint8_t *record, size_t size, bool swapped)
{
	struct perf_bytes bytes = perf_bytes_of(record, size, swapped);
	uint64_t number;

	if (!field || !perf_take(&bytes, field->offset))
		return 0;
	switch (field->size) {
	case 1: {
		const uint8_t *at = perf_take(&bytes, 1);

		number = at ? *at : 0;
		return field->is_signed ? (int8_t)number : (int64_t)number;
	}
	case 2:
		number = perf_u16(&bytes);
		return field->is_signed ? (int16_t)number : (int64_t)number;
	case 4:
		number = perf_u32(&bytes);
		return field->is_signed ? (int32_t)number : (int64_t)number;
	default:
		return (int64_t)perf_u64(&bytes);
	}
}

size_t tracepoint_text(const struct tracepoint_field *field, const uint8_t *record, size_t size, const char **ret)
{
	*ret = "";
	if (!field || field->offset > size || field->size > size - field->offset)
		return 0;
	*ret = (const char *)record + field->offset;
	return strnlen(*ret, field->size);
}

/* --- All of a file ---------------------------------------------------------------------------------------------------- */

static const char *word_take(struct perf_bytes *bytes)
{
	const uint8_t *end = memchr(bytes->at, '\0', perf_bytes_left(bytes));
	const char *word = (const char *)bytes->at;

	if (!end) {
		(void)perf_take(bytes, perf_bytes_left(bytes) + 1ull);
		return "";
	}
	bytes->at = end + 1;
	return word;
}

static void skip_sized(struct perf_bytes *bytes)
{
	(void)perf_take(bytes, perf_u64(bytes));
}

static void add(struct tracepoints *into, const char *system, struct perf_bytes *bytes)
{
	uint64_t size = perf_u64(bytes);
	const uint8_t *text = perf_take(bytes, size);
	struct tracepoint tracepoint;

	if (!text || into->count == TRACEPOINT_LIMIT || !tracepoint_parse((const char *)text, size, &tracepoint))
		return;
	(void)snprintf(tracepoint.system, sizeof(tracepoint.system), "%s", system);
	grow(into->rows, into->count, into->room);
	into->rows[into->count++] = tracepoint;
}

static void systems_read(struct tracepoints *into, struct perf_bytes *bytes)
{
	uint32_t systems = perf_u32(bytes);

	while (systems-- && !bytes->failed) {
		const char *system = word_take(bytes);
		uint32_t count = perf_u32(bytes);

		while (count-- && !bytes->failed)
			add(into, system, bytes);
	}
}

struct tracepoints *tracepoints_read(const void *tracing_data, size_t size)
{
	static const char magic[] = "\x17\x08\x44tracing";
	struct perf_bytes bytes = perf_bytes_of(tracing_data, size, false);
	const uint8_t *start = perf_take(&bytes, sizeof(magic) - 1), *order;
	struct tracepoints *tracepoints;
	uint32_t count;

	if (!start || memcmp(start, magic, sizeof(magic) - 1) != 0)
		return NULL;
	tracepoints = xcalloc(1, sizeof(*tracepoints));
	(void)word_take(&bytes);                                /* version */
	order = perf_take(&bytes, 2);                           /* byte order, size of a long */
	bytes.swapped = order && *order != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	(void)perf_u32(&bytes);                                 /* size of a page */
	for (unsigned i = 0; i < 2; i++) {                      /* "header_page", "header_event" */
		(void)word_take(&bytes);
		skip_sized(&bytes);
	}
	for (count = perf_u32(&bytes); count && !bytes.failed; count--)
		add(tracepoints, "ftrace", &bytes);
	systems_read(tracepoints, &bytes);
	return tracepoints;
}

void tracepoints_free(struct tracepoints *tracepoints)
{
	if (!tracepoints)
		return;
	free(tracepoints->rows);
	free(tracepoints);
}

size_t tracepoints_count(const struct tracepoints *tracepoints)
{
	return tracepoints->count;
}

struct tracepoint *tracepoints_find(struct tracepoints *tracepoints, uint64_t id)
{
	for (size_t i = 0; i < tracepoints->count; i++)
		if (tracepoints->rows[i].id == id)
			return &tracepoints->rows[i];
	return NULL;
}
