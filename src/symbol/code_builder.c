/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ranges nest and overlap; one sweep over them in order of their start, with a stack of those still open, cuts them into
 * pieces that do not (as table.c does for functions). Lines come from many compilation units: where one ends at the
 * address at which another begins, the beginning wins.
 */
#include "symbol/code_builder.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/intern.h"
#include "base/memory.h"
#include "symbol/code_map.h"

struct range { uint64_t start, end; uint32_t scope; };
struct mark { uint64_t start; uint32_t order, path, line; bool ends; };       /* texts by their interned number */

struct code_builder {
	struct intern *texts;
	struct range *ranges;
	size_t range_count, range_room;
	struct code_scope *scopes;                   /* texts by their interned number, until packed */
	size_t scope_count, scope_room;
	struct mark *marks;
	size_t mark_count, mark_room;
	struct range *covered;
	size_t covered_count, covered_room;
	const char *last_path;                       /* paths come in runs of the same pointer */
	uint32_t last_path_number;
	bool partial;
};

struct code_builder *code_builder_new(void)
{
	struct code_builder *builder = xcalloc(1, sizeof(*builder));

	builder->texts = intern_new();
	grow(builder->scopes, builder->scope_count, builder->scope_room);
	builder->scopes[builder->scope_count++] = (struct code_scope){ 0 };
	return builder;
}

void code_builder_free(struct code_builder *builder)
{
	if (!builder)
		return;
	intern_free(builder->texts);
	free(builder->ranges);
	free(builder->scopes);
	free(builder->marks);
	free(builder->covered);
	free(builder);
}

static bool has_room(struct code_builder *builder, size_t count)
{
	if (count < CODE_TABLE_LIMIT / 2)            /* cutting makes at most two pieces of a range */
		return true;
	builder->partial = true;
	return false;
}

uint32_t code_builder_scope(struct code_builder *builder, uint32_t parent, const char *name, const char *path,
			    uint32_t line)
{
	if (!has_room(builder, builder->scope_count))
		return 0;
	grow(builder->scopes, builder->scope_count, builder->scope_room);
	builder->scopes[builder->scope_count] = (struct code_scope){
		.parent = parent, .name = intern_put(builder->texts, name), .path = intern_put(builder->texts, path), .line = line };
	return (uint32_t)builder->scope_count++;
}

void code_builder_range(struct code_builder *builder, uint64_t start, uint64_t end, uint32_t scope)
{
	if (end <= start || !scope || !has_room(builder, builder->range_count))
		return;
	grow(builder->ranges, builder->range_count, builder->range_room);
	builder->ranges[builder->range_count++] = (struct range){ start, end, scope };
}

void code_builder_line(struct code_builder *builder, uint64_t start, const char *path, uint32_t line)
{
	if (!has_room(builder, builder->mark_count))
		return;
	if (path != builder->last_path) {
		builder->last_path_number = path ? intern_put(builder->texts, path) : 0;
		builder->last_path = path;
	}
	grow(builder->marks, builder->mark_count, builder->mark_room);
	builder->marks[builder->mark_count] = (struct mark){
		.start = start, .order = (uint32_t)builder->mark_count, .path = builder->last_path_number,
		.line = path ? line : 0, .ends = !path };
	builder->mark_count++;
}

void code_builder_covered(struct code_builder *builder, uint64_t start, uint64_t end)
{
	if (end <= start || !has_room(builder, builder->covered_count))
		return;
	grow(builder->covered, builder->covered_count, builder->covered_room);
	builder->covered[builder->covered_count++] = (struct range){ .start = start, .end = end };
}

void code_builder_partial(struct code_builder *builder)
{
	builder->partial = true;
}

static void add_pieces(struct code_builder *builder, const struct code_tables *tables, uint32_t first_scope)
{
	const struct code_head *head = tables->head;

	for (uint32_t i = 0; i < head->piece_count; i++) {
		uint64_t start = head->base + tables->pieces[i].start;
		uint64_t end = i + 1 < head->piece_count ? head->base + tables->pieces[i + 1].start : start + 1;

		if (tables->pieces[i].scope)
			code_builder_range(builder, start, end, first_scope + tables->pieces[i].scope);
	}
}

void code_builder_add_map(struct code_builder *builder, const struct code_map *map)
{
	const struct code_tables *tables = code_map_tables(map);
	const struct code_head *head = tables->head;
	uint32_t first_scope = (uint32_t)builder->scope_count - 1;

	if (!has_room(builder, builder->scope_count + head->scope_count))
		return;
	for (uint32_t i = 1; i < head->scope_count; i++) {
		const struct code_scope *row = &tables->scopes[i];

		(void)code_builder_scope(builder, row->parent ? first_scope + row->parent : 0, tables->texts + row->name,
					 tables->texts + row->path, row->line);
	}
	add_pieces(builder, tables, first_scope);
	for (uint32_t i = 0; i < head->line_count; i++)
		code_builder_line(builder, head->base + tables->lines[i].start,
				  tables->lines[i].path ? tables->texts + tables->lines[i].path : NULL, tables->lines[i].line);
	for (uint32_t i = 0; i < head->covered_count; i++)
		code_builder_covered(builder, head->base + tables->covered[i].start, head->base + tables->covered[i].end);
	builder->partial |= head->partial;
}

/* --- Packing ---------------------------------------------------------------------------------------------------- */

struct packing {
	struct code_builder *builder;
	uint64_t base;
	struct code_stretch *covered;
	struct code_piece *pieces;
	struct code_line *lines;
	size_t covered_count, piece_count, line_count;
};

static int compare_ranges(const void *left, const void *right)
{
	const struct range *a = left, *b = right;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	if (a->end != b->end)
		return a->end > b->end ? -1 : 1;
	return a->scope < b->scope ? -1 : a->scope > b->scope;
}

static int compare_marks(const void *left, const void *right)
{
	const struct mark *a = left, *b = right;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	if (a->ends != b->ends)
		return a->ends ? -1 : 1;
	return a->order < b->order ? -1 : a->order > b->order;
}

static void sort_all(struct code_builder *builder)
{
	if (builder->range_count)
		qsort(builder->ranges, builder->range_count, sizeof(*builder->ranges), compare_ranges);
	if (builder->mark_count)
		qsort(builder->marks, builder->mark_count, sizeof(*builder->marks), compare_marks);
	if (builder->covered_count)
		qsort(builder->covered, builder->covered_count, sizeof(*builder->covered), compare_ranges);
}

static uint64_t lowest(const struct code_builder *builder)
{
	uint64_t base = UINT64_MAX;

	if (builder->range_count && builder->ranges[0].start < base)
		base = builder->ranges[0].start;
	if (builder->mark_count && builder->marks[0].start < base)
		base = builder->marks[0].start;
	if (builder->covered_count && builder->covered[0].start < base)
		base = builder->covered[0].start;
	return base == UINT64_MAX ? 0 : base;
}

/* What lies further than 4 GiB from the lowest address cannot be said. */
static bool in_reach(struct packing *packing, uint64_t address)
{
	if (address - packing->base < UINT32_MAX)
		return true;
	packing->builder->partial = true;
	return false;
}

/* From `start` on it is this scope. */
static void put_piece(struct packing *packing, uint64_t start, uint32_t scope)
{
	struct code_piece *last = packing->piece_count ? &packing->pieces[packing->piece_count - 1] : NULL;
	uint32_t at = (uint32_t)(start - packing->base);

	if (last && last->start == at) {
		last->scope = scope;
		return;
	}
	if (last ? last->scope == scope : !scope)
		return;
	packing->pieces[packing->piece_count++] = (struct code_piece){ at, scope };
}

/* Ends what ends at or before `address`; what lies below it goes on from there. */
static size_t close_until(struct packing *packing, const struct range **open, size_t depth, uint64_t address)
{
	while (depth && open[depth - 1]->end <= address) {
		uint64_t end = open[--depth]->end;

		while (depth && open[depth - 1]->end <= end)
			depth--;
		if (in_reach(packing, end))
			put_piece(packing, end, depth ? open[depth - 1]->scope : 0);
	}
	return depth;
}

static void pack_ranges(struct packing *packing)
{
	const struct code_builder *builder = packing->builder;
	const struct range **open = xcalloc(builder->range_count + 1, sizeof(*open));
	size_t depth = 0;

	packing->pieces = xcalloc(2 * builder->range_count + 1, sizeof(*packing->pieces));
	for (size_t i = 0; i < builder->range_count && in_reach(packing, builder->ranges[i].start); i++) {
		depth = close_until(packing, open, depth, builder->ranges[i].start);
		open[depth++] = &builder->ranges[i];
		put_piece(packing, builder->ranges[i].start, builder->ranges[i].scope);
	}
	(void)close_until(packing, open, depth, UINT64_MAX);
	free(open);
}

static void pack_marks(struct packing *packing)
{
	const struct code_builder *builder = packing->builder;

	packing->lines = xcalloc(builder->mark_count + 1, sizeof(*packing->lines));
	for (size_t i = 0; i < builder->mark_count && in_reach(packing, builder->marks[i].start); i++) {
		const struct mark *mark = &builder->marks[i];
		struct code_line *last = packing->line_count ? &packing->lines[packing->line_count - 1] : NULL;
		struct code_line row = { (uint32_t)(mark->start - packing->base), mark->path, mark->line };

		if (last && last->start == row.start)
			*last = row;
		else if (!last || last->path != row.path || last->line != row.line)
			packing->lines[packing->line_count++] = row;
	}
}

static void pack_covered(struct packing *packing)
{
	const struct code_builder *builder = packing->builder;

	packing->covered = xcalloc(builder->covered_count + 1, sizeof(*packing->covered));
	for (size_t i = 0; i < builder->covered_count && in_reach(packing, builder->covered[i].end); i++) {
		uint32_t start = (uint32_t)(builder->covered[i].start - packing->base);
		uint32_t end = (uint32_t)(builder->covered[i].end - packing->base);
		struct code_stretch *last = packing->covered_count ? &packing->covered[packing->covered_count - 1] : NULL;

		if (last && start <= last->end)
			last->end = end > last->end ? end : last->end;
		else
			packing->covered[packing->covered_count++] = (struct code_stretch){ start, end };
	}
}

/* Where each interned text begins in the block; those beyond the limit become the empty one. */
static uint32_t *place_texts(struct code_builder *builder, uint32_t *ret_bytes)
{
	size_t count = intern_count(builder->texts);
	uint32_t *places = xcalloc(count, sizeof(*places)), at = 1;

	for (uint32_t i = 1; i < count; i++) {
		size_t size = strlen(intern_text(builder->texts, i)) + 1;

		if (size > CODE_TEXT_LIMIT - at) {
			builder->partial = true;
			continue;
		}
		places[i] = at;
		at += (uint32_t)size;
	}
	*ret_bytes = at;
	return places;
}

static char *put(char *at, const void *rows, size_t size)
{
	if (size)
		memcpy(at, rows, size);
	return at + size;
}

static void *join(struct packing *packing, size_t *ret_size)
{
	struct code_builder *builder = packing->builder;
	struct code_head head = { .base = packing->base, .covered_count = (uint32_t)packing->covered_count,
				  .piece_count = (uint32_t)packing->piece_count, .scope_count = (uint32_t)builder->scope_count,
				  .line_count = (uint32_t)packing->line_count };
	uint32_t *places = place_texts(builder, &head.text_bytes);
	size_t size = sizeof(head) + packing->covered_count * sizeof(*packing->covered) +
		      packing->piece_count * sizeof(*packing->pieces) + builder->scope_count * sizeof(*builder->scopes) +
		      packing->line_count * sizeof(*packing->lines) + head.text_bytes;
	char *bytes = xcalloc(1, size), *at = bytes;

	memcpy(head.magic, code_magic, sizeof(head.magic));
	head.partial = builder->partial;
	for (size_t i = 0; i < builder->scope_count; i++) {
		builder->scopes[i].name = places[builder->scopes[i].name];
		builder->scopes[i].path = places[builder->scopes[i].path];
	}
	for (size_t i = 0; i < packing->line_count; i++)
		packing->lines[i].path = places[packing->lines[i].path];
	at = put(at, &head, sizeof(head));
	at = put(at, packing->covered, packing->covered_count * sizeof(*packing->covered));
	at = put(at, packing->pieces, packing->piece_count * sizeof(*packing->pieces));
	at = put(at, builder->scopes, builder->scope_count * sizeof(*builder->scopes));
	at = put(at, packing->lines, packing->line_count * sizeof(*packing->lines));
	for (uint32_t i = 1; i < intern_count(builder->texts); i++)
		if (places[i])
			(void)put(at + places[i], intern_text(builder->texts, i), strlen(intern_text(builder->texts, i)));
	free(places);
	*ret_size = size;
	return bytes;
}

void *code_builder_pack(struct code_builder *builder, size_t *ret_size)
{
	struct packing packing = { .builder = builder };
	void *bytes;

	sort_all(builder);
	packing.base = lowest(builder);
	pack_ranges(&packing);
	pack_marks(&packing);
	pack_covered(&packing);
	bytes = join(&packing, ret_size);
	free(packing.pieces);
	free(packing.lines);
	free(packing.covered);
	return bytes;
}
