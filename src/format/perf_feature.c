/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The sections of a perf.data header, and the records that carry the same in a pipe: where it was recorded, the names of
 * events, which build of each file ran, how the fields of tracepoints lie.
 *
 * Source: tools/perf/Documentation/perf.data-file-format.txt and tools/perf/util/header.c of Linux.
 */
#include "base/map.h"
#include "base/text.h"
#include "format/perf_session.h"
#include "format/tracepoint.h"
#include "profile/profile.h"

#include <inttypes.h>
#include <stdio.h>

enum feature {
	FEATURE_TRACING_DATA = 1, FEATURE_BUILD_ID, FEATURE_HOST, FEATURE_RELEASE, FEATURE_VERSION, FEATURE_ARCHITECTURE,
	FEATURE_PROCESSORS, FEATURE_PROCESSOR, FEATURE_COMMAND = 11, FEATURE_EVENTS, FEATURE_SAMPLE_TIME = 21, FEATURE_CLOCK = 29,
};
enum { BUILD_ID_BYTES = 20, MISC_BUILD_ID_SIZE = 1 << 15, NAME_BYTES = 256, COMMAND_BYTES = 1024, IDS_LIMIT = 1 << 20 };

static void meta_set(struct perf_session *session, const char *key, const char *text, size_t size)
{
	struct text value = TEXT(NAME_BYTES);

	text_append(&value, text, size);
	if (size)
		profile_set_meta(session->profile, key, text_string(&value));
	text_done(&value);
}

static void text_feature(struct perf_session *session, const char *key, struct perf_bytes section)
{
	const char *text;
	size_t size = perf_text(&section, &text);

	meta_set(session, key, text, size);
}

static void command_feature(struct perf_session *session, struct perf_bytes section)
{
	uint32_t count = perf_u32(&section);
	struct text command = TEXT(COMMAND_BYTES);
	const char *word;

	while (count-- && perf_bytes_left(&section)) {
		size_t size = perf_text(&section, &word);

		text_print(&command, "%s%.*s", command.size ? " " : "", (int)size, word);
	}
	if (command.size)
		profile_set_meta(session->profile, "import.command", text_string(&command));
	text_done(&command);
}

/* --- Events ----------------------------------------------------------------------------------------------------------- */

static void event_name_set(struct perf_event *event, const char *name, size_t size)
{
	if (size)
		(void)snprintf(event->name, sizeof(event->name), "%.*s", (int)size, name);
}

static struct perf_event *event_at(struct perf_session *session, size_t index)
{
	return index < session->events.count ? &session->events.rows[index] : NULL;
}

/* An event is told by an id of its own where it has one, else by its place among the attributes. */
static void event_description(struct perf_session *session, uint32_t attribute_size, size_t index, struct perf_bytes *section)
{
	struct perf_event *event = event_at(session, index), *named;
	const char *name;
	uint32_t ids;
	size_t size;

	(void)perf_take(section, attribute_size);
	ids = perf_u32(section);
	size = perf_text(section, &name);
	for (uint32_t i = 0; i < ids && perf_bytes_left(section); i++) {
		named = perf_events_find(&session->events, perf_u64(section));
		if (!i && named && map_count(session->events.by_id))
			event = named;
	}
	if (event && !section->failed)
		event_name_set(event, name, size);
}

static void events_feature(struct perf_session *session, struct perf_bytes section)
{
	uint32_t count = perf_u32(&section), attribute_size = perf_u32(&section);

	for (uint32_t i = 0; i < count && perf_bytes_left(&section); i++)
		event_description(session, attribute_size, i, &section);
}

int perf_feature_attribute(struct perf_session *session, struct perf_bytes record)
{
	struct perf_attribute attribute;
	size_t index = session->events.count;
	int r = perf_attribute_read(&record, &attribute);

	if (r < 0)
		return r;
	if (!perf_events_add(&session->events, &attribute))
		return -1;
	while (perf_bytes_left(&record) >= 8)
		perf_events_add_id(&session->events, perf_u64(&record), index);
	return 0;
}

/* Only names matter here: of units, scales and processors nothing is kept. */
void perf_feature_update(struct perf_session *session, struct perf_bytes record)
{
	enum { UPDATE_NAME = 2 };
	uint64_t kind = perf_u64(&record);
	struct perf_event *event = perf_events_find(&session->events, perf_u64(&record));
	const char *name;
	size_t size = perf_text_size(&record, &name);

	if (kind == UPDATE_NAME && event && !record.failed)
		event_name_set(event, name, size);
}

/* --- Build ids -------------------------------------------------------------------------------------------------------- */

static void hex_of(const uint8_t *bytes, size_t size, char text[2 * BUILD_ID_BYTES + 1])
{
	for (size_t i = 0; i < size; i++)
		(void)snprintf(text + 2 * i, 3, "%02x", bytes[i]);
	text[2 * size] = '\0';
}

void perf_feature_build_id(struct perf_session *session, struct perf_bytes record, uint16_t misc)
{
	char text[2 * BUILD_ID_BYTES + 1];
	const uint8_t *id;
	struct string_id path;
	const char *name;
	size_t size, name_size;

	(void)perf_u32(&record);                /* pid: -1, or a guest's */
	id = perf_take(&record, 24);
	name_size = perf_text_size(&record, &name);
	if (!id || !name_size)
		return;
	size = misc & MISC_BUILD_ID_SIZE && id[BUILD_ID_BYTES] <= BUILD_ID_BYTES ? id[BUILD_ID_BYTES] : BUILD_ID_BYTES;
	hex_of(id, size, text);
	path = profile_string_size(session->profile, name, name_size);
	*map_put(session->build_ids, &path.index, NULL) = profile_string(session->profile, text).index;
	if (!strncmp(name, "[kernel.kallsyms]", name_size))
		session->stacks.kernel_file = profile_file(session->profile, "[kernel]", text);
}

struct string_id perf_build_id_of(const struct perf_session *session, const char *path, size_t size)
{
	struct string_id id = profile_string_size(session->profile, path, size);
	const uint32_t *known = map_find(session->build_ids, &id.index);

	return (struct string_id){ known ? *known : 0 };
}

static void build_ids_feature(struct perf_session *session, struct perf_bytes section)
{
	while (perf_bytes_left(&section) > PERF_RECORD_HEAD) {
		uint16_t misc, size;
		const uint8_t *body;

		(void)perf_u32(&section);
		misc = perf_u16(&section);
		size = perf_u16(&section);
		body = size > PERF_RECORD_HEAD ? perf_take(&section, size - PERF_RECORD_HEAD) : NULL;
		if (!body)
			return;
		perf_feature_build_id(session, perf_bytes_of(body, size - PERF_RECORD_HEAD, session->swapped), misc);
	}
}

/* --- Which is which --------------------------------------------------------------------------------------------------- */

static void time_feature(struct perf_session *session, struct perf_bytes section)
{
	uint64_t start = perf_u64(&section), end = perf_u64(&section);

	if (section.failed || start > end)
		return;
	session->window_start_ns = start;
	session->window_end_ns = end;
}

static void clock_feature(struct perf_session *session, struct perf_bytes section)
{
	(void)perf_u64(&section);               /* version, clock */
	session->wall_ns = perf_u64(&section);
	session->wall_clock_ns = perf_u64(&section);
}

void perf_feature_read(struct perf_session *session, unsigned feature, struct perf_bytes section)
{
	uint32_t available;

	switch ((enum feature)feature) {
	case FEATURE_TRACING_DATA:
		if (!session->tracepoints)
			session->tracepoints = tracepoints_read(section.at, perf_bytes_left(&section));
		break;
	case FEATURE_BUILD_ID: build_ids_feature(session, section); break;
	case FEATURE_HOST: text_feature(session, "host.name", section); break;
	case FEATURE_RELEASE: text_feature(session, "host.kernel", section); break;
	case FEATURE_VERSION: text_feature(session, "import.tool_version", section); break;
	case FEATURE_ARCHITECTURE: text_feature(session, "host.architecture", section); break;
	case FEATURE_PROCESSORS:
		available = perf_u32(&section);
		profile_set_meta_number(session->profile, "host.cpus", perf_bytes_left(&section) ? perf_u32(&section) : available);
		break;
	case FEATURE_PROCESSOR: text_feature(session, "host.cpu", section); break;
	case FEATURE_COMMAND: command_feature(session, section); break;
	case FEATURE_EVENTS: events_feature(session, section); break;
	case FEATURE_SAMPLE_TIME: time_feature(session, section); break;
	case FEATURE_CLOCK: clock_feature(session, section); break;
	}
}
