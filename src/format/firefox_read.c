/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads what the Firefox profiler saves and loads: the Gecko form and the processed form of every version since tables
 * have columns by name. A sample becomes weight on its stack, in what its table weighs: samples, traced time, bytes. A
 * marker that lasts becomes an interval. What the model has no place for (the time of each sample, categories, what a
 * marker says beside its name) is left out; convert --explain says so.
 */
#include "format/firefox.h"

#include "base/cleanup.h"
#include "base/error.h"
#include "base/map.h"
#include "base/memory.h"
#include "format/import.h"
#include "format/json_import.h"
#include "profile/profile.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

extern const struct format firefox_format;

#define FRACTION_LIMIT 4503599627370496.0    /* 2^52: beyond it a double has no fractions */

enum { NEST_LIMIT = 4, NAME_LIMIT = 64 * 1024, NS_PER_MS = 1000000, PHASE_INSTANT = 0, PHASE_INTERVAL, PHASE_START, PHASE_END };

struct firefox_reader {
	struct import *import;
	struct profile *into;
	double start_ms;                             /* of the outermost profile; those nested in it have their own */
	uint32_t unknown_processes;
	const char *dimension, *unit;                /* of a file of ours: what was measured, and in what; NULL else */
	enum weighting weighting;                    /* of a file of ours; none else */
	uint64_t period;
	struct text scratch;
};

/* --- Time and weight ---------------------------------------------------------------------------- */

static uint64_t time_ns(double ms)
{
	double ns = ms * NS_PER_MS;

	return ns > 0 && ns < 9.2e18 ? (uint64_t)(ns + 0.5) : 0;
}

/* A table tells its rows' times, or each one's distance from the one before it (since version 50). */
struct times { struct column at, delta; double sum, offset_ms; };

static struct times times_read(struct json_value table, double offset_ms)
{
	return (struct times){ column_read(table, "time"), column_read(table, "timeDeltas"), 0, offset_ms };
}

/* Rows are asked for one after the other. */
static uint64_t times_next(struct times *times, size_t row)
{
	double delta = column_at(&times->delta, row);

	if (!times->delta.count)
		return time_ns(column_at(&times->at, row) + times->offset_ms);
	times->sum += isnan(delta) ? 0 : delta;
	return time_ns(times->sum + times->offset_ms);
}

static void times_done(struct times *times)
{
	column_done(&times->at);
	column_done(&times->delta);
}

struct weight { const char *type; struct import_event event; double scale; };

static const struct weight *weight_of(struct json_value table, const char *otherwise)
{
	static const struct weight weights[] = {
		{ "samples", { .name = "samples", .unit = "samples", .source = "firefox",
			       .meaning = "times the sampler found it" }, 1 },
		{ "tracing-ms", { .name = "traced", .unit = "ns", .source = "firefox", .weighting = WEIGHTING_EXACT,
				  .meaning = "time between two traced events" }, NS_PER_MS },
		{ "bytes", { .name = "bytes", .unit = "bytes", .source = "firefox",
			     .meaning = "bytes, as the profile weighs them" }, 1 },
	};
	struct json_value type = json_get(table, "weightType");

	for (size_t i = 0; i < ARRAY_LENGTH(weights); i++)
		if (type.kind == JSON_STRING ? json_is(type, weights[i].type) : !strcmp(otherwise, weights[i].type))
			return &weights[i];
	return &weights[0];
}

static struct import_measure measure_of(struct firefox_reader *reader, const char *table, const struct weight *weight)
{
	struct import_event event = weight->event;

	if (reader->dimension)
		event.name = reader->dimension;
	if (reader->unit && !strcmp(event.unit, "samples"))
		event.unit = reader->unit;
	if (reader->weighting) {
		event.weighting = reader->weighting;
		event.period = reader->period;
	}
	if (strcmp(table, "samples") != 0) {
		event.name = !strcmp(table, "jsAllocations") ? "js-allocations" : "native-allocations";
		event.source = table;
	}
	return import_measure(reader->import, &event);
}

/* --- Samples ------------------------------------------------------------------------------------ */

static void samples_read(struct firefox_reader *reader, struct firefox_tables *tables, struct json_value thread,
			 const char *name, struct thread_id id, double offset_ms)
{
	struct json_value table = json_get(thread, name);
	const struct weight *weight = weight_of(table, !strcmp(name, "samples") ? "samples" : "bytes");
	struct column stack = column_read(table, "stack"), weights = column_read(table, "weight");
	struct times times = times_read(table, offset_ms);
	struct import_sample sample = { .thread = id, .stackless = tables->stack_count > 0 };
	bool samples = !strcmp(weight->type, "samples");
	double rest = 0;                                     /* of the rows so far, by rounding: their sum stays true */

	if (stack.count)
		sample.measure = measure_of(reader, name, weight);
	for (size_t i = 0; i < stack.count; i++) {
		double value = weights.count ? column_at(&weights, i) * weight->scale : 1;

		sample.time_ns = times_next(&times, i);
		sample.stack = firefox_stack(tables, column_index(&stack, i));
		sample.value = !(value >= 0) ? 0 : value < (double)INT64_MAX ? (uint64_t)(value + rest + 0.5) : INT64_MAX;
		if (value >= 0 && value < FRACTION_LIMIT) {
			rest += value - (double)sample.value;
			if (weight->scale <= 1 && value > floor(value))
				import_warn(reader->import, "a fraction of a unit was rounded", name, i);
		}
		sample.count = samples ? sample.value : 1;
		/* Below zero: two profiles were compared, or memory was freed. */
		if (!(value >= 0 && value <= (double)INT64_MAX))
			import_skipped(reader->import, "a weight is below zero or no number", name, i);
		else
			import_sample(reader->import, &sample);
	}
	column_done(&stack);
	column_done(&weights);
	times_done(&times);
}

/* --- Markers ------------------------------------------------------------------------------------ */

struct open_marker { double start_ms; uint32_t outer; };    /* outer: the one of that name that was open before, plus one */

struct marker_reader {
	struct firefox_reader *reader;
	struct firefox_tables *tables;
	struct thread_id thread;
	double offset_ms;
	struct open_marker *open;                    /* that began */
	size_t open_count, open_room, left;          /* left: that have not ended */
	struct map *innermost;                       /* by name: the open one that began last, plus one */
};

struct marker { size_t name, stack; double start_ms, end_ms; int phase; };

static void marker_instant(struct firefox_reader *reader)
{
	import_warn(reader->import, "markers without a duration are left out", "marker", 0);
}

static void marker_add(struct marker_reader *markers, const struct marker *marker)
{
	struct firefox_reader *reader = markers->reader;
	struct profile *into = reader->into;
	struct frame frame = { .method = METHOD_IMPORTED,
			       .name = firefox_text(markers->tables, marker->name) };
	struct dimension_row row = { .name = "marker", .unit = "ns", .kind = DIMENSION_AMOUNT,
				     .meaning = "what the program marked, from its start to its end" };
	struct interval interval = { .thread = markers->thread };

	if (!(marker->end_ms >= marker->start_ms) || !frame.name.index) {
		marker_instant(reader);
		return;
	}
	interval.start_ns = time_ns(marker->start_ms + markers->offset_ms);
	interval.end_ns = time_ns(marker->end_ms + markers->offset_ms);
	interval.stack = import_stack(reader->import, firefox_stack(markers->tables, marker->stack),
				      profile_frame(into, frame));
	interval.dimension = profile_dimension(into, &row);
	import_interval(reader->import, interval, "firefox");
}

/* Starts and ends of one name nest; an end without a start began before the recording did. */
static void marker_pair(struct marker_reader *markers, struct marker *marker)
{
	uint32_t *innermost = map_put(markers->innermost, &marker->name, NULL);

	if (marker->phase == PHASE_START) {
		grow(markers->open, markers->open_count, markers->open_room);
		markers->open[markers->open_count++] = (struct open_marker){ marker->start_ms, *innermost };
		*innermost = (uint32_t)markers->open_count;
		markers->left++;
	} else if (*innermost) {
		marker->start_ms = markers->open[*innermost - 1].start_ms;
		*innermost = markers->open[*innermost - 1].outer;
		markers->left--;
		marker_add(markers, marker);
	} else {
		marker_instant(markers->reader);
	}
}

/* Before phases had a column (Gecko 20, processed 30), a marker's data said how long it lasted. */
static void marker_phase_of_data(struct marker *marker, struct json_value data)
{
	double start = json_double(json_get(data, "startTime"), NAN), end = json_double(json_get(data, "endTime"), NAN);
	struct json_value interval = json_get(data, "interval");

	marker->phase = PHASE_INSTANT;
	if (!isnan(start) && !isnan(end)) {
		marker->phase = PHASE_INTERVAL;
		marker->start_ms = start;
		marker->end_ms = end;
	} else if (json_is(interval, "start")) {
		marker->phase = PHASE_START;
	} else if (json_is(interval, "end")) {
		marker->phase = PHASE_END;
		marker->end_ms = marker->start_ms;
	}
}

static void marker_take(struct marker_reader *markers, struct marker *marker, struct json_value data, bool phases)
{
	double stack = json_double(json_path(data, "cause", "stack", NULL), NAN);

	marker->stack = stack >= 0 && stack < UINT32_MAX ? (size_t)stack : SIZE_MAX;
	if (!phases)
		marker_phase_of_data(marker, data);
	if (marker->phase == PHASE_INTERVAL)
		marker_add(markers, marker);
	else if (marker->phase == PHASE_START || marker->phase == PHASE_END)
		marker_pair(markers, marker);
	else
		marker_instant(markers->reader);
}

struct marker_columns { struct column name, time, start, end, phase; };

static struct marker marker_at(const struct marker_columns *columns, size_t row)
{
	struct marker marker = { .name = column_index(&columns->name, row),
				 .start_ms = column_at(&columns->start, row),
				 .end_ms = column_at(&columns->end, row),
				 .phase = (int)column_index(&columns->phase, row) };

	if (columns->time.count)
		marker.start_ms = column_at(&columns->time, row);
	return marker;
}

static void markers_read(struct marker_reader *markers, struct json_value table)
{
	bool by_rows = json_get(table, "schema").kind == JSON_OBJECT;
	struct marker_columns columns = { column_read(table, "name"), column_read(table, "time"),
					  column_read(table, "startTime"), column_read(table, "endTime"),
					  column_read(table, "phase") };
	struct json_value rows = json_get(table, "data");
	struct json_items items = json_items(rows);
	int64_t index = by_rows ? json_whole(json_path(table, "schema", "data", NULL), -1) : -1;
	size_t row = 0;

	for (; rows.kind == JSON_ARRAY && json_next(&items); row++) {
		struct marker marker = marker_at(&columns, row);
		struct json_value data = by_rows ? (struct json_value){ 0 } : items.value;

		if (index >= 0)
			data = json_at(items.value, (size_t)index);

		marker_take(markers, &marker, data, columns.phase.count > 0);
	}
	for (; markers->left; markers->left--)
		marker_instant(markers->reader);
	for (struct column *column = &columns.name; column <= &columns.phase; column++)
		column_done(column);
	free(markers->open);
	map_free(markers->innermost);
}

/* --- Threads and processes ---------------------------------------------------------------------- */

static struct process_id process_of(struct firefox_reader *reader, struct json_value thread,
				    const struct firefox_common *common)
{
	struct json_value pid = json_get(thread, "pid");
	struct process process = { .pid = common->pid, .generation = common->generation };

	if (pid.kind != JSON_ABSENT)
		firefox_pid(pid, &reader->scratch, &process.pid, &process.generation);
	if (!process.pid)
		process.generation = ++reader->unknown_processes;
	process.comm = profile_string(reader->into, json_decoded(json_get(thread, "processName"), &reader->scratch));
	if (json_get(thread, "processName").kind == JSON_ABSENT)
		process.comm = profile_string(reader->into,
					      json_decoded(json_get(thread, "processType"), &reader->scratch));
	return profile_process(reader->into, process);
}

static struct thread_id thread_of(struct firefox_reader *reader, struct json_value thread,
				  const struct firefox_common *common)
{
	struct thread row = { .process = process_of(reader, thread, common) };

	row.tid = (uint32_t)strtoul(json_decoded(json_get(thread, "tid"), &reader->scratch), NULL, 10);
	row.comm = profile_string(reader->into, json_decoded(json_get(thread, "name"), &reader->scratch));
	/* Early version 3 called a content process' main thread so, and had no types of processes. */
	if (json_is(json_get(thread, "name"), "Content") && json_get(thread, "processType").kind == JSON_ABSENT)
		row.comm = profile_string(reader->into, "GeckoMain");
	return profile_thread(reader->into, row);
}

static void thread_read(struct firefox_reader *reader, struct firefox_tables *tables, struct json_value thread,
			double offset_ms)
{
	static const char *const allocations[] = { "jsAllocations", "nativeAllocations" };
	struct marker_reader markers = { .reader = reader, .tables = tables, .offset_ms = offset_ms,
					  .innermost = map_new(sizeof(size_t)) };

	markers.thread = thread_of(reader, thread, tables->common);
	samples_read(reader, tables, thread, "samples", markers.thread, offset_ms);
	for (size_t i = 0; i < ARRAY_LENGTH(allocations); i++)
		if (json_get(thread, allocations[i]).kind == JSON_OBJECT)
			samples_read(reader, tables, thread, allocations[i], markers.thread, offset_ms);
	markers_read(&markers, json_get(thread, "markers"));
}

static int profile_read(struct firefox_reader *reader, struct json_value root, int depth, struct error *err);

/* Up to Gecko version 4, and in devtools' exports, other processes' profiles lie in a string. */
static int string_read(struct firefox_reader *reader, struct json_value string, int depth, struct error *err)
{
	struct text text = TEXT(string.json->size);
	const char *decoded = json_decoded(string, &text);
	struct json json = json_of(decoded, text.size);
	struct json_value root;
	size_t at = 0;
	int r = json_parse(&json, &at, &root, err);

	if (!r)
		r = profile_read(reader, root, depth + 1, err);
	json_done(&json);
	text_done(&text);
	return r;
}

static int threads_read(struct firefox_reader *reader, struct json_value root, double offset_ms, int depth,
			struct error *err)
{
	struct firefox_common common = firefox_common_read(reader->import, root);
	struct firefox_tables shared = { 0 };
	int r = 0;

	if (common.has_tables)
		firefox_tables_read(&shared, &common, (struct json_value){ 0 });
	for (struct json_items items = json_items(json_get(root, "threads")); !r && json_next(&items);) {
		struct firefox_tables own = { 0 };

		if (items.value.kind == JSON_STRING) {
			r = string_read(reader, items.value, depth, err);
			continue;
		}
		if (!common.has_tables)
			firefox_tables_read(&own, &common, items.value);
		thread_read(reader, common.has_tables ? &shared : &own, items.value, offset_ms);
		firefox_tables_done(&own);
	}
	firefox_tables_done(&shared);
	firefox_common_done(&common);
	return r;
}

/* What our writer calls the dimension, and its unit where the format has no type of weights for it. */
static void dimension_read(struct firefox_reader *reader, struct json_value meta)
{
	struct json_value unit = json_path(meta, "crosscut", "unit", NULL);
	int64_t weighting = json_whole(json_path(meta, "crosscut", "weighting", NULL), 0);

	if (weighting >= WEIGHTING_EXACT && weighting <= WEIGHTING_ESTIMATED)
		reader->weighting = (enum weighting)weighting;
	reader->period = (uint64_t)json_whole(json_path(meta, "crosscut", "period", NULL), 0);
	reader->dimension = profile_text(reader->into, profile_string(reader->into, json_decoded(json_get(meta, "product"),
												  &reader->scratch)));
	if (unit.kind == JSON_STRING)
		reader->unit = profile_text(reader->into, profile_string(reader->into, json_decoded(unit, &reader->scratch)));
}

static int profile_read(struct firefox_reader *reader, struct json_value root, int depth, struct error *err)
{
	double start_ms = json_double(json_path(root, "meta", "startTime", NULL), 0);
	int r;

	if (depth > NEST_LIMIT)
		return import_refuse(reader->import, err, NULL, 0, "profiles nest deeper than %d", NEST_LIMIT);
	if (json_get(root, "threads").kind != JSON_ARRAY)
		return import_refuse(reader->import, err, NULL, 0, "it has no list of threads");
	if (!depth)
		reader->start_ms = start_ms;
	if (!depth && !strncmp(json_decoded(json_path(root, "meta", "importedFrom", NULL), &reader->scratch), "crosscut@", 9) &&
	    json_path(root, "meta", "product", NULL).kind == JSON_STRING)
		dimension_read(reader, json_get(root, "meta"));
	r = threads_read(reader, root, start_ms - reader->start_ms, depth, err);
	for (struct json_items items = json_items(json_get(root, "processes")); !r && json_next(&items);)
		r = items.value.kind == JSON_STRING ? string_read(reader, items.value, depth, err)
						    : profile_read(reader, items.value, depth + 1, err);
	return r;
}

/* What devtools exported holds the profile one step further in. */
static struct json_value profile_of(struct json_value root)
{
	struct json_value inner = json_get(root, "profile");

	return json_get(root, "threads").kind == JSON_ABSENT && inner.kind == JSON_OBJECT ? inner : root;
}

static void meta_read(struct firefox_reader *reader, struct json_value meta)
{
	int64_t start_ns;

	if (json_decimal(json_get(meta, "startTime"), 6, &start_ns) && start_ns > 0)
		profile_set_meta_number(reader->into, "capture.start_wall_ns", (uint64_t)start_ns);
	if (json_decimal(json_get(meta, "interval"), 6, &start_ns) && start_ns > 0)
		profile_set_meta_number(reader->into, "import.interval_ns", (uint64_t)start_ns);
	if (json_get(meta, "product").kind == JSON_STRING)
		import_source(reader->import, json_decoded(json_get(meta, "product"), &reader->scratch));
}

int firefox_read(struct input *from, struct profile *into, struct error *err)
{
	CLEANUP(import) struct import *import = import_new(into, from, &firefox_format);
	struct firefox_reader reader = { .import = import, .into = into, .scratch = TEXT(NAME_LIMIT) };
	struct json_value root;
	struct json json = { 0 };
	int r = import_json(import, from, &json, &root, err);

	if (!r) {
		root = profile_of(root);
		r = profile_read(&reader, root, 0, err);
		meta_read(&reader, json_get(root, "meta"));
	}
	json_done(&json);
	text_done(&reader.scratch);
	return r < 0 ? r : import_finish(import, err);
}
