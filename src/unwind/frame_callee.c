/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A call of five bytes (E8 rel32) is looked for at every byte: what only looks like one hardly leads to where a description
 * begins, of all addresses. True files have a dozen such frames; those of a hostile one are not all looked at.
 */
#include "unwind/frame_callee.h"

#include <string.h>

enum { CALL = 0xe8, CALL_BYTES = 5, CODE_BYTES_LIMIT = 4096, LOOKS_LIMIT = 4096, WORD = 8 };

static const struct frame_description *function_at(const struct frame_set *set, uint64_t address)
{
	size_t low = 0, high = set->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (set->descriptions[middle].start < address)
			low = middle + 1;
		else
			high = middle;
	}
	return low < set->count && set->descriptions[low].start == address ? &set->descriptions[low] : NULL;
}

/* Before it is saved and after it was restored there is no such rule: then the word there may be another. */
static int8_t saved_rbx(struct frame_set *set, const struct frame_description *function)
{
	struct frame_program program;
	int64_t found = 0;

	if (function->instructions_size > set->budget_bytes)
		return 0;
	set->budget_bytes -= function->instructions_size;
	frame_program_begin(&program, &set->contexts[function->common], function, function->start + function->size);
	while (frame_program_next(&program)) {
		const struct frame_rule *rule = &program.state.rbx;

		if (program.bad || (rule->kind == FRAME_AT_CFA && found && found != rule->offset))
			return 0;
		if (rule->kind == FRAME_AT_CFA)
			found = rule->offset;
	}
	return found % WORD || found / WORD < INT8_MIN || found > 0 ? 0 : (int8_t)(found / WORD);
}

int8_t frame_callee_rbx(struct frame_set *set, uint64_t from, uint64_t to)
{
	const struct frame_description *function = NULL, *other;
	size_t size = 0;
	const uint8_t *code = NULL;

	if (set->callees_looked_for++ < LOOKS_LIMIT)
		code = image_at_address(set->image, from, to - from < CODE_BYTES_LIMIT ? to - from : CODE_BYTES_LIMIT, &size);
	for (size_t at = 0; code && at + CALL_BYTES <= size; at++) {
		int32_t distance;

		if (code[at] != CALL)
			continue;
		memcpy(&distance, code + at + 1, sizeof(distance));
		other = function_at(set, from + at + CALL_BYTES + (uint64_t)(int64_t)distance);
		if (other && function && other != function)
			return 0;
		function = other ? other : function;
	}
	return function ? saved_rbx(set, function) : 0;
}
