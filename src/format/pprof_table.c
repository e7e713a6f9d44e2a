/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Frames as pprof's locations. Each carries its names, so that a reader needs no binary, and an
 * address in a mapping with its build id, so that a reader can still find names that we did not.
 *
 * Addresses are those of the first process that had the file mapped. Where no mapping is known, an
 * address is the offset in the file, under a mapping that starts at 0 and is made up to say so.
 */
#include "format/pprof.h"

#include "base/intern.h"
#include "base/map.h"
#include "base/memory.h"
#include "format/choice.h"
#include "format/protobuf.h"
#include "format/utf8_text.h"
#include "profile/profile.h"

#include <stdlib.h>
#include <string.h>

enum { PAGE_MASK = 4095, NAME_LIMIT = 4096 };

static int mapping_order_compare(const void *left, const void *right, void *profile)
{
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
	uint32_t a_file = profile_mapping_at(profile, a)->file.index;
	uint32_t b_file = profile_mapping_at(profile, b)->file.index;

	if (a_file != b_file)
		return a_file < b_file ? -1 : 1;
	return a < b ? -1 : a > b;
}

void pprof_tables_init(struct pprof *pprof)
{
	const struct profile *profile = pprof->profile;
	size_t count = profile_mapping_count(profile);

	pprof->strings = intern_new();
	pprof->functions = pprof->locations = TEXT(PPROF_TABLE_LIMIT);
	pprof->function_ids = map_new(2 * sizeof(uint64_t));
	pprof->location_ids = xcalloc(profile_frame_count(profile), sizeof(*pprof->location_ids));
	pprof->mapping_order = xcalloc(count, sizeof(*pprof->mapping_order));
	for (size_t i = 0; i < count; i++)
		pprof->mapping_order[i] = (uint32_t)i;
	qsort_r(pprof->mapping_order, count, sizeof(*pprof->mapping_order), mapping_order_compare,
		(void *)profile);
}

void pprof_tables_done(struct pprof *pprof)
{
	intern_free(pprof->strings);
	text_done(&pprof->functions);
	text_done(&pprof->locations);
	map_free(pprof->function_ids);
	free(pprof->location_ids);
	free(pprof->mapping_order);
	free(pprof->mappings);
}

uint64_t pprof_string(struct pprof *pprof, const char *text)
{
	CLEANUP_TEXT char *clean = utf8_cleaned(text);   /* strict readers refuse a file for one byte that is none */

	return intern_put(pprof->strings, clean ? clean : text);
}

/* --- Mappings --------------------------------------------------------------------------------- */

/* The first process' mapping that holds an offset of a file; NULL where none is known. */
static const struct mapping *mapping_known(const struct pprof *pprof, const struct frame *frame)
{
	const struct profile *profile = pprof->profile;
	size_t low = 0, high = profile_mapping_count(profile);

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (profile_mapping_at(profile, pprof->mapping_order[middle])->file.index <
		    frame->file.index)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < profile_mapping_count(profile); low++) {
		const struct mapping *row = profile_mapping_at(profile, pprof->mapping_order[low]);

		if (!file_is(row->file, frame->file))
			return NULL;
		if (frame->offset >= row->offset &&
		    frame->offset - row->offset < row->end - row->start)
			return row;
	}
	return NULL;
}

static size_t mapping_put(struct pprof *pprof, struct pprof_mapping mapping)
{
	for (size_t i = 0; i < pprof->mapping_count; i++) {
		struct pprof_mapping *known = &pprof->mappings[i];

		if (known->file == mapping.file && known->start == mapping.start &&
		    known->offset == mapping.offset) {
			if (known->limit < mapping.limit)
				known->limit = mapping.limit;
			return i;
		}
	}
	grow(pprof->mappings, pprof->mapping_count, pprof->mapping_room);
	pprof->mappings[pprof->mapping_count] = mapping;
	return pprof->mapping_count++;
}

void pprof_mappings_of_one(struct pprof *pprof)
{
	const struct profile *profile = pprof->profile;
	struct string_id main_path;
	bool main_first = true;

	if (profile_process_count(profile) != 2)
		return;
	main_path = profile_process_at(profile, 1)->executable;
	for (int round = 0; round < 2; round++, main_first = false)
		for (size_t i = 0; i < profile_mapping_count(profile); i++) {
			const struct mapping *row = profile_mapping_at(profile, i);
			struct string_id path = profile_file_at(profile, row->file.index)->path;

			if (string_is(path, main_path) == main_first)
				(void)mapping_put(pprof, (struct pprof_mapping){
								 .file = row->file.index,
								 .start = row->start,
								 .limit = row->end,
								 .offset = row->offset });
		}
}

static uint64_t page_end(uint64_t offset)
{
	return (offset | PAGE_MASK) == UINT64_MAX ? UINT64_MAX : (offset | PAGE_MASK) + 1;
}

/* A return address lies behind its call; pprof looks an address up as it is. */
static uint64_t inside_call(const struct frame *frame, uint64_t address)
{
	bool behind = frame->method == METHOD_FRAME_POINTER || frame->method == METHOD_CFI ||
		      frame->method == METHOD_GENERATED || frame->method == METHOD_GUESS;

	return address - (behind && frame->offset);
}

/* The mapping of a frame, by number from 1, and the frame's address in it; 0 for a frame without a
 * file. A name without an offset is at no address, whatever its file. */
static size_t frame_mapping(struct pprof *pprof, const struct frame *frame, uint64_t *ret_address)
{
	const struct mapping *row = mapping_known(pprof, frame);
	struct pprof_mapping mapping = { .file = frame->file.index };

	*ret_address = inside_call(frame, frame->offset);
	if (!frame->file.index)
		return 0;
	if (row) {
		mapping.start = row->start;
		mapping.limit = row->end;
		mapping.offset = row->offset;
		*ret_address += row->start - row->offset;
	} else {
		mapping.limit = page_end(frame->offset);
	}
	if (!frame->offset && frame->name.index)
		*ret_address = 0;
	return 1 + mapping_put(pprof, mapping);
}

void pprof_mappings_write(struct pprof *pprof, struct text *to)
{
	const struct profile *profile = pprof->profile;

	for (size_t i = 0; i < pprof->mapping_count; i++) {
		const struct pprof_mapping *mapping = &pprof->mappings[i];
		const struct file *file = profile_file_at(profile, mapping->file);
		struct text message = TEXT(PPROF_MESSAGE_LIMIT);

		protobuf_number(&message, MAPPING_ID, i + 1);
		protobuf_number(&message, MAPPING_MEMORY_START, mapping->start);
		protobuf_number(&message, MAPPING_MEMORY_LIMIT, mapping->limit);
		protobuf_number(&message, MAPPING_FILE_OFFSET, mapping->offset);
		protobuf_number(&message, MAPPING_FILENAME,
				pprof_string(pprof, profile_text(profile, file->path)));
		protobuf_number(&message, MAPPING_BUILD_ID,
				pprof_string(pprof, profile_text(profile, file->build_id)));
		protobuf_number(&message, MAPPING_HAS_FUNCTIONS,
				mapping->named && !mapping->bare);
		protobuf_number(&message, MAPPING_HAS_FILENAMES, mapping->files && !mapping->bare);
		protobuf_number(&message, MAPPING_HAS_LINE_NUMBERS,
				mapping->lines && !mapping->bare);
		protobuf_number(&message, MAPPING_HAS_INLINE_FRAMES,
				mapping->inlined && !mapping->bare);
		protobuf_message(to, PROFILE_MAPPING, &message);
		text_done(&message);
	}
}

/* --- Functions and locations ------------------------------------------------------------------ */

static uint64_t function_of(struct pprof *pprof, const char *name, const char *path)
{
	uint64_t key[2] = { pprof_string(pprof, name), pprof_string(pprof, path) };
	struct text message = TEXT(PPROF_MESSAGE_LIMIT);
	bool added;
	uint32_t *id = map_put(pprof->function_ids, key, &added);

	if (!added)
		return *id;
	*id = (uint32_t)++pprof->function_count;
	protobuf_number(&message, FUNCTION_ID, *id);
	protobuf_number(&message, FUNCTION_NAME, key[0]);
	protobuf_number(&message, FUNCTION_SYSTEM_NAME, key[0]);
	protobuf_number(&message, FUNCTION_FILENAME, key[1]);
	protobuf_message(&pprof->functions, PROFILE_FUNCTION, &message);
	text_done(&message);
	return *id;
}

static void line_put(struct pprof *pprof, struct text *location, const char *name, const char *path,
		     uint32_t number, uint32_t column)
{
	struct text line = TEXT(64);

	protobuf_number(&line, LINE_FUNCTION_ID, function_of(pprof, name, path));
	protobuf_number(&line, LINE_LINE, number);
	protobuf_number(&line, LINE_COLUMN, column);
	protobuf_message(location, LOCATION_LINE, &line);
	text_done(&line);
}

/* The innermost inlined call first, its callers after it: the order is pprof's as well as ours. */
static void lines_put(struct pprof *pprof, struct text *location, struct frame_id id,
		      struct pprof_mapping *mapping)
{
	const struct profile *profile = pprof->profile;
	const struct frame *frame = profile_frame_at(profile, id.index);
	char name[NAME_LIMIT];
	size_t count;
	const struct symbol *symbols = profile_frame_symbols(profile, id, &count);

	for (size_t i = 0; i < count; i++)
		line_put(pprof, location, profile_text(profile, symbols[i].name),
			 profile_text(profile, symbols[i].path), symbols[i].line, 0);
	if (!count && (frame->name.index || (!mapping && !frame->offset)))
		line_put(pprof, location, choice_frame_name(profile, id, name, sizeof(name)),
			 profile_text(profile, frame->path), frame->line, frame->column);
	if (!mapping)
		return;
	mapping->bare |= !count && !frame->name.index;
	mapping->named |= count || frame->name.index;
	mapping->inlined |= count > 1;
	mapping->files |= count ? symbols->path.index : frame->path.index;
	mapping->lines |= count ? symbols->line : frame->line;
}

uint64_t pprof_location(struct pprof *pprof, struct frame_id id)
{
	const struct frame *frame = profile_frame_at(pprof->profile, id.index);
	struct text message = TEXT(PPROF_MESSAGE_LIMIT);
	uint64_t address;
	size_t mapping;

	if (pprof->location_ids[id.index])
		return pprof->location_ids[id.index];
	mapping = frame_mapping(pprof, frame, &address);
	pprof->location_ids[id.index] = ++pprof->location_count;
	protobuf_number(&message, LOCATION_ID, pprof->location_count);
	protobuf_number(&message, LOCATION_MAPPING_ID, mapping);
	protobuf_number(&message, LOCATION_ADDRESS, address);
	lines_put(pprof, &message, id, mapping ? &pprof->mappings[mapping - 1] : NULL);
	protobuf_message(&pprof->locations, PROFILE_LOCATION, &message);
	text_done(&message);
	return pprof->location_ids[id.index];
}

uint64_t pprof_location_named(struct pprof *pprof, const char *name)
{
	struct text message = TEXT(PPROF_MESSAGE_LIMIT);

	protobuf_number(&message, LOCATION_ID, ++pprof->location_count);
	line_put(pprof, &message, name, "", 0, 0);
	protobuf_message(&pprof->locations, PROFILE_LOCATION, &message);
	text_done(&message);
	return pprof->location_count;
}
