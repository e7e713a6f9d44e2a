/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes a profile as OTLP profiles: a resource per process, in it a profile per dimension, and one
 * aggregated value per sample. What the schema has no field for goes into attributes "crosscut.";
 * the number of events behind a value is a profile of its own, which says whose events it counts.
 *
 * The schema of 1.8 and later is one (a stack table, one type per profile); that of 1.7 is written
 * for receivers that were built before. Which it is stands in the scope's attributes, since the
 * package name does not tell.
 */
#include "base/cleanup.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/output.h"
#include "format/content.h"
#include "format/columns.h"
#include "format/format.h"
#include "format/labels.h"
#include "format/otlp.h"
#include "format/otlp_fields.h"
#include "format/otlp_writer.h"
#include "format/protobuf.h"
#include "profile/profile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLE_ATTRIBUTES = LABELS_LIMIT + 8, TEMPORALITY_DELTA = 1 };

struct file_write {
	struct otlp_writer writer;
	struct columns columns;
	struct samples samples;
	uint32_t *order;                         /* the samples by process */
	bool checked;                            /* it is known whether stacks reach their roots */
};

/* --- Samples ---------------------------------------------------------------------------------- */

struct sample_attributes {
	uint64_t indices[SAMPLE_ATTRIBUTES];
	size_t count;
	char trace_id[40], span_id[24];
};

static void attribute_add(struct sample_attributes *attributes, uint64_t index)
{
	if (attributes->count < SAMPLE_ATTRIBUTES)
		attributes->indices[attributes->count++] = index;
}

static void label_add(struct otlp_writer *writer, struct sample_attributes *attributes,
		      const struct label *label)
{
	if (label->text && !strcmp(label->key, "trace_id") && strlen(label->text) == 32)
		memcpy(attributes->trace_id, label->text, 33);
	else if (label->text && !strcmp(label->key, "span_id") && strlen(label->text) == 16)
		memcpy(attributes->span_id, label->text, 17);
	else if (label->text)
		attribute_add(attributes, otlp_text_attribute(writer, label->key, label->text));
	else
		attribute_add(attributes, otlp_number_attribute(writer, label->key, label->number,
								label->unit));
}

static void object_add(struct otlp_writer *writer, struct sample_attributes *attributes,
		       struct object_id id)
{
	const struct profile *profile = writer->profile;
	const struct object *object = profile_object_at(profile, id.index);
	const char *at = profile_text(profile, object->name);
	struct text scratch = TEXT(LABELS_TEXT_LIMIT);
	struct label label = { .key = profile_text(profile, object->kind), .text = at };

	if (labels_are(profile, id))
		while (labels_next(&at, &scratch, &label))
			label_add(writer, attributes, &label);
	else if (id.index && *at)
		label_add(writer, attributes, &label);
	text_done(&scratch);
}

/* A link wants both ids; one alone stays an attribute. */
static uint64_t link_add(struct otlp_writer *writer, struct sample_attributes *attributes)
{
	uint64_t link = otlp_link_put(writer, attributes->trace_id, attributes->span_id);

	if (!link && *attributes->trace_id)
		attribute_add(attributes,
			      otlp_text_attribute(writer, "trace_id", attributes->trace_id));
	if (!link && *attributes->span_id)
		attribute_add(attributes,
			      otlp_text_attribute(writer, "span_id", attributes->span_id));
	return link;
}

static uint64_t attributes_of(struct otlp_writer *writer, const struct sample_key *key,
			      struct sample_attributes *attributes)
{
	const struct profile *profile = writer->profile;
	const struct thread *thread = profile_thread_at(profile, key->thread);
	const char *comm = choice_comm(profile, (struct thread_id){ key->thread });

	attributes->count = 0;
	*attributes->trace_id = *attributes->span_id = '\0';
	if (*comm)
		attribute_add(attributes, otlp_text_attribute(writer, "thread.name", comm));
	if (thread->tid)
		attribute_add(attributes,
			      otlp_number_attribute(writer, "thread.id", thread->tid, NULL));
	if (key->part) {
		CLEANUP_TEXT char *part =
			choice_name(profile, (struct dimension_id){ key->part });

		attribute_add(attributes, otlp_text_attribute(writer, "crosscut.part", part));
	}
	object_add(writer, attributes, (struct object_id){ key->object });
	return link_add(writer, attributes);
}

static void sample_write_new(struct otlp_writer *writer, struct text *to,
			     const struct sample_key *key, uint64_t value)
{
	struct text message = TEXT(OTLP_MESSAGE_LIMIT);
	struct sample_attributes attributes;
	uint64_t link = attributes_of(writer, key, &attributes);

	protobuf_number(&message, OTLP_SAMPLE_STACK,
			otlp_stack(writer, (struct stack_id){ key->stack }));
	if (attributes.count)
		protobuf_numbers(&message, OTLP_SAMPLE_ATTRIBUTES, attributes.indices,
				 attributes.count);
	protobuf_number(&message, OTLP_SAMPLE_LINK, link);
	protobuf_numbers(&message, OTLP_SAMPLE_VALUES, &value, 1);
	protobuf_message(to, OTLP_SAMPLES, &message);
	text_done(&message);
}

/* Each sample has a range of the profile's list of places. */
static void sample_write_old(struct otlp_writer *writer, struct text *to, struct text *places,
			     size_t *place_count, const struct sample_key *key, uint64_t value)
{
	struct text message = TEXT(OTLP_MESSAGE_LIMIT), packed = TEXT(OTLP_MESSAGE_LIMIT);
	struct sample_attributes attributes;
	uint64_t link = attributes_of(writer, key, &attributes);
	size_t count;
	CLEANUP_TEXT uint32_t *list =
		otlp_places(writer, (struct stack_id){ key->stack }, &count);
	CLEANUP_TEXT uint64_t *wide = xcalloc(count, sizeof(*wide));

	for (size_t i = 0; i < count; i++)
		wide[i] = list[i];
	protobuf_number(&message, OTLP_OLD_SAMPLE_START, *place_count);
	protobuf_number(&message, OTLP_OLD_SAMPLE_LENGTH, count);
	protobuf_numbers(&message, OTLP_OLD_SAMPLE_VALUES, &value, 1);
	if (attributes.count)
		protobuf_numbers(&message, OTLP_OLD_SAMPLE_ATTRIBUTES, attributes.indices,
				 attributes.count);
	protobuf_number(&message, OTLP_OLD_SAMPLE_LINK, link);
	protobuf_message(to, OTLP_SAMPLES, &message);
	protobuf_numbers(&packed, OTLP_OLD_LOCATION_INDICES, wide, count);
	text_append(places, text_string(&packed), packed.size);
	*place_count += count;
	text_done(&message);
	text_done(&packed);
}

/* --- A profile -------------------------------------------------------------------------------- */

static void type_put(struct otlp_writer *writer, struct text *to, unsigned field, const char *name,
		     const char *unit)
{
	struct text message = TEXT(64);

	protobuf_number(&message, OTLP_TYPE, otlp_string(writer, name));
	protobuf_number(&message, OTLP_UNIT, otlp_string(writer, unit));
	if (writer->old)
		protobuf_number(&message, OTLP_OLD_TEMPORALITY, TEMPORALITY_DELTA);
	protobuf_message(to, field, &message);
	text_done(&message);
}

/* The measure that a column's cells mostly are of: the first that weighs. */
static const struct measure *measure_of(const struct column *column)
{
	const struct profile *profile = column->choice.profile;

	for (size_t i = 0; i < profile_cell_count(profile); i++) {
		const struct cell *cell = profile_cell_at(profile, i);

		if (choice_has(&column->choice, cell))
			return profile_measure_at(profile, cell->measure.index);
	}
	return profile_measure_at(profile, 0);
}

static const char *weighting_name(enum weighting weighting)
{
	return weighting == WEIGHTING_EXACT	  ? "exact"
	       : weighting == WEIGHTING_ESTIMATED ? "estimated"
						  : "sampled";
}

/* Whose events this column counts: the next one's, if that one has no column of its own for them. */
static const struct column *counts_whose(const struct columns *columns, size_t at)
{
	const struct column *next = at + 1 < columns->count ? &columns->rows[at + 1] : NULL;

	return columns->rows[at].events || (next && next->counted) ? next : NULL;
}

static void own_attributes(struct file_write *file, struct text *to, size_t at)
{
	struct otlp_writer *writer = &file->writer;
	const struct column *column = &file->columns.rows[at];
	const struct column *whose = counts_whose(&file->columns, at);
	const struct measure *measure = measure_of(column);
	const struct dimension *dimension = profile_dimension_at(
		writer->profile, column->choice.dimension.index);
	const char *source = profile_text(writer->profile, measure->source);
	uint64_t indices[6];
	size_t count = 0;

	indices[count++] = otlp_text_attribute(writer, "crosscut.weighting",
					       weighting_name(measure->weighting));
	if (*source)
		indices[count++] = otlp_text_attribute(writer, "crosscut.source", source);
	if (!column->events)
		indices[count++] = otlp_text_attribute(writer, "crosscut.dimension.kind",
						       dimension_kind_name(dimension->kind));
	if (file->checked)
		indices[count++] = otlp_text_attribute(writer, "crosscut.stacks", CONTENT_STACKS_CHECKED);
	if (whose)
		indices[count++] = otlp_text_attribute(writer, "crosscut.counts", whose->name);
	if (at && counts_whose(&file->columns, at - 1))
		indices[count++] = otlp_text_attribute(writer, "crosscut.counted", "true");
	protobuf_numbers(to, writer->old ? OTLP_OLD_ATTRIBUTES : OTLP_ATTRIBUTES, indices, count);
}

static uint64_t duration_ns(const struct profile *profile)
{
	size_t last = profile_slice_count(profile) - 1;
	uint64_t slices = last ? profile_slice_at(profile, last)->end_ns -
					 profile_slice_at(profile, 1)->start_ns
			       : 0;

	return profile_meta_number(profile, "pprof.duration_ns", slices);
}

static void period_put(struct file_write *file, struct text *to, size_t at)
{
	const struct column *column = &file->columns.rows[at];
	uint64_t period = column->events ? 0 : measure_of(column)->period;

	if (!period)
		return;
	type_put(&file->writer, to, file->writer.old ? OTLP_OLD_PERIOD_TYPE : OTLP_PERIOD_TYPE,
		 column->name, column->unit);
	protobuf_number(to, file->writer.old ? OTLP_OLD_PERIOD : OTLP_PERIOD, period);
}

static void times_put(struct file_write *file, struct text *to)
{
	const struct profile *profile = file->writer.profile;
	uint64_t start = profile_meta_number(profile, "capture.start_wall_ns", 0);

	if (file->writer.old) {
		protobuf_number(to, OTLP_OLD_TIME, start);
		protobuf_number(to, OTLP_OLD_DURATION, duration_ns(profile));
	} else {
		protobuf_fixed64(to, OTLP_TIME, start);
		protobuf_number(to, OTLP_DURATION, duration_ns(profile));
	}
}

static void profile_put(struct file_write *file, struct text *to, size_t at, size_t first,
			size_t last)
{
	const struct column *column = &file->columns.rows[at];
	struct text message = TEXT(OTLP_TABLE_LIMIT), places = TEXT(OTLP_TABLE_LIMIT);
	size_t place_count = 0, written = 0;

	type_put(&file->writer, &message, OTLP_SAMPLE_TYPE, column->name, column->unit);
	for (size_t i = first; i < last; i++) {
		const struct sample_key *key = &file->samples.keys[file->order[i]];
		uint64_t value =
			file->samples.values[file->order[i] * file->columns.count + at];

		if (!value)
			continue;
		written++;
		if (file->writer.old)
			sample_write_old(&file->writer, &message, &places, &place_count, key,
					 value);
		else
			sample_write_new(&file->writer, &message, key, value);
	}
	text_append(&message, text_string(&places), places.size);
	times_put(file, &message);
	period_put(file, &message, at);
	if (written) {
		own_attributes(file, &message, at);
		protobuf_message(to, SCOPE_PROFILES_PROFILES, &message);
	}
	text_done(&message);
	text_done(&places);
}

/* --- Resources -------------------------------------------------------------------------------- */

static void scope_put(const struct otlp_writer *writer, struct text *to)
{
	struct text scope = TEXT(4096);

	protobuf_string(&scope, SCOPE_NAME, "crosscut");
	protobuf_string(&scope, SCOPE_VERSION, CROSSCUT_VERSION);
	otlp_key_text(&scope, SCOPE_ATTRIBUTES, "crosscut.otlp.schema", writer->old ? "1.7" : "1.11");
	protobuf_message(to, SCOPE_PROFILES_SCOPE, &scope);
	text_done(&scope);
}

static void resource_put(const struct otlp_writer *writer, struct text *to,
			 const struct process *process)
{
	const struct profile *profile = writer->profile;
	const char *path = profile_text(profile, process->executable);
	const char *comm = profile_text(profile, process->comm), *key, *value;
	struct text resource = TEXT(OTLP_MESSAGE_LIMIT);

	if (process->pid)
		otlp_key_number(&resource, RESOURCE_ATTRIBUTES, "process.pid", process->pid);
	if (*comm)
		otlp_key_text(&resource, RESOURCE_ATTRIBUTES, "process.executable.name", comm);
	if (*path)
		otlp_key_text(&resource, RESOURCE_ATTRIBUTES, "process.executable.path", path);
	for (size_t i = 0; i < profile_meta_count(profile); i++) {
		profile_meta_at(profile, i, &key, &value);
		if (!strncmp(key, "resource.", 9) && strcmp(key + 9, "process.executable.name") != 0 &&
		    strcmp(key + 9, "process.executable.path") != 0)
			otlp_key_text(&resource, RESOURCE_ATTRIBUTES, key + 9, value);
		if (content_travels(key) || !strncmp(key, "pprof.", 6)) {
			CLEANUP_TEXT char *name = xasprintf("crosscut.%s", key);

			otlp_key_text(&resource, RESOURCE_ATTRIBUTES, name, value);
		}
	}
	protobuf_message(to, RESOURCE_PROFILES_RESOURCE, &resource);
	text_done(&resource);
}

static uint32_t process_of(const struct file_write *file, size_t at)
{
	const struct sample_key *key = &file->samples.keys[file->order[at]];

	return profile_thread_at(file->writer.profile, key->thread)->process.index;
}

/* What is counted first, then what counts it: a reader knows the one by the time of the other. */
static void profiles_put(struct file_write *file, struct text *scopes, size_t first, size_t last)
{
	for (size_t at = 0; at < file->columns.count; at++)
		if (!counts_whose(&file->columns, at))
			profile_put(file, scopes, at, first, last);
	for (size_t at = 0; at < file->columns.count; at++)
		if (counts_whose(&file->columns, at))
			profile_put(file, scopes, at, first, last);
}

static void process_put(struct file_write *file, struct text *to, size_t first, size_t last)
{
	struct text message = TEXT(OTLP_TABLE_LIMIT), scopes = TEXT(OTLP_TABLE_LIMIT);

	resource_put(&file->writer, &message,
		     profile_process_at(file->writer.profile, process_of(file, first)));
	scope_put(&file->writer, &scopes);
	profiles_put(file, &scopes, first, last);
	protobuf_message(&message, RESOURCE_PROFILES_SCOPES, &scopes);
	protobuf_message(to, DATA_RESOURCE_PROFILES, &message);
	text_done(&message);
	text_done(&scopes);
}

static int by_process(const void *left, const void *right, void *context)
{
	const struct file_write *file = context;
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
	uint32_t a_process = profile_thread_at(file->writer.profile, file->samples.keys[a].thread)
				     ->process.index;
	uint32_t b_process = profile_thread_at(file->writer.profile, file->samples.keys[b].thread)
				     ->process.index;

	if (a_process != b_process)
		return a_process < b_process ? -1 : 1;
	return a < b ? -1 : a > b;
}

static void data_put(struct file_write *file, struct text *to)
{
	size_t first = 0;

	samples_gather(&file->columns, &file->samples);
	file->order = xcalloc(file->samples.count, sizeof(*file->order));
	for (size_t i = 0; i < file->samples.count; i++)
		file->order[i] = (uint32_t)i;
	if (file->samples.count)
		qsort_r(file->order, file->samples.count, sizeof(*file->order), by_process, file);
	for (size_t last = 1; last <= file->samples.count; last++) {
		if (last < file->samples.count && process_of(file, last) == process_of(file, first))
			continue;
		process_put(file, to, first, last);
		first = last;
	}
	otlp_dictionary_write(&file->writer, to);
}

/* "1.7" and older, or 1.8 and newer, which are alike. */
static int schema_of(const struct format_options *options, bool *ret_old, struct error *err)
{
	const char *schema = options && options->schema ? options->schema : "1.11";
	char *end;
	unsigned long minor = !strncmp(schema, "1.", 2) ? strtoul(schema + 2, &end, 10) : 0;

	if (minor < 7 || minor > 11 || (*end && *end != '.')) {
		fail(err, FAILURE_USAGE, -EINVAL, "no schema '%.32s' of OTLP profiles", schema);
		error_because(err, "1.7 and 1.8 to 1.11 can be written");
		return error_try(err, "--schema 1.11");
	}
	*ret_old = minor == 7;
	return 0;
}

/* A value of 0 is no sample of a profile here, and a file of nothing else cannot be read. */
static int weighs_check(const struct file_write *file, struct error *err)
{
	for (size_t i = 0; i < file->samples.count * file->columns.count; i++)
		if (file->samples.values[i])
			return 0;
	fail(err, FAILURE_WORK, -ENODATA, "there is nothing to write");
	error_because(err, "no dimension of this profile weighs anything");
	return error_try(err, "crosscut report, which says what the file holds");
}

int otlp_write(const struct profile *profile, const struct format_options *options,
	       struct output *to, struct error *err)
{
	struct text bytes = TEXT(OTLP_TABLE_LIMIT);
	struct file_write file = { 0 };
	bool old = false;
	int r = schema_of(options, &old, err);

	if (r >= 0)
		r = columns_make(&file.columns, profile, options, err);
	if (r < 0)
		return r;
	otlp_writer_init(&file.writer, profile, old);
	file.checked = content_stacks_checked(profile);
	data_put(&file, &bytes);
	r = weighs_check(&file, err);
	if (r >= 0 && bytes.cut)
		r = fail(err, FAILURE_WORK, -EFBIG, "the profile is too large for OTLP");
	else if (r >= 0)
		output_write(to, text_string(&bytes), bytes.size);
	otlp_writer_done(&file.writer);
	samples_done(&file.samples);
	columns_done(&file.columns);
	free(file.order);
	text_done(&bytes);
	return r;
}
