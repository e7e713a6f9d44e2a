/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * What a capture file holds: its tables, the shapes of its segments and its views, once, for the
 * writer, the reader and doc/format.md. Columns may be added by a later minor version; what a
 * column means changes only with the major one.
 */
#include <stdint.h>

#include "format/segment.h"

enum { NATIVE_APPLICATION_ID = 0x78637574 };                 /* "xcut" */
enum { NATIVE_COLUMN_LIMIT = 20 };
/* of one text in the file, when read */
enum { NATIVE_TEXT_LIMIT = 1 << 20 };

/* What a table's rows are protected by. */
enum native_cover {
	/* the digest of the slice in their column "stored" (of a segment: "slice") */
	COVER_SLICE,
	COVER_SEAL,              /* the seal's digest: they change while the capture runs */
	COVER_NONE,              /* nothing: they can be made again */
};

enum native_table {
	TABLE_META,
	TABLE_STRING,
	TABLE_DIMENSION,
	TABLE_MEASURE,
	TABLE_PROCESS,
	TABLE_THREAD,
	TABLE_FILE,
	TABLE_MAPPING,
	TABLE_OBJECT,
	TABLE_EVIDENCE,
	TABLE_CLASS,
	TABLE_COMPLETION,
	TABLE_LOSS,
	TABLE_OWN_COST,
	TABLE_GUARD_STEP,
	TABLE_SEGMENT,
	TABLE_SLICE,
	TABLE_TOTAL,
	TABLE_SYMBOL_TEXT,
	TABLE_SYMBOL,
	TABLE_GATE,
	TABLE_COUNT,
};

struct native_table_row {
	const char *name;
	enum native_cover cover;
	const char *meaning;
	/* "tid INTEGER NOT NULL"; NULL-terminated */
	const char *columns[NATIVE_COLUMN_LIMIT + 1];
};
extern const struct native_table_row native_tables[TABLE_COUNT];
extern const char *const native_views[];                     /* SQL, NULL-terminated */

/* Rows of segments whose members differ from the profile's: numbers of strings are the file's own,
 * ends are lengths. */
struct interval_row {
	uint64_t start, length;
	uint32_t thread, evidence, stack, waker, waker_stack, dimension;
};
struct link_row { uint64_t start, length; uint32_t interval, kind, object, by, stack; };
struct request_row {
	uint64_t arrived, opened, closed;
	uint32_t thread, class, outcome, trace_id, one_in, status;
	uint8_t overlap;
};

enum native_kind {
	KIND_FRAME,
	KIND_STACK,
	KIND_CELL,
	KIND_INTERVAL,
	KIND_LINK,
	KIND_REQUEST,
	KIND_PART,
	KIND_COUNT
};
extern const struct segment_shape native_shapes[KIND_COUNT];
