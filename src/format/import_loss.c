/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an import could not read, what its format cannot say, and how it ends. All of it is kept
 * with the profile: who reads a report of it months later has not seen this program's messages.
 */
#include "format/import_state.h"

#include "base/error.h"
#include "format/format.h"
#include "format/input.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void remark(struct import *import, const char *what, const char *unit, uint64_t place,
		   bool skipped)
{
	struct import_remark *row = import->remarks;

	import->skipped += skipped;
	for (size_t i = 0; i < import->remark_count; i++, row++)
		if (row->skipped == skipped && !strcmp(row->what, what)) {
			row->count++;
			return;
		}
	if (import->remark_count == IMPORT_REMARK_LIMIT)
		return;
	*row = (struct import_remark){ what, unit, 1, place, skipped };
	import->remark_count++;
}

void import_skipped(struct import *import, const char *what, const char *unit, uint64_t place)
{
	remark(import, what, unit, place, true);
}

void import_warn(struct import *import, const char *what, const char *unit, uint64_t place)
{
	remark(import, what, unit, place, false);
}

void import_lost(struct import *import, const char *source, uint64_t seen, uint64_t lost)
{
	struct slice_id slice = { (uint32_t)profile_slice_count(import->profile) - 1 };

	profile_add_loss(import->profile,
			 (struct loss){ slice, profile_string(import->profile, source), seen, lost });
}

void import_lacks(struct import *import, unsigned lacks)
{
	import->lacks |= lacks;
}

void import_bias(struct import *import, const char *bias)
{
	if (!strstr(text_string(&import->bias), bias))
		text_print(&import->bias, "%s%s", import->bias.size ? ", " : "", bias);
}

void import_source(struct import *import, const char *source)
{
	profile_set_meta(import->profile, "import.source", source);
}

/* --- The end ---------------------------------------------------------------------------------- */

static void remark_print(const struct import_remark *row, struct text *into)
{
	if (row->skipped)
		text_print(into, "%" PRIu64 " skipped: ", row->count);
	text_print(into, "%s", row->what);
	if (row->unit)
		text_print(into, row->count > 1 ? ", first at %s %" PRIu64 : ", at %s %" PRIu64,
			   row->unit, row->first);
}

static void store_remarks(struct import *import)
{
	struct text line = TEXT(512);
	char key[40];

	for (size_t i = 0; i < import->remark_count; i++) {
		text_clear(&line);
		remark_print(&import->remarks[i], &line);
		(void)snprintf(key, sizeof(key), "import.remark.%zu", i + 1);
		profile_set_meta(import->profile, key, text_string(&line));
	}
	text_done(&line);
}

static void store_lacks(struct import *import)
{
	static const char *const names[] = { "stacks", "lines", "time", "threads", "addresses" };
	struct text list = TEXT(128);

	for (unsigned i = 0; i < ARRAY_LENGTH(names); i++)
		if (import->lacks & 1u << i)
			text_print(&list, "%s%s", list.size ? ", " : "", names[i]);
	if (list.size)
		profile_set_meta(import->profile, "import.lacks", text_string(&list));
	text_done(&list);
}

/* Facts belong to a slice: where nothing but intervals was read, theirs. */
static void slice_of_intervals(struct import *import)
{
	const struct profile *profile = import->profile;
	uint64_t end_ns = 1;

	if (profile_slice_count(profile) > 1 || !profile_interval_count(profile))
		return;
	for (size_t i = 0; i < profile_interval_count(profile); i++)
		if (profile_interval_at(profile, i)->end_ns > end_ns)
			end_ns = profile_interval_at(profile, i)->end_ns;
	(void)import_slice(import, end_ns);
}

static void store(struct import *import)
{
	struct profile *profile = import->profile;

	slice_of_intervals(import);

	profile_set_meta(profile, "import.format", import->format->name);
	if (*input_encoding(import->input))
		profile_set_meta(profile, "import.encoding", input_encoding(import->input));
	if (!profile_meta(profile, "import.source"))
		import_source(import, import->format->name);
	profile_set_meta_number(profile, "import.samples", import->samples);
	if (import->was_told)
		profile_set_meta(profile, "import.counts_as_told", input_counts(import->input));
	if (import->bias.size)
		profile_set_meta(profile, "import.bias", text_string(&import->bias));
	store_lacks(import);
	store_remarks(import);
	if (import->last_ns) {
		profile_set_meta_number(profile, "capture.start_ns", import->first_ns);
		profile_set_meta_number(profile, "capture.end_ns", import->last_ns);
	}
	if (import->skipped)
		import_lost(import, "import", import->samples, import->skipped);
}

int import_nothing(struct import *import, struct error *err)
{
	struct text line = TEXT(400);

	fail(err, FAILURE_WORK, -EBADMSG, "cannot read '%s'", input_name(import->input));
	if (import->remark_count)
		remark_print(&import->remarks[0], &line);
	error_because(err, "as %s it holds nothing that could be read%s%s", import->format->name,
		      line.size ? ": " : "", text_string(&line));
	text_done(&line);
	return error_try(err, "a whole file, as its tool wrote it");
}

int import_refuse(struct import *import, struct error *err, const char *unit, uint64_t place,
		  const char *why, ...)
{
	struct text line = TEXT(400);
	va_list arguments;

	fail(err, FAILURE_WORK, -EBADMSG, "cannot read '%s'", input_name(import->input));
	va_start(arguments, why);
	text_print_list(&line, why, arguments);
	va_end(arguments);
	if (unit)
		error_because(err, "%s (as %s, at %s %" PRIu64 ")", text_string(&line),
			      import->format->name, unit, place);
	else
		error_because(err, "%s (as %s)", text_string(&line), import->format->name);
	text_done(&line);
	return error_try(err, "an undamaged copy of the file");
}

int import_finish(struct import *import, struct error *err)
{
	uint64_t first, cut = input_lines_cut(import->input, &first);
	int r = input_error(import->input, err);

	if (r < 0)
		return r;
	if (cut)
		import_warn(import, "lines longer than a mebibyte were cut", "line", first);
	store(import);
	if (import->samples || profile_interval_count(import->profile) || profile_cell_count(import->profile))
		return 0;
	return import_nothing(import, err);
}
