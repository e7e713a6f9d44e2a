/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads callgrind's format line by line into a call graph per thread. Names are compressed ("(3)" after "(3) name"), and
 * positions relative to those of the line before ("+4", "-2", "*"). Positions are followed only to check lines: costs are
 * kept by function, and inlined code ("fi=", "fe=") belongs to the function that it was inlined into, as callgrind_annotate
 * has it.
 */
#include "format/callgrind.h"

#include "base/cleanup.h"
#include "base/memory.h"
#include "format/format.h"
#include "format/input.h"
#include "profile/profile.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

extern const struct format callgrind_format;

enum { NAME_IDS_LIMIT = 1 << 24, POSITIONS_LIMIT = 2, GRAPH_LIMIT = 1 << 16, SHORT_NAME = 16 };    /* words for "no name" are short */

enum name_space { NAMES_OBJECT, NAMES_FILE, NAMES_FUNCTION, NAMES_COUNT };

struct callgrind_reader {
	struct import *import;
	struct profile *into;
	struct map *names[NAMES_COUNT];              /* number of a compressed name to the profile's string */
	struct string_id event_names[CALLGRIND_EVENT_LIMIT];
	size_t events, positions;
	struct map *files, *graph_ids;               /* by an object's name: its file; by a thread: its graph */
	struct callgrind_graph *graphs;
	size_t graph_count, graph_room, graph;       /* the one that lines add to */
	uint32_t pid, thread;
	struct string_id object, file, function, callee_object, callee_file, callee;
	bool call, jump;                             /* what the next line of costs belongs to */
	bool chosen;                                 /* graph is that of pid and thread */
	uint64_t times;
	uint64_t told;                               /* what the file says that its first event sums to; 0: it does not */
};

/* --- Names ------------------------------------------------------------------------------------------ */

static void line_skip(struct callgrind_reader *reader, struct input *from, const char *why)
{
	import_skipped(reader->import, why, "line", input_line_number(from));
}

/* "name", "(3) name" or "(3)". */
static struct string_id name_read(struct callgrind_reader *reader, enum name_space space, const char *text)
{
	char *end;
	uint32_t id;
	const uint32_t *known;

	if (text[0] != '(' || !isdigit((unsigned char)text[1]))
		return profile_string(reader->into, text);
	id = (uint32_t)strtoul(text + 1, &end, 10);
	if (*end != ')')
		return profile_string(reader->into, text);
	for (end++; *end == ' ' || *end == '\t'; end++)
		;
	if (*end && map_count(reader->names[space]) < NAME_IDS_LIMIT)
		return (struct string_id){ *map_put(reader->names[space], &id, NULL) =
						   profile_string(reader->into, end).index };
	known = map_find(reader->names[space], &id);
	return (struct string_id){ known ? *known : 0 };
}

static struct file_id file_of(struct callgrind_reader *reader, struct string_id object)
{
	bool added;
	uint32_t *known = map_put(reader->files, &object, &added);

	if (added)
		*known = import_file(reader->import, profile_text(reader->into, object), NULL).index;
	return (struct file_id){ *known };
}

/* Costs of one function may stand on any number of lines, so its names' texts are not looked at for each. */
static uint32_t function_of(struct callgrind_reader *reader, struct string_id object, struct string_id file,
			    struct string_id function)
{
	struct import_name name = { .file_id = file_of(reader, object) };
	const char *text = profile_text(reader->into, function);

	if (strnlen(text, SHORT_NAME) < SHORT_NAME)
		name.function = *text ? text : "(unknown function)";
	else
		name.function_id = function;
	text = profile_text(reader->into, file);
	if (strnlen(text, SHORT_NAME) == SHORT_NAME)
		name.path_id = file;
	else if (strcmp(text, "???") != 0)
		name.path = text;
	return callgrind_function(&reader->graphs[reader->graph], import_frame(reader->import, &name));
}

/* --- What lines say --------------------------------------------------------------------------------- */

/* The callee's object and file hold for one call only, else they are the caller's. */
static bool name_line(struct callgrind_reader *reader, const char *line)
{
	static const struct { const char *key; enum name_space space; size_t into; } keys[] = {
		{ "fn=", NAMES_FUNCTION, offsetof(struct callgrind_reader, function) },
		{ "fl=", NAMES_FILE, offsetof(struct callgrind_reader, file) },
		{ "ob=", NAMES_OBJECT, offsetof(struct callgrind_reader, object) },
		{ "cfn=", NAMES_FUNCTION, offsetof(struct callgrind_reader, callee) },
		{ "cfl=", NAMES_FILE, offsetof(struct callgrind_reader, callee_file) },
		{ "cfi=", NAMES_FILE, offsetof(struct callgrind_reader, callee_file) },
		{ "cob=", NAMES_OBJECT, offsetof(struct callgrind_reader, callee_object) },
		{ "fi=", NAMES_FILE, SIZE_MAX },
		{ "fe=", NAMES_FILE, SIZE_MAX },
		{ "jfi=", NAMES_FILE, SIZE_MAX },
		{ "jfn=", NAMES_FUNCTION, SIZE_MAX },
	};

	for (size_t i = 0; i < ARRAY_LENGTH(keys); i++) {
		size_t size = strlen(keys[i].key);
		struct string_id name;

		if (strncmp(line, keys[i].key, size) != 0)
			continue;
		name = name_read(reader, keys[i].space, line + size);
		if (keys[i].into != SIZE_MAX)
			*(struct string_id *)((char *)reader + keys[i].into) = name;
		return true;
	}
	return false;
}

static void graph_choose(struct callgrind_reader *reader)
{
	struct thread_id thread;
	uint32_t *known;
	bool added;

	reader->chosen = true;
	if (!reader->events)
		return;
	thread = import_thread(reader->import, reader->pid, reader->thread, NULL);
	known = map_put(reader->graph_ids, &thread, &added);
	if (added && reader->graph_count == GRAPH_LIMIT)
		import_warn(reader->import, "costs of more than 65536 threads were added to the first", NULL, 0);
	else if (added)
		*known = (uint32_t)reader->graph_count;
	reader->graph = *known;
	if (reader->graph < reader->graph_count)
		return;
	grow(reader->graphs, reader->graph_count, reader->graph_room);
	callgrind_graph_init(&reader->graphs[reader->graph_count], reader->events, thread);
	reader->graph = reader->graph_count++;
}

/* Blanks that do not break stand for those of a name that is one. */
static struct string_id event_name(struct callgrind_reader *reader, const char *at, size_t size)
{
	CLEANUP_TEXT char *name = xstrndup(at, size);
	char *to = name;

	for (const char *from = name; *from; from++) {
		bool blank = !strncmp(from, CALLGRIND_BLANK, sizeof(CALLGRIND_BLANK) - 1);

		*to++ = blank ? ' ' : *from;
		from += blank ? sizeof(CALLGRIND_BLANK) - 2 : 0;
	}
	*to = '\0';
	return profile_string(reader->into, name);
}

static int events_read(struct callgrind_reader *reader, const char *at)
{
	size_t count = 0;

	while (*at) {
		size_t size = strcspn(at, " \t");
		struct string_id name = event_name(reader, at, size);

		if (size && count < CALLGRIND_EVENT_LIMIT) {
			if (reader->graph_count && count < reader->events &&
			    !string_is(reader->event_names[count], name))
				return -1;           /* a second part counts something else */
			reader->event_names[count++] = name;
		}
		at += size;
		at += strspn(at, " \t");
	}
	if (reader->graph_count && count != reader->events)
		return -1;
	reader->events = count;
	return 0;
}

/* "key: value". Returns 1 where it was one, 0 where not, negative where it cannot be followed. */
static int header_line(struct callgrind_reader *reader, const char *line)
{
	const char *colon = strchr(line, ':'), *value;

	if (!colon || strcspn(line, "= \t") < (size_t)(colon - line) || !isalpha((unsigned char)*line))
		return 0;
	value = colon + 1 + strspn(colon + 1, " \t");
	if (!strncmp(line, "events:", 7))
		return events_read(reader, value) < 0 ? -1 : 1;
	if (!strncmp(line, "positions:", 10)) {
		reader->positions = strstr(value, "instr") && strstr(value, "line") ? 2 : 1;
	} else if (!strncmp(line, "pid:", 4)) {
		reader->pid = (uint32_t)strtoul(value, NULL, 10);
	} else if (!strncmp(line, "thread:", 7)) {
		reader->thread = (uint32_t)strtoul(value, NULL, 10);
	} else if (!strncmp(line, "totals:", 7)) {
		reader->told = strtoull(value, NULL, 10);
	} else if (!strncmp(line, "summary:", 8)) {
		reader->told += strtoull(value, NULL, 10);
	} else if (!strncmp(line, "creator:", 8)) {
		import_source(reader->import, value);
	} else if (!strncmp(line, "cmd:", 4)) {
		profile_set_meta(reader->into, "capture.command", value);
	}
	return 1;
}

/* --- Costs ------------------------------------------------------------------------------------------ */

static bool position_skip(const char **at)
{
	const char *from = *at;

	if (*from == '*') {
		from++;
	} else {
		from += *from == '+' || *from == '-';
		if (!isxdigit((unsigned char)*from))
			return false;
		from += strcspn(from, " \t");
	}
	if (*from && *from != ' ' && *from != '\t')
		return false;
	*at = from + strspn(from, " \t");
	return true;
}

/* A 0 in front means nothing. */
static int base_of(const char *number) { return number[0] == '0' && (number[1] | 32) == 'x' ? 16 : 10; }

/* Costs that a line leaves out are 0. */
static bool costs_read(const struct callgrind_reader *reader, const char *at, uint64_t costs[CALLGRIND_EVENT_LIMIT])
{
	size_t count = 0;
	char *end;

	for (size_t i = 0; i < reader->positions; i++)
		if (!position_skip(&at))
			return false;
	for (; *at && count < reader->events; count++) {
		if (!isdigit((unsigned char)*at))
			return false;
		costs[count] = strtoull(at, &end, base_of(at));
		if (end == at || (*end && *end != ' ' && *end != '\t'))
			return false;
		costs[count] &= INT64_MAX;
		at = end + strspn(end, " \t");
	}
	for (; count < reader->events; count++)
		costs[count] = 0;
	return !*at;
}

static bool cost_line(struct callgrind_reader *reader, const char *line)
{
	uint64_t costs[CALLGRIND_EVENT_LIMIT];
	struct callgrind_graph *graph;
	uint32_t caller, callee;

	if (reader->jump) {                          /* from where it jumps: no costs */
		reader->jump = false;
		return position_skip(&line);
	}
	if (!costs_read(reader, line, costs))
		return false;
	if (!reader->chosen)
		graph_choose(reader);
	if (!reader->graph_count)
		return false;
	graph = &reader->graphs[reader->graph];
	caller = function_of(reader, reader->object, reader->file, reader->function);
	if (!reader->call) {
		callgrind_cost(graph, caller, costs);
		return true;
	}
	callee = function_of(reader, reader->callee_object.index ? reader->callee_object : reader->object,
			     reader->callee_file.index ? reader->callee_file : reader->file, reader->callee);
	callgrind_called(graph, caller, callee, reader->times, costs);
	reader->call = false;
	reader->callee_object = reader->callee_file = reader->callee = (struct string_id){ 0 };
	return true;
}

static bool call_line(struct callgrind_reader *reader, const char *line)
{
	if (!strncmp(line, "calls=", 6)) {
		reader->times = strtoull(line + 6, NULL, base_of(line + 6)) & INT64_MAX;
		reader->call = true;
		return true;
	}
	if (!strncmp(line, "jump=", 5) || !strncmp(line, "jcnd=", 5)) {
		reader->jump = true;
		return true;
	}
	return !strncmp(line, "rcalls=", 7);
}

/* --- The file --------------------------------------------------------------------------------------- */

static int line_read(struct callgrind_reader *reader, struct input *from, const char *line, struct error *err)
{
	int r;

	line += strspn(line, " \t");
	if (!*line || *line == '#' || name_line(reader, line) || call_line(reader, line))
		return 0;
	r = header_line(reader, line);
	if (r < 0)
		return import_refuse(reader->import, err, "line", input_line_number(from),
				     "its parts count different events");
	if (r > 0) {                                 /* a part of another process or thread may begin */
		reader->chosen = false;
		return 0;
	}
	if (!reader->events)
		return import_refuse(reader->import, err, "line", input_line_number(from),
				     "costs come before the line that says of what");
	if (!cost_line(reader, line))
		line_skip(reader, from, "a line is neither costs nor a name");
	return 0;
}

const char *callgrind_unit(const char *name)
{
	const char *open = NULL;

	for (const char *at = name; (at = strstr(at, "_(")); at += 2)
		open = at + 2;
	/* something before it, something in it, and nothing behind it */
	return open && open > name + 2 && open[0] && open[1] && open[strlen(open) - 1] == ')' ? open : NULL;
}

/* Cut at what a profile holds, which is said. */
static uint64_t cost_scaled(struct callgrind_reader *reader, uint64_t cost, uint64_t multiply)
{
	uint64_t scaled;

	if (!__builtin_mul_overflow(cost, multiply, &scaled) && scaled <= INT64_MAX)
		return scaled;
	import_warn(reader->import, "a cost is larger than can be kept, and cut", NULL, 0);
	return INT64_MAX;
}

/* "Time_(10ns)", "Memory_(bytes)": as xdebug writes units; callgrind's own events are counts. */
static void event_finish(struct callgrind_reader *reader, size_t event, size_t *steps)
{
	const char *name = profile_text(reader->into, reader->event_names[event]), *open = callgrind_unit(name);
	uint64_t multiply = open ? strtoull(open, NULL, 10) : 1;
	const char *named = open ? open + strspn(open, "0123456789") : ")";
	CLEANUP_TEXT char *shown = open ? xstrndup(name, (size_t)(open - 2 - name)) : xstrdup(name);
	struct import_event row = { .name = shown, .weighting = WEIGHTING_EXACT, .source = "callgrind",
				    .meaning = "as the simulator or the tracer counted it" };
	CLEANUP_TEXT char *unit = NULL;

	named += *named == ' ';
	unit = xstrndup(named, strlen(named) - 1);
	row.unit = *unit ? unit : "count";
	for (size_t i = 0; i < reader->graph_count; i++) {
		struct callgrind_graph *graph = &reader->graphs[i];

		for (size_t j = event; multiply > 1 && j < graph->function_count * graph->events; j += graph->events)
			graph->own[j] = cost_scaled(reader, graph->own[j], multiply);
		for (size_t j = event; multiply > 1 && j < graph->call_count * graph->events; j += graph->events)
			graph->inclusive[j] = cost_scaled(reader, graph->inclusive[j], multiply);
		callgrind_stacks(graph, event, &row, steps, reader->import);
	}
}

/* A file that was cut has fewer costs than its summary says. */
static void totals_compare(const struct callgrind_reader *reader)
{
	uint64_t own = 0;

	for (size_t i = 0; i < reader->graph_count; i++)
		for (size_t j = 0; j < reader->graphs[i].function_count; j++)
			own += (uint64_t)reader->graphs[i].own[j * reader->graphs[i].events];
	if (reader->told && (own < reader->told - reader->told / 100 || own > reader->told + reader->told / 100))
		import_warn(reader->import, "the costs add up to another sum than the file says: it may have been cut", NULL, 0);
}

static void reader_done(struct callgrind_reader *reader)
{
	for (size_t i = 0; i < reader->graph_count; i++)
		callgrind_graph_done(&reader->graphs[i]);
	for (size_t i = 0; i < NAMES_COUNT; i++)
		map_free(reader->names[i]);
	map_free(reader->files);
	map_free(reader->graph_ids);
	free(reader->graphs);
}

int callgrind_read(struct input *from, struct profile *into, struct error *err)
{
	CLEANUP(import) struct import *import = import_new(into, from, &callgrind_format);
	struct callgrind_reader reader = { .import = import, .into = into, .positions = 1 };
	size_t size, steps = CALLGRIND_STEP_LIMIT;
	const char *line;
	int r = 0;

	for (size_t i = 0; i < NAMES_COUNT; i++)
		reader.names[i] = map_new(sizeof(uint32_t));
	reader.files = map_new(sizeof(uint32_t));
	reader.graph_ids = map_new(sizeof(uint32_t));
	while (!r && (line = input_line(from, &size)))
		r = line_read(&reader, from, line, err);
	totals_compare(&reader);
	for (size_t i = 0; !r && i < reader.events; i++)
		event_finish(&reader, i, &steps);
	reader_done(&reader);
	if (r < 0)
		return r;
	import_warn(import, "the file holds a call graph: its stacks are estimated", NULL, 0);
	return import_finish(import, err);
}
