/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names repeat in every stack, so each is compared once. Of a chain in which the function stands twice the inner one
 * counts, and of a recursion each line once per sample: a line's total never exceeds what ran.
 */
#include "analysis/annotation.h"

#include "analysis/account.h"
#include "analysis/analysis.h"
#include "base/error.h"
#include "base/map.h"
#include "base/memory.h"
#include "profile/profile.h"
#include "profile/selection.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_LIMIT = 64 };

/* --- Names ---------------------------------------------------------------------------------------------------------- */

/* Where the parameters begin: the first "(" outside of "<>" and "{}" that is not part of a name. */
static size_t head_size(const char *name)
{
	int depth = 0;

	for (size_t i = 0; name[i]; i++) {
		if (name[i] == '<' || name[i] == '{')
			depth++;
		else if (depth && (name[i] == '}' || (name[i] == '>' && name[i - 1] != '-')))
			depth--;
		if (name[i] != '(' || depth)
			continue;
		if (i >= 8 && !strncmp(name + i - 8, "operator()", 10))
			i++;
		else if (strncmp(name + i, "(anonymous", 10) != 0)
			return i;
	}
	return strlen(name);
}

static size_t without_arguments(const char *name, size_t size)
{
	int depth = 0;

	if (!size || name[size - 1] != '>')
		return size;
	for (size_t i = size; i-- > 1;) {
		depth += name[i] == '>';
		depth -= name[i] == '<';
		if (!depth)
			return i;
	}
	return size;
}

static bool ends_like(const char *name, size_t size, const char *asked)
{
	size_t length = strlen(asked);

	if (size < length || strncmp(name + size - length, asked, length))
		return false;
	return size == length || (size >= length + 2 && !strncmp(name + size - length - 2, "::", 2)) || name[size - length - 1] == ' ';
}

bool function_is_named(const char *name, const char *asked)
{
	size_t size = head_size(name);

	return *asked && (!strcmp(name, asked) || ends_like(name, size, asked) ||
			  ends_like(name, without_arguments(name, size), asked));
}

/* --- Rows ----------------------------------------------------------------------------------------------------------- */

struct annotating {
	struct annotation *into;
	const struct profile *profile;
	const char *function;
	uint8_t *answers;                            /* per name: 0 not asked, 1 no, 2 yes */
	struct map *lines, *addresses;               /* key → row plus one */
	uint32_t cell;
};

static bool is_meant(struct annotating *annotating, struct string_id name)
{
	uint8_t *answer = &annotating->answers[name.index];
	struct annotation *into = annotating->into;

	if (!*answer) {
		*answer = function_is_named(profile_text(annotating->profile, name), annotating->function) ? 2 : 1;
		if (*answer == 2 && into->name_count < NAME_LIMIT) {
			grow(into->names, into->name_count, into->name_room);
			into->names[into->name_count++] = name;
		}
	}
	return *answer == 2;
}

static struct annotated_line *line_of(struct annotating *annotating, struct string_id path, uint32_t line)
{
	struct annotation *into = annotating->into;
	struct { uint32_t path, line; } key = { path.index, line };
	uint32_t *row = map_put(annotating->lines, &key, NULL);

	if (!*row) {
		grow(into->lines, into->line_count, into->line_room);
		into->lines[into->line_count++] = (struct annotated_line){ .path = path, .line = line };
		*row = (uint32_t)into->line_count;
	}
	return &into->lines[*row - 1];
}

static struct annotated_address *address_of(struct annotating *annotating, const struct frame *frame)
{
	struct annotation *into = annotating->into;
	struct { uint64_t offset, file; } key = { frame->offset, frame->file.index };
	uint32_t *row = map_put(annotating->addresses, &key, NULL);

	if (!*row) {
		grow(into->addresses, into->address_count, into->address_room);
		into->addresses[into->address_count++] = (struct annotated_address){ .file = frame->file, .offset = frame->offset };
		*row = (uint32_t)into->address_count;
	}
	return &into->addresses[*row - 1];
}

/* --- Samples -------------------------------------------------------------------------------------------------------- */

struct sample { double weight; uint64_t events; bool is_leaf, counted; };

/* One call of a frame's chain that is the function; depth 0 is what really ran. */
static void add_call(struct annotating *annotating, struct sample *sample, const struct frame *frame,
		     const struct symbol *symbols, size_t depth)
{
	const struct symbol *call = &symbols[depth];
	struct annotated_line *line = line_of(annotating, call->path, call->line);

	if (line->cell != annotating->cell) {
		line->cell = annotating->cell;
		line->total += sample->weight;
		line->samples += sample->events;
	}
	if (sample->is_leaf) {
		struct annotated_address *address = address_of(annotating, frame);

		address->self += sample->weight;
		address->samples += sample->events;
		address->line = call->line;
		address->inlined = depth ? symbols[0].name : (struct string_id){ 0 };
	}
	if (sample->is_leaf && !depth) {
		line->self += sample->weight;
		annotating->into->self += sample->weight;
	}
	sample->counted = true;
}

/* The function may stand twice in one chain; the inner one says where the thread was. */
static void add_frame(struct annotating *annotating, struct sample *sample, struct frame_id id)
{
	const struct frame *frame = profile_frame_at(annotating->profile, id.index);
	size_t count;
	const struct symbol *symbols = profile_frame_symbols(annotating->profile, id, &count);
	struct symbol own = { .frame = id, .name = frame->name, .line = frame->line };

	if (!count && frame->name.index) {
		symbols = &own;
		count = 1;
	}
	for (size_t depth = 0; depth < count; depth++)
		if (is_meant(annotating, symbols[depth].name)) {
			add_call(annotating, sample, frame, symbols, depth);
			return;
		}
}

static void add_sample(struct annotating *annotating, const struct cell *cell, const struct measure *measure)
{
	struct sample sample = { .weight = cell_weight(cell), .events = cell->count << (cell->p_log2 & 63), .is_leaf = true };
	struct annotation *into = annotating->into;

	annotating->cell++;
	into->all += sample.weight;
	for (struct stack_id stack = cell->stack; stack.index;) {
		struct stack row = profile_stack_at(annotating->profile, stack.index);

		add_frame(annotating, &sample, row.frame);
		sample.is_leaf = false;
		stack = row.parent;
	}
	if (!sample.counted)
		return;
	into->total += sample.weight;
	into->samples += sample.events;
	into->period = measure->period > into->period ? measure->period : into->period;
}

static const char *static_unit(const char *unit)
{
	return !strcmp(unit, "ns") ? "ns" : !strcmp(unit, "bytes") ? "bytes" : "count";
}

static void add_cells(struct annotating *annotating, const struct question *question, const struct account *account)
{
	const struct profile *profile = question->profile;

	for (size_t i = 0; i < profile_cell_count(profile); i++) {
		const struct cell *cell = profile_cell_at(profile, i);
		const struct measure *measure = profile_measure_at(profile, cell->measure.index);
		struct dimension_id root = profile_dimension_root(profile, profile_cell_dimension(profile, cell));
		enum measure_role role = account->has_splits[root.index] ? ROLE_SPLIT : ROLE_TOTAL;

		if (measure->role != role || !cell->stack.index ||
		    profile_dimension_at(profile, root.index)->kind != DIMENSION_RUNNING ||
		    profile_thread_at(profile, cell->thread.index)->outside ||
		    !selection_has_cell(question->selection, profile, cell))
			continue;
		annotating->into->unit = static_unit(profile_text(profile, profile_dimension_at(profile, root.index)->unit));
		add_sample(annotating, cell, measure);
	}
}

static int compare_lines(const void *left, const void *right)
{
	const struct annotated_line *a = left, *b = right;

	if (a->path.index != b->path.index)
		return a->path.index < b->path.index ? -1 : 1;
	return a->line < b->line ? -1 : a->line > b->line;
}

static int compare_addresses(const void *left, const void *right)
{
	const struct annotated_address *a = left, *b = right;

	if (a->file.index != b->file.index)
		return a->file.index < b->file.index ? -1 : 1;
	return a->offset < b->offset ? -1 : a->offset > b->offset;
}

static void sort_rows(struct annotation *into)
{
	if (into->line_count)
		qsort(into->lines, into->line_count, sizeof(*into->lines), compare_lines);
	if (into->address_count)
		qsort(into->addresses, into->address_count, sizeof(*into->addresses), compare_addresses);
}

struct annotation *annotation_new(const struct question *question, const char *function, struct error *err)
{
	CLEANUP(account) struct account *account = account_new(question);
	CLEANUP(annotation) struct annotation *annotation = xcalloc(1, sizeof(*annotation));
	struct annotating annotating = { .into = annotation, .profile = question->profile, .function = function };

	annotation->unit = "ns";
	annotating.answers = xcalloc(profile_string_count(question->profile) + 1, 1);
	annotating.lines = map_new(2 * sizeof(uint32_t));
	annotating.addresses = map_new(2 * sizeof(uint64_t));
	add_cells(&annotating, question, account);
	free(annotating.answers);
	map_free(annotating.lines);
	map_free(annotating.addresses);
	sort_rows(annotation);
	if (annotation->samples)
		return take(annotation);
	(void)fail(err, FAILURE_USAGE, -ENOENT, "no sample ran in '%.128s'", function);
	(void)error_because(err, "no function of that name is in the on-CPU stacks that were selected");
	(void)error_try(err, "crosscut report -q oncpu FILE");
	return NULL;
}

void annotation_free(struct annotation *annotation)
{
	if (!annotation)
		return;
	free(annotation->names);
	free(annotation->lines);
	free(annotation->addresses);
	free(annotation);
}
