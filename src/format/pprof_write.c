/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes a profile as gzip'd pprof: per thread, stack and label, how often and how much of each
 * dimension. Threads and the parts of a dimension are labels, so that `go tool pprof -tagfocus` and
 * -tagroot can use them. Weights are divided by their inclusion probability. What shares thread,
 * stack and labels is one sample, whichever dimensions it weighs in.
 */
#include "format/pprof.h"

#include "base/error.h"
#include "base/intern.h"
#include "base/memory.h"
#include "base/output.h"
#include "format/format.h"
#include "format/labels.h"
#include "format/protobuf.h"
#include "profile/profile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { GZIP_WINDOW = 15 + 16, GZIP_MEMORY = 8, CHUNK_BYTES = 64 * 1024 };

/* --- Labels ----------------------------------------------------------------------------------- */

static void label_put(struct pprof *pprof, struct text *sample, const struct label *from)
{
	struct text label = TEXT(64);

	protobuf_number(&label, LABEL_KEY, pprof_string(pprof, from->key));
	if (from->text)
		protobuf_number(&label, LABEL_STR, pprof_string(pprof, from->text));
	protobuf_number(&label, LABEL_NUM, (uint64_t)from->number);
	if (from->unit)
		protobuf_number(&label, LABEL_NUM_UNIT, pprof_string(pprof, from->unit));
	protobuf_message(sample, SAMPLE_LABEL, &label);
	text_done(&label);
}

static void label_text(struct pprof *pprof, struct text *sample, const char *key, const char *value)
{
	if (*value)
		label_put(pprof, sample, &(struct label){ .key = key, .text = value });
}

static void label_number(struct pprof *pprof, struct text *sample, const char *key, uint64_t value)
{
	if (value)
		label_put(pprof, sample, &(struct label){ .key = key, .number = (int64_t)value });
}

/* Labels that a file brought go out as they came; a lock or a device goes by its kind. */
static void object_put(struct pprof *pprof, struct text *message, struct object_id id)
{
	const struct profile *profile = pprof->profile;
	const struct object *object = profile_object_at(profile, id.index);
	const char *at = profile_text(profile, object->name);
	struct text scratch = TEXT(LABELS_TEXT_LIMIT);
	struct label label;

	if (!labels_are(profile, id))
		label_text(pprof, message, id.index ? profile_text(profile, object->kind) : "", at);
	else
		while (labels_next(&at, &scratch, &label))
			label_put(pprof, message, &label);
	text_done(&scratch);
}

static void labels_put(struct pprof *pprof, struct text *message, const struct sample_key *key)
{
	const struct profile *profile = pprof->profile;
	const struct thread *thread = profile_thread_at(profile, key->thread);

	label_text(pprof, message, "thread",
		   choice_comm(profile, (struct thread_id){ key->thread }));
	label_number(pprof, message, "tid", thread->tid);
	label_number(pprof, message, "pid",
		     profile_process_at(profile, thread->process.index)->pid);
	if (key->part) {
		CLEANUP_TEXT char *part =
			choice_name(profile, (struct dimension_id){ key->part });

		label_text(pprof, message, "dimension", part);
	}
	object_put(pprof, message, (struct object_id){ key->object });
}

static void places_put(struct pprof *pprof, struct text *message, struct stack_id stack,
		       uint64_t *cause_locations)
{
	const char *cause = choice_cause(&pprof->columns.rows[0].choice, stack);
	enum stack_status status = profile_stack_at(pprof->profile, stack.index).status;
	uint64_t *locations = NULL;
	size_t count = 0, room = 0;

	for (; stack.index; stack = profile_stack_at(pprof->profile, stack.index).parent) {
		struct frame_id frame = profile_stack_at(pprof->profile, stack.index).frame;

		grow(locations, count, room);
		if (frame.index)
			locations[count++] = pprof_location(pprof, frame);
	}
	if (cause && !cause_locations[status])
		cause_locations[status] = pprof_location_named(pprof, cause);
	grow(locations, count, room);
	if (cause)
		locations[count++] = cause_locations[status];
	protobuf_numbers(message, SAMPLE_LOCATION_ID, locations, count);
	free(locations);
}

static void sample_write(struct pprof *pprof, struct text *to, const struct sample_key *key,
			 const uint64_t *values, uint64_t *cause_locations)
{
	struct text message = TEXT(PPROF_MESSAGE_LIMIT);

	places_put(pprof, &message, (struct stack_id){ key->stack }, cause_locations);
	protobuf_numbers(&message, SAMPLE_VALUE, values, pprof->columns.count);
	labels_put(pprof, &message, key);
	protobuf_message(to, PROFILE_SAMPLE, &message);
	text_done(&message);
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
 * most samples. */
static uint32_t heaviest_process(const struct pprof *pprof, const struct samples *samples)
{
	const struct profile *profile = pprof->profile;
	uint64_t *weights = xcalloc(profile_process_count(profile), sizeof(*weights));
	uint32_t best = 0;

	for (size_t i = 0; i < samples->count; i++) {
		uint32_t process =
			profile_thread_at(profile, samples->keys[i].thread)->process.index;
		uint64_t value =
			samples->values[(i + 1) * pprof->columns.count - 1];

		weights[process] += value / 2;           /* the order is what matters */
		if (weights[process] > weights[best])
			best = process;
	}
	free(weights);
	return best;
}

/* The first frame of a stack that lies in a file of that path; none where no frame does. */
static struct frame_id frame_of_path(const struct profile *profile, struct stack_id stack,
				     struct string_id path)
{
	struct frame_id found = { 0 };

	for (; stack.index; stack = profile_stack_at(profile, stack.index).parent) {
		struct frame_id frame = profile_stack_at(profile, stack.index).frame;
		struct file_id file = profile_frame_at(profile, frame.index)->file;

		if (string_is(profile_file_at(profile, file.index)->path, path))
			found = frame;
	}
	return found;
}

static void main_binary_first(struct pprof *pprof, const struct samples *samples)
{
	const struct profile *profile = pprof->profile;
	struct string_id path =
		profile_process_at(profile, heaviest_process(pprof, samples))->executable;

	for (size_t i = 0; path.index && i < samples->count; i++) {
		struct frame_id frame = frame_of_path(
			profile, (struct stack_id){ samples->keys[i].stack }, path);

		if (!frame.index)
			continue;
		(void)pprof_location(pprof, frame);
		return;
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

	samples_gather(&pprof->columns, &samples);
	pprof_head_write(pprof, to);
	pprof_mappings_of_one(pprof);
	main_binary_first(pprof, &samples);
	for (size_t i = 0; i < samples.count; i++)
		sample_write(pprof, to, &samples.keys[i], &samples.values[i * pprof->columns.count],
			     cause_locations);
	pprof_mappings_write(pprof, to);
	text_append(to, text_string(&pprof->locations), pprof->locations.size);
	text_append(to, text_string(&pprof->functions), pprof->functions.size);
	strings_write(pprof, to);
	samples_done(&samples);
}

int pprof_write(const struct profile *profile, const struct format_options *options,
		struct output *to, struct error *err)
{
	struct text bytes = TEXT(PPROF_TABLE_LIMIT);
	struct pprof pprof = { .profile = profile };
	int r = columns_make(&pprof.columns, profile, options, err);

	if (r < 0)
		return r;
	pprof_tables_init(&pprof);
	profile_put(&pprof, &bytes);
	if (bytes.cut || pprof.locations.cut || pprof.functions.cut)
		r = fail(err, FAILURE_WORK, -EFBIG, "the profile is too large for pprof");
	else
		r = gzip_write(to, &bytes, err);
	pprof_tables_done(&pprof);
	columns_done(&pprof.columns);
	text_done(&bytes);
	return r;
}
