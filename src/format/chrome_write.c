/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes the timeline of a profile as a Chrome trace: states and slices as complete events of their threads, what may
 * overlap as asynchronous events, who woke whom as flows, and what was counted in each slice as counters. Times are in
 * microseconds with three digits behind the point, so no nanosecond is lost.
 */
#include "format/chrome.h"

#include "base/memory.h"
#include "base/output.h"
#include "format/choice.h"
#include "format/chrome_amount.h"
#include "format/json_write.h"
#include "format/timeline.h"
#include "profile/profile.h"

#include <inttypes.h>
#include <stdlib.h>

enum { NAME_LIMIT = 4096, NS_PER_US = 1000 };

struct chrome_writer { const struct profile *profile; struct output *to; bool first; };

static void event_begin(struct chrome_writer *writer, char phase, const char *name)
{
	output_print(writer->to, "%s{\"ph\":\"%c\",\"name\":", writer->first ? "" : ",\n", phase);
	json_write_string(writer->to, name);
	writer->first = false;
}

static void time_write(struct chrome_writer *writer, const char *key, uint64_t ns)
{
	output_print(writer->to, ",\"%s\":%" PRIu64 ".%03" PRIu64, key, ns / NS_PER_US, ns % NS_PER_US);
}

static void thread_write(struct chrome_writer *writer, struct thread_id id)
{
	struct process_id process = profile_thread_at(writer->profile, id.index)->process;

	output_print(writer->to, ",\"pid\":%u,\"tid\":%u", timeline_pid(writer->profile, process),
		     timeline_tid(writer->profile, id));
}

static void names_write(struct chrome_writer *writer)
{
	const struct profile *profile = writer->profile;

	for (uint32_t i = 1; i < profile_process_count(profile); i++) {
		event_begin(writer, 'M', "process_name");
		output_print(writer->to, ",\"pid\":%u,\"args\":{\"name\":",
			     timeline_pid(profile, (struct process_id){ i }));
		json_write_string(writer->to, profile_text(profile, profile_process_at(profile, i)->comm));
		output_puts(writer->to, "}}");
	}
	for (uint32_t i = 1; i < profile_thread_count(profile); i++) {
		event_begin(writer, 'M', "thread_name");
		thread_write(writer, (struct thread_id){ i });
		output_puts(writer->to, ",\"args\":{\"name\":");
		json_write_string(writer->to, profile_text(profile, profile_thread_at(profile, i)->comm));
		output_puts(writer->to, "}}");
	}
}

/* From the waker, at the instant of the wake, to the state that it ended. */
static void waker_write(struct chrome_writer *writer, const struct interval *interval, size_t index)
{
	if (!interval->waker.index)
		return;
	event_begin(writer, 's', "wake");
	thread_write(writer, interval->waker);
	time_write(writer, "ts", interval->end_ns);
	output_print(writer->to, ",\"cat\":\"wake\",\"id\":%zu}", index);
	event_begin(writer, 'f', "wake");
	thread_write(writer, interval->thread);
	time_write(writer, "ts", interval->end_ns);
	output_print(writer->to, ",\"cat\":\"wake\",\"bp\":\"e\",\"id\":%zu}", index);
}

static void interval_write(struct chrome_writer *writer, size_t index)
{
	const struct interval *interval = profile_interval_at(writer->profile, index);
	enum timeline_kind kind = timeline_kind(writer->profile, interval);
	char text[NAME_LIMIT];
	const char *name = timeline_name(writer->profile, interval, text, sizeof(text));

	event_begin(writer, kind == TIMELINE_ASYNCHRONOUS ? 'b' : 'X', name);
	thread_write(writer, interval->thread);
	time_write(writer, "ts", interval->start_ns);
	if (kind == TIMELINE_STATE)
		output_puts(writer->to, ",\"cat\":\"" CHROME_STATE "\"");
	if (kind != TIMELINE_ASYNCHRONOUS) {
		time_write(writer, "dur", interval->end_ns - interval->start_ns);
		output_puts(writer->to, "}");
	} else {
		output_print(writer->to, ",\"id\":%zu}", index);
		event_begin(writer, 'e', name);
		thread_write(writer, interval->thread);
		time_write(writer, "ts", interval->end_ns);
		output_print(writer->to, ",\"id\":%zu}", index);
	}
	waker_write(writer, interval, index);
}

/* Marked for our reader, which makes of it what it was, and not a level without a unit. */
static void counter_write(struct chrome_writer *writer, uint32_t slice, uint32_t id, const struct timeline_count *count)
{
	const struct profile *profile = writer->profile;
	const struct dimension *dimension = profile_dimension_at(profile, id);
	CLEANUP_TEXT char *name = choice_name(profile, (struct dimension_id){ id });

	event_begin(writer, 'C', name);
	output_print(writer->to, ",\"cat\":\"%s\"", dimension->kind == DIMENSION_LEVEL ? CHROME_LEVEL : CHROME_AMOUNT);
	if (dimension->parent.index) {
		output_puts(writer->to, ",\"parent\":");
		json_write_string(writer->to, profile_text(profile, profile_dimension_at(profile, dimension->parent.index)->name));
	}
	if (count->weighting != WEIGHTING_EXACT)
		output_print(writer->to, ",\"weighting\":%d", count->weighting);
	output_print(writer->to, ",\"count\":%" PRIu64 ",\"pid\":0", count->count);
	time_write(writer, "ts", profile_slice_at(profile, slice)->start_ns);
	output_puts(writer->to, ",\"args\":{");
	json_write_string(writer->to, profile_text(profile, dimension->unit));
	output_print(writer->to, ":%" PRIu64 "}}", count->value);
}

static void counters_write(struct chrome_writer *writer, uint32_t slice)
{
	size_t count;
	struct timeline_count *counts = timeline_counts(writer->profile, slice, &count);

	for (uint32_t i = 1; counts && i < count; i++)
		if (counts[i].value)
			counter_write(writer, slice, i, &counts[i]);
	free(counts);
}

int chrome_write(const struct profile *profile, const struct format_options *options, struct output *to,
		 struct error *err)
{
	struct chrome_writer writer = { profile, to, true };
	int r = timeline_check(profile, err);

	(void)options;                               /* a timeline holds every dimension */
	if (r < 0)
		return r;
	output_puts(to, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n");
	names_write(&writer);
	for (size_t i = 0; i < profile_interval_count(profile); i++)
		interval_write(&writer, i);
	for (uint32_t i = 1; i < profile_slice_count(profile); i++)
		counters_write(&writer, i);
	output_puts(to, "\n],\"otherData\":{\"version\":\"crosscut@" CROSSCUT_VERSION "\"}}\n");
	return 0;
}
