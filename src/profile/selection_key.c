/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keys look at what a profile knows already: numbers, interned texts and dimensions. A new key is one function and one row.
 */
#include "profile/selection_key.h"

#include "base/cleanup.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/option.h"
#include "profile/profile.h"

#include <errno.h>
#include <string.h>

static const struct process *process_of(const struct selection_subject *subject)
{
	return profile_process_at(subject->profile, subject->thread->process.index);
}

static bool is_text(const struct selection_subject *subject, struct string_id id, const char *value)
{
	return !strcmp(profile_text(subject->profile, id), value);
}

static bool is_number(uint32_t number, const char *value)
{
	return number == strtoul(value, NULL, 10);
}

static bool pid_matches(const struct selection_subject *subject, const char *value)
{
	return is_number(process_of(subject)->pid, value);
}

static bool tid_matches(const struct selection_subject *subject, const char *value)
{
	return is_number(subject->thread->tid, value);
}

static bool thread_matches(const struct selection_subject *subject, const char *value)
{
	return is_text(subject, subject->thread->comm, value);
}

static bool process_matches(const struct selection_subject *subject, const char *value)
{
	return is_text(subject, process_of(subject)->comm, value);
}

static bool comm_matches(const struct selection_subject *subject, const char *value)
{
	return thread_matches(subject, value) || process_matches(subject, value);
}

static bool cgroup_matches(const struct selection_subject *subject, const char *value)
{
	return is_text(subject, process_of(subject)->cgroup, value);
}

/* "disk" holds for the state and its parts, "disk/read" for that part alone. */
static bool dimension_matches(const struct selection_subject *subject, const char *value)
{
	struct dimension_id id = profile_cell_dimension(subject->profile, subject->cell);
	const struct dimension *part = profile_dimension_at(subject->profile, id.index);
	const struct dimension *state = profile_dimension_at(
		subject->profile, profile_dimension_root(subject->profile, id).index);
	const char *name = profile_text(subject->profile, state->name);
	size_t size = strlen(name);

	if (!id.index || strncmp(value, name, size))
		return false;
	return !value[size] ||
	       (value[size] == '/' && is_text(subject, part->name, value + size + 1));
}

static bool class_matches(const struct selection_subject *subject, const char *value)
{
	return subject->cell->evidence.index && dimension_matches(subject, value);
}

/* What a narrowed profile holds is of such requests; any other knows of none. */
static bool request_matches(const struct selection_subject *subject, const char *value)
{
	(void)value;
	return profile_meta(subject->profile, "cohort.requests") != NULL;
}

static bool state_matches(const struct selection_subject *subject, const char *value)
{
	return !strchr(value, '/') && dimension_matches(subject, value);
}

const struct selection_key selection_keys[] = {
	{ .name = "cgroup", .matches = cgroup_matches },
	{ .name = "class", .of_cell = true, .matches = class_matches },
	{ .name = "comm", .matches = comm_matches },
	{ .name = "dimension", .of_cell = true, .matches = dimension_matches },
	{ .name = "pid", .number = true, .matches = pid_matches },
	{ .name = "process", .matches = process_matches },
	{ .name = "request", .matches = request_matches },
	{ .name = "state", .of_cell = true, .matches = state_matches },
	{ .name = "thread", .matches = thread_matches },
	{ .name = "tid", .number = true, .matches = tid_matches },
};
const size_t selection_key_count = ARRAY_LENGTH(selection_keys);

static void key_unknown(const char *name, struct error *err)
{
	const char *names[ARRAY_LENGTH(selection_keys) + 1] = { NULL };
	const char *near;

	for (size_t i = 0; i < ARRAY_LENGTH(selection_keys); i++)
		names[i] = selection_keys[i].name;
	near = nearest_name(name, names);
	(void)fail(err, FAILURE_USAGE, -EINVAL, "unknown key '%.64s' in --where", name);
	(void)error_because(err,
			    "the keys are cgroup, class, comm, dimension, pid, process, request, state, "
			    "thread and tid");
	if (near)
		(void)error_try(err, "--where %s=VALUE", near);
}

const struct selection_key *selection_key_find(const char *name, size_t size, struct error *err)
{
	CLEANUP_TEXT char *copy = xstrndup(name, size);

	for (size_t i = 0; i < ARRAY_LENGTH(selection_keys); i++)
		if (!strcmp(selection_keys[i].name, copy))
			return &selection_keys[i];
	key_unknown(copy, err);
	return NULL;
}
