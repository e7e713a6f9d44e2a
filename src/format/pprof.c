/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes one dimension as a gzip'd pprof profile: how often, and how much in the dimension's unit,
 * per thread and stack. Threads and the parts of the dimension are labels, so that `go tool pprof
 * -tagfocus` and -tagroot can use them. The weights are divided by their inclusion probability; a
 * comment says how they were measured.
 */
#include "format/pprof.h"

#include "base/error.h"
#include "base/intern.h"
#include "base/map.h"
#include "base/memory.h"
#include "base/output.h"
#include "format/format.h"
#include "format/protobuf.h"
#include "profile/profile.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

extern const struct format pprof_format;

enum { GZIP_WINDOW = 15 + 16, GZIP_MEMORY = 8, CHUNK_BYTES = 64 * 1024 };

/* --- Samples ---------------------------------------------------------------------------------- */

struct sample {
	struct thread_id thread;
	struct stack_id stack;
	struct dimension_id part;
	uint64_t count, weight;
};
struct samples { struct sample *rows; size_t count, room; };

static uint64_t add_within(uint64_t a, uint64_t b)
{
	return a > INT64_MAX - b ? INT64_MAX : a + b;
}

static void samples_gather(const struct choice *choice, struct samples *into)
{
	CLEANUP(map) struct map *known = map_new(3 * sizeof(uint32_t));

	for (size_t i = 0; i < profile_cell_count(choice->profile); i++) {
		const struct cell *cell = profile_cell_at(choice->profile, i);
		struct sample sample = { cell->thread, choice_stack(choice, cell),
					 profile_cell_dimension(choice->profile, cell), 0, 0 };
		uint32_t key[3] = { sample.thread.index, sample.stack.index, sample.part.index },
			 *index;
		bool added;

		if (!choice_has(choice, cell))
			continue;
		index = map_put(known, key, &added);
		if (added) {
			*index = (uint32_t)into->count;
			grow(into->rows, into->count, into->room);
			into->rows[into->count++] = sample;
		}
		into->rows[*index].count = add_within(into->rows[*index].count,
						      cell->count & INT64_MAX);
		into->rows[*index].weight = add_within(into->rows[*index].weight,
						       choice_weight(cell));
	}
}

static void label_text(struct pprof *pprof, struct text *sample, const char *key, const char *value)
{
	struct text label = TEXT(64);

	if (!*value)
		return;
	protobuf_number(&label, LABEL_KEY, pprof_string(pprof, key));
	protobuf_number(&label, LABEL_STR, pprof_string(pprof, value));
	protobuf_message(sample, SAMPLE_LABEL, &label);
	text_done(&label);
}

static void label_number(struct pprof *pprof, struct text *sample, const char *key, uint64_t value)
{
	struct text label = TEXT(64);

	if (!value)
		return;
	protobuf_number(&label, LABEL_KEY, pprof_string(pprof, key));
	protobuf_number(&label, LABEL_NUM, value);
	protobuf_message(sample, SAMPLE_LABEL, &label);
	text_done(&label);
}

static void labels_put(struct pprof *pprof, struct text *message, const struct sample *sample)
{
	const struct profile *profile = pprof->choice.profile;
	const struct thread *thread = profile_thread_at(profile, sample->thread.index);
	CLEANUP_TEXT char *part = choice_name(profile, sample->part);

	label_text(pprof, message, "thread", choice_comm(profile, sample->thread));
	label_number(pprof, message, "tid", thread->tid);
	label_number(pprof, message, "pid",
		     profile_process_at(profile, thread->process.index)->pid);
	label_text(pprof, message, "dimension", part);
}

static void sample_write(struct pprof *pprof, struct text *to, const struct sample *sample,
			 uint64_t *cause_locations)
{
	struct frame_id frames[CHOICE_DEPTH_LIMIT];
	uint64_t locations[CHOICE_DEPTH_LIMIT + 1], values[2] = { sample->count, sample->weight };
	size_t count = choice_frames(&pprof->choice, sample->stack, frames);
	const char *cause = choice_cause(&pprof->choice, sample->stack);
	enum stack_status status =
		profile_stack_at(pprof->choice.profile, sample->stack.index)->status;
	struct text message = TEXT(PPROF_MESSAGE_LIMIT);

	for (size_t i = 0; i < count; i++)
		locations[i] = pprof_location(pprof, frames[i]);
	if (cause && !cause_locations[status])
		cause_locations[status] = pprof_location_named(pprof, cause);
	if (cause)
		locations[count++] = cause_locations[status];
	protobuf_numbers(&message, SAMPLE_LOCATION_ID, locations, count);
	protobuf_numbers(&message, SAMPLE_VALUE, values, 2);
	labels_put(pprof, &message, sample);
	protobuf_message(to, PROFILE_SAMPLE, &message);
	text_done(&message);
}

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

static const char *unit_of(const struct choice *choice)
{
	const char *unit = choice_unit(choice);

	return !strcmp(unit, "ns") ? "nanoseconds" : unit;
}

static const char *weighting_text(enum weighting weighting)
{
	switch (weighting) {
	case WEIGHTING_EXACT: return "exact";
	case WEIGHTING_SAMPLED: return "sampled, weights divided by the inclusion probability";
	default: return "estimated";
	}
}

/* Which measures the samples come from: a comment for each, and the largest period among them. */
static uint64_t measures_comment(struct pprof *pprof, struct text *to)
{
	const struct profile *profile = pprof->choice.profile;
	CLEANUP_TEXT char *name = choice_name(profile, pprof->choice.dimension);
	CLEANUP_TEXT char *used = xcalloc(profile_measure_count(profile), 1);
	uint64_t period = 0;

	for (size_t i = 0; i < profile_cell_count(profile); i++)
		if (choice_has(&pprof->choice, profile_cell_at(profile, i)))
			used[profile_cell_at(profile, i)->measure.index] = 1;
	for (uint32_t i = 1; i < profile_measure_count(profile); i++) {
		const struct measure *measure = profile_measure_at(profile, i);
		CLEANUP_TEXT char *comment = xasprintf(
			"%s in %s: %s; source %s", name, choice_unit(&pprof->choice),
			weighting_text(measure->weighting), profile_text(profile, measure->source));
		uint64_t number = used[i] ? pprof_string(pprof, comment) : 0;

		if (!used[i])
			continue;
		protobuf_numbers(to, PROFILE_COMMENT, &number, 1);
		period = measure->period > period ? measure->period : period;
	}
	return period;
}

static uint64_t duration_ns(const struct profile *profile)
{
	size_t last = profile_slice_count(profile) - 1;

	return last ? profile_slice_at(profile, last)->end_ns -
			       profile_slice_at(profile, 1)->start_ns
		    : 0;
}

static void head_write(struct pprof *pprof, struct text *to)
{
	const struct profile *profile = pprof->choice.profile;
	CLEANUP_TEXT char *name = choice_name(profile, pprof->choice.dimension);
	uint64_t period;

	value_type_put(pprof, to, PROFILE_SAMPLE_TYPE, "samples", "count");
	value_type_put(pprof, to, PROFILE_SAMPLE_TYPE, name, unit_of(&pprof->choice));
	protobuf_number(to, PROFILE_TIME_NANOS,
			profile_meta_number(profile, "capture.start_wall_ns", 0));
	protobuf_number(to, PROFILE_DURATION_NANOS, duration_ns(profile));
	value_type_put(pprof, to, PROFILE_PERIOD_TYPE, name, unit_of(&pprof->choice));
	period = measures_comment(pprof, to);
	protobuf_number(to, PROFILE_PERIOD, period ? period : 1);
	protobuf_number(to, PROFILE_DEFAULT_SAMPLE_TYPE, pprof_string(pprof, name));
}

/* --- The file --------------------------------------------------------------------------------- */

static int gzip_write(struct output *to, const struct text *bytes, struct error *err)
{
	CLEANUP_TEXT char *chunk = xmalloc(CHUNK_BYTES);
	z_stream stream = { .next_in = (Bytef *)bytes->bytes, .avail_in = (uInt)bytes->size };
	int r = deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP_WINDOW, GZIP_MEMORY,
			     Z_DEFAULT_STRATEGY);

	if (r != Z_OK)
		return fail(err, FAILURE_WORK, -ENOMEM, "cannot compress the profile");
	do {
		stream.next_out = (Bytef *)chunk;
		stream.avail_out = CHUNK_BYTES;
		r = deflate(&stream, Z_FINISH);
		output_write(to, chunk, CHUNK_BYTES - stream.avail_out);
	} while (r == Z_OK);
	(void)deflateEnd(&stream);
	return r == Z_STREAM_END ? 0 : fail(err, FAILURE_WORK, -EIO, "cannot compress the profile");
}

/* Readers take the first mapping for the main binary: it becomes the executable of the process with
 * most weight. */
static uint32_t heaviest_process(const struct pprof *pprof, const struct samples *samples)
{
	const struct profile *profile = pprof->choice.profile;
	uint64_t *weights = xcalloc(profile_process_count(profile), sizeof(*weights));
	uint32_t best = 0;

	for (size_t i = 0; i < samples->count; i++) {
		uint32_t process =
			profile_thread_at(profile, samples->rows[i].thread.index)->process.index;

		weights[process] = add_within(weights[process], samples->rows[i].weight);
		if (weights[process] > weights[best])
			best = process;
	}
	free(weights);
	return best;
}

static void main_binary_first(struct pprof *pprof, const struct samples *samples)
{
	const struct profile *profile = pprof->choice.profile;
	struct string_id path =
		profile_process_at(profile, heaviest_process(pprof, samples))->executable;
	struct frame_id frames[CHOICE_DEPTH_LIMIT];

	for (size_t i = 0; path.index && i < samples->count; i++) {
		size_t count = choice_frames(&pprof->choice, samples->rows[i].stack, frames);

		while (count-- > 0) {
			struct file_id file = profile_frame_at(profile, frames[count].index)->file;

			if (!string_is(profile_file_at(profile, file.index)->path, path))
				continue;
			(void)pprof_location(pprof, frames[count]);
			return;
		}
	}
}

static void strings_write(struct pprof *pprof, struct text *to)
{
	for (uint32_t i = 0; i < intern_count(pprof->strings); i++) {
		const char *text = intern_text(pprof->strings, i);

		protobuf_bytes(to, PROFILE_STRING_TABLE, text, strlen(text));
	}
}

static void profile_put(struct pprof *pprof, struct text *to)
{
	uint64_t cause_locations[STACK_STATUS_COUNT] = { 0 };
	struct samples samples = { 0 };

	samples_gather(&pprof->choice, &samples);
	head_write(pprof, to);
	main_binary_first(pprof, &samples);
	for (size_t i = 0; i < samples.count; i++)
		sample_write(pprof, to, &samples.rows[i], cause_locations);
	pprof_mappings_write(pprof, to);
	text_append(to, text_string(&pprof->locations), pprof->locations.size);
	text_append(to, text_string(&pprof->functions), pprof->functions.size);
	strings_write(pprof, to);
	free(samples.rows);
}

static int pprof_write(const struct profile *profile, const struct format_options *options,
		       struct output *to, struct error *err)
{
	struct text bytes = TEXT(PPROF_TABLE_LIMIT);
	struct pprof pprof = { 0 };
	int r = choice_make(profile, options, &pprof.choice, err);

	if (r < 0)
		return r;
	pprof_tables_init(&pprof);
	profile_put(&pprof, &bytes);
	if (bytes.cut || pprof.locations.cut || pprof.functions.cut)
		r = fail(err, FAILURE_WORK, -EFBIG, "the profile is too large for pprof");
	else
		r = gzip_write(to, &bytes, err);
	pprof_tables_done(&pprof);
	text_done(&bytes);
	return r;
}

const struct format pprof_format = {
	.name = "pprof",
	.summary = "for go tool pprof and whatever reads its files",
	.suffix = ".pb.gz",
	.write = pprof_write,
};
