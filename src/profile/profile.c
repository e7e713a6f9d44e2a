/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The life of a profile, and its flat map of meta entries. The tables are filled in dictionary.c
 * and facts.c, read in table.c, named in name.c and checked in invariant.c.
 */
#include "profile/profile.h"

#include "base/intern.h"
#include "base/map.h"
#include "base/memory.h"
#include "base/pages.h"
#include "base/row_index.h"
#include "profile/storage.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The sizes of the keys that dictionary.c and facts.c look rows up by. */
enum {
	file_KEY = 8,
	object_KEY = 16,
	evidence_KEY = 32,
	completion_KEY = 24,
	loss_KEY = 8,
	own_cost_KEY = 8,
};

static void process_key(const void *rows, uint32_t row, void *ret)
{
	const struct process_key key = process_key_of(pages_at(rows, row));

	memcpy(ret, &key, sizeof(key));
}

static bool process_is_elsewhere(const void *rows, uint32_t row)
{
	return pages_is_over(rows, row);
}

static void frame_key(const void *rows, uint32_t row, void *ret)
{
	const struct frame_key key = frame_key_of((const struct frame *)rows + row);

	memcpy(ret, &key, sizeof(key));
}

static void cell_key(const void *rows, uint32_t row, void *ret)
{
	const struct cell_key key = cell_key_of((const struct cell *)rows + row);

	memcpy(ret, &key, sizeof(key));
}

/* What is read of a process or thread whose row went: of nobody, and nobody's time. */
void profile_make_pages(struct profile *profile)
{
	profile->process_pages = pages_new(sizeof(struct process), &(struct process){ 0 });
	profile->thread_pages = pages_new(sizeof(struct thread), &(struct thread){ .outside = true, .died = true });
	profile->mapping_pages = pages_new(sizeof(struct mapping), &(struct mapping){ 0 });
	(void)pages_add(profile->process_pages, &(struct process){ 0 });
	(void)pages_add(profile->thread_pages, &(struct thread){ 0 });
}

struct profile *profile_new(void)
{
	struct profile *profile = xcalloc(1, sizeof(*profile));

	profile->strings = intern_new();
	profile->space_ids = map_new(sizeof(uint32_t));
#define NEW_MAP(noun) profile->noun##_ids = map_new(noun##_KEY);
	FOR_EACH_MAP(NEW_MAP)
#undef NEW_MAP
	profile->process_index = row_index_new(&(struct row_index_options){
		.key_size = sizeof(struct process_key), .key_of = process_key,
		.is_elsewhere = process_is_elsewhere });
	profile->frame_index = row_index_new(&(struct row_index_options){
		.key_size = sizeof(struct frame_key), .key_of = frame_key });
	profile->stack_index = stacks_make(&profile->stacks);
	profile->cell_index = row_index_new(&(struct row_index_options){
		.key_size = sizeof(struct cell_key), .key_of = cell_key });
#define NONE(noun) (void)append(profile, noun, (struct noun){ 0 });
	FOR_EACH_DICTIONARY(NONE)
#undef NONE
	profile_make_pages(profile);
	return profile;
}

static void maps_free(struct profile *profile)
{
#define FREE_MAP(noun) map_free(profile->noun##_ids); profile->noun##_ids = NULL;
	FOR_EACH_MAP(FREE_MAP)
#undef FREE_MAP
	row_index_free(take(profile->process_index));
	row_index_free(take(profile->frame_index));
	row_index_free(take(profile->stack_index));
	row_index_free(take(profile->cell_index));
}

void profile_free(struct profile *profile)
{
	if (!profile)
		return;
	intern_free(profile->strings);
	maps_free(profile);
#define FREE_ROWS(noun) free(profile->noun##_rows);
	FOR_EACH_DICTIONARY(FREE_ROWS)
	FOR_EACH_LIST(FREE_ROWS)
#undef FREE_ROWS
	stacks_done(&profile->stacks);
#define FREE_PAGES(noun) pages_free(profile->noun##_pages);
	FOR_EACH_PAGED(FREE_PAGES)
#undef FREE_PAGES
	for (size_t i = 0; i < profile->meta_count; i++)
		free(profile->metas[i].value);
	for (size_t i = 0; i < profile->space_count; i++)
		free(profile->spaces[i].stretches);
	free(profile->metas);
	free(profile->spaces);
	map_free(profile->space_ids);
	free(profile->symbol_first);
	free(profile);
}

/* May come again after symbols were replaced: they are no part of what happened. */
void profile_show_symbols(struct profile *profile)
{
	symbols_index(profile);
}

void profile_freeze(struct profile *profile)
{
	symbols_index(profile);
	maps_free(profile);
	profile->frozen = true;
}

static struct meta_entry *meta_find(const struct profile *profile, const char *key)
{
	uint32_t id = intern_find(profile->strings, key);

	for (size_t i = 0; i < profile->meta_count; i++)
		if (profile->metas[i].key.index == id)
			return &profile->metas[i];
	return NULL;
}

void profile_set_meta(struct profile *profile, const char *key, const char *value)
{
	struct meta_entry *entry;

	assert(!profile->frozen);
	entry = meta_find(profile, key);
	if (entry) {
		char *copy = xstrdup(value ? value : "");

		free(entry->value);          /* after the copy: the value may be the entry's own */
		entry->value = copy;
		return;
	}
	if (!profile_has_room(profile, profile->meta_count, PROFILE_META_LIMIT))
		return;
	grow(profile->metas, profile->meta_count, profile->meta_room);
	profile->metas[profile->meta_count++] = (struct meta_entry){
		{ intern_put(profile->strings, key) }, xstrdup(value ? value : "")
	};
}

void profile_set_meta_number(struct profile *profile, const char *key, uint64_t value)
{
	char text[24];

	(void)snprintf(text, sizeof(text), "%" PRIu64, value);
	profile_set_meta(profile, key, text);
}

const char *profile_meta(const struct profile *profile, const char *key)
{
	const struct meta_entry *entry = meta_find(profile, key);

	return entry ? entry->value : NULL;
}

uint64_t profile_meta_number(const struct profile *profile, const char *key, uint64_t otherwise)
{
	const char *text = profile_meta(profile, key);
	unsigned long long value;
	char *end;

	if (!text || *text < '0' || *text > '9')
		return otherwise;
	value = strtoull(text, &end, 10);
	return *end ? otherwise : value;
}

size_t profile_meta_count(const struct profile *profile)
{
	return profile->meta_count;
}

void profile_meta_at(const struct profile *profile, size_t index, const char **ret_key,
		     const char **ret_value)
{
	assert(index < profile->meta_count);
	*ret_key = intern_text(profile->strings, profile->metas[index].key.index);
	*ret_value = profile->metas[index].value;
}

struct thread_id profile_interval_waker(const struct profile *profile, const struct interval *interval)
{
	const struct wait_evidence *seen = &profile_evidence_at(profile, interval->evidence.index)->seen;

	if (!interval->evidence.index || (seen->wake_context != WAKE_TASK && !(seen->flags & EVIDENCE_PEER_WOKE)))
		return (struct thread_id){ 0 };
	return interval->waker;
}
