/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/* The keys of --where as rows: what a key looks at, and whether it belongs to a thread or to a cell. */
#include <stdbool.h>
#include <stddef.h>

struct cell;
struct error;
struct profile;
struct thread;

struct selection_subject {           /* what is asked about; either of thread and cell may be NULL */
	const struct profile *profile;
	const struct thread *thread;
	const struct cell *cell;
};

struct selection_key {
	const char *name;
	bool of_cell;                /* else of the thread and its process */
	bool number;                 /* its value must be one */
	bool (*matches)(const struct selection_subject *subject, const char *value);
};

extern const struct selection_key selection_keys[];      /* sorted by name */
extern const size_t selection_key_count;
/* By the first size bytes of name. NULL with *err filled, and the nearest name, where there is none. */
const struct selection_key *selection_key_find(const char *name, size_t size, struct error *err);
