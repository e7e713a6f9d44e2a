/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/* The rows of one file, and where its code lies: what a mapping's offset is in the file's own addresses. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "unwind/rows.h"

enum { UNWIND_SEGMENT_LIMIT = 64 };

struct unwind_segment { uint64_t offset, size, address; };     /* executable ones */

struct unwind_file {
	struct unwind_tables tables;
	struct unwind_segment segments[UNWIND_SEGMENT_LIMIT];
	size_t segment_count;
	uint64_t build_ns;                      /* of CPU time */
};

/* The descriptor stays open. -ENOEXEC: no ELF file of ours; -ENODATA: it has no call-frame information (segments are
 * there all the same). */
int unwind_file_read(int fd, struct unwind_file *ret);
/* An image as it lies in memory: the vdso. */
int unwind_file_read_memory(const void *image, size_t size, struct unwind_file *ret);
void unwind_file_done(struct unwind_file *file);
/* A mapping begins at a page, a segment need not. */
bool unwind_segments_address(const struct unwind_segment *segments, size_t count, uint64_t offset, uint64_t *ret);
