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
#include "profile/profile.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const struct format folded_format;

enum { LINE_LIMIT = 1 << 20, NAME_LIMIT = 4096, LINES_JUDGED = 16 };

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

struct folded_reader {
	struct profile *profile;
	struct slice_id slice;
	struct thread_id thread;
	struct measure_id total, split;
};

static struct folded_reader reader_start(struct profile *profile)
{
	struct folded_reader reader = { .profile = profile };
	struct measure measure = { .weighting = WEIGHTING_SAMPLED,
				   .source = profile_string(profile, "folded") };

	measure.dimension = profile_dimension(
		profile, &(struct dimension_row){ .name = "samples",
						  .unit = "count",
						  .kind = DIMENSION_AMOUNT,
						  .meaning = "what the file counts" });
	measure.role = ROLE_TOTAL;
	reader.total = profile_measure(profile, measure);
	measure.role = ROLE_SPLIT;
	reader.split = profile_measure(profile, measure);
	reader.slice = profile_slice(profile, 0, 0);
	reader.thread = profile_thread(
		profile,
		(struct thread){ .process = profile_process(profile, (struct process){ 0 }) });
	return reader;
}

static struct stack_id stack_read(struct profile *profile, const char *at, const char *end)
{
	struct stack_id stack = { 0 };

	while (at < end) {
		const char *semicolon = memchr(at, ';', (size_t)(end - at));
		const char *name_end = semicolon ? semicolon : end;
		struct frame frame = { .name = profile_string_size(profile, at,
								   (size_t)(name_end - at)),
				       .method = METHOD_IMPORTED };

		if (frame.name.index)
			stack = profile_stack(profile, stack, profile_frame(profile, frame),
					      STACK_COMPLETE);
		at = name_end + 1;
	}
	return stack;
}

static void line_read(struct folded_reader *reader, const char *line, const char *blank)
{
	uint64_t weight = strtoull(blank + 1, NULL, 10);
	struct cell cell = { .slice = reader->slice,
			     .thread = reader->thread,
			     .measure = reader->total,
			     .count = weight,
			     .value = weight };

	profile_add_cell(reader->profile, cell);
	cell.measure = reader->split;
	cell.stack = stack_read(reader->profile, line, blank);
	profile_add_cell(reader->profile, cell);
}

static int lines_read(struct folded_reader *reader, FILE *file, const char *path, struct error *err)
{
	CLEANUP_TEXT char *line = xmalloc(LINE_LIMIT);
	size_t number = 0;

	while (fgets(line, LINE_LIMIT, file)) {
		size_t size = strcspn(line, "\n");
		const char *blank = line_blank(line, size);

		number++;
		if (blank && (line[size] == '\n' || feof(file))) {
			line_read(reader, line, blank);
		} else if (size) {
			fail(err, FAILURE_WORK, -EBADMSG, "cannot read '%s'", path);
			error_because(err, "line %zu is not 'frame;frame;frame number'", number);
			return error_try(err, "whole numbers as weights, and lines below 1 MiB");
		}
	}
	return ferror(file) ? fail(err, FAILURE_WORK, -EIO, "cannot read '%s'", path) : 0;
}

static int folded_read(const char *path, struct profile *into, struct error *err)
{
	struct folded_reader reader;
	FILE *file = fopen(path, "re");
	int r;

	if (!file)
		return fail(err, FAILURE_WORK, -errno, "cannot read '%s'", path);
	reader = reader_start(into);
	r = lines_read(&reader, file, path, err);
	(void)fclose(file);
	return r;
}

const struct format folded_format = {
	.name = "folded",
	.summary = "stacks, one a line, for flame graph tools",
	.suffix = ".folded",
	.recognise = folded_recognise,
	.read = folded_read,
	.write = folded_write,
};
