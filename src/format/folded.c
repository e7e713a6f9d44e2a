/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Folded stacks, one a line, root first, as flame graph tools read them:
 *
 *	nginx;main;ngx_worker_process_cycle;ngx_epoll_process_events;epoll_wait 1530211
 *
 * Weights are whole numbers in the dimension's unit. Read, they are samples of an amount: the file
 *does not say of what.
 */
#include "base/cleanup.h"
#include "base/error.h"
#include "base/map.h"
#include "base/memory.h"
#include "base/output.h"
#include "base/text.h"
#include "format/choice.h"
#include "format/format.h"
#include "format/import.h"
#include "format/input.h"
#include "profile/profile.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

extern const struct format folded_format;

enum { NAME_LIMIT = 4096, LINES_JUDGED = 16 };

/* --- Writing ---------------------------------------------------------------------------------- */

/* Lines that are one but for the thread are added up: by the name at the root, and the stack. */
struct folded { const char *comm; struct stack_id stack; uint64_t weight; };
struct folded_lines { struct folded *lines; size_t count, room; };

static void lines_gather(const struct choice *choice, struct folded_lines *into)
{
	CLEANUP(map) struct map *known = map_new(sizeof(uint64_t) + sizeof(uint64_t));

	for (size_t i = 0; i < profile_cell_count(choice->profile); i++) {
		const struct cell *cell = profile_cell_at(choice->profile, i);
		struct folded line = { choice_comm(choice->profile, cell->thread),
				       choice_stack(choice, cell), 0 };
		/* interned: one name, one pointer */
		uint64_t key[2] = { (uintptr_t)line.comm, line.stack.index };
		uint32_t *index;
		bool added;

		if (!choice_has(choice, cell))
			continue;
		index = map_put(known, key, &added);
		if (added) {
			*index = (uint32_t)into->count;
			grow(into->lines, into->count, into->room);
			into->lines[into->count++] = line;
		}
		into->lines[*index].weight += choice_weight(cell);
	}
}

static void name_write(struct output *to, bool *first, const char *name)
{
	char text[NAME_LIMIT];
	size_t size = strlen(name);

	if (size > sizeof(text) - 2)
		size = sizeof(text) - 2;
	text[0] = ';';
	memcpy(text + 1, name, size);
	for (size_t i = 1; i <= size; i++)
		text[i] = text[i] == ';' ? ':' : text[i] == '\n' || text[i] == '\r' ? ' ' : text[i];
	output_write(to, text + *first, size + !*first);
	*first = false;
}

/* The calls that were inlined there lie in front of it, the outermost first. */
static void frame_write(const struct profile *profile, struct output *to, bool *first,
			struct frame_id frame)
{
	char text[NAME_LIMIT];
	size_t count;
	const struct symbol *symbols = profile_frame_symbols(profile, frame, &count);

	while (count-- > 1)
		name_write(to, first, profile_text(profile, symbols[count].name));
	name_write(to, first, profile_frame_name(profile, frame, text, sizeof(text)));
}

static void line_write(const struct choice *choice, struct output *to, const struct folded *line)
{
	struct frame_id frames[CHOICE_DEPTH_LIMIT];
	size_t count = choice_frames(choice, line->stack, frames);
	const char *cause = choice_cause(choice, line->stack);
	bool first = true;

	if (*line->comm)
		name_write(to, &first, line->comm);
	if (cause)
		name_write(to, &first, cause);
	while (count-- > 0)
		frame_write(choice->profile, to, &first, frames[count]);
	output_print(to, "%s %" PRIu64 "\n", first ? "[unknown]" : "", line->weight);
}

static int folded_write(const struct profile *profile, const struct format_options *options,
			struct output *to, struct error *err)
{
	struct folded_lines lines = { 0 };
	struct choice choice;
	int r = choice_make(profile, options, &choice, err);

	if (r < 0)
		return r;
	lines_gather(&choice, &lines);
	for (size_t i = 0; i < lines.count; i++)
		if (lines.lines[i].weight)
			line_write(&choice, to, &lines.lines[i]);
	free(lines.lines);
	return 0;
}

/* --- Reading ---------------------------------------------------------------------------------- */

/* The blank before a line's number, or NULL where it is no folded stack. */
static const char *line_blank(const char *line, size_t size)
{
	size_t digits = size;

	if (size && line[size - 1] == '\r')
		digits = --size;
	while (digits && line[digits - 1] >= '0' && line[digits - 1] <= '9')
		digits--;
	if (digits < 2 || digits == size || line[digits - 1] != ' ' || size - digits > 19 ||
	    memchr(line, '\0', size))
		return NULL;
	return line + digits - 1;
}

/* The first lines must all be stacks; one with several frames is good evidence, a lone name little.
 */
static int folded_recognise(const void *head, size_t size)
{
	const char *at = head, *end = at + size;
	bool stacks = false;
	size_t lines = 0;

	while (at < end && lines < LINES_JUDGED) {
		const char *line_end = memchr(at, '\n', (size_t)(end - at));

		if (!line_end)
			break;
		if (line_end > at && !line_blank(at, (size_t)(line_end - at)))
			return 0;
		lines += line_end > at;
		stacks |= memchr(at, ';', (size_t)(line_end - at)) != NULL;
		at = line_end + 1;
	}
	if (!lines)
		return memchr(head, ';', size) && !memchr(head, '\0', size) &&
				       line_blank(head, size)
			       ? 60
			       : 0;
	return stacks ? 60 : 20;
}

static struct stack_id stack_read(struct import *import, const char *at, const char *end)
{
	struct stack_id stack = { 0 };

	for (; at < end;) {
		const char *semicolon = memchr(at, ';', (size_t)(end - at));
		const char *name_end = semicolon ? semicolon : end;
		struct import_name name = { .function = at, .function_size = (size_t)(name_end - at) };

		if (name.function_size)
			stack = import_stack(import, stack, import_frame(import, &name));
		at = name_end + 1;
	}
	return stack;
}

static int folded_read(struct input *input, struct profile *into, struct error *err)
{
	CLEANUP(import) struct import *import = import_new(into, input, &folded_format);
	struct import_sample sample = { .measure = import_measure(
						import, &(struct import_event){
								.name = "samples",
								.source = "folded",
								.meaning = "what the file counts" }) };
	const char *line;
	size_t size;

	sample.thread = import_thread(import, 0, 0, NULL);
	while ((line = input_line(input, &size))) {
		const char *blank = line_blank(line, size);

		if (blank) {
			sample.stack = stack_read(import, line, blank);
			sample.count = sample.value = strtoull(blank + 1, NULL, 10);
			import_sample(import, &sample);
		} else if (size) {
			import_skipped(import, "a line is no 'frame;frame;frame number'", "line",
				       input_line_number(input));
		}
	}
	return import_finish(import, err);
}

const struct format folded_format = {
	.name = "folded",
	.summary = "stacks, one a line, for flame graph tools",
	.suffix = ".folded",
	.recognise = folded_recognise,
	.read = folded_read,
	.write = folded_write,
};
