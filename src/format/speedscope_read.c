/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads speedscope's own format (src/lib/file-format-spec.ts of github.com/jlfwong/speedscope). Each of its profiles
 * becomes a thread of that name. A sampled one gives weights to stacks; an evented one opens and closes frames, and each
 * stretch between two events is weight on the stack that was open. Where what is merely counted has fractions, all of it is
 * kept in thousandths; finer ones are rounded by their sum.
 */
#include "format/content.h"
#include "format/speedscope.h"

#include "base/cleanup.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "format/format.h"
#include "format/import.h"
#include "format/input.h"
#include "format/json_import.h"
#include "profile/profile.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const struct format speedscope_format;

enum { NAME_LIMIT = IMPORT_NAME_LIMIT, OPEN_LIMIT = 64 * 1024, MILLI = 1000, MILLI_SHIFT = 3 };

/*
 * Closing a frame that is not the innermost closes those in it too: the writer lost their ends. How often each frame is
 * open is counted, so that the stack is searched only for what is in it.
 */
struct opened { struct stack_id *stacks; size_t *frames; uint32_t *times; size_t count; };

struct speedscope_reader {
	struct import *import;
	struct frame_id *frames;
	size_t frame_count;
	struct text scratch, other;
	struct thread_id thread;
	struct import_measure measure;
	struct opened opened;                        /* made once: a file may hold any number of profiles */
	bool counts;                                 /* what is weighed are events, and not their time or size */
	const char *dimension, *unit;                /* of a file of ours: what was measured, and in what; NULL else */
	int shift;                                   /* a value times 10^shift is in the measure's unit */
	int64_t rest;                                /* thousandths of it that the profile's weights so far lost by rounding */
	bool fractions;                              /* what is merely counted has some */
};

struct unit { const char *name; int shift; struct import_event event; };

static const struct unit *unit_of(struct json_value profile)
{
#define TIME { .name = "time", .unit = "ns", .meaning = "time on the stack, on the clock that the writer used" }
	static const struct unit units[] = {
		{ "none", 0, { .name = "weight", .unit = "count", .meaning = "what the file counts" } },
		{ "nanoseconds", 0, TIME },
		{ "microseconds", 3, TIME },
		{ "milliseconds", 6, TIME },
		{ "seconds", 9, TIME },
		{ "bytes", 0, { .name = "bytes", .unit = "bytes", .meaning = "bytes, as the file weighs them" } },
	};
#undef TIME
	struct json_value name = json_get(profile, "unit");

	for (size_t i = 0; i < ARRAY_LENGTH(units); i++)
		if (json_is(name, units[i].name))
			return &units[i];
	return &units[0];
}

static void frames_read(struct speedscope_reader *reader, struct json_value array)
{
	struct json_items items = json_items(array);

	reader->frames = xcalloc(json_count(array) + 1, sizeof(*reader->frames));
	while (array.kind == JSON_ARRAY && json_next(&items)) {
		struct import_name name = {
			.function = import_name_whole(reader->import, json_decoded(json_get(items.value, "name"), &reader->scratch)),
			.path = json_decoded(json_get(items.value, "file"), &reader->other),
			.line = (uint32_t)json_whole(json_get(items.value, "line"), 0),
			.column = (uint32_t)json_whole(json_get(items.value, "col"), 0),
		};

		if (!*name.function)
			name.function = "(unnamed)";
		reader->frames[reader->frame_count++] = import_frame(reader->import, &name);
	}
}

static struct stack_id frame_push(struct speedscope_reader *reader, struct stack_id stack, struct json_value frame)
{
	int64_t index = json_whole(frame, -1);

	if (index < 0 || (size_t)index >= reader->frame_count) {
		import_warn(reader->import, "a frame does not exist", "byte", frame.offset);
		return stack;
	}
	return import_stack(reader->import, stack, reader->frames[index]);
}

static bool value_read(struct speedscope_reader *reader, struct json_value value, int64_t *ret)
{
	int64_t finer, coarse;

	if (!json_decimal(value, reader->shift, ret))
		return false;
	if (json_decimal(value, reader->shift + 3, &finer) &&
	    (__builtin_mul_overflow(*ret, 1000, &coarse) || finer != coarse))
		import_warn(reader->import, "a fraction of a unit was rounded", "byte", value.offset);
	return true;
}

/* Each is rounded so that the sum of all so far stays true. */
static bool weight_read(struct speedscope_reader *reader, struct json_value value, int64_t *ret)
{
	int64_t finer, sum;

	if (!json_decimal(value, reader->shift + MILLI_SHIFT, &finer) || finer < 0 ||
	    __builtin_add_overflow(finer, reader->rest + MILLI / 2, &sum))
		return value_read(reader, value, ret);
	if (finer % MILLI)
		import_warn(reader->import, "a fraction of a unit was rounded", "byte", value.offset);
	*ret = sum > 0 ? sum / MILLI : 0;
	reader->rest += finer - *ret * MILLI;
	return true;
}

static void weight_add(struct speedscope_reader *reader, struct stack_id stack, int64_t weight)
{
	import_sample(reader->import, &(struct import_sample){ .measure = reader->measure, .thread = reader->thread,
							       .stack = stack, .count = reader->counts ? (uint64_t)weight : 1, .value = (uint64_t)weight,
							       .stackless = reader->frame_count > 0 });
}

static void sampled_read(struct speedscope_reader *reader, struct json_value profile)
{
	struct json_items samples = json_items(json_get(profile, "samples"));
	struct json_items weights = json_items(json_get(profile, "weights"));

	while (json_next(&samples)) {
		struct json_items frames = json_items(samples.value);
		struct stack_id stack = { 0 };
		int64_t weight;

		while (samples.value.kind == JSON_ARRAY && json_next(&frames))
			stack = frame_push(reader, stack, frames.value);
		if (json_next(&weights) && weight_read(reader, weights.value, &weight) && weight >= 0)
			weight_add(reader, stack, weight);
		else
			import_skipped(reader->import, "a sample has no weight, or one below zero", "byte",
				       samples.value.offset);
	}
	while (json_next(&weights))
		import_skipped(reader->import, "a weight has no sample", "byte", weights.value.offset);
}

/* The frame's number, that behind the last for one that does not exist. */
static size_t frame_number(const struct speedscope_reader *reader, struct json_value frame)
{
	int64_t index = json_whole(frame, -1);

	return index < 0 || (size_t)index > reader->frame_count ? reader->frame_count : (size_t)index;
}

static void event_apply(struct speedscope_reader *reader, struct opened *opened, struct json_value event)
{
	struct json_value frame = json_get(event, "frame"), type = json_get(event, "type");
	size_t number = frame_number(reader, frame), at = opened->count;

	if (json_is(type, "O") && opened->count < OPEN_LIMIT) {
		struct stack_id above = opened->count ? opened->stacks[opened->count - 1] : (struct stack_id){ 0 };

		opened->stacks[opened->count] = frame_push(reader, above, frame);
		opened->frames[opened->count++] = number;
		opened->times[number]++;
		return;
	}
	if (!opened->times[number] || opened->frames[at - 1] != number)
		import_warn(reader->import, "a frame closes that is not the innermost", "byte", event.offset);
	if (!json_is(type, "C") || !opened->times[number])
		return;
	do {
		opened->times[opened->frames[--at]]--;
	} while (opened->frames[at] != number);
	opened->count = at;
}

static struct opened *opened_of(struct speedscope_reader *reader)
{
	struct opened *opened = &reader->opened;

	if (!opened->stacks) {
		opened->stacks = xcalloc(OPEN_LIMIT, sizeof(*opened->stacks));
		opened->frames = xcalloc(OPEN_LIMIT, sizeof(*opened->frames));
		opened->times = xcalloc(reader->frame_count + 1, sizeof(*opened->times));
	}
	return opened;
}

static void evented_read(struct speedscope_reader *reader, struct json_value profile)
{
	struct opened *opened = opened_of(reader);
	struct json_items events = json_items(json_get(profile, "events"));
	int64_t before, at, weight;

	if (!value_read(reader, json_get(profile, "startValue"), &before))
		before = INT64_MIN;
	while (json_next(&events)) {
		if (!value_read(reader, json_get(events.value, "at"), &at)) {
			import_skipped(reader->import, "an event has no time", "byte", events.value.offset);
			continue;
		}
		if (before != INT64_MIN && at > before && !__builtin_sub_overflow(at, before, &weight))
			weight_add(reader, opened->count ? opened->stacks[opened->count - 1] : (struct stack_id){ 0 },
				   weight);
		if (at < before)
			import_warn(reader->import, "an event comes before the one in front of it", "byte",
				    events.value.offset);
		before = at > before ? at : before;
		event_apply(reader, opened, events.value);
	}
	while (opened->count) {
		opened->times[opened->frames[--opened->count]] = 0;
		import_warn(reader->import, "a frame never closes", "byte", profile.offset);
	}
}

/* "name (pid 1, tid 2)" is how we and trace importers name a thread's profile. */
static struct thread_id thread_of(struct speedscope_reader *reader, struct json_value profile)
{
	const char *name = json_decoded(json_get(profile, "name"), &reader->scratch), *open = strrchr(name, '(');
	unsigned pid, tid;
	int end = 0;

	if (open && open > name && sscanf(open, "(pid %9u, tid %9u)%n", &pid, &tid, &end) == 2 && end && !open[end]) {
		CLEANUP_TEXT char *comm = xstrndup(name, (size_t)(open - name) - (open[-1] == ' '));

		return import_thread(reader->import, pid, tid, comm);
	}
	return import_thread(reader->import, 0, 0, name);
}

static const char *text_kept(struct speedscope_reader *reader, struct json_value text)
{
	struct profile *profile = import_profile(reader->import);

	return text.kind == JSON_STRING ? profile_text(profile, profile_string(profile, json_decoded(text, &reader->scratch))) : NULL;
}

static bool is_fraction(struct json_value value)
{
	int64_t finer;

	return json_decimal(value, MILLI_SHIFT, &finer) && finer % MILLI;
}

static bool any_fraction(struct json_value profile)
{
	struct json_items weights = json_items(json_get(profile, "weights")), events = json_items(json_get(profile, "events"));

	while (json_next(&weights))
		if (is_fraction(weights.value))
			return true;
	while (json_next(&events))
		if (is_fraction(json_get(events.value, "at")))
			return true;
	return false;
}

static bool is_counted(struct json_value profile)
{
	return !strcmp(unit_of(profile)->name, "none");
}

/* The unit of what is counted, in thousandths where it has to be. */
static const char *counted_unit(struct speedscope_reader *reader, const char *unit)
{
	struct profile *profile = import_profile(reader->import);
	CLEANUP_TEXT char *milli = xasprintf("milli-%s", unit);

	return reader->fractions ? profile_text(profile, profile_string(profile, milli)) : unit;
}

static void profile_read(struct speedscope_reader *reader, struct json_value profile)
{
	struct json_value type = json_get(profile, "type");
	const struct unit *unit = unit_of(profile);
	struct import_event event = unit->event;

	if (json_get(profile, "unit").kind == JSON_STRING && !json_is(json_get(profile, "unit"), unit->name)) {
		import_warn(reader->import, "a unit is not known: its numbers are kept as counts of it", "byte", profile.offset);
		event.name = text_kept(reader, json_get(profile, "unit"));
	}
	event.source = "speedscope";
	event.name = reader->dimension && unit->shift == 0 ? reader->dimension : event.name;
	if (is_counted(profile))
		event.unit = counted_unit(reader, reader->unit ? reader->unit : event.unit);
	event.weighting = json_is(type, "evented") ? WEIGHTING_EXACT : WEIGHTING_SAMPLED;
	reader->measure = import_measure(reader->import, &event);
	reader->counts = !strcmp(event.unit, "count") || !strcmp(event.unit, "samples");
	reader->shift = is_counted(profile) && reader->fractions ? MILLI_SHIFT : unit->shift;
	reader->rest = 0;
	reader->thread = thread_of(reader, profile);
	if (json_is(type, "sampled"))
		sampled_read(reader, profile);
	else if (json_is(type, "evented"))
		evented_read(reader, profile);
	else
		import_skipped(reader->import, "a profile is neither sampled nor evented", "byte", profile.offset);
}

static int root_read(struct speedscope_reader *reader, struct json_value root, struct error *err)
{
	struct json_value profiles = json_get(root, "profiles");
	struct json_items items = json_items(profiles), again = items;

	if (profiles.kind != JSON_ARRAY || json_path(root, "shared", "frames", NULL).kind != JSON_ARRAY)
		return import_refuse(reader->import, err, NULL, 0, "it has no profiles or no frames");
	if (json_get(root, "exporter").kind == JSON_STRING)
		import_source(reader->import, json_decoded(json_get(root, "exporter"), &reader->scratch));
	if (!strncmp(text_string(&reader->scratch), "crosscut@", 9)) {
		reader->dimension = text_kept(reader, json_get(root, "name"));
		reader->unit = text_kept(reader, json_get(root, "crosscutUnit"));
	}
	while (!reader->fractions && json_next(&again))
		reader->fractions = is_counted(again.value) && any_fraction(again.value);
	frames_read(reader, json_path(root, "shared", "frames", NULL));
	while (json_next(&items))
		profile_read(reader, items.value);
	return 0;
}

int speedscope_read(struct input *from, struct profile *into, struct error *err)
{
	CLEANUP(import) struct import *import = import_new(into, from, &speedscope_format);
	struct speedscope_reader reader = { .import = import, .scratch = TEXT(NAME_LIMIT), .other = TEXT(NAME_LIMIT) };
	struct json_value root;
	struct json json = { 0 };
	int r = import_json(import, from, &json, &root, err);

	if (!r)
		r = root_read(&reader, root, err);
	json_done(&json);
	free(reader.frames);
	free(reader.opened.stacks);
	free(reader.opened.frames);
	free(reader.opened.times);
	text_done(&reader.scratch);
	text_done(&reader.other);
	return r < 0 ? r : import_finish(import, err);
}
