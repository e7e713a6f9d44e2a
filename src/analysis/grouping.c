/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Groups are numbers that exist already: rows of threads or processes, interned texts, dimensions.
 * Nothing is built.
 */
#include "analysis/grouping.h"

#include "analysis/account.h"
#include "base/error.h"
#include "base/option.h"
#include "profile/profile.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const struct process *process_of(const struct profile *profile, uint32_t thread)
{
	return profile_process_at(profile, profile_thread_at(profile, thread)->process.index);
}

static void print_text(const struct profile *profile, uint32_t group, char *text, size_t size)
{
	(void)snprintf(text, size, "%s",
		       group ? profile_text(profile, (struct string_id){ group }) : "(none)");
}

/* --- thread ----------------------------------------------------------------------------------- */

static uint32_t thread_of_thread(const struct profile *profile, uint32_t thread)
{
	(void)profile;
	return thread;
}

static uint32_t thread_of_cell(const struct profile *profile, const struct cell *cell)
{
	(void)profile;
	return cell->thread.index;
}

static void thread_print(const struct profile *profile, uint32_t group, char *text, size_t size)
{
	const struct thread *thread = profile_thread_at(profile, group);

	if (group)
		(void)snprintf(text, size, "%s/%u", profile_text(profile, thread->comm),
			       thread->tid);
	else
		(void)snprintf(text, size, "(none)");
}

static const struct grouping grouping_thread = {
	.name = "thread",
	.title = "thread",
	.of_thread = thread_of_thread,
	.of_cell = thread_of_cell,
	.print = thread_print,
};

/* --- process ---------------------------------------------------------------------------------- */

static uint32_t process_of_thread(const struct profile *profile, uint32_t thread)
{
	return profile_thread_at(profile, thread)->process.index;
}

static uint32_t process_of_cell(const struct profile *profile, const struct cell *cell)
{
	return process_of_thread(profile, cell->thread.index);
}

static void process_print(const struct profile *profile, uint32_t group, char *text, size_t size)
{
	const struct process *process = profile_process_at(profile, group);

	if (!group)
		(void)snprintf(text, size, "(none)");
	else if (process->generation)
		(void)snprintf(text, size, "%s/%u.%u", profile_text(profile, process->comm),
			       process->pid, process->generation);
	else
		(void)snprintf(text, size, "%s/%u", profile_text(profile, process->comm),
			       process->pid);
}

static const struct grouping grouping_process = {
	.name = "process",
	.title = "process",
	.of_thread = process_of_thread,
	.of_cell = process_of_cell,
	.print = process_print,
};

/* --- comm ------------------------------------------------------------------------------------- */

static uint32_t comm_of_thread(const struct profile *profile, uint32_t thread)
{
	return profile_thread_at(profile, thread)->comm.index;
}

static uint32_t comm_of_cell(const struct profile *profile, const struct cell *cell)
{
	return comm_of_thread(profile, cell->thread.index);
}

static const struct grouping grouping_comm = {
	.name = "comm",
	.title = "thread name",
	.of_thread = comm_of_thread,
	.of_cell = comm_of_cell,
	.print = print_text,
};

/* --- cgroup ----------------------------------------------------------------------------------- */

static uint32_t cgroup_of_thread(const struct profile *profile, uint32_t thread)
{
	return process_of(profile, thread)->cgroup.index;
}

static uint32_t cgroup_of_cell(const struct profile *profile, const struct cell *cell)
{
	return cgroup_of_thread(profile, cell->thread.index);
}

static const struct grouping grouping_cgroup = {
	.name = "cgroup",
	.title = "cgroup",
	.of_thread = cgroup_of_thread,
	.of_cell = cgroup_of_cell,
	.print = print_text,
};

/* --- class ------------------------------------------------------------------------------------ */

static uint32_t class_of_cell(const struct profile *profile, const struct cell *cell)
{
	return profile_cell_dimension(profile, cell).index;
}

static void class_print(const struct profile *profile, uint32_t group, char *text, size_t size)
{
	char path[DIMENSION_PATH_SIZE];

	(void)snprintf(text, size, "%s",
		       dimension_path(profile, (struct dimension_id){ group }, path));
}

static const struct grouping grouping_class = {
	.name = "class", .title = "class", .of_cell = class_of_cell, .print = class_print,
};

const struct grouping *const groupings[] = {
	&grouping_cgroup,  &grouping_class,  &grouping_comm,
	&grouping_process, &grouping_thread, NULL,
};

const struct grouping *grouping_find(const char *name, struct error *err)
{
	const char *names[16] = { NULL };
	const char *near;

	for (size_t i = 0; groupings[i]; i++) {
		names[i] = groupings[i]->name;
		if (!strcmp(names[i], name))
			return groupings[i];
	}
	near = nearest_name(name, names);
	(void)fail(err, FAILURE_USAGE, -EINVAL, "unknown group '%.64s' in --by", name);
	(void)error_because(err, "the groups are cgroup, class, comm, process and thread");
	if (near)
		(void)error_try(err, "--by %s", near);
	return NULL;
}
