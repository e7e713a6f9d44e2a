/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints what a file says, each fact under the kind of content by which `convert --explain` calls it, so that the facts of
 * two files can be compared kind by kind:
 *
 *	stacks	;worker;main;outer;inner = 30303030
 *	lines	inner:20
 *
 * A fact mentions nothing of another kind, other than names: what one kind loses must not count against the next. With a
 * dimension, only its cells are told: formats that hold one are written by it. "-" leaves the cells out:
 * timelines have none. build/facts FILE [DIMENSION [without-sums]]
 */
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "format/choice.h"
#include "format/content.h"
#include "format/format.h"
#include "format/labels.h"
#include "format/timeline.h"
#include "format/utf8_text.h"
#include "profile/profile.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_BYTES = 8192, TEXT_BYTES = 16 << 20 };

static const struct profile *profile;
static char **lines;
static size_t line_count, line_room;
static struct sum { char *key; uint64_t weight, other; } *sums;
static size_t sum_count, sum_room;
static bool without_sums;                             /* of intervals, where a format keeps these */
/* When the first of all was, and the first interval: a timeline alone has no more to tell its times by. */
static uint64_t from_ns = UINT64_MAX, first_interval_ns = UINT64_MAX;

static void keep(struct text *line)
{
	for (char *at = line->bytes; at < line->bytes + line->size; at++)
		*at = *at == '\n' ? '\r' : *at;
	grow(lines, line_count, line_room);
	lines[line_count++] = text_take(line);
}

#define FACT(...)                                                                                        \
	do {                                                                                             \
		struct text fact = TEXT(TEXT_BYTES);                                                     \
		text_print(&fact, __VA_ARGS__);                                                          \
		keep(&fact);                                                                             \
	} while (0)

static const char *string(struct string_id id) { return profile_text(profile, id); }

/* As the plainest format can write it; `names` has those for which this is not what they are. */
static const char *plain(const char *name)
{
	static struct text texts[8];
	static unsigned turn;
	struct text *text = &texts[turn++ % 8];
	CLEANUP_TEXT char *clean = utf8_cleaned(name);

	text->limit = TEXT_BYTES;
	text_clear(text);
	text_print(text, "%s", (clean ? clean : name) + strspn(clean ? clean : name, " "));
	for (char *at = text->bytes; at < text->bytes + text->size; at++)
		*at = *at == ';' ? ':' : *at == '\n' || *at == '\r' ? ' ' : *at;
	if (strcmp(text_string(text), name) != 0)
		FACT("names\t%s", name);
	return text_string(text);
}

/* --- Weights, added up by what they are for --------------------------------------------------- */

static void sum_of(const char *kind, const char *key, uint64_t weight, uint64_t other)
{
	grow(sums, sum_count, sum_room);
	sums[sum_count].key = xasprintf("%s\t%s", kind, key);
	sums[sum_count].other = other;
	sums[sum_count++].weight = weight;
}

static void sum_add(const char *kind, const char *key, uint64_t weight)
{
	sum_of(kind, key, weight, 0);
}

static int sum_order(const void *left, const void *right)
{
	return strcmp(((const struct sum *)left)->key, ((const struct sum *)right)->key);
}

static void sums_keep(void)
{
	qsort(sums, sum_count, sizeof(*sums), sum_order);
	for (size_t i = 0, next; i < sum_count; i = next) {
		uint64_t weight = 0, other = 0;

		for (next = i; next < sum_count && !strcmp(sums[next].key, sums[i].key); next++) {
			weight += sums[next].weight;
			other += sums[next].other;
		}
		if (weight && weight != other)
			FACT("%s = %" PRIu64, sums[i].key, weight);
	}
	for (size_t i = 0; i < sum_count; i++)
		free(sums[i].key);
}

/* --- Frames ----------------------------------------------------------------------------------- */

/* Where the call is: an address that is where it returns to lies behind it. */
static uint64_t call_address(const struct frame *frame)
{
	return frame->offset - (frame->offset && frame->method != METHOD_KERNEL && !frame_is_exact(frame->method));
}

/* "libc.so.6+0x3300", "[libc.so.6]", "0x3300" and "[unknown]" are what formats put in the place of a name. */
static bool is_nameless(const char *name)
{
	const char *plus = strstr(name, "+0x"), *digits = plus ? plus + 3 : !strncmp(name, "0x", 2) ? name + 2 : NULL;
	size_t size = strlen(name);

	return (digits && *digits && digits[strspn(digits, "0123456789abcdef")] == '\0') ||
	       !strcmp(name, "[no stack]") ||
	       (size > 2 && *name == '[' && name[size - 1] == ']' && !strchr(name, ' ') && !choice_cause_status(name));
}

static const char *frame_name(struct frame_id id)
{
	char name[NAME_BYTES];

	(void)profile_frame_name(profile, id, name, sizeof(name));
	return is_nameless(name) ? "?" : plain(name);
}

static void name_facts(const struct frame *frame, const char *name)
{
	const struct file *file = profile_file_at(profile, frame->file.index);

	if (frame->method == METHOD_KERNEL) {
		FACT("kernel\t%s at %" PRIx64, name, frame->offset);
		return;
	}
	if (file->path.index)
		FACT("modules\t%s in %s", name, string(file->path));
	if (file->build_id.index)
		FACT("build-ids\t%s in build %s", name, string(file->build_id));
	if (frame->offset && !(frame->offset >> 63) && file->path.index)     /* the upper half is the kernel's */
		FACT("addresses\t%s at %" PRIx64, name, call_address(frame));
}

static void place_facts(const char *name, struct string_id path, uint32_t line)
{
	if (path.index)
		FACT("source\t%s in %s", name, string(path));
	if (line)
		FACT("lines\t%s:%" PRIu32, name, line);
}

/* Adds ";outer;inner" and returns the innermost name. */
static const char *frame_facts(struct text *to, struct frame_id id)
{
	const struct frame *frame = profile_frame_at(profile, id.index);
	const char *name = frame_name(id);
	size_t count;
	const struct symbol *symbols = profile_frame_symbols(profile, id, &count);

	for (size_t i = count; i-- > 0;) {
		const char *outer = name;

		name = plain(string(symbols[i].name));
		if (i + 1 < count)
			FACT("inlined\t%s in %s", name, outer);
		name_facts(frame, name);
		place_facts(name, symbols[i].path, symbols[i].line);
		text_print(to, ";%s", name);
	}
	if (!count) {
		name_facts(frame, name);
		place_facts(name, frame->path, frame->line);
		text_print(to, ";%s", name);
	}
	return name;
}

/* Root first, below its cause. Returns the leaf's name; NULL where there is none. */
static const char *stack_facts(struct text *to, const struct choice *choice, struct stack_id stack)
{
	static struct choice_path path;
	char name[NAME_BYTES];
	const char *leaf = NULL, *cause = choice_cause(choice, stack);

	choice_frames(choice, stack, &path);
	if (cause)
		text_print(to, ";%s", cause);
	if (path.count == 1 && profile_frame_name(profile, path.frames[0], name, sizeof(name)) &&
	    (!strcmp(name, "[unknown]") || !strcmp(name, "[no stack]")))
		return NULL;                         /* a format that must have a frame gave it one */
	while (path.count-- > 0)
		leaf = frame_facts(to, path.frames[path.count]);
	return leaf;
}

/* --- Cells ------------------------------------------------------------------------------------ */

static void owner_facts(struct thread_id id)
{
	const struct thread *thread = profile_thread_at(profile, id.index);
	uint32_t pid = profile_process_at(profile, thread->process.index)->pid;

	if (pid)
		FACT("processes\t%" PRIu32, pid);
	if (thread->tid)
		FACT("threads\t%" PRIu32, thread->tid);
	if (*choice_comm(profile, id))
		FACT("comms\t%s", choice_comm(profile, id));
}

/* A label as it is, a lock or a file as the label that its kind makes of it. */
static void object_facts(const char *path, struct object_id id)
{
	const struct object *object = profile_object_at(profile, id.index);
	const char *at = string(object->name);
	struct text scratch = TEXT(TEXT_BYTES);
	struct label label;

	if (!id.index)
		return;
	if (!labels_are(profile, id))
		FACT("labels\t%s: %s is %s", path, string(object->kind), at);
	else
		while (labels_next(&at, &scratch, &label))
			FACT("labels\t%s: %s is %s", path, label.key, label.text ? label.text : "a number");
	text_done(&scratch);
}

static void weight_facts(const struct choice *choice, const struct cell *cell, const char *path, const char *leaf, bool only)
{
	CLEANUP_TEXT char *root = choice_name(profile, choice->dimension);
	CLEANUP_TEXT char *part = choice_name(profile, profile_cell_dimension(profile, cell));
	CLEANUP_TEXT char *sliced = xasprintf("second %" PRIu64, (profile_slice_at(profile, cell->slice.index)->start_ns - from_ns) / 1000000000);
	CLEANUP_TEXT char *function = xasprintf("%s%s", only ? "" : root, leaf ? leaf : "");
	const struct measure *measure = profile_measure_at(profile, cell->measure.index);

	sum_add("weight", only ? "" : root, choice_weight(cell));
	sum_add("stacks", path, choice_weight(cell));
	if (leaf && strcmp(leaf, "?") != 0)
		sum_add("functions", function, choice_weight(cell));
	sum_add("counts", path, cell->count);
	sum_add("time", sliced, choice_weight(cell));
	if (strcmp(root, part) != 0)
		sum_add("parts", part, choice_weight(cell));
	if (!only)
		FACT("events\t%s", root);
	/* samples that are called so are counted: formats without that unit say it by the name alone */
	FACT("units\t%s in %s", root, !strcmp(root, "samples") && !strcmp(choice_unit(choice), "samples") ? "count" : choice_unit(choice));
	if (measure->weighting != WEIGHTING_SAMPLED || measure->period)
		FACT("weighting\t%s by way %d every %" PRIu64, root, (int)measure->weighting, measure->period);
}

static void cell_facts(const struct choice *choice, const struct cell *cell, bool only)
{
	struct text path = TEXT(TEXT_BYTES);
	struct stack_id stack = choice_stack(choice, cell);
	const char *leaf;

	if (!only)
		text_print(&path, "%s of ", string(profile_dimension_at(profile, choice->dimension.index)->name));
	if (*choice_comm(profile, cell->thread))
		text_print(&path, ";%s", plain(choice_comm(profile, cell->thread)));
	leaf = stack_facts(&path, choice, stack);
	weight_facts(choice, cell, text_string(&path), leaf, only);
	owner_facts(cell->thread);
	object_facts(text_string(&path), cell->object);
	if (cell->other.index)
		FACT("wakers\t%s: %" PRIu32, text_string(&path), profile_thread_at(profile, cell->other.index)->tid);
	if (profile_stack_at(profile, stack.index).status >= (content_stacks_checked(profile) ? STACK_COMPLETE : STACK_TRUNCATED))
		FACT("causes\t%s: %s", text_string(&path), stack_status_name(profile_stack_at(profile, stack.index).status));
	text_done(&path);
}

/* A row of 0 in pprof says of a stack that it has none of this. */
/* Sums of both kinds: where they agree, the exact one can be had again from the stacks'. */
static void total_facts(const struct choice *choice, const struct cell *cell, bool one)
{
	struct dimension_id root = choice->dimension;
	bool total = profile_measure_at(profile, cell->measure.index)->role == ROLE_TOTAL;

	if (choice->split && dimension_is(profile_dimension_root(profile, profile_cell_dimension(profile, cell)), root))
		sum_of("totals", one ? "" : string(profile_dimension_at(profile, root.index)->name), total ? cell->value : 0,
		       total ? 0 : choice_weight(cell));
}

static void cells_facts(const char *only, bool one)
{
	for (uint32_t i = 1; i < profile_dimension_count(profile); i++) {
		const struct dimension *row = profile_dimension_at(profile, i);
		struct choice choice;

		if (row->parent.index || (only && strcmp(only, string(row->name)) != 0))
			continue;
		choice = choice_of(profile, (struct dimension_id){ i });
		if (without_sums && choice_is_of_intervals(&choice))
			continue;                    /* they are facts themselves */
		for (size_t j = 0; j < profile_cell_count(profile); j++) {
			const struct cell *cell = profile_cell_at(profile, j);

			if (choice_has(&choice, cell) && (cell->value || (cell->count && !one)))
				cell_facts(&choice, cell, one);
			total_facts(&choice, cell, one);
		}
	}
}

/* --- The rest --------------------------------------------------------------------------------- */

static void interval_facts(const struct interval *row, uint64_t from, bool owners)
{
	char text[NAME_BYTES];
	uint32_t tid = profile_thread_at(profile, row->thread.index)->tid;

	FACT("intervals\t%" PRIu32 " %s from %" PRIu64 " to %" PRIu64, tid, timeline_name(profile, row, text, sizeof(text)),
	     row->start_ns - from, row->end_ns - from);
	if (owners)
		owner_facts(row->thread);
	if (row->waker.index)
		FACT("wakers\t%" PRIu32 " at %" PRIu64 " by %" PRIu32, tid, row->end_ns - from,
		     profile_thread_at(profile, row->waker.index)->tid);
}

static void table_facts(void)
{
	for (size_t i = 0; i < profile_request_count(profile); i++)
		FACT("requests\t%s %" PRIu64, string(profile_request_at(profile, i)->class), profile_request_at(profile, i)->opened_ns);
	for (size_t i = 0; i < profile_completion_count(profile); i++)
		FACT("completions\t%s %" PRIu64, string(profile_completion_at(profile, i)->class),
		     profile_completion_at(profile, i)->count);
	for (size_t i = 0; i < profile_loss_count(profile); i++)
		FACT("losses\t%s %" PRIu64, string(profile_loss_at(profile, i)->source), profile_loss_at(profile, i)->lost);
	for (size_t i = 0; i < profile_meta_count(profile); i++) {
		const char *key, *value;

		profile_meta_at(profile, i, &key, &value);
		if (!strcmp(key, "import.bias"))
			FACT("bias\t%s", value);
		if (!strncmp(key, "label.", 6))
			FACT("provenance\t%s %s", key, value);
	}
}

static int line_order(const void *left, const void *right)
{
	return strcmp(*(char *const *)left, *(char *const *)right);
}

static void lines_print(void)
{
	qsort(lines, line_count, sizeof(*lines), line_order);
	for (size_t i = 0; i < line_count; i++)
		if (!i || strcmp(lines[i], lines[i - 1]) != 0)
			(void)puts(lines[i]);
	for (size_t i = 0; i < line_count; i++)
		free(lines[i]);
	free(lines);
	free(sums);
}

static unsigned dimensions_used(void)
{
	bool used[PROFILE_DIMENSION_LIMIT + 1] = { false }, *sums = choice_interval_sums(profile);
	unsigned count = 0;

	for (size_t i = 0; i < profile_cell_count(profile); i++) {
		uint32_t root = profile_dimension_root(profile, profile_cell_dimension(profile, profile_cell_at(profile, i))).index;

		count += !used[root] && !(without_sums && sums[root]);
		used[root] = true;
	}
	free(sums);
	return count;
}

static void first_find(void)
{
	for (uint32_t i = 1; i < profile_slice_count(profile); i++)
		if (profile_slice_at(profile, i)->start_ns < from_ns)
			from_ns = profile_slice_at(profile, i)->start_ns;
	for (size_t i = 0; i < profile_interval_count(profile); i++)
		if (profile_interval_at(profile, i)->start_ns < first_interval_ns)
			first_interval_ns = profile_interval_at(profile, i)->start_ns;
	from_ns = first_interval_ns < from_ns ? first_interval_ns : from_ns;
}

int main(int count, char **arguments)
{
	struct profile *read = NULL;
	struct error err = { 0 };

	if (count < 2 || format_read(arguments[1], &read, &err) < 0) {
		(void)fprintf(stderr, "%s: %s\n", err.what, err.why);
		return 4;
	}
	profile = read;
	first_find();
	without_sums = count > 3;
	count -= count > 2 && !*arguments[2] ? count - 2 : 0;
	if (count <= 2 || strcmp(arguments[2], "-") != 0)
		cells_facts(count > 2 ? arguments[2] : NULL, count > 2 || dimensions_used() == 1);
	for (size_t i = 0; i < profile_interval_count(profile); i++)
		interval_facts(profile_interval_at(profile, i), first_interval_ns, count > 2 && !strcmp(arguments[2], "-"));
	table_facts();
	sums_keep();
	lines_print();
	profile_free(read);
	return 0;
}
