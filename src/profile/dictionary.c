/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Filling the dictionaries. A row that is already there gives its id; keys are copied into structs
 * without padding, because maps compare bytes.
 */
#include "base/intern.h"
#include "base/map.h"
#include "base/memory.h"
#include "base/pages.h"
#include "base/row_index.h"
#include "profile/storage.h"

#include <assert.h>
#include <string.h>

bool profile_has_room(struct profile *profile, size_t count, size_t limit)
{
	assert(!profile->frozen);
	if (count < limit)
		return true;
	profile_count_limit(profile);
	return false;
}

struct string_id profile_string_size(struct profile *profile, const char *text, size_t size)
{
	if (!text || !size)
		return (struct string_id){ 0 };
	if (intern_count(profile->strings) >= PROFILE_STRING_LIMIT) {
		if (!profile->frozen)
			profile_count_limit(profile);
		return (struct string_id){ 0 };
	}
	return (struct string_id){ intern_put_size(profile->strings, text, size) };
}

struct string_id profile_string(struct profile *profile, const char *text)
{
	return profile_string_size(profile, text, text ? strlen(text) : 0);
}

/* The row for a key in a deduplicating table: adds it where it is new and there is room; 0 where
 * there is none. */
#define add_once(profile, noun, key, row, limit) \
	({ \
		uint32_t *known = map_find((profile)->noun##_ids, (key)), id = known ? *known : 0; \
		if (!known && profile_has_room((profile), (profile)->noun##_count, (limit))) { \
			id = append((profile), noun, (row)); \
			*map_put((profile)->noun##_ids, (key), NULL) = id; \
		} \
		id; \
	})

/* The same in a table with an index. */
#define add_indexed(profile, noun, key, row, limit) \
	({ \
		uint32_t id = row_index_find((profile)->noun##_index, (profile)->noun##_rows, (key)); \
		if (id == ROW_NONE) \
			id = 0; \
		if (!id && profile_has_room((profile), (profile)->noun##_count, (limit))) { \
			id = append((profile), noun, (row)); \
			row_index_add((profile)->noun##_index, (profile)->noun##_rows, id); \
		} \
		id; \
	})

static uint32_t dimension_search(const struct profile *profile, uint32_t name, uint32_t unit,
				 uint32_t parent)
{
	for (size_t i = 1; i < profile->dimension_count; i++) {
		const struct dimension *row = &profile->dimension_rows[i];

		if (row->name.index == name && row->unit.index == unit &&
		    row->parent.index == parent)
			return (uint32_t)i;
	}
	return 0;
}

static struct dimension_id dimension_put(struct profile *profile, const struct dimension_row *row,
					 struct dimension_id parent)
{
	struct dimension dimension = { .name = profile_string(profile, row->name),
				       .unit = profile_string(profile, row->unit),
				       .meaning = profile_string(profile, row->meaning),
				       .parent = parent,
				       .kind = row->kind };
	uint32_t id = dimension_search(profile, dimension.name.index, dimension.unit.index,
				       parent.index);

	if (!id && profile_has_room(profile, profile->dimension_count, PROFILE_DIMENSION_LIMIT))
		id = append(profile, dimension, dimension);
	return (struct dimension_id){ id };
}

/* A part brings its state along, so that no part is ever without one. */
static struct dimension_id dimension_parent(struct profile *profile,
					    const struct dimension_row *row)
{
	const struct dimension_row *state = dimension_row_find(NULL, row->parent);
	struct dimension_row made = { .name = row->parent, .unit = row->unit, .kind = row->kind };

	if (state && (state->kind == DIMENSION_AMOUNT || !strcmp(state->unit, row->unit)))
		made = *state;                          /* an amount's details have units of their own */
	return dimension_put(profile, &made, (struct dimension_id){ 0 });
}

struct dimension_id profile_dimension(struct profile *profile, const struct dimension_row *row)
{
	struct dimension_id parent = { 0 };

	if (row->parent && *row->parent) {
		parent = dimension_parent(profile, row);
		if (!parent.index)
			return parent;
	}
	return dimension_put(profile, row, parent);
}

struct measure_id profile_measure(struct profile *profile, struct measure measure)
{
	assert(measure.dimension.index < profile->dimension_count);
	for (size_t i = 1; i < profile->measure_count; i++) {
		const struct measure *row = &profile->measure_rows[i];

		if (dimension_is(row->dimension, measure.dimension) && row->role == measure.role &&
		    row->weighting == measure.weighting && string_is(row->source, measure.source) &&
		    row->period == measure.period)
			return (struct measure_id){ (uint32_t)i };
	}
	if (!profile_has_room(profile, profile->measure_count, PROFILE_MEASURE_LIMIT))
		return (struct measure_id){ 0 };
	return (struct measure_id){ append(profile, measure, measure) };
}

struct slice_id profile_slice(struct profile *profile, uint64_t start_ns, uint64_t end_ns)
{
	struct slice slice = { start_ns, end_ns };

	assert(start_ns <= end_ns);
	if (!profile_has_room(profile, profile->slice_count, PROFILE_SLICE_LIMIT))
		return (struct slice_id){ 0 };
	return (struct slice_id){ append(profile, slice, slice) };
}

struct process_id profile_process(struct profile *profile, struct process process)
{
	struct process_key key = process_key_of(&process);
	uint32_t id = row_index_find(profile->process_index, profile->process_pages, &key);

	if (id != ROW_NONE)
		return (struct process_id){ id };
	if (!profile_has_room(profile, pages_count(profile->process_pages), PROFILE_PROCESS_LIMIT))
		return (struct process_id){ 0 };
	id = pages_add(profile->process_pages, &process);
	row_index_add(profile->process_index, profile->process_pages, id);
	return (struct process_id){ id };
}

struct thread_id profile_thread(struct profile *profile, struct thread thread)
{
	assert(thread.process.index < pages_count(profile->process_pages));
	if (!profile_has_room(profile, pages_count(profile->thread_pages), PROFILE_THREAD_LIMIT))
		return (struct thread_id){ 0 };
	return (struct thread_id){ pages_add(profile->thread_pages, &thread) };
}

struct file_id profile_file(struct profile *profile, const char *path, const char *build_id)
{
	struct file file = { profile_string(profile, path), profile_string(profile, build_id) };
	uint32_t key[2] = { file.path.index, file.build_id.index };

	if (!key[0] && !key[1])
		return (struct file_id){ 0 };
	return (struct file_id){ add_once(profile, file, key, file, PROFILE_FILE_LIMIT) };
}

/* Harvesting may read the same mappings again: what already lies there in the same way is not added
 * twice. */
void profile_mapping(struct profile *profile, struct mapping mapping)
{
	const struct mapping *known;

	assert(mapping.process.index < pages_count(profile->process_pages) &&
	       mapping.file.index < profile->file_count);
	if (mapping.start >= mapping.end)
		return;
	known = profile_mapping_of(profile, mapping.process, mapping.start);
	if (known && file_is(known->file, mapping.file) && known->start == mapping.start &&
	    known->end == mapping.end && known->offset == mapping.offset)
		return;
	if (profile_has_room(profile, pages_count(profile->mapping_pages), PROFILE_MAPPING_LIMIT))
		address_space_map(profile, mapping.process, pages_add(profile->mapping_pages, &mapping));
}

struct frame_id profile_frame(struct profile *profile, struct frame frame)
{
	struct frame_key key = frame_key_of(&frame);

	assert(frame.file.index < profile->file_count);
	return (struct frame_id){ add_indexed(profile, frame, &key, frame, PROFILE_FRAME_LIMIT) };
}

struct object_id profile_object(struct profile *profile, struct object object)
{
	struct {
		uint64_t address;
		uint32_t kind, name;
	} key = { object.address, object.kind.index, object.name.index };

	return (struct object_id){ add_once(profile, object, &key, object, PROFILE_OBJECT_LIMIT) };
}

struct evidence_id profile_evidence(struct profile *profile, const struct wait_evidence *seen)
{
	struct evidence evidence = { .seen = *seen };

	assert(seen->kernel_stack.index < profile->stacks.count);
	evidence.seen.reserved = 0;
	return (struct evidence_id){ add_once(profile, evidence, &evidence.seen, evidence,
					      PROFILE_EVIDENCE_LIMIT) };
}

void profile_evidence_class(struct profile *profile, struct evidence_id id,
			    struct dimension_id class, struct string_id rule, bool ambiguous)
{
	struct evidence *evidence;

	assert(!profile->frozen && id.index < profile->evidence_count &&
	       class.index < profile->dimension_count);
	if (!id.index)
		return;
	evidence = &profile->evidence_rows[id.index];
	evidence->class = class;
	evidence->rule = rule;
	evidence->ambiguous = ambiguous;
}

struct thread *profile_thread_edit(struct profile *profile, struct thread_id id)
{
	assert(!profile->frozen && id.index);
	return pages_at(profile->thread_pages, id.index);
}

struct process *profile_process_edit(struct profile *profile, struct process_id id)
{
	assert(!profile->frozen && id.index);
	return pages_at(profile->process_pages, id.index);
}

void profile_forget_ended(struct profile *profile)
{
	profile->forgets = true;
}

void profile_thread_ended(struct profile *profile, struct thread_id id)
{
	if (profile->forgets && id.index)
		(void)pages_end(profile->thread_pages, id.index);
}

void profile_process_ended(struct profile *profile, struct process_id id)
{
	if (!profile->forgets || !id.index || pages_is_over(profile->process_pages, id.index))
		return;
	profile_process_unmapped(profile, id);
	row_index_remove(profile->process_index, profile->process_pages, id.index);
	if (pages_end(profile->process_pages, id.index))
		mappings_forget(profile);
}

struct slice *profile_slice_edit(struct profile *profile, struct slice_id id)
{
	assert(!profile->frozen && id.index && id.index < profile->slice_count);
	return &profile->slice_rows[id.index];
}
