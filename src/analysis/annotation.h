/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * Where inside one function the sampled running time went: by source line, and by instruction. A function is every one
 * whose name is the one asked for, or becomes it once its parameters, template arguments and namespaces are cut off; all
 * places count into which it was inlined.
 *
 * A line's own weight is that of samples that stood in the function itself on that line; its total adds what was called
 * or inlined there. Instructions are addresses where a thread stood: in the function or in what was inlined into it.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "profile/id.h"

struct error;
struct question;

struct annotated_line {
	struct string_id path;
	uint32_t line;                               /* 0 unknown */
	double self, total;
	uint64_t samples;                            /* of total */
	uint32_t cell;                               /* last counted, so that a recursion counts once */
};

struct annotated_address {
	struct file_id file;
	uint64_t offset;                             /* in the file */
	double self;
	uint64_t samples;
	uint32_t line;                               /* of the function asked for */
	struct string_id inlined;                    /* the innermost call, where it was inlined into the function */
};

struct annotation {
	const char *unit;                            /* static text */
	double self, total, all;                     /* of the function; of all that was selected */
	uint64_t samples, period;
	struct string_id *names;                     /* of the functions that are meant */
	size_t name_count, name_room;
	struct annotated_line *lines;                /* by path and line */
	size_t line_count, line_room;
	struct annotated_address *addresses;         /* by file and offset */
	size_t address_count, address_room;
};

/* NULL where no sample has such a function: err says so. */
struct annotation *annotation_new(const struct question *question, const char *function, struct error *err);
void annotation_free(struct annotation *annotation);                 /* NULL is fine */
DEFINE_CLEANUP(annotation)

bool function_is_named(const char *name, const char *asked);
