/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes folded stacks. Weights are added up twice: by stack, of which there are many, then by line,
 * since stacks that differ in addresses alone read the same. Lines can be many times larger than the
 * profile, so none is kept: equal ones are found by their hash, and made again to be compared and written.
 */
#include "base/cleanup.h"
#include "base/map.h"
#include "base/memory.h"
#include "base/output.h"
#include "base/text.h"
#include "format/choice.h"
#include "format/folded.h"
#include "format/format.h"
#include "profile/profile.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define LINE_LIMIT ((size_t)1 << 34)                 /* more than the deepest stack of the longest names */

/* Of threads of one name one stands for all, unless their numbers are written. */
struct folded { struct thread_id thread; struct stack_id stack; uint64_t weight; };
struct folded_lines {
	const struct choice *choice;
	struct folded_names names;
	struct folded *lines;
	size_t count, room;
	struct choice_path path;
};

static uint64_t sum(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static void lines_gather(struct folded_lines *into, bool numbers)
{
	const struct choice *choice = into->choice;
	CLEANUP(map) struct map *known = map_new(sizeof(uint64_t) + sizeof(uint64_t));

	for (size_t i = 0; i < profile_cell_count(choice->profile); i++) {
		const struct cell *cell = profile_cell_at(choice->profile, i);
		struct folded line = { cell->thread, choice_stack(choice, cell), 0 };
		/* interned: one name, one pointer */
		uint64_t key[2] = { numbers ? cell->thread.index
					    : (uintptr_t)choice_comm(choice->profile, cell->thread),
				    line.stack.index };
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
		into->lines[*index].weight = sum(into->lines[*index].weight, choice_weight(cell));
	}
}

static void part_append(struct text *line, const char *name)
{
	if (line->size)
		text_append(line, ";", 1);
	text_append(line, name, strlen(name));
}

static void line_make(struct folded_lines *lines, const struct folded *folded, struct text *line)
{
	const char *cause = choice_cause(lines->choice, folded->stack);
	bool java;

	choice_frames(lines->choice, folded->stack, &lines->path);
	text_clear(line);
	folded_comm(&lines->names, folded->thread, line);
	java = line->size >= 4 && !memcmp(line->bytes, "java", 4);
	if (cause)
		part_append(line, cause);
	for (size_t left = lines->path.count; left-- > 0;)
		part_append(line, folded_frame(&lines->names, lines->path.frames[left], java));
	if (!line->size)
		text_append(line, "[unknown]", 9);
}

/* "12.5" where the unit is a thousandth */
static void weight_write(struct output *to, uint64_t weight, bool thousandths)
{
	unsigned fraction = (unsigned)(weight % 1000);

	if (!thousandths) {
		output_print(to, " %" PRIu64 "\n", weight);
	} else if (!fraction) {
		output_print(to, " %" PRIu64 "\n", weight / 1000);
	} else {
		int digits = fraction % 100 == 0 ? 1 : fraction % 10 == 0 ? 2 : 3;

		output_print(to, " %" PRIu64 ".%0*u\n", weight / 1000, digits,
			     digits == 1 ? fraction / 100 : digits == 2 ? fraction / 10 : fraction);
	}
}

static bool lines_equal(struct folded_lines *lines, const struct folded *other, const struct text *line, struct text *scratch)
{
	line_make(lines, other, scratch);
	return scratch->size == line->size && !memcmp(scratch->bytes, line->bytes, line->size);
}

/* Adds a line's weight to the first one that reads the same, where there is one. */
static void line_merge(struct folded_lines *lines, struct map *known, size_t which, struct text texts[2])
{
	struct folded *line = &lines->lines[which];
	uint64_t hash;
	uint32_t *first;
	bool added;

	line_make(lines, line, &texts[0]);
	hash = hash_bytes(texts[0].bytes, texts[0].size);
	for (;; hash++) {
		first = map_put(known, &hash, &added);
		if (added) {
			*first = (uint32_t)which;
			return;
		}
		if (lines_equal(lines, &lines->lines[*first], &texts[0], &texts[1]))
			break;
	}
	lines->lines[*first].weight = sum(lines->lines[*first].weight, line->weight);
	line->weight = 0;
}

static void lines_write(struct folded_lines *lines, struct output *to)
{
	CLEANUP(map) struct map *known = map_new(sizeof(uint64_t));
	struct text texts[2] = { TEXT(LINE_LIMIT), TEXT(LINE_LIMIT) };
	const bool thousandths = !strncmp(choice_unit(lines->choice), "milli-", 6);

	for (size_t i = 0; i < lines->count; i++)
		line_merge(lines, known, i, texts);
	for (size_t i = 0; i < lines->count; i++) {
		if (!lines->lines[i].weight)
			continue;
		line_make(lines, &lines->lines[i], &texts[0]);
		output_puts(to, text_string(&texts[0]));
		weight_write(to, lines->lines[i].weight, thousandths);
	}
	text_done(&texts[0]);
	text_done(&texts[1]);
}

int folded_write(const struct profile *profile, const struct format_options *options, struct output *to,
		 struct error *err)
{
	struct choice choice;
	struct folded_lines lines = { .choice = &choice };
	int r = choice_make(profile, options, &choice, err);

	if (r < 0)
		return r;
	lines_gather(&lines, options && (options->pid || options->tid));
	folded_names_init(&lines.names, profile, options);
	lines_write(&lines, to);
	folded_names_done(&lines.names);
	free(lines.lines);
	free(lines.path.frames);
	return 0;
}
