/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/* What the halves of the writer share: firefox_write.c writes the file, firefox_write_table.c the tables that its threads share. */
#include "format/flat.h"

struct intern;
struct map;
struct output;

struct firefox_function { uint32_t name, path; };    /* of strings; path 0: none */
struct firefox_stack { uint32_t frame, prefix; };    /* prefix + 1 */

struct firefox_writer {
	uint64_t first_ns;                           /* of all that the file tells; times are counted from here */
	struct flat flat;
	struct output *to;
	struct intern *strings;
	struct map *function_ids, *stack_ids;
	struct firefox_function *functions;
	struct firefox_stack *stacks;
	uint32_t *sample_stacks;                     /* of each weight, + 1 */
	uint32_t *frame_functions;
	uint32_t *intervals;                         /* by thread, from starts[thread] on */
	size_t *starts;
	size_t function_count, function_room, stack_count, stack_room;
};

/* Stacks, frames and functions of all weights, each once. */
void firefox_tables_make(struct firefox_writer *writer);
void firefox_tables_free(struct firefox_writer *writer);
/* After the threads: they too put strings. */
void firefox_tables_write(struct firefox_writer *writer);
