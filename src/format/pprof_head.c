/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The head of a pprof file: what stands once.
 *
 * What came from a pprof file and has no place in a profile stands in its provenance, and goes out
 * again from there.
 */
#include "format/content.h"
#include "format/pprof.h"

#include "base/error.h"
#include "base/memory.h"
#include "format/format.h"
#include "format/protobuf.h"
#include "profile/profile.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- The head --------------------------------------------------------------------------------- */

static void value_type_put(struct pprof *pprof, struct text *to, unsigned field, const char *type,
			   const char *unit)
{
	struct text message = TEXT(64);

	protobuf_number(&message, VALUE_TYPE_TYPE, pprof_string(pprof, type));
	protobuf_number(&message, VALUE_TYPE_UNIT, pprof_string(pprof, unit));
	protobuf_message(to, field, &message);
	text_done(&message);
}

static const char *weighting_text(enum weighting weighting)
{
	switch (weighting) {
	case WEIGHTING_EXACT: return "exact";
	case WEIGHTING_SAMPLED: return "sampled, weights divided by the inclusion probability";
	default: return "estimated";
	}
}

/* "oncpu in nanoseconds: sampled, weights divided by the inclusion probability; period 10101010; source cpu-clock" */
static char *measure_text(const struct profile *profile, const struct column *column, const struct measure *measure)
{
	CLEANUP_TEXT char *period = measure->period ? xasprintf(WEIGHTING_PERIOD "%" PRIu64, measure->period) : xstrdup("");

	return xasprintf("%s in %s: %s%s; source %s", column->name, column->unit,
			 weighting_text(measure->weighting), period, profile_text(profile, measure->source));
}

/* The measures that a column's samples come from: a comment for each; returns the largest period. */
static uint64_t measures_comment(struct pprof *pprof, struct text *to,
				 const struct column *column, bool comments)
{
	const struct profile *profile = pprof->profile;
	CLEANUP_TEXT char *used = xcalloc(profile_measure_count(profile), 1);
	uint64_t period = 0;

	for (size_t i = 0; i < profile_cell_count(profile); i++)
		if (choice_has(&column->choice, profile_cell_at(profile, i)))
			used[profile_cell_at(profile, i)->measure.index] = 1;
	for (uint32_t i = 1; i < profile_measure_count(profile); i++) {
		const struct measure *measure = profile_measure_at(profile, i);
		CLEANUP_TEXT char *comment = measure_text(profile, column, measure);
		uint64_t number = used[i] && comments ? pprof_string(pprof, comment) : 0;

		if (number)
			protobuf_numbers(to, PROFILE_COMMENT, &number, 1);
		if (used[i] && measure->period > period)
			period = measure->period;
	}
	return period;
}

static uint64_t duration_ns(const struct profile *profile)
{
	size_t last = profile_slice_count(profile) - 1;
	uint64_t slices = last ? profile_slice_at(profile, last)->end_ns -
					 profile_slice_at(profile, 1)->start_ns
			       : 0;

	return profile_meta_number(profile, "pprof.duration_ns", slices);
}

static void comment_put(struct pprof *pprof, struct text *to, const char *comment)
{
	uint64_t number = pprof_string(pprof, comment);

	protobuf_numbers(to, PROFILE_COMMENT, &number, 1);
}

static bool comments_of_file(struct pprof *pprof, struct text *to)
{
	char key[32];

	for (size_t i = 0;; i++) {
		const char *comment;

		(void)snprintf(key, sizeof(key), "pprof.comment.%zu", i);
		comment = profile_meta(pprof->profile, key);
		if (!comment)
			return i > 0;
		comment_put(pprof, to, comment);
	}
}

/* "label.build=b17": what was said of the capture, which our reader takes back. */
static void provenance_comments(struct pprof *pprof, struct text *to)
{
	for (size_t i = 0; i < profile_meta_count(pprof->profile); i++) {
		const char *key, *value;

		profile_meta_at(pprof->profile, i, &key, &value);
		if (content_travels(key)) {
			CLEANUP_TEXT char *comment = xasprintf("%s=%s", key, value);

			comment_put(pprof, to, comment);
		}
	}
}

static void meta_put(struct pprof *pprof, struct text *to, unsigned field, const char *key)
{
	const char *text = profile_meta(pprof->profile, key);

	if (text)
		protobuf_number(to, field, pprof_string(pprof, text));
}

/* What samples stand for: of the file it came from, else of the last column. */
static void period_write(struct pprof *pprof, struct text *to, uint64_t period)
{
	const struct column *last = &pprof->columns.rows[pprof->columns.count - 1];
	const struct profile *profile = pprof->profile;
	const char *type = profile_meta(profile, "pprof.period_type");
	const char *unit = profile_meta(profile, "pprof.period_unit");

	if (type)
		value_type_put(pprof, to, PROFILE_PERIOD_TYPE, type, unit ? unit : "");
	if (type || profile_meta(profile, "pprof.period"))
		protobuf_number(to, PROFILE_PERIOD,
				profile_meta_number(profile, "pprof.period", 0));
	if (type || (profile_meta(profile, "import.format") && !period))
		return;
	value_type_put(pprof, to, PROFILE_PERIOD_TYPE, last->name, last->unit);
	protobuf_number(to, PROFILE_PERIOD, period ? period : 1);
}

static const char *default_type(const struct pprof *pprof)
{
	const char *kept = profile_meta(pprof->profile, "pprof.default_sample_type");

	if (kept || profile_meta(pprof->profile, "import.format"))
		return kept;
	for (size_t i = 0; i < pprof->columns.count; i++)
		if (!strcmp(pprof->columns.rows[i].name, "oncpu"))
			return "oncpu";
	return pprof->columns.rows[pprof->columns.count - 1].name;
}

void pprof_head_write(struct pprof *pprof, struct text *to)
{
	const struct profile *profile = pprof->profile;
	bool comments = !comments_of_file(pprof, to) && !columns_came_as_pprof(profile);
	uint64_t period = 0;

	if (comments)
		comment_put(pprof, to, PPROF_MARK CROSSCUT_VERSION);
	for (size_t i = 0; i < pprof->columns.count; i++) {
		const struct column *column = &pprof->columns.rows[i];

		value_type_put(pprof, to, PROFILE_SAMPLE_TYPE, column->name, column->unit);
		if (!column->events)
			period = measures_comment(pprof, to, column, comments);
	}
	if (comments && content_stacks_checked(profile))
		comment_put(pprof, to, PPROF_STACKS CONTENT_STACKS_CHECKED);
	provenance_comments(pprof, to);
	protobuf_number(to, PROFILE_TIME_NANOS,
			profile_meta_number(profile, "capture.start_wall_ns", 0));
	protobuf_number(to, PROFILE_DURATION_NANOS, duration_ns(profile));
	period_write(pprof, to, period);
	meta_put(pprof, to, PROFILE_DROP_FRAMES, "pprof.drop_frames");
	meta_put(pprof, to, PROFILE_KEEP_FRAMES, "pprof.keep_frames");
	meta_put(pprof, to, PROFILE_DOC_URL, "pprof.doc_url");
	if (default_type(pprof))
		protobuf_number(to, PROFILE_DEFAULT_SAMPLE_TYPE,
				pprof_string(pprof, default_type(pprof)));
}
