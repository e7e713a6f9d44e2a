/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which cells a format of one dimension writes. A stack that does not reach its root keeps the
 * cause as its first frame: a failed measurement is never merged into the application's own frames.
 */
#include "format/choice.h"

#include "base/cleanup.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "format/format.h"
#include "profile/profile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static struct dimension_id dimension_of(const struct profile *profile, const char *name)
{
	const char *slash = strchr(name, '/');
	CLEANUP_TEXT char *state = NULL;
	struct dimension_id whole = profile_dimension_find(profile, NULL, name);

	if (!slash || whole.index)               /* "cpu/event=0x3c/" is one name */
		return whole;
	state = xstrndup(name, (size_t)(slash - name));
	return profile_dimension_find(profile, state, slash + 1);
}

/* The dimensions that could be chosen, so that the error can be acted upon. */
static int fail_choice(const struct profile *profile, const char *name, struct error *err)
{
	struct text states = TEXT(400);
	const char *first = NULL;

	for (uint32_t i = 1; i < profile_dimension_count(profile); i++) {
		const struct dimension *row = profile_dimension_at(profile, i);

		if (row->parent.index)
			continue;
		text_print(&states, "%s%s", states.size ? ", " : "", profile_text(profile, row->name));
		first = first ? first : profile_text(profile, row->name);
	}
	if (name)
		fail(err, FAILURE_USAGE, -EINVAL, "no dimension '%.100s' in this profile", name);
	else
		fail(err, FAILURE_USAGE, -EINVAL,
		     "no dimension was named, and this format holds one");
	error_because(err, "it has: %s", text_string(&states));
	text_done(&states);
	if (profile_dimension_find(profile, NULL, "oncpu").index)
		first = "oncpu";
	return first ? error_try(err, "--dimension %.100s, or another of these", first) : err->code;
}

bool *choice_interval_sums(const struct profile *profile)
{
	bool *sums = xcalloc(profile_dimension_count(profile) + 1, sizeof(*sums));

	for (size_t i = 0; i < profile_interval_count(profile); i++) {
		struct dimension_id id = profile_interval_at(profile, i)->dimension;

		sums[id.index] = profile_dimension_at(profile, id.index)->kind == DIMENSION_AMOUNT;
	}
	for (size_t i = 0; i < profile_cell_count(profile); i++) {
		const struct cell *cell = profile_cell_at(profile, i);

		if (profile_measure_at(profile, cell->measure.index)->role == ROLE_SPLIT)
			sums[profile_dimension_root(profile, profile_cell_dimension(profile, cell)).index] = false;
	}
	return sums;
}

/* The one state or amount that has cells, as in many imports, other than those sums; none where there are several. */
static struct dimension_id only_of(const struct profile *profile, const bool *sums)
{
	struct dimension_id only = { 0 };

	for (size_t i = 0; i < profile_cell_count(profile); i++) {
		struct dimension_id root = profile_dimension_root(
			profile, profile_cell_dimension(profile, profile_cell_at(profile, i)));

		if (sums && sums[root.index])
			continue;
		if (only.index && only.index != root.index)
			return (struct dimension_id){ 0 };
		only = root;
	}
	return only;
}

static struct dimension_id only_dimension(const struct profile *profile)
{
	bool *sums = choice_interval_sums(profile), any = false;
	struct dimension_id only = only_of(profile, sums);

	for (size_t i = 0; i < profile_cell_count(profile) && !any; i++)
		any = !sums[profile_dimension_root(profile, profile_cell_dimension(profile, profile_cell_at(profile, i))).index];
	free(sums);
	return any ? only : only_of(profile, NULL);
}

bool choice_is_of_intervals(const struct choice *choice)
{
	bool *sums = choice_interval_sums(choice->profile), is = sums[choice->dimension.index];

	free(sums);
	return is;
}

static int fail_weightless(const struct choice *choice, struct error *err)
{
	CLEANUP_TEXT char *name = choice_name(choice->profile, choice->dimension);

	fail(err, FAILURE_WORK, -ENODATA, "there is nothing to write");
	error_because(err, "'%.100s' weighs nothing in this profile", name);
	return error_try(err, "crosscut report, which says what the file holds");
}

static bool weighs(const struct choice *choice)
{
	for (size_t i = 0; i < profile_cell_count(choice->profile); i++) {
		const struct cell *cell = profile_cell_at(choice->profile, i);

		if ((cell->value || cell->count) && choice_has(choice, cell))
			return true;
	}
	return false;
}

int choice_make(const struct profile *profile, const struct format_options *options,
		struct choice *ret, struct error *err)
{
	const char *name = options ? options->dimension : NULL;
	struct choice choice = { .profile = profile };

	choice.dimension = name ? dimension_of(profile, name) : only_dimension(profile);
	if (!choice.dimension.index)
		return fail_choice(profile, name, err);
	choice = choice_of(profile, choice.dimension);
	if (!weighs(&choice))
		return fail_weightless(&choice, err);
	*ret = choice;
	return 0;
}

struct choice choice_of(const struct profile *profile, struct dimension_id dimension)
{
	struct choice choice = { .profile = profile, .dimension = dimension, .split = true };

	for (size_t i = 0; i < profile_cell_count(profile); i++)
		if (choice_has(&choice, profile_cell_at(profile, i)))
			return choice;
	choice.split = false;
	return choice;
}

bool choice_has(const struct choice *choice, const struct cell *cell)
{
	const struct profile *profile = choice->profile;
	struct dimension_id dimension = profile_cell_dimension(profile, cell);

	if (profile_measure_at(profile, cell->measure.index)->role !=
	    (choice->split ? ROLE_SPLIT : ROLE_TOTAL))
		return false;
	return dimension_is(dimension, choice->dimension) ||
	       dimension_is(profile_dimension_root(profile, dimension), choice->dimension);
}

struct stack_id choice_stack(const struct choice *choice, const struct cell *cell)
{
	if (cell->stack.index)
		return cell->stack;
	return profile_evidence_at(choice->profile, cell->evidence.index)->seen.kernel_stack;
}

uint64_t choice_weight(const struct cell *cell)
{
	unsigned shift = cell->p_log2 & 63;

	return cell->value > (uint64_t)INT64_MAX >> shift ? INT64_MAX : cell->value << shift;
}

char *choice_name(const struct profile *profile, struct dimension_id id)
{
	const struct dimension *row = profile_dimension_at(profile, id.index);
	const char *name = profile_text(profile, row->name);

	if (!row->parent.index)
		return xstrdup(name);
	return xasprintf(
		"%s/%s",
		profile_text(profile, profile_dimension_at(profile, row->parent.index)->name),
		name);
}

const char *choice_unit(const struct choice *choice)
{
	return profile_text(choice->profile,
			    profile_dimension_at(choice->profile, choice->dimension.index)->unit);
}

const char *choice_comm(const struct profile *profile, struct thread_id id)
{
	const struct thread *thread = profile_thread_at(profile, id.index);

	if (thread->comm.index)
		return profile_text(profile, thread->comm);
	return profile_text(profile, profile_process_at(profile, thread->process.index)->comm);
}

void choice_frames(const struct choice *choice, struct stack_id stack, struct choice_path *ret)
{
	ret->count = 0;
	for (; stack.index; stack = profile_stack_at(choice->profile, stack.index).parent) {
		struct frame_id frame = profile_stack_at(choice->profile, stack.index).frame;

		if (!frame.index)
			continue;
		grow(ret->frames, ret->count, ret->room);
		ret->frames[ret->count++] = frame;
	}
}

const char *choice_frame_name(const struct profile *profile, struct frame_id frame, char *text, size_t size)
{
	const char *known = profile_frame_known_name(profile, frame);

	return known ? known : profile_frame_name(profile, frame, text, size);
}

static const char *const causes[STACK_STATUS_COUNT] = {
	[STACK_TRUNCATED] = "[truncated]",
	[STACK_FAILED] = "[failed]",
	[STACK_NO_MAPPING] = "[unwind failed: no mapping]",
	[STACK_NO_TABLE] = "[unwind failed: no table]",
	[STACK_NO_ROW] = "[unwind failed: no row]",
	[STACK_UNSUPPORTED_ROW] = "[unwind failed: unsupported rule]",
	[STACK_FAULT] = "[unwind failed: unreadable stack]",
	[STACK_STUCK] = "[unwind failed: no way up]",
	[STACK_ZERO_PC] = "[unwind failed: zero return address]",
	[STACK_NO_PROCESS] = "[unwind failed: unknown process]",
	[STACK_COMPATIBLE] = "[unwind failed: 32-bit task]",
};

const char *choice_cause(const struct choice *choice, struct stack_id stack)
{
	enum stack_status status = profile_stack_at(choice->profile, stack.index).status;

	return status < STACK_STATUS_COUNT ? causes[status] : NULL;
}

enum stack_status choice_cause_status(const char *cause)
{
	if (*cause == '[')
		for (size_t i = 0; i < ARRAY_LENGTH(causes); i++)
			if (causes[i] && !strcmp(causes[i], cause))
				return (enum stack_status)i;
	return 0;
}
