/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Collects what the readers of raw addresses find, and puts it into a profile at the end, when the
 * map of the memory is known, for it stands last in such files.
 */
#include "format/addresses.h"

#include "base/map.h"
#include "base/memory.h"
#include "format/import.h"
#include "format/labels.h"
#include "format/places.h"
#include "format/values.h"
#include "profile/profile.h"

#include <stdlib.h>
#include <string.h>

void addresses_init(struct addresses *addresses, struct import *import)
{
	*addresses = (struct addresses){ .import = import,
					 .profile = import_profile(import),
					 .names = map_new(sizeof(uint64_t)) };
}

void addresses_done(struct addresses *addresses)
{
	free(addresses->list);
	free(addresses->samples);
	free(addresses->mappings);
	map_free(addresses->names);
	free(addresses->name_rows);
	for (size_t i = 0; i < addresses->attribute_count; i++)
		free(addresses->attributes[i]);
}

/* --- Samples ---------------------------------------------------------------------------------- */

struct address_sample *addresses_begin(struct addresses *addresses)
{
	struct address_sample sample = { .first = addresses->count, .block_bytes = -1 };

	grow(addresses->samples, addresses->sample_count, addresses->sample_room);
	addresses->samples[addresses->sample_count] = sample;
	return &addresses->samples[addresses->sample_count++];
}

void addresses_push(struct addresses *addresses, uint64_t address)
{
	grow(addresses->list, addresses->count, addresses->room);
	addresses->list[addresses->count++] = address;
	addresses->samples[addresses->sample_count - 1].count++;
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return -1;
}

bool addresses_push_text(struct addresses *addresses, const char *text, size_t size, uint64_t back)
{
	const char *end = text + size;

	while (text + 2 < end) {
		uint64_t address = 0;

		if (text[0] != '0' || text[1] != 'x' || hex_digit(text[2]) < 0) {
			text++;
			continue;
		}
		for (text += 2; text < end && hex_digit(*text) >= 0; text++) {
			if (address >> 60)
				return false;
			address = address << 4 | (uint64_t)hex_digit(*text);
		}
		addresses_push(addresses, address - back);
	}
	return true;
}

static void sample_remove(struct addresses *addresses, struct address_sample *sample, uint32_t at)
{
	uint64_t *list = &addresses->list[sample->first];

	memmove(list + at, list + at + 1, (sample->count - at - 1) * sizeof(*list));
	sample->count--;
}

void addresses_drop_second(struct addresses *addresses, size_t sample, uint64_t address)
{
	struct address_sample *row = &addresses->samples[sample];

	if (row->count > 1 && addresses->list[row->first + 1] == address)
		sample_remove(addresses, row, 1);
}

void addresses_drop_duplicate_leaf(struct addresses *addresses)
{
	for (size_t i = 0; i < addresses->sample_count; i++) {
		struct address_sample *sample = &addresses->samples[i];
		const uint64_t *list = addresses->list;

		if (sample->count > 1 && list[sample->first] == list[sample->first + 1] + 1)
			sample_remove(addresses, sample, 1);
	}
}

void addresses_name(struct addresses *addresses, uint64_t address, struct address_name name)
{
	bool added;
	uint32_t *index = map_put(addresses->names, &address, &added);

	if (added) {
		*index = (uint32_t)addresses->name_count;
		grow(addresses->name_rows, addresses->name_count, addresses->name_room);
		addresses->name_count++;
	}
	addresses->name_rows[*index] = name;
}

bool addresses_has_name(const struct addresses *addresses, uint64_t address)
{
	return map_find(addresses->names, &address) != NULL;
}

/* --- Mappings: what upstream mends ------------------------------------------------------------ */

static bool text_begins(const struct addresses *addresses, struct string_id id, const char *start)
{
	return !strncmp(profile_text(addresses->profile, id), start, strlen(start));
}

static bool is_library(const char *path)
{
	const char *so = path;
	size_t size = strlen(path);

	if (size >= 3 && !strcmp(path + size - 3, ".so"))
		return true;
	while ((so = strstr(so, ".so"))) {
		so += 3;
		if ((*so == '.' || *so == '_') && so[1] >= '0' && so[1] <= '9')
			return true;
	}
	return false;
}

static bool are_adjacent(const struct address_mapping *a, const struct address_mapping *b)
{
	if (a->path.index && b->path.index && !string_is(a->path, b->path))
		return false;
	if (a->build_id.index && b->build_id.index && !string_is(a->build_id, b->build_id))
		return false;
	if (a->limit != b->start)
		return false;
	return !a->offset || !b->offset || a->offset + (a->limit - a->start) == b->offset;
}

static void mappings_join(struct addresses *addresses)
{
	size_t kept = 0;

	for (size_t i = 0; i < addresses->mapping_count; i++) {
		struct address_mapping mapping = addresses->mappings[i];
		struct address_mapping *last = kept ? &addresses->mappings[kept - 1] : NULL;

		if (!last || !are_adjacent(last, &mapping)) {
			addresses->mappings[kept++] = mapping;
			continue;
		}
		last->limit = mapping.limit;
		last->path = mapping.path.index ? mapping.path : last->path;
		last->build_id = mapping.build_id.index ? mapping.build_id : last->build_id;
	}
	addresses->mapping_count = kept;
}

static void main_first(struct addresses *addresses)
{
	for (size_t i = 0; i < addresses->mapping_count; i++) {
		struct address_mapping *mapping = &addresses->mappings[i];
		const char *path = profile_text(addresses->profile, mapping->path);
		struct address_mapping first = addresses->mappings[0];

		if (!*path || is_library(path) || *path == '[')
			continue;
		addresses->mappings[0] = *mapping;
		*mapping = first;
		return;
	}
}

static void mappings_mend(struct addresses *addresses)
{
	enum { USUAL_START = 0x400000 };
	struct address_mapping *first = addresses->mappings;

	mappings_join(addresses);
	main_first(addresses);
	if (addresses->mapping_count > 1 &&
	    text_begins(addresses, first->path, "/anon_hugepage") &&
	    first->limit == first[1].start)
		memmove(first, first + 1, --addresses->mapping_count * sizeof(*first));
	if (addresses->mapping_count && first->start - first->offset == USUAL_START) {
		first->start = USUAL_START;
		first->offset = 0;
	}
}

/* The mapping of an address. Handlers that split a mapping leave its first part out: then it is
 * made to begin where it must have begun. */
static struct address_mapping *mapping_of(struct addresses *addresses, uint64_t address)
{
	struct address_mapping *all = addresses->mappings;

	for (size_t i = 0; i < addresses->mapping_count; i++)
		if (all[i].start <= address && address < all[i].limit)
			return &all[i];
	for (size_t i = 0; i < addresses->mapping_count; i++) {
		if (!all[i].offset || address < all[i].start - all[i].offset ||
		    address >= all[i].start)
			continue;
		all[i].start -= all[i].offset;
		all[i].offset = 0;
		return &all[i];
	}
	return NULL;
}

/* --- Into a profile --------------------------------------------------------------------------- */

struct filling {
	struct addresses *addresses;
	struct places places;
	struct values values;
	struct map *place_of;                    /* by address: its place + 1 */
	uint32_t *stack;
	size_t stack_room;
	struct address_sample last;              /* where threads stand where others do, a stack comes again and again */
	struct stack_id last_stack;
};

/* Mappings are mended by the addresses that are looked up, so that all are before any is used. */
static void mappings_settle(struct addresses *addresses)
{
	CLEANUP(map) struct map *seen = map_new(sizeof(uint64_t));

	mappings_mend(addresses);
	for (size_t i = 0; addresses->mapping_count && i < addresses->count; i++) {
		bool added;

		(void)map_put(seen, &addresses->list[i], &added);
		if (added && addresses->list[i] && !addresses_has_name(addresses, addresses->list[i]))
			(void)mapping_of(addresses, addresses->list[i]);
	}
}

static void mappings_put(struct addresses *addresses, struct process_id process)
{
	struct profile *profile = addresses->profile;

	for (size_t i = 0; i < addresses->mapping_count; i++) {
		const struct address_mapping *row = &addresses->mappings[i];
		struct mapping mapping = { .process = process,
					   .start = row->start,
					   .end = row->limit,
					   .offset = row->offset };

		mapping.file = profile_file(profile, profile_text(profile, row->path),
					    profile_text(profile, row->build_id));
		profile_mapping(profile, mapping);
	}
	if (addresses->mapping_count)
		profile_process_edit(profile, process)->executable = addresses->mappings[0].path;
}

static uint32_t place_make(struct filling *filling, uint64_t address)
{
	struct addresses *addresses = filling->addresses;
	struct profile *profile = addresses->profile;
	uint32_t *name = map_find(addresses->names, &address);
	struct address_name named = name ? addresses->name_rows[*name] : (struct address_name){ 0 };
	struct place_line line = { .name = named.name, .path = named.path, .line = named.line };
	struct place_mapping mapping = { 0 };
	struct address_mapping *row;

	if (name && !named.at_address)
		return places_add(&filling->places, NULL, 0, &line, 1);
	row = mapping_of(addresses, address);
	if (row)
		mapping = (struct place_mapping){ .start = row->start,
						  .limit = row->limit,
						  .offset = row->offset };
	if (row)
		mapping.file = profile_file(profile, profile_text(profile, row->path),
					    profile_text(profile, row->build_id));
	return places_add(&filling->places, &mapping, address, &line, name != NULL);
}

static struct stack_id stack_of(struct filling *filling, const struct address_sample *sample)
{
	const uint64_t *list = filling->addresses->list;

	if (sample->count && sample->first == filling->last.first && sample->count == filling->last.count)
		return filling->last_stack;
	for (size_t i = 0; i < sample->count; i++) {
		uint64_t address = list[sample->first + i];
		bool added;
		uint32_t *place = map_put(filling->place_of, &address, &added);

		if (added)
			*place = place_make(filling, address);
		grow(filling->stack, i, filling->stack_room);
		filling->stack[i] = *place;
	}
	filling->last = *sample;
	filling->last_stack = places_stack(&filling->places, filling->stack, sample->count);
	return filling->last_stack;
}

static void sample_put(struct filling *filling, const struct address_sample *sample)
{
	struct label rows[3] = { { .key = "bytes", .number = sample->block_bytes } };
	size_t count = sample->block_bytes >= 0;
	struct import_sample one = { 0 };

	if (sample->comm.index)
		rows[count++] = (struct label){
			.key = "thread",
			.text = profile_text(filling->addresses->profile, sample->comm)
		};
	if (sample->tid)
		rows[count++] = (struct label){ .key = "tid", .number = sample->tid };
	labels_read(filling->addresses->import, rows, count, &one.thread, &one.object);
	one.stack = stack_of(filling, sample);
	values_add(&filling->values, &one, NULL, sample->numbers);
}

static void types_put(struct values *values, const struct addresses_head *head)
{
	for (size_t i = 0; i < head->type_count; i++) {
		const struct addresses_type *type = &head->types[i];
		bool of_period = head->period_type.name &&
				 !strcmp(type->name, head->period_type.name) &&
				 !strcmp(type->unit, head->period_type.unit);

		(void)values_add_type(values, &(struct import_event){
						      .name = type->name,
						      .unit = type->unit,
						      .weighting = head->weighting,
						      .source = head->source,
						      .period = of_period ? head->period : 0 });
	}
	values_start(values);
}

static void head_put(struct profile *profile, const struct addresses_head *head)
{
	if (head->period_type.name) {
		profile_set_meta(profile, "pprof.period_type", head->period_type.name);
		profile_set_meta(profile, "pprof.period_unit", head->period_type.unit);
	}
	if (head->period)
		profile_set_meta_number(profile, "pprof.period", head->period);
	if (head->duration_ns)
		profile_set_meta_number(profile, "pprof.duration_ns", head->duration_ns);
	if (head->drop_frames)
		profile_set_meta(profile, "pprof.drop_frames", head->drop_frames);
	if (head->keep_frames)
		profile_set_meta(profile, "pprof.keep_frames", head->keep_frames);
}

void addresses_into(struct addresses *addresses, const struct addresses_head *head)
{
	struct profile *profile = addresses->profile;
	struct filling filling = { .addresses = addresses };
	struct process_id process = import_process(addresses->import, 0, NULL);

	places_init(&filling.places, addresses->import);
	values_init(&filling.values, addresses->import);
	filling.place_of = map_new(sizeof(uint64_t));
	mappings_settle(addresses);
	mappings_put(addresses, process);
	head_put(profile, head);
	types_put(&filling.values, head);
	for (size_t i = 0; i < addresses->sample_count; i++)
		sample_put(&filling, &addresses->samples[i]);
	map_free(filling.place_of);
	free(filling.stack);
	places_done(&filling.places);
}
