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

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
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

static bool is_asked(const struct generated_codes *codes, const struct generated_code *code)
{
	size_t low = 0, high = codes->asked_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (codes->asked[middle].offset < code->start)
			low = middle + 1;
		else
			high = middle;
	}
	return low < codes->asked_count && codes->asked[low].offset < code->end;
}

void generated_codes_add(struct generated_codes *codes, const struct generated_code *code)
{
	if (code->end <= code->start || !code->name_size) {
		codes->malformed++;
		return;
	}
	if (codes->asked && !is_asked(codes, code)) {
		codes->unasked++;
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

/* Of what is too large a jitdump's beginning is read, which its records need, and a map's end. NULL where it is empty or
 * cannot be read. The caller frees it. */
static void *generated_read(const struct generated_file *file, size_t *ret_size, bool *ret_cut)
{
	size_t most = file->kind == GENERATED_PERF_MAP ? GENERATED_MAP_LIMIT : GENERATED_FILE_LIMIT, have = 0;
	size_t size = file->size < most ? (size_t)file->size : most;
	uint64_t first = file->kind == GENERATED_PERF_MAP ? file->size - size : 0;
	ssize_t got = 0;
	char *bytes;

	if (!size)
		return NULL;
	bytes = xmalloc(size);
	while (have < size && (got = pread(file->fd, bytes + have, size - have, (off_t)(first + have))) > 0)
		have += (size_t)got;
	*ret_size = have;
	*ret_cut = file->size > most;
	if (first)                                      /* amidst a line: such a one is none */
		bytes[0] = '?';
	return bytes;
}

/* The path is "[anon:1234]". One word for each process: the first. */
__attribute__((format(printf, 3, 4))) static void note(const struct symbol_module *module, enum generated_kind kind,
						       const char *format, ...)
{
	CLEANUP_TEXT char *key = xasprintf(META_GENERATED "%.*s", (int)strspn(module->path + sizeof("[anon:") - 1, "0123456789"),
					   module->path + sizeof("[anon:") - 1);
	char text[256];
	va_list arguments;
	int at = snprintf(text, sizeof(text), "its %s ", kind == GENERATED_PERF_MAP ? "perf map" : "jitdump");

	va_start(arguments, format);
	(void)vsnprintf(text + at, sizeof(text) - (size_t)at, format, arguments);
	va_end(arguments);
	if (!profile_meta(module->profile, key))
		profile_set_meta(module->profile, key, text);
}

static void note_loss(const struct symbol_module *module, const struct generated_file *file, const struct generated_codes *codes,
		      bool cut)
{
	if (cut && file->kind == GENERATED_PERF_MAP)
		note(module, file->kind, "is too large: only its last %d MiB were read", GENERATED_MAP_LIMIT >> 20);
	else if (cut)
		note(module, file->kind, "is too large: only its first %d MiB were read", GENERATED_FILE_LIMIT >> 20);
	else if (codes->dropped)
		note(module, file->kind, "has too many functions: %llu were left out", (unsigned long long)codes->dropped);
}

static void resolve_from(struct symbol_module *module, const struct generated_file *file, generated_parse_function *parse,
			 struct symbol_query *queries, size_t count)
{
	CLEANUP(generated_codes) struct generated_codes *codes = generated_codes_new();
	CLEANUP_TEXT void *bytes = NULL;
	bool cut = false;
	size_t size = 0;

	if (file->refused) {
		note(module, file->kind, "was refused: %s", file->refused);
		return;
	}
	bytes = generated_read(file, &size, &cut);
	if (!bytes)
		return;
	if (file->kind == GENERATED_PERF_MAP) {         /* a jitdump's records go on from each other */
		codes->asked = queries;
		codes->asked_count = count;
	}
	(void)parse(bytes, size, codes);                /* what was read before the damage stands */
	module->statistics->functions += codes->count + codes->unasked;
	module->statistics->functions_dropped += codes->dropped;
	module->statistics->read_bytes += size;
	generated_answer(module, codes, file->start_ns, file->end_ns, queries, count);
	note_loss(module, file, codes, cut);
}

void generated_resolve(struct symbol_module *module, int kind, generated_parse_function *parse, struct symbol_query *queries,
		       size_t count)
{
	const struct symbol_options *options = module->options;

	for (size_t i = 0; i < options->generated_count; i++)
		if ((int)options->generated[i].kind == kind && strcmp(options->generated[i].path, module->path) == 0)
			resolve_from(module, &options->generated[i], parse, queries, count);
}
