/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * Instructions of a program, as objdump prints them: a file is only shown if its build is the captured one.
 */
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"

struct instruction { uint64_t offset; char *text; };         /* offset: in the file */

struct disassembly {
	struct instruction *rows;                    /* by offset */
	size_t count, room;
};

/* The functions that hold the offsets (sorted), whole. Empty, with *ret_why as a static text, where that cannot be done. */
struct disassembly *disassembly_read(const char *path, const char *build_id, const uint64_t *offsets, size_t count,
				     const char **ret_why);
void disassembly_free(struct disassembly *disassembly);      /* NULL is fine */
DEFINE_CLEANUP(disassembly)
