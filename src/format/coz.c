/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads coz's causal profiles: tab-separated lines of key=value. There are no stacks. An experiment sped one line up by a
 * fraction for a while; the progress points behind it say how often the program passed them meanwhile:
 *
 *	experiment	selected=a.c:7	speedup=0.05	duration=189155916	selected-samples=1360
 *	progress-point	name=a.c:9	type=source	delta=9
 *	samples	location=a.c:7	count=31
 *
 * Experiments and progress points are amounts by line and speed-up; samples are amounts by line.
 */
#include "base/error.h"
#include "base/text.h"
#include "format/format.h"
#include "format/import.h"
#include "format/input.h"
#include "format/json.h"
#include "profile/profile.h"

#include <string.h>

extern const struct format coz_format;

enum { NAME_LIMIT = 4096 };

struct coz_reader {
	struct import *import;
	struct profile *into;
	struct input *from;
	struct thread_id thread;
	struct text experiment, name;                /* "a.c:7 sped up by 0.05" */
};

/* The value of a key in a line, up to the next tab; NULL where there is none. */
static const char *value_of(const char *line, const char *key, size_t *ret_size)
{
	size_t size = strlen(key);

	for (const char *at = strchr(line, '\t'); at; at = strchr(at + 1, '\t'))
		if (!strncmp(at + 1, key, size) && at[size + 1] == '=') {
			*ret_size = strcspn(at + size + 2, "\t");
			return at + size + 2;
		}
	return NULL;
}

static bool number_of(const char *line, const char *key, uint64_t *ret)
{
	size_t size;
	const char *value = value_of(line, key, &size);
	int64_t number;

	if (!value || !decimal_scaled(value, size, 0, &number) || number < 0)
		return false;
	*ret = (uint64_t)number;
	return true;
}

static void amount_add(struct coz_reader *reader, const struct import_event *event, struct object_id object, uint64_t value)
{
	import_sample(reader->import, &(struct import_sample){ .measure = import_measure(reader->import, event),
							       .thread = reader->thread, .object = object, .count = 1,
							       .value = value });
}

static struct object_id object_of(struct coz_reader *reader, const char *kind, const char *name)
{
	return profile_object(reader->into, (struct object){ .kind = profile_string(reader->into, kind),
							     .name = profile_string(reader->into, name) });
}

static bool experiment_line(struct coz_reader *reader, const char *line)
{
	size_t selected_size, speedup_size;
	const char *selected = value_of(line, "selected", &selected_size), *speedup = value_of(line, "speedup", &speedup_size);
	uint64_t duration, samples;
	struct object_id object;

	if (!selected || !speedup || !number_of(line, "duration", &duration) ||
	    !number_of(line, "selected-samples", &samples))
		return false;
	text_clear(&reader->experiment);
	text_print(&reader->experiment, "%.*s sped up by %.*s", (int)selected_size, selected, (int)speedup_size, speedup);
	object = object_of(reader, "experiment", text_string(&reader->experiment));
	amount_add(reader, &(struct import_event){ .name = "experiment", .unit = "ns", .source = "coz",
						   .weighting = WEIGHTING_EXACT, .meaning = "how long experiments ran" },
		   object, duration);
	amount_add(reader, &(struct import_event){ .name = "selected-samples", .unit = "samples", .source = "coz",
						   .meaning = "samples in the line that was sped up" }, object, samples);
	return true;
}

/* coz itself wrote throughput-point and latency-point since, with more keys of which delta or arrivals count. */
static bool progress_line(struct coz_reader *reader, const char *line)
{
	size_t size;
	const char *name = value_of(line, "name", &size);
	uint64_t delta;

	if (!name || (!number_of(line, "delta", &delta) && !number_of(line, "arrivals", &delta)))
		return false;
	text_clear(&reader->name);
	text_print(&reader->name, "%.*s while %s", (int)size, name, text_string(&reader->experiment));
	amount_add(reader, &(struct import_event){ .name = "progress", .unit = "count", .source = "coz",
						   .weighting = WEIGHTING_EXACT,
						   .meaning = "times that a progress point was passed" },
		   object_of(reader, "progress-point", text_string(&reader->name)), delta);
	return true;
}

static bool samples_line(struct coz_reader *reader, const char *line)
{
	size_t size;
	const char *location = value_of(line, "location", &size);
	uint64_t count;

	if (!location || !number_of(line, "count", &count))
		return false;
	text_clear(&reader->name);
	text_append(&reader->name, location, size);
	amount_add(reader, &(struct import_event){ .name = "samples", .unit = "samples", .source = "coz",
						   .meaning = "samples by line, outside of experiments too" },
		   object_of(reader, "line", text_string(&reader->name)), count);
	return true;
}

static bool line_read(struct coz_reader *reader, const char *line)
{
	static const struct { const char *key; bool (*read)(struct coz_reader *, const char *); } kinds[] = {
		{ "experiment\t", experiment_line },      { "progress-point\t", progress_line },
		{ "throughput-point\t", progress_line },  { "latency-point\t", progress_line },
		{ "samples\t", samples_line },            { "startup\t", NULL },
		{ "shutdown\t", NULL },                   { "runtime\t", NULL },
	};

	for (size_t i = 0; i < ARRAY_LENGTH(kinds); i++)
		if (!strncmp(line, kinds[i].key, strlen(kinds[i].key)))
			return !kinds[i].read || kinds[i].read(reader, line);
	return !*line;
}

static int coz_read(struct input *from, struct profile *into, struct error *err)
{
	CLEANUP(import) struct import *import = import_new(into, from, &coz_format);
	struct coz_reader reader = { .import = import, .into = into, .from = from, .experiment = TEXT(NAME_LIMIT),
				     .name = TEXT(2 * NAME_LIMIT), .thread = import_thread(import, 0, 0, NULL) };
	const char *line;
	size_t size;

	while ((line = input_line(from, &size)))
		if (!line_read(&reader, line))
			import_skipped(import, "a line is of no known kind or lacks a value", "line",
				       input_line_number(from));
	text_done(&reader.experiment);
	text_done(&reader.name);
	return import_finish(import, err);
}

static int coz_recognise(const void *head, size_t size)
{
	if (size > 13 && !memcmp(head, "startup\ttime=", 13))
		return 95;
	return memmem(head, size, "experiment\tselected=", 20) ? 90 : 0;
}

const struct format coz_format = {
	.name = "coz",
	.summary = "coz's causal profiles: experiments and progress points",
	.recognise = coz_recognise,
	.read = coz_read,
};
