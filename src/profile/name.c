/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What things are called: the dimension a cell counts towards, the symbols and the shown name of a
 * frame. Symbols are sorted by frame and depth when the profile freezes; an array of first symbols
 * per frame then finds them at once.
 */
#include "base/cleanup.h"
#include "base/intern.h"
#include "base/memory.h"
#include "profile/storage.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *outcome_name(enum outcome outcome)
{
	static const char *const names[] = { [OUTCOME_CORRECT] = "correct",
					     [OUTCOME_INCORRECT] = "incorrect",
					     [OUTCOME_UNJUDGED] = "unjudged",
					     [OUTCOME_REJECTED] = "rejected",
					     [OUTCOME_RETRIED] = "retried",
					     [OUTCOME_ABANDONED] = "abandoned" };

	return outcome >= OUTCOME_CORRECT && outcome < OUTCOME_COUNT ? names[outcome] : "?";
}

const char *frame_method_name(enum frame_method method)
{
	static const char *const names[METHOD_COUNT] = {
		[METHOD_NONE] = "unknown", [METHOD_LEAF] = "leaf", [METHOD_FRAME_POINTER] = "frame-pointer",
		[METHOD_CFI] = "cfi", [METHOD_KERNEL] = "kernel", [METHOD_INTERPRETER] = "interpreter",
		[METHOD_IMPORTED] = "imported", [METHOD_GENERATED] = "generated", [METHOD_GUESS] = "guess",
		[METHOD_SIGNAL] = "signal",
	};

	return method < METHOD_COUNT ? names[method] : "?";
}

const char *stack_status_name(enum stack_status status)
{
	static const char *const names[STACK_STATUS_COUNT] = {
		[0] = "none", [STACK_UNVERIFIED] = "unverified", [STACK_COMPLETE] = "complete",
		[STACK_TRUNCATED] = "truncated", [STACK_FAILED] = "failed", [STACK_NO_MAPPING] = "no-mapping",
		[STACK_NO_TABLE] = "no-table", [STACK_NO_ROW] = "no-row",
		[STACK_UNSUPPORTED_ROW] = "unsupported-rule", [STACK_FAULT] = "unreadable",
		[STACK_STUCK] = "stuck", [STACK_ZERO_PC] = "zero-pc", [STACK_NO_PROCESS] = "no-process",
		[STACK_COMPATIBLE] = "32-bit",
	};

	return status < STACK_STATUS_COUNT ? names[status] : "?";
}

struct dimension_id profile_cell_dimension(const struct profile *profile, const struct cell *cell)
{
	struct dimension_id class = profile_evidence_at(profile, cell->evidence.index)->class;

	return class.index ? class : profile_measure_at(profile, cell->measure.index)->dimension;
}

struct dimension_id profile_dimension_root(const struct profile *profile, struct dimension_id id)
{
	struct dimension_id parent = profile_dimension_at(profile, id.index)->parent;

	return parent.index ? parent : id;
}

struct dimension_id profile_dimension_find(const struct profile *profile, const char *parent,
					   const char *name)
{
	uint32_t name_id = intern_find(profile->strings, name);
	uint32_t parent_id = parent ? intern_find(profile->strings, parent) : 0;

	for (size_t i = 1; i < profile->dimension_count; i++) {
		const struct dimension *row = &profile->dimension_rows[i];
		uint32_t above = profile->dimension_rows[row->parent.index].name.index;

		if (row->name.index == name_id && !row->parent.index == !parent &&
		    above == parent_id)
			return (struct dimension_id){ (uint32_t)i };
	}
	return (struct dimension_id){ 0 };
}

static void symbols_forget_index(struct profile *profile)
{
	free(profile->symbol_first);
	profile->symbol_first = NULL;
}

/* Allowed in a frozen profile too: names can be made again. A second profile_freeze() shows them.
 */
void profile_add_symbol(struct profile *profile, struct symbol symbol)
{
	assert(symbol.frame.index && symbol.frame.index < profile->frame_count);
	symbols_forget_index(profile);
	if (profile->symbol_count < PROFILE_SYMBOL_LIMIT)
		(void)append(profile, symbol, symbol);
	else if (!profile->frozen)
		profile_count_limit(profile);
}

void profile_clear_symbols(struct profile *profile)
{
	symbols_forget_index(profile);
	profile->symbol_count = 0;
}

static int symbol_order(const void *left, const void *right)
{
	const struct symbol *a = left, *b = right;

	if (a->frame.index != b->frame.index)
		return a->frame.index < b->frame.index ? -1 : 1;
	return a->depth < b->depth ? -1 : a->depth > b->depth;
}

void symbols_index(struct profile *profile)
{
	size_t at = 0;

	symbols_forget_index(profile);
	if (profile->symbol_count)
		qsort(profile->symbol_rows, profile->symbol_count, sizeof(*profile->symbol_rows),
		      symbol_order);
	profile->symbol_first = xcalloc(profile->frame_count + 1, sizeof(*profile->symbol_first));
	for (size_t frame = 0; frame <= profile->frame_count; frame++) {
		while (at < profile->symbol_count && profile->symbol_rows[at].frame.index < frame)
			at++;
		profile->symbol_first[frame] = (uint32_t)at;
	}
}

const struct symbol *profile_frame_symbols(const struct profile *profile, struct frame_id frame,
					   size_t *ret_count)
{
	uint32_t first;

	*ret_count = 0;
	if (!profile->symbol_first || frame.index >= profile->frame_count)
		return NULL;
	first = profile->symbol_first[frame.index];
	*ret_count = profile->symbol_first[frame.index + 1] - first;
	return *ret_count ? &profile->symbol_rows[first] : NULL;
}

static const char *file_base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

const char *profile_frame_known_name(const struct profile *profile, struct frame_id id)
{
	const struct frame *frame = profile_frame_at(profile, id.index);
	size_t count;
	const struct symbol *symbols = profile_frame_symbols(profile, id, &count);

	if (count && symbols->name.index)
		return profile_text(profile, symbols->name);
	return frame->name.index ? profile_text(profile, frame->name) : NULL;
}

/* Where the call is: formats say it so, and a frame is to have one name whichever way it took. */
static uint64_t call_offset(const struct frame *frame)
{
	bool behind = frame->method == METHOD_FRAME_POINTER || frame->method == METHOD_CFI ||
		      frame->method == METHOD_GENERATED || frame->method == METHOD_GUESS;

	return frame->offset - (behind && frame->offset);
}

const char *profile_frame_name(const struct profile *profile, struct frame_id id, char *text,
			       size_t size)
{
	const struct frame *frame = profile_frame_at(profile, id.index);
	const char *path = profile_text(profile, profile_file_at(profile, frame->file.index)->path);
	const char *known = profile_frame_known_name(profile, id);

	if (known)
		(void)snprintf(text, size, "%s", known);
	else if (*path)
		(void)snprintf(text, size, "%s+0x%" PRIx64, file_base_name(path), call_offset(frame));
	else if (frame->offset)
		(void)snprintf(text, size, "0x%" PRIx64, call_offset(frame));
	else
		(void)snprintf(text, size, "[unknown]");
	return text;
}
