/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * --by: what the rows of a table stand for. A grouping gives every thread, or every cell, the
 * number of its group.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cell;
struct error;
struct profile;

struct grouping {
	const char *name;                                            /* "comm", as in --by comm */
	const char *title;                                           /* of the column */
	/* Of a thread; NULL where only a cell has one. */
	uint32_t (*of_thread)(const struct profile *profile, uint32_t thread);
	uint32_t (*of_cell)(const struct profile *profile, const struct cell *cell);
	void (*print)(const struct profile *profile, uint32_t group, char *text, size_t size);
};

extern const struct grouping *const groupings[];                     /* NULL-terminated, sorted by name */
const struct grouping *grouping_find(const char *name, struct error *err);   /* NULL with *err filled */
enum { GROUPING_NAME_SIZE = 256 };
