/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Folded stacks, one a line, root first, as flame graph tools read and write them:
 *
 *	nginx;main;ngx_worker_process_cycle;ngx_epoll_process_events;epoll_wait 1530211
 *
 * The count stands behind the last blank; some tools write fractions. Of what they count the file
 * does not say: read, they are samples of an amount, thousandths of one where any is a fraction.
 * A line that is none is left out and counted. Two counts are a difference of two profiles, which
 * is no profile.
 *
 * Lines mostly stand in an order in which neighbours share callers: what a line begins with like the
 * one before it is not looked up again.
 */
#include "format/content.h"
#include "format/folded.h"

#include "base/intern.h"
#include "base/map.h"
#include "base/memory.h"
#include "base/text.h"
#include "format/format.h"
#include "format/import.h"
#include "format/input.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

extern const struct format folded_format;

enum { LINES_JUDGED = 16, MILLI = 1000 };

#define FOLDED_MOST ((uint64_t)INT64_MAX)

/* Cut at what a sum can hold; not by strtoull: nothing ends a file's head. */
static uint64_t digits_read(const char *at, const char *end)
{
	uint64_t number = 0;

	for (; at < end && number < FOLDED_MOST; at++)
		number = number > (FOLDED_MOST - 9) / 10 ? FOLDED_MOST : number * 10 + (uint64_t)(*at - '0');
	return number;
}

/* "12", "0.25", "-3": its length without the blank in front; 0 where there is none. In thousandths. */
static size_t count_find(const char *line, size_t size, uint64_t *ret_whole, unsigned *ret_milli)
{
	size_t at = size, dot = size;
	unsigned scale = 100;

	while (at && ((line[at - 1] >= '0' && line[at - 1] <= '9') || (line[at - 1] == '.' && dot == size))) {
		at--;
		if (line[at] == '.')
			dot = at;
	}
	if (at == size || at == dot || dot + 1 == size || !at || (line[at - 1] != ' ' && line[at - 1] != '\t'))
		return 0;
	*ret_whole = digits_read(line + at, line + dot);
	*ret_milli = 0;
	for (size_t i = dot + 1; i < size && scale; i++, scale /= 10)
		*ret_milli += scale * (unsigned)(line[i] - '0');
	return size - at;
}

struct folded_line { size_t names; uint64_t whole; unsigned milli; bool two; };

static bool line_parse(const char *line, size_t size, struct folded_line *ret)
{
	uint64_t before;
	unsigned milli;
	size_t digits;

	while (size && (line[size - 1] == ' ' || line[size - 1] == '\t' || line[size - 1] == '\r'))
		size--;
	digits = count_find(line, size, &ret->whole, &ret->milli);
	if (!digits || memchr(line, '\0', size) || memchr(line, '\r', size))
		return false;
	size -= digits + 1;
	ret->names = size;                       /* blanks in front of the count's own are the name's */
	digits = count_find(line, size, &before, &milli);
	ret->two = digits && digits < size && memchr(line, ';', size);
	return size > 0;
}

static bool is_comment(const char *line, size_t size)
{
	return (size && *line == '#') || (size > 1 && line[0] == '/' && line[1] == '/');
}

/* --- Reading ---------------------------------------------------------------------------------- */

/* The line before: where its frames end, and the stacks that end there. */
struct folded_step { size_t end; struct stack_id stack; };
struct folded_path { struct text line; struct folded_step *steps; size_t count, room; };

/* Weights are kept until it is known whether any of them is a fraction. */
struct folded_stack { struct stack_id stack; uint64_t whole, milli; };
struct folded_reader {
	struct import *import;
	struct intern *names;
	struct frame_id *frames;                 /* by name */
	size_t frame_count, frame_room;
	struct folded_path path;
	struct map *known;                       /* stacks → rows */
	struct folded_stack *rows;
	size_t count, room, pairs, singles;
	bool fractions;
};

static struct frame_id frame_of_name(struct folded_reader *reader, const char *name, size_t size)
{
	uint32_t id = intern_put_size(reader->names, name, size);
	struct import_name given = { .function = name, .function_size = size };

	while (reader->frame_count <= id) {      /* names get their numbers one after the other */
		grow(reader->frames, reader->frame_count, reader->frame_room);
		reader->frames[reader->frame_count++] = import_frame(reader->import, &given);
	}
	return reader->frames[id];
}

static size_t common_size(const char *a, const char *b, size_t size)
{
	size_t at = 0;

	while (at < size && a[at] == b[at])
		at++;
	return at;
}

/* Back to the last frame that the line has in common with the one before. */
static void path_back(struct folded_path *path, const char *line, size_t size)
{
	size_t most = size < path->line.size ? size : path->line.size;
	size_t common = most ? common_size(line, path->line.bytes, most) : 0;

	while (path->count) {
		size_t end = path->steps[path->count - 1].end;

		if (end <= common && (end == size || line[end] == ';'))
			break;
		path->count--;
	}
	text_clear(&path->line);
	text_append(&path->line, line, size);
}

static struct stack_id stack_read(struct folded_reader *reader, const char *line, size_t size)
{
	struct folded_path *path = &reader->path;
	struct stack_id stack = { 0 };
	size_t at = 0;

	path_back(path, line, size);
	if (path->count) {
		stack = path->steps[path->count - 1].stack;
		at = path->steps[path->count - 1].end + 1;
	}
	while (at < size) {
		const char *semicolon = memchr(line + at, ';', size - at);
		size_t end = semicolon ? (size_t)(semicolon - line) : size;

		if (end > at)
			stack = import_stack(reader->import, stack, frame_of_name(reader, line + at, end - at));
		grow(path->steps, path->count, path->room);
		path->steps[path->count++] = (struct folded_step){ end, stack };
		at = end + 1;
	}
	return stack;
}

static void stack_add(struct folded_reader *reader, struct stack_id stack, const struct folded_line *line)
{
	bool added;
	uint32_t *index = map_put(reader->known, &stack.index, &added);
	struct folded_stack *row;

	if (added) {
		*index = (uint32_t)reader->count;
		grow(reader->rows, reader->count, reader->room);
		reader->rows[reader->count++] = (struct folded_stack){ .stack = stack };
	}
	row = &reader->rows[*index];
	row->whole = row->whole > FOLDED_MOST - line->whole ? FOLDED_MOST : row->whole + line->whole;
	row->milli += line->milli;
	reader->fractions |= line->milli != 0;
}

static void samples_add(struct folded_reader *reader)
{
	struct import_sample sample = { .thread = import_thread(reader->import, 0, 0, NULL) };
	struct import_event event = { .name = "samples", .source = "folded", .meaning = "what the file counts" };
	bool told = import_told(reader->import, NULL, true, &event);

	if (!told && reader->fractions)
		event.unit = "milli-samples";
	sample.measure = import_measure(reader->import, &event);
	if (reader->fractions && event.unit && strcmp(event.unit, "milli-samples") != 0)
		sample.measure.divide *= MILLI;
	for (size_t i = 0; i < reader->count; i++) {
		const struct folded_stack *row = &reader->rows[i];
		bool large = row->whole > UINT64_MAX / MILLI - row->milli / MILLI - 1;

		sample.stack = row->stack;
		sample.count = told ? import_told_count(&event, row->whole) : row->whole;
		sample.value = !reader->fractions ? row->whole : large ? INT64_MAX : row->whole * MILLI + row->milli;
		import_sample(reader->import, &sample);
	}
}

static void lines_read(struct folded_reader *reader, struct input *input)
{
	const char *line;
	size_t size;

	while ((line = input_line(input, &size))) {
		struct folded_line parsed = { 0 };

		if (!size || is_comment(line, size))
			continue;
		if (!line_parse(line, size, &parsed)) {
			import_skipped(reader->import, "a line is no 'frame;frame;frame number'", "line",
				       input_line_number(input));
			continue;
		}
		if (parsed.whole == FOLDED_MOST)
			import_warn(reader->import, "a count is larger than can be kept, and cut", "line", input_line_number(input));
		reader->pairs += parsed.two;
		reader->singles += !parsed.two;
		stack_add(reader, stack_read(reader, line, parsed.names), &parsed);
	}
}

static int stacks_import(struct import *import, struct input *input, struct error *err)
{
	struct folded_reader reader = { .import = import, .names = intern_new(), .known = map_new(sizeof(uint32_t)),
					.path = { .line = TEXT(INPUT_LINE_LIMIT) } };
	int r;

	lines_read(&reader, input);
	if (reader.pairs > reader.singles) {
		r = import_refuse(import, err, NULL, 0,
				  "its lines have two counts: it is a difference of two profiles, and neither of them");
	} else {
		samples_add(&reader);
		r = import_finish(import, err);
	}
	map_free(reader.known);
	intern_free(reader.names);
	text_done(&reader.path.line);
	free(reader.path.steps);
	free(reader.frames);
	free(reader.rows);
	return r;
}

static int folded_read(struct input *input, struct profile *into, struct error *err)
{
	CLEANUP(import) struct import *import = import_new(into, input, &folded_format);
	int r = import_told_fits(import, NULL, 0, err);

	return r < 0 ? r : stacks_import(import, input, err);
}

/* The first lines must be stacks, most of them; one with several frames is good evidence, a lone name little. */
static int folded_recognise(const void *head, size_t size)
{
	const char *at = head, *end = at + size;
	size_t lines = 0, good = 0, deep = 0;

	while (at < end && lines < LINES_JUDGED) {
		const char *line_end = memchr(at, '\n', (size_t)(end - at));
		size_t length = (size_t)((line_end ? line_end : end) - at);
		struct folded_line parsed;

		if (!line_end && lines && size > 60000)
			break;                   /* the head's end cuts it */
		if (length && at[length - 1] == '\r')
			length--;
		if (length && !is_comment(at, length)) {
			bool stack = line_parse(at, length, &parsed);

			lines++;
			good += stack;
			deep += stack && memchr(at, ';', parsed.names) != NULL;
		}
		at = line_end ? line_end + 1 : end;
	}
	if (!good || memchr(head, '\0', size))
		return 0;
	return good == lines ? (deep ? 60 : 20) : deep && good * 2 >= lines ? 30 : 0;
}

const struct format folded_format = {
	.name = "folded",
	.summary = "stacks, one a line, for flame graph tools",
	.suffix = ".folded",
	.recognise = folded_recognise,
	.read = folded_read,
	.write = folded_write,
	.keeps = KEEPS(FUNCTIONS) | KEEPS(STACKS),
};
