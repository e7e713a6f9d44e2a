/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the maps that bpftrace prints when a script ends. A key holds stacks and words in the order
 * that the script gave them:
 *
 *	@usecs[
 *	    __schedule+1576
 *	    entry_SYSCALL_64_after_hwframe+118
 *	, make]: 505932
 *	@[mkdir]: count 4, average 19291, total 77165
 *
 * The words of a key are the name of the thread, as they stand: which of them is a pid, a processor or
 * a device only the script knows. Nor does the file say what a map counts; told by the user, that is kept
 * with its unit, else it is a count under the map's name. Which maps there are, and so whom the user means,
 * is known at the end: the sums are kept until then. Histograms have no stacks' weights in them and are left out.
 */
#include "base/memory.h"
#include "format/format.h"
#include "format/import.h"
#include "format/input.h"
#include "format/lines.h"
#include "format/stack_lines.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const struct format bpftrace_format;

enum { NAME_BYTES = 64, WORDS_BYTES = 256, MAPS = 64 };

struct map_seen { char name[NAME_BYTES]; unsigned block; };
/* counted: the file says of how many events; else it says a number alone, which may count them itself. */
struct map_sum { size_t map; struct thread_id thread; struct stack_id stack; uint64_t value, count; bool counted; };

struct listing {
	struct import *import;
	struct stack_lines stack;
	struct text words;
	struct map_seen maps[MAPS];
	size_t map_count;
	struct map_sum *sums;
	size_t sum_count, sum_room;
	unsigned block;                          /* maps are printed together; a blank line ends them */
	char name[NAME_BYTES];
	bool in_key;
};

/* "@", "@usecs": its length, or 0. */
static size_t name_size(const char *line, size_t size)
{
	size_t at = 1;

	if (!size || *line != '@')
		return 0;
	while (at < size && (isalnum((unsigned char)line[at]) || line[at] == '_'))
		at++;
	return at < size && (line[at] == '[' || line[at] == ':') ? at : 0;
}

/* --- Values ----------------------------------------------------------------------------------- */

static struct map_seen *map_of(struct listing *listing)
{
	struct map_seen *map;

	for (map = listing->maps; map < listing->maps + listing->map_count; map++)
		if (!strcmp(map->name, listing->name))
			return map;
	if (listing->map_count == MAPS)
		return NULL;
	listing->map_count++;
	(void)snprintf(map->name, sizeof(map->name), "%s", listing->name);
	map->block = listing->block;
	return map;
}

/* "12", or "count 4, average 19291, total 77165". */
static bool value_read(const char *at, const char *end, struct map_sum *ret)
{
	const char *total = memmem(at, (size_t)(end - at), ", total ", 8);
	int64_t count = 0, value;

	ret->counted = line_starts(at, (size_t)(end - at), "count ") && total;
	if (ret->counted) {
		at += 6;
		total += 8;
		if (!line_number(&at, end, &count) || !line_number(&total, end, &value) || total != end)
			return false;
	} else if (!line_number(&at, end, &value) || at != end) {
		return false;
	}
	ret->count = (uint64_t)count;
	ret->value = (uint64_t)value;
	return count >= 0 && value >= 0;
}

static void sum_keep(struct listing *listing, struct map_seen *map, struct map_sum sum, uint64_t line)
{
	if (map->block != listing->block)
		import_warn(listing->import, "a map was printed more than once and is added up: right only where the "
			    "script clears it in between", "line", line);
	map->block = listing->block;
	sum.map = (size_t)(map - listing->maps);
	sum.thread = import_thread(listing->import, 0, 0, listing->words.size ? text_string(&listing->words) : NULL);
	grow(listing->sums, listing->sum_count, listing->sum_room);
	listing->sums[listing->sum_count++] = sum;
}

static void sum_read(struct listing *listing, const char *at, const char *end, uint64_t line)
{
	struct map_sum sum = { .stack = stack_lines_end(&listing->stack, listing->import, false) };
	static const char not_number[] = "the value of a map is no number of events or sum";
	struct map_seen *map = map_of(listing);

	if (at == end)
		import_skipped(listing->import, "histograms are not read", "line", line);
	else if (!isdigit((unsigned char)*at) && !line_starts(at, (size_t)(end - at), "count "))
		import_skipped(listing->import, not_number, "line", line);
	else if (!map)
		import_skipped(listing->import, "more than 64 maps", "line", line);
	else if (!value_read(at, end, &sum))
		import_skipped(listing->import, not_number, "line", line);
	else
		sum_keep(listing, map, sum, line);
}

/* --- Keys ------------------------------------------------------------------------------------- */

/* ", make, 12": what is no stack is added to the words. */
static void words_add(struct listing *listing, const char *at, const char *end)
{
	size_t size;

	while (at < end && (*at == ',' || *at == ' '))
		at++;
	size = (size_t)(end - at);
	while (size && (at[size - 1] == ' ' || at[size - 1] == ','))
		size--;
	if (size && listing->words.size + size + 2 < WORDS_BYTES)
		text_print(&listing->words, "%s%.*s", listing->words.size ? ", " : "", (int)size, at);
}

/* A line of a key that is no frame: words, and the value where the key ends. */
static void key_read(struct listing *listing, const char *line, const char *end, uint64_t number)
{
	static const char stop[] = "]:";
	const char *close = NULL, *at = line;

	/* names may hold the stop: the last one is it */
	while ((at = memmem(at, (size_t)(end - at), stop, 2)))
		close = at++;
	if (!close) {
		words_add(listing, line, end);
		stack_lines_part(&listing->stack);
		listing->in_key = true;
		return;
	}
	words_add(listing, line, close);
	close += 2;
	while (close < end && *close == ' ')
		close++;
	listing->in_key = false;
	sum_read(listing, close, end, number);
}

static void map_begin(struct listing *listing, const char *line, size_t size, size_t named, uint64_t number)
{
	const char *end = line + size, *at = line + named + 1;

	if (listing->in_key) {
		import_skipped(listing->import, "a key of a map has no end", "line", number);
		(void)stack_lines_end(&listing->stack, listing->import, false);
	}
	(void)snprintf(listing->name, sizeof(listing->name), "%.*s", (int)named, line);
	text_clear(&listing->words);
	if (line[named] == '[') {
		key_read(listing, at, end, number);
		return;
	}
	while (at < end && *at == ' ')
		at++;
	listing->in_key = false;
	sum_read(listing, at, end, number);
}

static void lines_read(struct listing *listing, struct input *input)
{
	const char *line;
	size_t size;

	while ((line = input_line(input, &size))) {
		size_t named = name_size(line, size);

		if (named)
			map_begin(listing, line, size, named, input_line_number(input));
		else if (!listing->in_key)
			listing->block += !size;
		else if (size && (*line == '\t' || line_starts(line, size, "    ")))
			stack_lines_add(&listing->stack, line, size);
		else
			key_read(listing, line, line + size, input_line_number(input));
	}
	if (listing->in_key)
		import_skipped(listing->import, "a key of a map has no end", "line", input_line_number(input));
}

/* --- All of it -------------------------------------------------------------------------------- */

static const char *short_name(const struct map_seen *map)
{
	return map->name[1] ? map->name + 1 : map->name;
}

static void sums_add(struct listing *listing)
{
	struct import_event events[MAPS];
	struct import_measure measures[MAPS];
	bool told = false;

	for (size_t i = 0; i < listing->map_count; i++) {
		const struct map_seen *map = &listing->maps[i];

		events[i] = (struct import_event){ .name = map->name[1] ? map->name + 1 : "count", .unit = "count",
						   .source = map->name, .meaning = "what the script counts" };
		told |= import_told(listing->import, short_name(map), listing->map_count == 1, &events[i]);
		measures[i] = import_measure(listing->import, &events[i]);
	}
	for (size_t i = 0; i < listing->sum_count; i++) {
		const struct map_sum *sum = &listing->sums[i];

		import_sample(listing->import, &(struct import_sample){
			.measure = measures[sum->map], .thread = sum->thread, .stack = sum->stack, .value = sum->value,
			.count = sum->counted ? sum->count : import_told_count(&events[sum->map], sum->value) });
	}
	if (!told)
		import_warn(listing->import, "what its numbers count is not said, so they are counts: --counts NAME:UNIT says it", NULL, 0);
}

static int maps_read(struct listing *listing, struct input *input, struct error *err)
{
	const char *names[MAPS];
	int r;

	lines_read(listing, input);
	for (size_t i = 0; i < listing->map_count; i++)
		names[i] = short_name(&listing->maps[i]);
	r = import_told_fits(listing->import, names, listing->map_count, err);
	if (r >= 0)
		sums_add(listing);
	return r;
}

static int bpftrace_read(struct input *input, struct profile *into, struct error *err)
{
	CLEANUP(import) struct import *import = import_new(into, input, &bpftrace_format);
	struct listing *listing = xcalloc(1, sizeof(*listing));
	int r;

	listing->import = import;
	listing->words = TEXT(WORDS_BYTES);
	stack_lines_init(&listing->stack);
	r = maps_read(listing, input, err);
	stack_lines_done(&listing->stack);
	text_done(&listing->words);
	free(listing->sums);
	free(listing);
	return r < 0 ? r : import_finish(import, err);
}

/* The line that bpftrace begins with, or one of a map. */
static int bpftrace_recognise(const void *head, size_t size)
{
	const char *at = head, *end = at + size, *line;
	size_t line_size;

	while (line_next(&at, end, &line, &line_size)) {
		size_t named;

		if (line_starts(line, line_size, "Attaching ") && memmem(line, line_size, " probe", 6))
			return 80;
		named = name_size(line, line_size);
		if (named)
			return line[named] == '[' ? 75 : 50;
		if (line_size)
			return 0;
	}
	return 0;
}

const struct format bpftrace_format = {
	.name = "bpftrace",
	.summary = "maps of bpftrace by stack, as it prints them at the end",
	.recognise = bpftrace_recognise,
	.read = bpftrace_read,
};
