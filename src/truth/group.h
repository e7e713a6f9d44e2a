/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * One control group for one run of a row, in a hierarchy of its own controller (version 1) or in
 * the unified one (version 2). It is made below our own group, or the nearest one above in which
 * the wanted file appears, and no existing group's settings are touched.
 */
#include <sys/types.h>

#include "truth/truth.h"

/*
 * One controller as both versions know it; the file that must appear in a new group, NULL = not in
 * that version.
 */
struct group_kind {
	const char *controller;
	const char *file_one, *file_two;
};

/* FAILURE_CANNOT with the reason where no such group can be made. */
int group_possible(const struct group_kind *kind, struct error *err);

/* Asks the guard first, so a row that makes one has group_remove() as its cleanup, or in it. */
int group_create(struct truth_context *context, const struct group_kind *kind, struct error *err);
int group_write(const struct truth_context *context, const char *file, const char *value,
		struct error *err);
int group_read(const struct truth_context *context, const char *file, char *text, size_t size);
int group_enter(const struct truth_context *context, pid_t pid, struct error *err);
void group_remove(struct truth_context *context);       /* thaws and kills who is still in it */
