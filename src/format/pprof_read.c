/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads a pprof file: the head and the samples; pprof_read_table.c reads what samples refer to.
 *
 * Each sample type becomes a dimension of its own. What pprof says and a profile has no place for
 * is kept as provenance under "pprof.", so that it can be written again. drop_frames is kept there
 * and not applied: what to leave out of a picture is for --ignore to say. A file whose references
 * lead nowhere is refused, as upstream does, for then its weights would lie on the wrong stacks.
 */
#include "format/content.h"
#include "format/pprof_read.h"

#include "base/memory.h"
#include "format/format.h"
#include "format/import.h"
#include "format/input.h"
#include "format/pprof_fields.h"
#include "format/pprof_reader.h"
#include "profile/profile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const struct format pprof_format;

enum { COMMENTS_LIMIT = 256 };

/* --- The head --------------------------------------------------------------------------------- */

static bool value_type_read(struct pprof_reader *reader, struct protobuf message, uint64_t *type,
			    uint64_t *unit)
{
	struct protobuf_field field;

	*type = *unit = 0;
	while (protobuf_next(&message, &field)) {
		if (field.number == VALUE_TYPE_TYPE)
			*type = field.value;
		else if (field.number == VALUE_TYPE_UNIT)
			*unit = field.value;
	}
	return pprof_message_whole(reader, &message);
}

static bool period_read(struct pprof_reader *reader)
{
	struct protobuf file = { reader->bytes, reader->bytes + reader->size, false };
	struct protobuf_field field;

	while (protobuf_next(&file, &field))
		if (field.number == PROFILE_PERIOD_TYPE && protobuf_is_bytes(&field) &&
		    !value_type_read(reader, protobuf_nested(&field), &reader->period.type,
				     &reader->period.unit))
			return false;
	return true;
}

static size_t comments_list(struct pprof_reader *reader, uint64_t ret[COMMENTS_LIMIT])
{
	struct protobuf file = { reader->bytes, reader->bytes + reader->size, false };
	struct protobuf_field field;
	size_t kept = 0;
	bool broken = false;

	while (kept < COMMENTS_LIMIT && protobuf_next(&file, &field)) {
		size_t count = field.number == PROFILE_COMMENT ? protobuf_varints(&field, ret + kept, COMMENTS_LIMIT - kept, &broken) : 0;

		kept += count < COMMENTS_LIMIT - kept ? count : COMMENTS_LIMIT - kept;
	}
	return kept;
}

/* What comments say is believed where the first one is our mark: anybody may write the same words. */
static bool is_ours(struct pprof_reader *reader)
{
	uint64_t numbers[COMMENTS_LIMIT];

	return comments_list(reader, numbers) &&
	       !strncmp(pprof_chars(reader, numbers[0]), PPROF_MARK, strlen(PPROF_MARK));
}

/* "heap in bytes: exact; source heaptrack" is our writer's, with the period of what is sampled. False: there is none. */
static bool weighting_told(struct pprof_reader *reader, const char *type, const char *unit, struct import_event *ret)
{
	static const char *const words[] = { [WEIGHTING_EXACT] = "exact;", [WEIGHTING_SAMPLED] = "sampled, ", [WEIGHTING_ESTIMATED] = "estimated;" };
	CLEANUP_TEXT char *head = xasprintf("%s in %s: ", type, unit);
	uint64_t numbers[COMMENTS_LIMIT];
	size_t count = reader->ours ? comments_list(reader, numbers) : 0, length = strlen(head);

	for (size_t i = 0; i < count; i++) {
		const char *comment = pprof_chars(reader, numbers[i]), *period = strstr(comment, WEIGHTING_PERIOD);

		for (size_t word = WEIGHTING_EXACT; word < ARRAY_LENGTH(words) && !strncmp(comment, head, length); word++) {
			if (strncmp(comment + length, words[word], strlen(words[word])) != 0)
				continue;
			ret->weighting = (enum weighting)word;
			ret->period = period ? strtoull(period + strlen(WEIGHTING_PERIOD), NULL, 10) : 0;
			return true;
		}
	}
	return false;
}

/* One sample in so many bytes: the producer has multiplied what it saw, which is an estimate. */
static enum weighting weighting_of(struct pprof_reader *reader)
{
	if (!strcmp(pprof_chars(reader, reader->period.unit), "bytes") && reader->period.period > 1)
		return WEIGHTING_ESTIMATED;
	return reader->period.period == 1 ? WEIGHTING_EXACT : WEIGHTING_SAMPLED;
}

static bool sample_type_read(struct pprof_reader *reader, struct protobuf message)
{
	struct import_event event = { .source = "pprof" };
	const unsigned char *at = message.at;
	uint64_t type, unit;
	bool of_period;

	if (!value_type_read(reader, message, &type, &unit))
		return false;
	of_period = pprof_text(reader, type).index ==
			    pprof_text(reader, reader->period.type).index &&
		    pprof_text(reader, unit).index == pprof_text(reader, reader->period.unit).index;
	event.name = pprof_chars(reader, type);
	event.unit = pprof_chars(reader, unit);
	if (!weighting_told(reader, event.name, event.unit, &event)) {
		event.weighting = weighting_of(reader);
		event.period = of_period ? reader->period.period : 0;
	}
	return values_add_type(&reader->values, &event) ||
	       pprof_damaged(reader, at, "it declares more than 64 types of values");
}

static void meta_text(struct pprof_reader *reader, const char *key, const char *text)
{
	if (*text)
		profile_set_meta(reader->profile, key, text);
}

/* "label.build=b17" is our writer's. */
static void comment_keep(struct pprof_reader *reader, const char *comment, size_t *kept)
{
	const char *equals = strchr(comment, '=');
	char key[64];

	if (reader->ours && equals && (size_t)(equals - comment) < sizeof(key) && content_travels(comment)) {
		(void)snprintf(key, sizeof(key), "%.*s", (int)(equals - comment), comment);
		meta_text(reader, key, equals + 1);
		return;
	}
	if (reader->ours && !strcmp(comment, PPROF_STACKS CONTENT_STACKS_CHECKED))
		places_checked(&reader->places, true);
	(void)snprintf(key, sizeof(key), "pprof.comment.%zu", (*kept)++);
	meta_text(reader, key, comment);
}

static void comments_keep(struct pprof_reader *reader)
{
	uint64_t numbers[COMMENTS_LIMIT];
	size_t count = comments_list(reader, numbers), kept = 0;

	for (size_t i = 0; i < count; i++)
		comment_keep(reader, pprof_chars(reader, numbers[i]), &kept);
}

static void provenance_keep(struct pprof_reader *reader)
{
	struct profile *profile = reader->profile;

	if (reader->time_ns)
		profile_set_meta_number(profile, "capture.start_wall_ns", reader->time_ns);
	if (reader->duration_ns)
		profile_set_meta_number(profile, "pprof.duration_ns", reader->duration_ns);
	if (reader->period.period)
		profile_set_meta_number(profile, "pprof.period", reader->period.period);
	meta_text(reader, "pprof.period_type", pprof_chars(reader, reader->period.type));
	meta_text(reader, "pprof.period_unit", pprof_chars(reader, reader->period.unit));
	meta_text(reader, "pprof.default_sample_type", pprof_chars(reader, reader->default_type));
	meta_text(reader, "pprof.drop_frames", pprof_chars(reader, reader->drop_frames));
	meta_text(reader, "pprof.keep_frames", pprof_chars(reader, reader->keep_frames));
	meta_text(reader, "pprof.doc_url", pprof_chars(reader, reader->doc_url));
	comments_keep(reader);
}

/* --- Samples ---------------------------------------------------------------------------------- */

struct sample_read {
	size_t depth, numbers, labels;
	struct label rows[LABELS_LIMIT];
	const char *part;                        /* of a dimension, as our writer says it */
};

static bool sample_places(struct pprof_reader *reader, const struct protobuf_field *field,
			  struct sample_read *sample)
{
	struct protobuf packed = protobuf_nested(field);
	uint64_t id = field->value;
	bool single = !protobuf_is_bytes(field);

	while (single || protobuf_next_varint(&packed, &id)) {
		uint32_t place = pprof_place(reader, id, packed.at ? packed.at : reader->bytes);

		if (place == UINT32_MAX)
			return false;
		grow(reader->stack, sample->depth, reader->stack_room);
		reader->stack[sample->depth++] = place;
		if (single)
			return true;
	}
	return pprof_message_whole(reader, &packed);
}

static bool sample_numbers(struct pprof_reader *reader, const struct protobuf_field *field,
			   struct sample_read *sample)
{
	uint64_t numbers[VALUES_LIMIT];
	bool broken = false;
	size_t count = protobuf_varints(field, numbers, VALUES_LIMIT, &broken);

	if (broken || sample->numbers + count > reader->values.count)
		return pprof_damaged(reader, field->bytes ? field->bytes : reader->bytes,
				     "a sample has another number of values than there are types");
	for (size_t i = 0; i < count; i++)
		reader->numbers[sample->numbers++] = (int64_t)numbers[i];
	return true;
}

/* Our own label for a part, "disk/read", or for the whole, "disk"; of no type here it is another's. */
static bool label_is_part(struct pprof_reader *reader, const struct label *label)
{
	if (!label->text || strcmp(label->key, "dimension") != 0)
		return false;
	for (size_t i = 0; i < reader->values.count; i++) {
		const char *name = reader->values.columns[i].event.name;
		size_t size = strlen(name);

		if (!strncmp(label->text, name, size) &&
		    (label->text[size] == '/' || !label->text[size]))
			return true;
	}
	return false;
}

static bool sample_label(struct pprof_reader *reader, struct protobuf message,
			 struct sample_read *sample)
{
	uint64_t numbers[LABEL_NUM_UNIT + 1] = { 0 };
	struct protobuf_field field;
	struct label label;

	while (protobuf_next(&message, &field))
		if (field.number <= LABEL_NUM_UNIT && !protobuf_is_bytes(&field))
			numbers[field.number] = field.value;
	if (!pprof_message_whole(reader, &message))
		return false;
	label = (struct label){ .key = pprof_chars(reader, numbers[LABEL_KEY]),
				.number = (int64_t)numbers[LABEL_NUM],
				.unit = pprof_chars(reader, numbers[LABEL_NUM_UNIT]) };
	if (numbers[LABEL_STR])
		label.text = pprof_chars(reader, numbers[LABEL_STR]);
	if (label_is_part(reader, &label))
		sample->part = label.text;
	else if (sample->labels < LABELS_LIMIT)
		sample->rows[sample->labels++] = label;
	else
		import_warn(reader->import, "more than 256 labels of one sample were cut", NULL, 0);
	return !reader->damage;
}

static bool sample_field(struct pprof_reader *reader, const struct protobuf_field *field,
			 struct sample_read *sample)
{
	switch (field->number) {
	case SAMPLE_LOCATION_ID: return sample_places(reader, field, sample);
	case SAMPLE_VALUE: return sample_numbers(reader, field, sample);
	case SAMPLE_LABEL:
		return !protobuf_is_bytes(field) ||
		       sample_label(reader, protobuf_nested(field), sample);
	default: return true;
	}
}

static bool sample_read(struct pprof_reader *reader, struct protobuf message,
			struct sample_read *sample)
{
	const unsigned char *start = message.at;
	struct import_sample one = { 0 };
	struct protobuf_field field;

	sample->depth = sample->numbers = sample->labels = 0;
	sample->part = NULL;
	while (protobuf_next(&message, &field))
		if (!sample_field(reader, &field, sample))
			return false;
	if (!pprof_message_whole(reader, &message))
		return false;
	if (sample->numbers != reader->values.count)
		return pprof_damaged(reader, start,
				     "a sample has another number of values than there are types");
	labels_read(reader->import, sample->rows, sample->labels, &one.thread, &one.object);
	one.stack = places_stack(&reader->places, reader->stack, sample->depth);
	one.stackless = reader->places.count > 0;        /* where others have stacks it is one of them, with none */
	values_add(&reader->values, &one, sample->part, reader->numbers);
	return true;
}

static bool each_sample(struct pprof_reader *reader)
{
	struct protobuf file = { reader->bytes, reader->bytes + reader->size, false };
	struct sample_read *sample = xcalloc(1, sizeof(*sample));
	struct protobuf_field field;
	bool whole = true;

	while (whole && protobuf_next(&file, &field))
		if (field.number == PROFILE_SAMPLE && protobuf_is_bytes(&field))
			whole = sample_read(reader, protobuf_nested(&field), sample);
	free(sample);
	return whole;
}

static bool each_type(struct pprof_reader *reader)
{
	struct protobuf file = { reader->bytes, reader->bytes + reader->size, false };
	struct protobuf_field field;

	while (protobuf_next(&file, &field))
		if (field.number == PROFILE_SAMPLE_TYPE && protobuf_is_bytes(&field) &&
		    !sample_type_read(reader, protobuf_nested(&field)))
			return false;
	return !reader->damage;
}

/* --- The file --------------------------------------------------------------------------------- */

static bool all_read(struct pprof_reader *reader)
{
	if (!pprof_read_tables(reader) || !period_read(reader))
		return false;
	reader->ours = is_ours(reader);
	values_init(&reader->values, reader->import);
	if (!each_type(reader))
		return false;
	values_start(&reader->values);
	if (!reader->values.count && reader->sample_count)
		return pprof_damaged(reader, reader->bytes, "no type of values is declared");
	reader->numbers = xcalloc(VALUES_LIMIT, sizeof(*reader->numbers));
	if (reader->mapping_ids.count)
		profile_process_edit(reader->profile, reader->process)->executable =
			profile_file_at(reader->profile, reader->mappings[0].file.index)->path;
	provenance_keep(reader);
	return each_sample(reader) && !reader->damage;
}

int pprof_read(struct input *input, struct profile *into, struct error *err)
{
	CLEANUP(import) struct import *import = import_new(into, input, &pprof_format);
	struct pprof_reader reader = { .import = import, .profile = into };
	bool whole;
	int r = input_whole(input, INPUT_WHOLE_LIMIT, &reader.bytes, &reader.size, err);

	if (r < 0)
		return r;
	reader.process = import_process(import, 0, NULL);
	places_init(&reader.places, import);
	whole = all_read(&reader);
	pprof_reader_done(&reader);
	if (!whole)
		return import_refuse(import, err, "byte", reader.damage_at, "%s",
				     reader.damage ? reader.damage : "it is no pprof profile");
	return import_finish(import, err);
}
