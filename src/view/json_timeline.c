/* SPDX-License-Identifier: Apache-2.0 */
/* One array per column; times are since the timeline's start, so that they stay short. */
#include "view/json_timeline.h"

#include "result/timeline.h"
#include "view/json_writer.h"

static void write_lanes(struct json_writer *json, const struct timeline *timeline)
{
	json_key(json, "lanes");
	json_array_begin(json);
	for (size_t i = 0; i < timeline->lane_count; i++) {
		json_object_begin(json);
		json_key(json, "name");
		json_text(json, timeline->lanes[i].name);
		json_key(json, "kind");
		json_text(json, timeline->lanes[i].kind == LANE_REQUEST ? "request" : "thread");
		json_object_end(json);
	}
	json_array_end(json);
}

static void write_states(struct json_writer *json, const struct timeline *timeline)
{
	json_key(json, "states");
	json_array_begin(json);
	for (size_t i = 0; i < timeline->state_count; i++) {
		json_object_begin(json);
		json_key(json, "name");
		json_text(json, timeline->states[i].name);
		json_key(json, "state");
		json_text(json, timeline->states[i].state);
		json_key(json, "kind");
		json_text(json, timeline->states[i].kind);
		json_object_end(json);
	}
	json_array_end(json);
}

typedef uint64_t column_function(const struct timeline *timeline, const struct timeline_span *span);

#define COLUMN(name, value)                                                                                  \
	static uint64_t name(const struct timeline *timeline, const struct timeline_span *span)              \
	{                                                                                                    \
		(void)timeline;                                                                              \
		return value;                                                                                \
	}
COLUMN(lane_of, span->lane)
COLUMN(begin_of, span->start - timeline->start)
COLUMN(length_of, span->end - span->start)
COLUMN(state_of, span->state)
COLUMN(count_of, span->count)
COLUMN(by_of, span->by)
COLUMN(by_lane_of, span->by_lane)
COLUMN(text_of, span->text)
#undef COLUMN

static void write_column(struct json_writer *json, const struct timeline *timeline, const char *key, column_function *value)
{
	json_line(json);
	json_key(json, key);
	json_array_begin(json);
	for (size_t i = 0; i < timeline->span_count; i++)
		json_unsigned(json, value(timeline, &timeline->spans[i]));
	json_array_end(json);
}

void json_timeline(struct json_writer *json, const struct timeline *timeline)
{
	json_object_begin(json);
	json_key(json, "unit");
	json_text(json, "ns");
	json_key(json, "start");
	json_unsigned(json, timeline->start);
	json_key(json, "length");
	json_unsigned(json, timeline->end - timeline->start);
	write_lanes(json, timeline);
	write_states(json, timeline);
	json_key(json, "texts");
	json_array_begin(json);
	for (size_t i = 0; i < timeline->text_count; i++)
		json_text(json, timeline->texts[i]);
	json_array_end(json);
	write_column(json, timeline, "lane", lane_of);
	write_column(json, timeline, "begin", begin_of);
	write_column(json, timeline, "span", length_of);
	write_column(json, timeline, "state", state_of);
	write_column(json, timeline, "count", count_of);
	write_column(json, timeline, "by", by_of);
	write_column(json, timeline, "by_lane", by_lane_of);
	write_column(json, timeline, "text", text_of);
	json_line(json);
	json_key(json, "joined");
	json_unsigned(json, timeline->joined);
	json_key(json, "left_out");
	json_unsigned(json, timeline->left_out);
	json_object_end(json);
}
