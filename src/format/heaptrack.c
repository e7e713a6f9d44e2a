/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads heaptrack's recordings: its interpreted form (file versions 0 to 3) and the raw form that it has before names are
 * looked up. All numbers are hexadecimal:
 *
 *	s text, s size text     a string, the first is 1        a size trace        kind of allocation, the first is 0
 *	i ip module [name file line]…   an address, innermost   + kind, - kind      allocated, freed
 *	                        inlined call first              + size trace pointer, - pointer    in raw and old files
 *	t ip caller             a node of the tree of traces    c ms                time since the start
 *
 * An allocation counts as temporary when the next thing that happens is that its kind is freed. The peak's stacks are those
 * of the instant at which most bytes were in use, so the events are gone through twice. (heaptrack's own count of temporary
 * ones is one higher in some files: it takes kind 0 for "none", and a free of it after any free for temporary.)
 */
#include "base/error.h"
#include "base/map.h"
#include "base/memory.h"
#include "base/text.h"
#include "format/format.h"
#include "format/import.h"
#include "format/input.h"
#include "format/stretches.h"
#include "profile/profile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

extern const struct format heaptrack_format;

enum { TABLE_LIMIT = 1 << 28, INLINED_LIMIT = 64, VERSION_LIMIT = 3 };

struct heap_kind { uint64_t size; uint32_t trace; };
struct heap_cost { uint64_t allocations, allocated, temporary, leaked, peak; };
struct heap_module { uint64_t base; struct file_id file; };
struct heap_text { struct string_id text; struct file_id file; bool is_file; };    /* file: made when first asked for */

struct heaptrack_reader {
	struct import *import;
	struct profile *into;
	const char *line, *end;                      /* the line, and where its text ends */
	uint64_t number, version;
	struct heap_text *strings;
	struct frame_id *frames;
	struct stack_id *traces;
	struct heap_kind *kinds;
	struct heap_cost *costs;                     /* by trace */
	struct heap_module *modules;
	struct stretches mapped;                     /* by the number of their module */
	size_t string_count, string_room, frame_count, frame_room, trace_count, trace_room, kind_count, kind_room,
		cost_room, module_count, module_room;
	struct map *pointers, *kind_ids;             /* of raw and old files: pointer to kind + 1, kind to its number */
	struct file_id executable;
	bool raw;
	uint64_t in_use, peak, event, peak_event, last;      /* last: kind + 1 of the newest allocation */
	bool again;                                  /* the second time */
};

/* --- Lines ------------------------------------------------------------------------------------------ */

static bool hex_next(struct heaptrack_reader *reader, uint64_t *ret)
{
	const char *at = reader->line;
	uint64_t value = 0;

	while (at < reader->end && *at == ' ')
		at++;
	reader->line = at;
	for (; at < reader->end && *at != ' '; at++) {
		int digit = *at >= '0' && *at <= '9' ? *at - '0' : *at >= 'a' && *at <= 'f' ? *at - 'a' + 10 : -1;

		if (digit < 0 || value >> 60)
			return false;
		value = value << 4 | (uint64_t)digit;
	}
	if (at == reader->line)
		return false;
	reader->line = at;
	*ret = value;
	return true;
}

static void line_skip(struct heaptrack_reader *reader, const char *why)
{
	import_skipped(reader->import, why, "line", reader->number);
}

/* The rest of the line; from version 3 on its size stands in front of it, and in raw files words end at a blank. */
static struct string_id string_rest(struct heaptrack_reader *reader)
{
	uint64_t size = (uint64_t)(reader->end - reader->line);

	if (reader->version >= 3) {
		if (!hex_next(reader, &size))
			return (struct string_id){ 0 };
		reader->line += reader->line < reader->end;
		if (size > (uint64_t)(reader->end - reader->line))
			size = (uint64_t)(reader->end - reader->line);
	} else {
		while (size && *reader->line == ' ') {
			reader->line++;
			size--;
		}
	}
	reader->line += size;
	return profile_string_size(reader->into, reader->line - size, size);
}

static struct string_id string_at(const struct heaptrack_reader *reader, uint64_t index)
{
	return index && index <= reader->string_count ? reader->strings[index - 1].text : (struct string_id){ 0 };
}

static struct file_id file_at(struct heaptrack_reader *reader, uint64_t index)
{
	struct heap_text *text = index && index <= reader->string_count ? &reader->strings[index - 1] : NULL;

	if (text && !text->is_file) {
		text->file = import_file(reader->import, profile_text(reader->into, text->text), NULL);
		text->is_file = true;
	}
	return text ? text->file : (struct file_id){ 0 };
}

/* --- Frames and traces ------------------------------------------------------------------------------ */

static void frame_put(struct heaptrack_reader *reader, struct frame_id frame)
{
	grow(reader->frames, reader->frame_count, reader->frame_room);
	reader->frames[reader->frame_count++] = frame;
}

static void ip_line(struct heaptrack_reader *reader)
{
	struct import_name names[INLINED_LIMIT] = { 0 };
	uint64_t ip, module, function, file, line;
	size_t count = 0, known = profile_frame_count(reader->into);
	struct frame_id frame;

	if (!hex_next(reader, &ip) || !hex_next(reader, &module)) {
		line_skip(reader, "an address is not whole");
		ip = module = 0;
	}
	names[0].file_id = file_at(reader, module);
	names[0].address = ip;
	while (count < INLINED_LIMIT && hex_next(reader, &function)) {
		names[count].function_id = string_at(reader, function);
		if (hex_next(reader, &file))
			names[count].path_id = string_at(reader, file);
		if (hex_next(reader, &line))
			names[count].line = (uint32_t)line;
		count++;
	}
	frame = import_frame(reader->import, &names[0]);
	if (count > 1 && profile_frame_count(reader->into) > known)
		import_inlined(reader->import, frame, names, count);
	frame_put(reader, frame);
}

static struct frame_id raw_frame(struct heaptrack_reader *reader, uint64_t address)
{
	struct import_name name = { .address = address };
	uint32_t number = stretches_find(&reader->mapped, address);

	if (number != UINT32_MAX) {
		name.file_id = reader->modules[number].file;
		name.address = address - reader->modules[number].base;
	}
	return import_frame(reader->import, &name);
}

static void trace_line(struct heaptrack_reader *reader)
{
	uint64_t ip = 0, caller = 0;
	struct frame_id frame = { 0 };

	if (!hex_next(reader, &ip) || !hex_next(reader, &caller) || caller > reader->trace_count) {
		line_skip(reader, "a trace is not whole");
		caller = 0;
	}
	if (reader->raw)
		frame = raw_frame(reader, ip);
	else if (ip && ip <= reader->frame_count)
		frame = reader->frames[ip - 1];
	grow(reader->traces, reader->trace_count, reader->trace_room);
	reader->traces[reader->trace_count++] =
		import_stack(reader->import, caller ? reader->traces[caller - 1] : (struct stack_id){ 0 }, frame);
}

static struct file_id executable_read(struct heaptrack_reader *reader)
{
	return import_file(reader->import, profile_text(reader->into, string_rest(reader)), NULL);
}

/* "m path base [start size]…": of a module that was mapped; "m -" comes before they are told anew. */
static void module_line(struct heaptrack_reader *reader)
{
	struct string_id path = string_rest(reader);
	const char *name = profile_text(reader->into, path);
	uint64_t base, start, size;

	if (!strcmp(name, "-")) {
		reader->module_count = 0;
		stretches_clear(&reader->mapped);
		return;
	}
	if (!hex_next(reader, &base)) {
		line_skip(reader, "a module is not whole");
		return;
	}
	grow(reader->modules, reader->module_count, reader->module_room);
	reader->modules[reader->module_count] =
		(struct heap_module){ base, !strcmp(name, "x") ? reader->executable
							: import_file(reader->import, name, NULL) };
	while (hex_next(reader, &start) && hex_next(reader, &size))
		stretches_put(&reader->mapped, (struct stretch){ base + start, base + start + size,
								 (uint32_t)reader->module_count });
	reader->module_count++;
}

/* --- Allocations ------------------------------------------------------------------------------------ */

static uint32_t kind_put(struct heaptrack_reader *reader, uint64_t size, uint64_t trace)
{
	struct { uint64_t size, trace; } key = { size, trace };
	bool added;
	uint32_t *known = map_put(reader->kind_ids, &key, &added);

	if (added) {
		*known = (uint32_t)reader->kind_count;
		grow(reader->kinds, reader->kind_count, reader->kind_room);
		reader->kinds[reader->kind_count++] = (struct heap_kind){ size, (uint32_t)trace };
	}
	return *known;
}

/* In the interpreted form a kind is told once, and numbered in the order of telling, twins and all. */
static void kind_line(struct heaptrack_reader *reader)
{
	uint64_t size = 0, trace = 0;

	if (!hex_next(reader, &size) || !hex_next(reader, &trace) || trace > reader->trace_count) {
		line_skip(reader, "a kind of allocation is not whole");
		trace = 0;
	}
	grow(reader->kinds, reader->kind_count, reader->kind_room);
	reader->kinds[reader->kind_count++] = (struct heap_kind){ size, (uint32_t)trace };
}

static struct heap_cost *cost_of(struct heaptrack_reader *reader, uint32_t trace)
{
	size_t before = reader->cost_room;

	while (trace >= reader->cost_room)
		reader->cost_room = reader->cost_room ? 2 * reader->cost_room : 1024;
	if (reader->cost_room > before) {
		reader->costs = xreallocarray(reader->costs, reader->cost_room, sizeof(*reader->costs));
		memset(reader->costs + before, 0, (reader->cost_room - before) * sizeof(*reader->costs));
	}
	return &reader->costs[trace];
}

static bool has_pointers(const struct heaptrack_reader *reader)
{
	return reader->raw || !reader->version;
}

/* The kind that a line allocates or frees; false where it names none. */
static bool kind_of_line(struct heaptrack_reader *reader, bool allocates, uint64_t *kind)
{
	uint64_t size, trace, pointer;
	uint32_t *known;

	if (!has_pointers(reader))
		return hex_next(reader, kind) && *kind < reader->kind_count;
	if (allocates) {
		if (!hex_next(reader, &size) || !hex_next(reader, &trace) || !hex_next(reader, &pointer) ||
		    trace > reader->trace_count)
			return false;
		*kind = kind_put(reader, size, trace);
		*map_put(reader->pointers, &pointer, NULL) = (uint32_t)*kind + 1;
		return true;
	}
	if (!hex_next(reader, &pointer))
		return false;
	known = map_find(reader->pointers, &pointer);
	if (!known || !*known)
		return false;
	*kind = *known - 1;
	*known = 0;
	return true;
}

static void allocated(struct heaptrack_reader *reader, uint64_t kind)
{
	struct heap_cost *cost = cost_of(reader, reader->kinds[kind].trace);
	uint64_t size = reader->kinds[kind].size;

	cost->leaked += size;
	reader->in_use += size;
	reader->last = kind + 1;
	if (reader->in_use > reader->peak) {
		reader->peak = reader->in_use;
		reader->peak_event = reader->event;
	}
	if (reader->again)
		return;
	cost->allocations++;
	cost->allocated += size;
}

static void freed(struct heaptrack_reader *reader, uint64_t kind)
{
	struct heap_cost *cost = cost_of(reader, reader->kinds[kind].trace);
	uint64_t size = reader->kinds[kind].size;

	cost->leaked -= size < cost->leaked ? size : cost->leaked;
	reader->in_use -= size < reader->in_use ? size : reader->in_use;
	if (!reader->again)
		cost->temporary += reader->last == kind + 1;
	reader->last = 0;
}

static void event_line(struct heaptrack_reader *reader, bool allocates)
{
	uint64_t kind;

	reader->event++;
	if (!kind_of_line(reader, allocates, &kind)) {
		if (!reader->again && (allocates || !has_pointers(reader)))
			line_skip(reader, "an allocation is not whole");
		return;                              /* a free of what was there before it attached is no mistake */
	}
	if (allocates)
		allocated(reader, kind);
	else
		freed(reader, kind);
}

/* --- The file --------------------------------------------------------------------------------------- */

static void string_line(struct heaptrack_reader *reader)
{
	grow(reader->strings, reader->string_count, reader->string_room);
	reader->strings[reader->string_count].text =
		import_text(reader->import, profile_text(reader->into, string_rest(reader)), 0);
	reader->strings[reader->string_count++].is_file = false;
}

static void version_line(struct heaptrack_reader *reader)
{
	uint64_t program;

	if (!hex_next(reader, &program))
		return;
	if (!hex_next(reader, &reader->version))
		reader->version = program == 0x10200;        /* once its own version stood for the file's */
}

static void line_apply(struct heaptrack_reader *reader, char mode)
{
	switch (mode) {
	case '+':
	case '-': event_line(reader, mode == '+'); return;
	case 'v': version_line(reader); return;
	default: break;
	}
	if (reader->again)
		return;
	switch (mode) {
	case 's': string_line(reader); break;
	case 'i': ip_line(reader); break;
	case 't': trace_line(reader); break;
	case 'a': kind_line(reader); break;
	case 'x': reader->raw = true; reader->executable = executable_read(reader); break;
	case 'm': reader->raw = true; module_line(reader); break;
	case 'X':
		profile_set_meta(reader->into, "capture.command", profile_text(reader->into, profile_string_size(
			reader->into, reader->line + 1, (size_t)(reader->end - reader->line - (reader->line < reader->end)))));
		break;
	case 'A':
	case 'I':
	case 'R':
	case 'S':
	case 'c':
	case '#': break;
	default: line_skip(reader, "a line is of no known kind");
	}
}

static void lines_read(struct heaptrack_reader *reader, const char *text, size_t size)
{
	const char *end = text + size;

	for (reader->number = 1; text < end; reader->number++) {
		const char *line_end = memchr(text, '\n', (size_t)(end - text));
		const char *next = line_end ? line_end + 1 : end;

		line_end = line_end ? line_end : end;
		if (line_end > text && line_end[-1] == '\r')
			line_end--;
		reader->line = text + 1;
		reader->end = line_end;
		if (line_end > text && reader->version <= VERSION_LIMIT)
			line_apply(reader, *text);
		text = next;
		if (reader->again && reader->event == reader->peak_event)
			return;
	}
}

/* Up to the event at which most was in use; what is in use then is the peak's. */
static void peak_find(struct heaptrack_reader *reader, const char *text, size_t size)
{
	uint64_t peak_event = reader->peak_event;
	uint64_t *leaked = xcalloc(reader->cost_room + 1, sizeof(*leaked));

	for (size_t i = 0; i < reader->cost_room; i++) {
		leaked[i] = reader->costs[i].leaked;
		reader->costs[i].leaked = 0;
	}
	reader->again = true;
	reader->in_use = reader->event = reader->peak = 0;
	reader->peak_event = peak_event;
	map_clear(reader->pointers);
	reader->peak = UINT64_MAX;                   /* so that peak_event stays */
	if (peak_event)
		lines_read(reader, text, size);
	for (size_t i = 0; i < reader->cost_room; i++) {
		reader->costs[i].peak = reader->costs[i].leaked;
		reader->costs[i].leaked = leaked[i];
	}
	free(leaked);
}

static void costs_add(struct heaptrack_reader *reader)
{
	static const struct { struct import_event event; size_t at; } events[] = {
		{ { .name = "allocations", .unit = "count", .meaning = "allocations" },
		  offsetof(struct heap_cost, allocations) },
		{ { .name = "allocated", .unit = "bytes", .meaning = "bytes allocated, freed or not" },
		  offsetof(struct heap_cost, allocated) },
		{ { .name = "temporary", .unit = "count", .meaning = "allocations freed before anything else happened" },
		  offsetof(struct heap_cost, temporary) },
		{ { .name = "leaked", .unit = "bytes", .kind = DIMENSION_LEVEL, .meaning = "in use at the end" },
		  offsetof(struct heap_cost, leaked) },
		{ { .name = "peak", .unit = "bytes", .kind = DIMENSION_LEVEL, .meaning = "in use when most was" },
		  offsetof(struct heap_cost, peak) },
	};
	struct thread_id thread = import_thread(reader->import, 0, 0, NULL);

	for (size_t i = 0; i < ARRAY_LENGTH(events); i++) {
		struct import_event event = events[i].event;
		struct import_sample sample = { .thread = thread };

		event.weighting = WEIGHTING_EXACT;
		event.source = "heaptrack";
		sample.measure = import_measure(reader->import, &event);
		for (uint32_t trace = 0; trace <= reader->trace_count && trace < reader->cost_room; trace++) {
			sample.value = *(const uint64_t *)((const char *)&reader->costs[trace] + events[i].at);
			sample.count = reader->costs[trace].allocations;
			sample.stack = trace ? reader->traces[trace - 1] : (struct stack_id){ 0 };
			if (sample.value)
				import_sample(reader->import, &sample);
		}
	}
}

static void reader_done(struct heaptrack_reader *reader)
{
	map_free(reader->pointers);
	map_free(reader->kind_ids);
	free(reader->strings);
	free(reader->frames);
	free(reader->traces);
	free(reader->kinds);
	free(reader->costs);
	free(reader->modules);
	stretches_done(&reader->mapped);
}

static int heaptrack_read(struct input *from, struct profile *into, struct error *err)
{
	CLEANUP(import) struct import *import = import_new(into, from, &heaptrack_format);
	struct heaptrack_reader reader = { .import = import, .into = into, .pointers = map_new(sizeof(uint64_t)),
					   .kind_ids = map_new(2 * sizeof(uint64_t)) };
	const unsigned char *bytes;
	size_t size;
	int r = input_whole(from, INPUT_WHOLE_LIMIT, &bytes, &size, err);

	if (!r) {
		lines_read(&reader, (const char *)bytes, size);
		if (reader.version > VERSION_LIMIT)
			r = import_refuse(import, err, NULL, 0, "its version is %llu, and %d is the newest known",
					  (unsigned long long)reader.version, VERSION_LIMIT);
		else
			peak_find(&reader, (const char *)bytes, size);
	}
	if (!r) {
		costs_add(&reader);
		import_bias(import, "allocation");
	}
	reader_done(&reader);
	return r < 0 ? r : import_finish(import, err);
}

static int heaptrack_recognise(const void *head, size_t size)
{
	const char *text = head;
	size_t at = 2;

	if (size < 8 || memcmp(text, "v ", 2) != 0)
		return 0;
	while (at < size && strchr("0123456789abcdef ", text[at]) && text[at])
		at++;
	if (at < 4 || at + 2 >= size || text[at] != '\n')
		return 0;
	return strchr("xXIAs#", text[at + 1]) && text[at + 2] == ' ' ? 95 : 30;
}

const struct format heaptrack_format = {
	.name = "heaptrack",
	.summary = "heaptrack's recordings of allocations, raw or interpreted",
	.recognise = heaptrack_recognise,
	.read = heaptrack_read,
};
