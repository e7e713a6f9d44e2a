/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The text that `perf script` prints: an event line, then one frame a line, leaf first, then a blank
 * line, which the last sample may lack. Which fields the event line has was chosen by whoever ran
 * perf, so they are known by their shape:
 *
 *	V8 WorkerThread 24636/25607 [000] 94564.109216:     100 cycles:u:
 *		ffffffff8103ce3b native_safe_halt+0x1b ([kernel.kallsyms])
 *		    7f722d142778 Lorg/Foo;::call->Lorg/Bar;::get (/tmp/perf-24636.map)
 *
 * Events of different names stay apart. With a period a sample weighs that much, of the event's
 * unit; without one it is one sample. Lines repeat, so each distinct frame line is read once.
 */
#include "base/intern.h"
#include "base/map.h"
#include "base/memory.h"
#include "format/format.h"
#include "format/import.h"
#include "format/input.h"
#include "format/perf_line.h"

#include <stdlib.h>
#include <string.h>

extern const struct format perf_script_format;

struct perf_script {
	struct import *import;
	struct intern *lines;
	struct frame_id *frames_of;              /* by line; none: no frame */
	size_t frames_of_count, frames_of_room;
	struct frame_id *frames;                 /* of the sample that is being read, leaf first */
	size_t frame_count, frame_room;
	struct import_sample sample;
	uint64_t line_number;
	struct map *weighted;                    /* string of an event's name → 1: its first sample has no period, 2: it has */
	bool open;                               /* an event line was seen and its sample not ended */
};

/* --- Frames ----------------------------------------------------------------------------------- */

static bool is_clock(const char *event)
{
	return !strncmp(event, "cpu-clock", 9) || !strncmp(event, "task-clock", 10);
}

/* Java's inlined calls stand in one name: "outer->inner". C++ has an operator of that look. */
static size_t inlined_split(const struct perf_frame *frame, struct import_name *names, size_t most)
{
	const char *at = frame->function, *end = at + frame->function_size;
	size_t count = 0;

	while (at < end && count < most) {
		const char *arrow = memmem(at, (size_t)(end - at), "->", 2);

		while (arrow && arrow - frame->function >= 8 && !memcmp(arrow - 8, "operator", 8))
			arrow = memmem(arrow + 2, (size_t)(end - arrow - 2), "->", 2);
		if (!arrow)
			arrow = end;
		if (arrow > at)
			names[count++] = (struct import_name){ .function = at,
							       .function_size = (size_t)(arrow - at) };
		at = arrow + 2;
	}
	for (size_t i = 0; i < count / 2; i++) {         /* innermost first */
		struct import_name swapped = names[i];

		names[i] = names[count - 1 - i];
		names[count - 1 - i] = swapped;
	}
	return count;
}

static struct frame_id frame_put(struct import *import, const struct perf_frame *frame)
{
	struct import_name chain[64];
	struct import_name name = { .function = frame->function,
				    .function_size = frame->function_size,
				    .module = frame->module,
				    .module_size = frame->module_size,
				    .address = frame->address,
				    .kernel = frame->kernel };
	size_t count = inlined_split(frame, chain, ARRAY_LENGTH(chain));
	size_t known = profile_frame_count(import_profile(import));
	struct frame_id id;

	id = import_frame(import, &name);
	if (count > 1 && id.index == known)
		import_inlined(import, id, chain, count);
	return id;
}

/* None where the line is no frame. */
static struct frame_id frame_of_line(struct perf_script *script, const char *line, size_t size)
{
	uint32_t id = intern_put_size(script->lines, line, size);
	struct perf_frame frame;
	struct frame_id put = { 0 };

	if (id < script->frames_of_count)
		return script->frames_of[id];
	if (perf_frame_parse(line, size, &frame))
		put = frame_put(script->import, &frame);
	while (script->frames_of_count <= id) {
		grow(script->frames_of, script->frames_of_count, script->frames_of_room);
		script->frames_of[script->frames_of_count++] = put;
	}
	return put;
}

/* --- Samples ---------------------------------------------------------------------------------- */

static void sample_end(struct perf_script *script)
{
	if (!script->open)
		return;
	script->sample.stack = import_stack_leaf_first(script->import, script->frames, script->frame_count);
	import_sample(script->import, &script->sample);
	script->frame_count = 0;
	script->open = false;
}

static void frame_add(struct perf_script *script, struct frame_id frame)
{
	grow(script->frames, script->frame_count, script->frame_room);
	script->frames[script->frame_count++] = frame;
}

/* One sum cannot hold both: what has a period and what has none are events of their own, the first under its own name. */
static char *name_apart(struct perf_script *script, const char *name, bool weighted)
{
	uint32_t id = profile_string(import_profile(script->import), name).index, *first = map_put(script->weighted, &id, NULL);

	if (!*first)
		*first = 1 + weighted;
	if (*first == 1u + weighted)
		return xstrdup(name);
	import_warn(script->import, "an event has a period in some samples only: those of either kind are kept apart", "line",
		    script->line_number);
	return xasprintf("%s-%s", name, weighted ? "periods" : "samples");
}

static void sample_begin(struct perf_script *script, const struct perf_event *event)
{
	CLEANUP_TEXT char *own = xstrndup(event->name ? event->name : "samples",
					  event->name ? event->name_size : 7);
	CLEANUP_TEXT char *comm = xstrndup(event->comm, event->comm_size);
	const bool weighted = event->period != 0;
	CLEANUP_TEXT char *name = name_apart(script, own, weighted);

	sample_end(script);
	import_began(script->import, event->time_ns);
	script->sample = (struct import_sample){
		.measure = import_measure(script->import,
					  &(struct import_event){
						  .name = name,
						  .unit = !weighted ? NULL : is_clock(name) ? "ns" : "count",
					  }),
		.thread = import_thread(script->import, event->pid, event->tid, comm),
		.count = 1,
		.value = weighted ? event->period : 1,
		.time_ns = event->time_ns,
		.stackless = true,
	};
	script->open = true;
}

static void event_read(struct perf_script *script, const struct perf_event *event)
{
	struct frame_id frame = { 0 };

	sample_begin(script, event);
	if (event->rest_size)
		frame = frame_of_line(script, event->rest, event->rest_size);
	if (!frame.index)
		return;
	frame_add(script, frame);
	sample_end(script);
}

static void line_read(struct perf_script *script, struct input *input, const char *line, size_t size)
{
	const char *text = line;
	struct frame_id frame = { 0 };
	struct perf_event event;

	for (; size && (*text == ' ' || *text == '\t'); size--)
		text++;
	while (size && (text[size - 1] == ' ' || text[size - 1] == '\t'))
		size--;
	if (!size) {
		sample_end(script);
		return;
	}
	if (*line == '#')
		return;
	if (perf_event_parse(text, size, text > line, &event)) {
		event_read(script, &event);
		return;
	}
	frame = frame_of_line(script, text, size);
	if (frame.index && script->open)
		frame_add(script, frame);
	else if (frame.index)
		import_skipped(script->import, "a frame belongs to no event", "line", input_line_number(input));
	else if (perf_is_source_line(text, size))
		import_warn(script->import, "source lines are not read", "line", input_line_number(input));
	else if (!perf_is_process_name(text, size))
		import_skipped(script->import, "a line is neither an event nor a frame", "line",
			       input_line_number(input));
}

static int perf_script_read(struct input *input, struct profile *into, struct error *err)
{
	CLEANUP(import) struct import *import = import_new(into, input, &perf_script_format);
	struct perf_script script = { .import = import, .lines = intern_new(), .weighted = map_new(sizeof(uint32_t)) };
	const char *line;
	size_t size;

	script.frames_of = xcalloc(1, sizeof(*script.frames_of));        /* of the empty line */
	script.frames_of_count = script.frames_of_room = 1;
	import_source(import, "perf script");
	while ((line = input_line(input, &size))) {
		script.line_number = input_line_number(input);
		line_read(&script, input, line, size);
	}
	sample_end(&script);
	intern_free(script.lines);
	map_free(script.weighted);
	free(script.frames_of);
	free(script.frames);
	return import_finish(import, err);
}

/* --- Recognising ------------------------------------------------------------------------------ */

/* What the first lines are. */
struct perf_look { size_t lines, timed, plain, frames, stacks, sources; bool after_event, after_timed; };

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* The processor, as in " [000] ": what ordinary text does not hold behind a name and a number. */
static bool has_processor(const char *at, const char *end)
{
	for (; at + 7 <= end; at++)
		if (at[0] == ' ' && at[1] == '[' && is_digit(at[2]) && is_digit(at[3]) && is_digit(at[4]) && at[5] == ']' &&
		    at[6] == ' ')
			return true;
	return false;
}

/* "a note (of it)" would be a frame, too. */
static bool is_address(const char *at, size_t size)
{
	size_t digits = 0, length = 0;

	for (; length < size && at[length] != ' ' && at[length] != '\t'; length++)
		digits += is_digit(at[length]);
	return digits;
}

static void line_look(struct perf_look *look, const char *at, size_t size, bool indented)
{
	struct perf_event event;
	struct perf_frame frame;
	const bool after_event = look->after_event, after_timed = look->after_timed;

	look->lines++;
	look->after_event = look->after_timed = false;
	if (perf_event_parse(at, size, indented, &event) && event.name) {
		bool framed = perf_frame_parse(event.rest, event.rest_size, &frame) && is_address(event.rest, event.rest_size);

		look->after_event = true;
		look->after_timed = event.time_ns || has_processor(at, event.name);
		if (look->after_timed)
			look->timed++;
		else if (framed || !event.rest_size)
			look->plain++;
		look->stacks += framed;
	} else if (perf_frame_parse(at, size, &frame) && (after_timed || is_address(at, size))) {
		look->frames++;
		look->stacks += after_event;
	} else if (perf_is_source_line(at, size) && (look->frames || look->stacks)) {
		look->sources++;
	}
}

/*
 * Most lines must be events and their frames. Where events have neither a processor nor a time, "a word 12 and more:" would
 * be one: then a frame must follow, or there must be nothing else at all.
 */
static int perf_look_judge(const struct perf_look *look)
{
	size_t known = look->timed + look->plain + look->frames + look->sources;

	if (2 * known < look->lines)
		return 0;
	if (look->stacks)
		return 80;
	if (look->timed)
		return 50;
	return look->plain && look->plain == look->lines ? 50 : 0;
}

static int perf_script_recognise(const void *head, size_t size)
{
	const char *at = head, *end = at + size;
	struct perf_look look = { 0 };

	if (memchr(head, '\0', size))
		return 0;
	if (size > 14 && !memcmp(head, "# ========\n", 11))
		return 75;
	for (size_t lines = 0; at < end && lines < 200; lines++) {
		const char *line_end = memchr(at, '\n', (size_t)(end - at));
		size_t blanks, length = (size_t)((line_end ? line_end : end) - at);

		while (length && (at[length - 1] == '\r' || at[length - 1] == ' '))
			length--;
		for (blanks = 0; blanks < length && (at[blanks] == ' ' || at[blanks] == '\t');)
			blanks++;
		if (length > blanks && *at != '#' && (line_end || !lines))       /* the last line may be cut */
			line_look(&look, at + blanks, length - blanks, blanks > 0);
		at = line_end ? line_end + 1 : end;
	}
	return perf_look_judge(&look);
}

const struct format perf_script_format = {
	.name = "perf-script",
	.summary = "what perf script prints",
	.recognise = perf_script_recognise,
	.read = perf_script_read,
};
