/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * Reads inline chains and lines out of a file's debug information, by libdw. Only the compilation units that hold one of
 * the addresses asked for are read: the cost is that of the code that ran, not of all that was built. Runs in a confined
 * child (confined.h): whatever libdw makes of a hostile file stays there.
 */
#include <stddef.h>
#include <stdint.h>

struct dwarf_question {
	int fd;                                      /* of the file that has the debug information */
	const uint64_t *addresses;                   /* sorted */
	size_t count;
	const struct dwarf_segment { uint64_t start, end; } *code;           /* where code can be, of the file that ran */
	size_t code_count;
	const struct code_map *known;                /* kept in the answer; NULL: nothing */
	uint64_t time_ns;                            /* after that the rest is left out */
};

struct Dwarf;

/* The packed block (code_map.h) of what the open debug information says; the caller frees it. */
void *dwarf_read_open(struct Dwarf *debug, const struct dwarf_question *question, size_t *ret_size);
/* For confined_run(): the packed block (code_map.h), or NULL. context is a struct dwarf_question. */
void *dwarf_read(void *context, size_t *ret_size);
