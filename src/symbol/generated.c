/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stretches of generated code overlap freely: what was there before is simply written over. One sweep over the questions
 * in order of address, with a heap of the stretches that have begun, newest on top, answers each in a logarithm of time,
 * whatever a hostile file holds:
 *
 *	address  ──────────────────────▶
 *	row 1    |-----------------|           a question at the mark finds row 2, the newer one
 *	row 2             |------------|
 *	                     ^
 */
#include "symbol/generated.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "profile/profile.h"
#include "symbol/symbol.h"

struct generated_codes *generated_codes_new(void)
{
	return xcalloc(1, sizeof(struct generated_codes));
}

void generated_codes_free(struct generated_codes *codes)
{
	if (!codes)
		return;
	free(codes->rows);
	free(codes->lines);
	free(codes);
}

void generated_codes_add(struct generated_codes *codes, const struct generated_code *code)
{
	if (code->end <= code->start || !code->name_size) {
		codes->malformed++;
		return;
	}
	if (codes->count >= GENERATED_CODE_LIMIT) {
		codes->dropped++;
		return;
	}
	grow(codes->rows, codes->count, codes->room);
	codes->rows[codes->count++] = *code;
}

const struct generated_line *generated_line_of(const struct generated_codes *codes, const struct generated_code *code,
					       uint64_t address)
{
	const struct generated_line *lines = code->line_count ? &codes->lines[code->first_line] : NULL;
	size_t low = 0, high = code->line_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (lines[middle].offset <= address - code->start)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? &lines[low - 1] : NULL;
}

/* Rows by start; their place in the file says which is newer. */
struct begun { const struct generated_code *code; };

static int compare_starts(const void *left, const void *right)
{
	const struct begun *a = left, *b = right;

	if (a->code->start != b->code->start)
		return a->code->start < b->code->start ? -1 : 1;
	return a->code < b->code ? -1 : a->code > b->code;
}

struct heap { const struct generated_code **rows; size_t count; };

static void heap_sink(struct heap *heap, size_t at)
{
	for (;;) {
		size_t child = 2 * at + 1;
		const struct generated_code *row = heap->rows[at];

		if (child >= heap->count)
			return;
		if (child + 1 < heap->count && heap->rows[child + 1] > heap->rows[child])
			child++;
		if (heap->rows[child] < row)
			return;
		heap->rows[at] = heap->rows[child];
		heap->rows[child] = row;
		at = child;
	}
}

static void heap_pop(struct heap *heap)
{
	heap->rows[0] = heap->rows[--heap->count];
	heap_sink(heap, 0);
}

static void heap_push(struct heap *heap, const struct generated_code *row)
{
	size_t at = heap->count++;

	for (; at && heap->rows[(at - 1) / 2] < row; at = (at - 1) / 2)
		heap->rows[at] = heap->rows[(at - 1) / 2];
	heap->rows[at] = row;
}

static bool same_name(const struct generated_code *a, const struct generated_code *b)
{
	return a->name_size == b->name_size && !memcmp(a->name, b->name, a->name_size);
}

/* Whether one of the next newest at this address bore another name while the capture ran. Only those are looked at that
 * lie right below the top of the heap, so this counts at least some and never too many. */
static bool was_used_again(const struct heap *heap, uint64_t address, uint64_t start_ns)
{
	if (heap->rows[0]->since_ns <= start_ns)
		return false;
	for (size_t i = 1; i < heap->count && i < 3; i++)
		if (heap->rows[i]->end > address && !same_name(heap->rows[i], heap->rows[0]))
			return true;
	return false;
}

static struct string_id clean_text(struct profile *profile, const char *text, size_t text_size)
{
	char clean[GENERATED_NAME_LIMIT];
	size_t size = text_size < sizeof(clean) ? text_size : sizeof(clean);

	for (size_t i = 0; i < size; i++)
		clean[i] = (unsigned char)text[i] < ' ' || text[i] == 127 ? '?' : text[i];
	return profile_string_size(profile, clean, size);
}

static void answer(struct symbol_module *module, const struct generated_codes *codes, const struct generated_code *code,
		   struct symbol_query *query)
{
	const struct generated_line *line = generated_line_of(codes, code, query->offset);

	query->name = clean_text(module->profile, code->name, code->name_size);
	if (!line)
		return;
	query->calls = xcalloc(1, sizeof(*query->calls));
	query->call_count = 1;
	query->calls[0] = (struct symbol_call){ .name = query->name, .line = line->line,
						.path = clean_text(module->profile, line->path, line->path_size) };
}

static struct begun *sort_by_start(const struct generated_codes *codes, uint64_t end_ns, size_t *ret_count)
{
	struct begun *begun = xcalloc(codes->count + 1, sizeof(*begun));
	size_t count = 0;

	for (size_t i = 0; i < codes->count; i++)
		if (!end_ns || codes->rows[i].since_ns <= end_ns)
			begun[count++].code = &codes->rows[i];
	qsort(begun, count, sizeof(*begun), compare_starts);
	*ret_count = count;
	return begun;
}

void generated_answer(struct symbol_module *module, const struct generated_codes *codes, uint64_t start_ns, uint64_t end_ns,
		      struct symbol_query *queries, size_t count)
{
	size_t begun_count = 0, next = 0;
	CLEANUP_TEXT struct begun *begun = sort_by_start(codes, end_ns, &begun_count);
	struct heap heap = { .rows = xcalloc(begun_count + 1, sizeof(struct generated_code *)) };

	for (size_t i = 0; i < count; i++) {
		uint64_t address = queries[i].offset;

		while (next < begun_count && begun[next].code->start <= address)
			heap_push(&heap, begun[next++].code);
		while (heap.count && heap.rows[0]->end <= address)
			heap_pop(&heap);
		if (!heap.count)
			continue;
		answer(module, codes, heap.rows[0], &queries[i]);
		module->statistics->frames_used_again += was_used_again(&heap, address, start_ns);
	}
	free(heap.rows);
}

/* NULL where it is empty or cannot be read. The caller frees it. */
static void *generated_read(const struct generated_file *file, size_t *ret_size)
{
	size_t size = file->size < GENERATED_FILE_LIMIT ? (size_t)file->size : GENERATED_FILE_LIMIT, have = 0;
	ssize_t got = 0;
	char *bytes;

	if (!size)
		return NULL;
	bytes = xmalloc(size);
	while (have < size && (got = pread(file->fd, bytes + have, size - have, (off_t)have)) > 0)
		have += (size_t)got;
	*ret_size = have;
	return bytes;
}

void generated_resolve(struct symbol_module *module, int kind, generated_parse_function *parse, struct symbol_query *queries,
		       size_t count)
{
	const struct symbol_options *options = module->options;

	for (size_t i = 0; i < options->generated_count; i++) {
		const struct generated_file *file = &options->generated[i];
		CLEANUP(generated_codes) struct generated_codes *codes = NULL;
		CLEANUP_TEXT void *bytes = NULL;
		size_t size = 0;

		if ((int)file->kind != kind || strcmp(file->path, module->path) != 0)
			continue;
		bytes = generated_read(file, &size);
		if (!bytes)
			continue;
		codes = generated_codes_new();
		(void)parse(bytes, size, codes);        /* what was read before the damage stands */
		module->statistics->functions += codes->count;
		module->statistics->functions_dropped += codes->dropped;
		module->statistics->read_bytes += size;
		generated_answer(module, codes, file->start_ns, file->end_ns, queries, count);
	}
}
