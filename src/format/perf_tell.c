/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What was met in a perf.data file, as the profile's provenance: how many records of each type, what was lost, what could
 * not be read. So a report says of an import what it says of a capture, and a conversion what it left out.
 */
#include "base/cleanup.h"
#include "base/text.h"
#include "format/perf_queue.h"
#include "format/perf_session.h"
#include "profile/profile.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

static void tell(struct perf_session *session, const char *key, uint64_t number)
{
	if (number)
		profile_set_meta_number(session->profile, key, number);
}

static void tell_records(struct perf_session *session)
{
	char key[64];

	for (unsigned type = 0; type < PERF_RECORD_END; type++) {
		if (!session->records[type])
			continue;
		(void)snprintf(key, sizeof(key), "import.records.%s", perf_record_name(type));
		profile_set_meta_number(session->profile, key, session->records[type]);
	}
}

static void tell_events(struct perf_session *session)
{
	char key[320];

	for (size_t i = 0; i < session->events.count; i++) {
		struct perf_event *event = &session->events.rows[i];

		(void)snprintf(key, sizeof(key), "import.event.%s", perf_event_name(event));
		tell(session, key, event->samples);
	}
}

/* Since Linux 6.0 perf says the same losses twice, where they fell and per event at the end: the larger says how many. */
static struct slice_id newest_slice(const struct perf_session *session)
{
	return (struct slice_id){ (uint32_t)profile_slice_count(session->profile) - 1 };
}

static void tell_losses(struct perf_session *session)
{
	uint64_t lost = session->lost > session->lost_samples ? session->lost : session->lost_samples;

	profile_add_loss(session->profile, (struct loss){ .slice = newest_slice(session), .source = profile_string(session->profile, "perf"),
							  .seen = session->samples, .lost = lost });
	tell(session, "import.lost", session->lost);
	tell(session, "import.lost_samples", session->lost_samples);
	tell(session, "import.throttled", session->throttled);
}

void perf_session_remark(struct perf_session *session, const char *format, ...)
{
	struct text line = TEXT(400);
	va_list arguments;
	char key[40];

	va_start(arguments, format);
	text_print_list(&line, format, arguments);
	va_end(arguments);
	(void)snprintf(key, sizeof(key), "import.remark.%u", ++session->remarks);
	profile_set_meta(session->profile, key, text_string(&line));
	text_done(&line);
}

/* What is missing in the profile because of the file, for whoever reads it; the numbers beside are for machines. */
static void remark_defects(struct perf_session *session)
{
	const struct { uint64_t count; const char *what; } rows[] = {
		{ session->damaged, "skipped: a record is damaged" },
		{ session->unknown_records, "skipped: a record is of a kind that is not known here" },
		{ session->without_event, "skipped: a sample is of no event that the file describes" },
		{ perf_queue_late(session->queue), "records came too late to be put in order" },
		{ session->stacks.cut, "stacks were cut: they are deeper than can be kept" },
		{ session->stacks.deferred, "stacks end where the kernel put off walking the rest, which is not joined to them" },
		{ session->tasks.refused, "skipped: a task more than can be kept" },
	};

	for (size_t i = 0; i < ARRAY_LENGTH(rows); i++)
		if (rows[i].count)
			perf_session_remark(session, "%" PRIu64 " %s", rows[i].count, rows[i].what);
}

static void tell_defects(struct perf_session *session)
{
	tell(session, "import.unknown_records", session->unknown_records);
	tell(session, "import.damaged_records", session->damaged);
	tell(session, "import.samples_without_event", session->without_event);
	tell(session, "import.samples_without_period", session->without_period);
	tell(session, "import.late_records", perf_queue_late(session->queue));
	tell(session, "import.unmapped_frames", session->stacks.unmapped_frames);
	tell(session, "import.cut_stacks", session->stacks.cut);
	tell(session, "import.guest_frames", session->stacks.guest);
	tell(session, "import.deferred_stacks", session->stacks.deferred);
	tell(session, "import.refused_tasks", session->tasks.refused);
}

void perf_session_tell(struct perf_session *session, uint64_t start_ns, uint64_t end_ns)
{
	struct profile *profile = session->profile;

	profile_set_meta(profile, "import.format", "perf.data");
	profile_set_meta(profile, "import.addresses", "named where it is opened");
	profile_set_meta(profile, "stack.walk", session->with_user_stack ? "call-frame-information"
						: session->chained	 ? "perf's call chains"
									 : "none");
	profile_set_meta_number(profile, "capture.start_ns", start_ns);
	profile_set_meta_number(profile, "capture.end_ns", end_ns);
	if (session->wall_ns && start_ns)
		profile_set_meta_number(profile, "capture.start_wall_ns", session->wall_ns + (start_ns - session->wall_clock_ns));
	tell(session, "import.samples", session->samples);
	tell(session, "import.period_sum", session->period_sum);
	tell(session, "import.samples_with_period", session->periods_given);
	tell(session, "import.samples_with_chain", session->chained);
	tell(session, "import.chain_entries", session->stacks.entries);
	tell(session, "import.samples_with_branches", session->with_branches);
	tell(session, "import.samples_with_stack", session->with_user_stack);
	tell(session, "import.switches_out", session->switches_out);
	tell_records(session);
	tell_events(session);
	tell_losses(session);
	tell_defects(session);
	remark_defects(session);
}
