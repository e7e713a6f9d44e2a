/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads Chrome's trace format event by event, so that what is kept is the events' times and names, not their text. Begins
 * and ends wait per thread until all are there, since they may stand in any order; each slice is then an interval and its
 * own time a weight. The states of threads become states of the ledger.
 *
 * A trace may lack its end: programs append to it while they run. What is there is read, and the lack is counted.
 */
#include "format/chrome.h"

#include "base/cleanup.h"
#include "base/map.h"
#include "base/memory.h"
#include "base/text.h"
#include "format/chrome_amount.h"
#include "format/chrome_counter.h"
#include "format/chrome_sample.h"
#include "format/chrome_thread.h"
#include "format/format.h"
#include "format/import.h"
#include "format/input.h"
#include "format/json_stream.h"
#include "format/v8.h"
#include "profile/profile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

extern const struct format chrome_format;

enum { NAME_LIMIT = IMPORT_NAME_LIMIT, NS_DIGITS = 3, TRACK_LIMIT = 1 << 22, EVENT_LIMIT = 1 << 30 };

struct chrome_reader {
	struct import *import;
	struct profile *into;                        /* the import's */
	struct chrome_threads threads;
	struct chrome_counters counters;
	struct chrome_amounts amounts;
	struct chrome_samples samples;
	struct map *track_ids, *asynchronous_ids;
	struct chrome_track *tracks, *asynchronous_tracks;
	size_t track_count, track_room, asynchronous_count, asynchronous_room;
	uint32_t events;
	struct text scratch, key;
};

/* --- Times ------------------------------------------------------------------------------------------ */

/* In microseconds, as a number or a string. */
static bool time_read(struct json_value event, const char *key, int64_t *ret)
{
	return json_decimal(json_get(event, key), NS_DIGITS, ret);
}

static bool end_read(struct json_value event, int64_t start_ns, int64_t *ret)
{
	const char *key = json_get(event, "dur").kind != JSON_ABSENT ? "dur" : "tdur";
	int64_t duration = 0;

	if (json_get(event, key).kind != JSON_ABSENT && !time_read(event, key, &duration))
		return false;
	return duration >= 0 && !__builtin_add_overflow(start_ns, duration, ret);
}

static void event_skip(struct chrome_reader *reader, const char *why)
{
	import_skipped(reader->import, why, "event", reader->events);
}

static struct string_id name_read(struct chrome_reader *reader, struct json_value event, bool required)
{
	const char *name = import_name_whole(reader->import, json_decoded(json_get(event, "name"), &reader->scratch));

	return profile_string(reader->into, *name || !required ? name : "(unnamed)");
}

/* --- Slices ----------------------------------------------------------------------------------------- */

static struct chrome_track *track_of(struct chrome_reader *reader, struct thread_id thread)
{
	bool added;
	uint32_t *index = map_put(reader->track_ids, &thread, &added);

	if (added) {
		*index = (uint32_t)reader->track_count;
		grow(reader->tracks, reader->track_count, reader->track_room);
		reader->tracks[reader->track_count++] = (struct chrome_track){ .thread = thread };
	}
	return &reader->tracks[*index];
}

static void begin_put(struct chrome_reader *reader, struct chrome_track *track, struct json_value event, int64_t start_ns,
		      bool complete)
{
	struct chrome_begin begin = { .start_ns = start_ns, .complete = complete, .order = reader->events,
				      .name = name_read(reader, event, true) };

	if (complete && !end_read(event, start_ns, &begin.end_ns)) {
		event_skip(reader, "a duration is no number");
		return;
	}
	grow(track->begins, track->begin_count, track->begin_room);
	track->begins[track->begin_count++] = begin;
}

static void end_put(struct chrome_reader *reader, struct chrome_track *track, struct json_value event, int64_t at_ns)
{
	struct chrome_end end = { .at_ns = at_ns, .order = reader->events, .of = CHROME_NONE,
				  .name = name_read(reader, event, false) };

	grow(track->ends, track->end_count, track->end_room);
	track->ends[track->end_count++] = end;
}

/* Asynchronous events of one id nest: category, scope and id, with the process unless the id is global. */
static struct chrome_track *asynchronous_of(struct chrome_reader *reader, struct json_value event)
{
	struct json_value local = json_path(event, "id2", "local", NULL), global = json_path(event, "id2", "global", NULL);
	struct json_value id = json_get(event, "id");
	uint32_t key[4] = { 0 }, *index;
	bool added;

	id = global.kind != JSON_ABSENT ? global : local.kind != JSON_ABSENT ? local : id;
	if (id.kind != JSON_STRING && id.kind != JSON_NUMBER)
		return NULL;
	key[0] = global.kind == JSON_ABSENT ? chrome_process(&reader->threads, event).index : 0;
	key[1] = profile_string(reader->into, json_decoded(id, &reader->key)).index;
	key[2] = profile_string(reader->into, json_decoded(json_get(event, "cat"), &reader->key)).index;
	key[3] = profile_string(reader->into, json_decoded(json_get(event, "scope"), &reader->key)).index;
	if (reader->asynchronous_count >= TRACK_LIMIT)
		return NULL;
	index = map_put(reader->asynchronous_ids, key, &added);
	if (added) {
		*index = (uint32_t)reader->asynchronous_count;
		grow(reader->asynchronous_tracks, reader->asynchronous_count, reader->asynchronous_room);
		reader->asynchronous_tracks[reader->asynchronous_count++] =
			(struct chrome_track){ .thread = chrome_thread(&reader->threads, event) };
	}
	return &reader->asynchronous_tracks[*index];
}

/* --- States of threads ------------------------------------------------------------------------------ */

/* "disk/read", as chrome_write.c writes it. */
static const struct dimension_row *state_row(const char *name)
{
	const char *slash = strchr(name, '/');
	CLEANUP_TEXT char *state = slash ? xstrndup(name, (size_t)(slash - name)) : NULL;

	return slash ? dimension_row_find(state, slash + 1) : dimension_row_find(NULL, name);
}

/* What chrome://tracing calls "thread_state": an event of phase T with a duration; its name is the kernel's letter. */
static void state_read(struct chrome_reader *reader, struct json_value event, int64_t start_ns)
{
	static const struct { const char *name, *state; } states[] = {
		{ "Running", "oncpu" }, { "R", "runnable" }, { "R+", "runnable" }, { "D", "unknown" }, { "S", "unknown" },
	};
	struct json_value name = json_get(event, "name");
	struct profile *into = reader->into;
	struct interval interval = { .thread = chrome_thread(&reader->threads, event) };
	int64_t end_ns;
	const struct dimension_row *row = NULL;

	for (size_t i = 0; i < ARRAY_LENGTH(states); i++)
		row = json_is(name, states[i].name) ? dimension_row_find(NULL, states[i].state) : row;
	if (!row)
		row = state_row(json_decoded(name, &reader->scratch));
	if (!row || start_ns < 0 || !end_read(event, start_ns, &end_ns)) {
		event_skip(reader, "a thread's state is unknown or has no time");
		return;
	}
	interval.dimension = profile_dimension(into, row);
	interval.start_ns = (uint64_t)start_ns;
	interval.end_ns = (uint64_t)end_ns;
	import_interval(reader->import, interval, "chrome");
}

/* --- Events ----------------------------------------------------------------------------------------- */

static void asynchronous_read(struct chrome_reader *reader, struct json_value event, bool begins, int64_t at_ns)
{
	struct chrome_track *track = asynchronous_of(reader, event);

	if (!track)
		event_skip(reader, "an asynchronous event has no id");
	else if (begins)
		begin_put(reader, track, event, at_ns, false);
	else
		end_put(reader, track, event, at_ns);
}

static void counter_read(struct chrome_reader *reader, struct json_value event, int64_t at_ns)
{
	if (!chrome_amount_is(event))
		chrome_counter_read(&reader->counters, event, chrome_process(&reader->threads, event));
	else if (!chrome_amount_read(&reader->amounts, event, at_ns))
		event_skip(reader, "a counter has no name or no number");
}

static void timed_read(struct chrome_reader *reader, struct json_value event, char phase, int64_t at_ns)
{
	switch (phase) {
	case 'B':
	case 'X':
		if (json_is(json_get(event, "cat"), CHROME_STATE)) {
			state_read(reader, event, at_ns);
			break;
		}
		begin_put(reader, track_of(reader, chrome_thread(&reader->threads, event)), event, at_ns, phase == 'X');
		break;
	case 'E':
		end_put(reader, track_of(reader, chrome_thread(&reader->threads, event)), event, at_ns);
		break;
	case 'b':
	case 'S':
	case 'e':
	case 'F': asynchronous_read(reader, event, phase == 'b' || phase == 'S', at_ns); break;
	case 'C': counter_read(reader, event, at_ns); break;
	case 'T':
		if (json_is(json_get(event, "cat"), "thread_state"))
			state_read(reader, event, at_ns);
		else
			event_skip(reader, "a legacy asynchronous step is left out");
		break;
	case 'I':
		if (v8_is(json_path(event, "args", "data", "cpuProfile", NULL))) {
			v8_read(reader->import, json_path(event, "args", "data", "cpuProfile", NULL),
				chrome_thread(&reader->threads, event));
			break;
		}
		import_warn(reader->import, "instants are left out", "event", reader->events);
		break;
	case 'P': import_warn(reader->import, "CPU profiles in chunks are left out", "event", reader->events); break;
	case 'i':
	case 'n':
	case 'R':
	case 'p': import_warn(reader->import, "instants are left out", "event", reader->events); break;
	case 's':
	case 't':
	case 'f': import_warn(reader->import, "flows are left out", "event", reader->events); break;
	default: import_warn(reader->import, "events of other kinds are left out", "event", reader->events);
	}
}

static void event_read(struct chrome_reader *reader, struct json_value event)
{
	const char *phase = json_decoded(json_get(event, "ph"), &reader->scratch);
	char letter = *phase;
	int64_t at_ns;

	reader->events++;
	if (letter == 'M')
		chrome_threads_name(&reader->threads, event);
	else if (event.kind != JSON_OBJECT || !letter)
		event_skip(reader, "an event has no phase");
	else if (!time_read(event, "ts", &at_ns))
		event_skip(reader, "an event has no time");
	else
		timed_read(reader, event, letter, at_ns);
}

static int events_read(struct chrome_reader *reader, struct json_stream *stream, struct error *err)
{
	struct json_value event;
	int r = 0;

	while (reader->events < EVENT_LIMIT && (r = json_stream_next(stream, &event, err)) > 0)
		event_read(reader, event);
	return r;
}

static int member_read(struct chrome_reader *reader, struct json_stream *stream, const char *key, struct error *err)
{
	struct json_value value;
	int r;

	if (!strcmp(key, "traceEvents") && json_stream_look(stream) == '[') {
		(void)json_stream_enter(stream, err);
		return events_read(reader, stream, err);
	}
	r = json_stream_value(stream, &value, err);
	if (r > 0 && (!strcmp(key, "samples") || !strcmp(key, "stackFrames")))
		chrome_samples_keep(&reader->samples, key, value, stream->at);
	return r;
}

/* {"traceEvents": [...], "samples": [...], "stackFrames": {...}}: all else is passed over. */
static int object_read(struct chrome_reader *reader, struct json_stream *stream, struct error *err)
{
	struct text key = TEXT(NAME_LIMIT);
	int r;

	while ((r = json_stream_key(stream, &key, err)) > 0) {
		r = member_read(reader, stream, text_string(&key), err);
		if (r < 0)
			break;
	}
	text_done(&key);
	return r;
}

/* --- The file --------------------------------------------------------------------------------------- */

static void tracks_finish(struct chrome_slices *slices, struct chrome_track *tracks, size_t count)
{
	for (size_t i = 0; i < count; i++)
		chrome_track_finish(slices, &tracks[i]);
	free(tracks);
}

static void slices_finish(struct chrome_reader *reader)
{
	struct import_measure time = { 0 };
	struct chrome_slices slices = { .import = reader->import };

	if (reader->track_count)
		time = import_measure(reader->import, &(struct import_event){
			.name = "time", .unit = "ns", .weighting = WEIGHTING_EXACT, .source = "chrome",
			.meaning = "time inside of slices, on the trace's clock" });
	slices.measure = time;
	slices.dimension = time.dimension;
	tracks_finish(&slices, reader->tracks, reader->track_count);
	if (reader->asynchronous_count)
		slices.dimension = profile_dimension(reader->into, &(struct dimension_row){
			.name = "asynchronous", .unit = "ns", .kind = DIMENSION_AMOUNT,
			.meaning = "from an asynchronous event's beginning to its end" });
	slices.measure = (struct import_measure){ 0 };
	tracks_finish(&slices, reader->asynchronous_tracks, reader->asynchronous_count);
}

static int trace_read(struct chrome_reader *reader, struct input *from, struct error *err)
{
	struct json_stream stream;
	int r;

	json_stream_init(&stream, from);
	r = json_stream_enter(&stream, err);
	if (r > 0)
		r = r == '[' ? events_read(reader, &stream, err) : object_read(reader, &stream, err);
	if (stream.unfinished && r >= 0)
		import_warn(reader->import, "the trace ends in the middle", "event", reader->events);
	json_stream_done(&stream);
	return r;
}

int chrome_read(struct input *from, struct profile *into, struct error *err)
{
	CLEANUP(import) struct import *import = import_new(into, from, &chrome_format);
	struct chrome_reader reader = { .import = import, .into = into, .threads = chrome_threads_new(into),
					.counters = chrome_counters_new(import),
					.amounts = chrome_amounts_new(import),
					.track_ids = map_new(sizeof(struct thread_id)),
					.asynchronous_ids = map_new(4 * sizeof(uint32_t)),
					.scratch = TEXT(NAME_LIMIT), .key = TEXT(NAME_LIMIT) };
	int r = trace_read(&reader, from, err);

	slices_finish(&reader);
	chrome_samples_read(&reader.samples, import, &reader.threads);
	chrome_samples_done(&reader.samples);
	chrome_counters_finish(&reader.counters);
	chrome_amounts_finish(&reader.amounts);
	chrome_threads_done(&reader.threads);
	chrome_counters_done(&reader.counters);
	chrome_amounts_done(&reader.amounts);
	map_free(reader.track_ids);
	map_free(reader.asynchronous_ids);
	text_done(&reader.scratch);
	text_done(&reader.key);
	return r < 0 ? r : import_finish(import, err);
}
