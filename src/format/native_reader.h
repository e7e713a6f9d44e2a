/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * What a reader of capture files is made of. Private to the native_read*.c files.
 *
 * Each table has a cursor that runs through it once, in the order in which it was stored; a slice
 * takes from every cursor the rows that were stored with it. The first thing found wrong is kept in
 * err; from then on nothing is read.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/native_file.h"
#include "format/native_schema.h"
#include "format/sha256.h"
#include "profile/id.h"

struct error;
struct profile;
struct sqlite3_stmt;

struct cursor {
	enum native_table table;
	struct sqlite3_stmt *statement;
	int columns[NATIVE_COLUMN_LIMIT];            /* of the schema's columns in the statement */
	int at;                                      /* the next column to take */
	bool row;                                    /* it stands on a row; false at the end */
	int64_t rowid;
	/* the slice its row was stored with; 0 in tables without one */
	uint32_t stored;
};

struct reader {
	struct native_input input;
	const char *path;
	struct profile *profile;
	struct error *err;
	int code;                                    /* what went wrong, 0 while nothing has */
	struct cursor cursors[TABLE_COUNT];
	struct sha256 sha;
	unsigned char chain[SHA256_SIZE];
	struct string_id *strings;                   /* by the file's number */
	uint32_t string_count, string_room;
	/* segments' rows that the file's size can explain */
	uint64_t row_budget;
	bool sealed;
	char digest[2 * SHA256_SIZE + 1];            /* of the seal, as meta holds it */
};

/* Keeps the first thing that is wrong with the file. */
void reader_damaged(struct reader *reader, const char *why, ...)
	__attribute__((format(printf, 2, 3)));

void cursor_open(struct reader *reader, enum native_table table);
void cursor_close(struct cursor *cursor);
void cursor_step(struct reader *reader, struct cursor *cursor);
/* Whether it stands on a row stored with that slice; that row then enters the digest. */
bool cursor_has(struct reader *reader, struct cursor *cursor, uint32_t stored);
/* The same for tables without slices: any row. */
bool cursor_has_any(struct reader *reader, struct cursor *cursor);

/* The row's next value, in the order of the schema. What does not fit is damage, and gives 0 or "".
 */
uint64_t take_number(struct reader *reader, struct cursor *cursor);
uint32_t take_below(struct reader *reader, struct cursor *cursor, uint64_t limit);
bool take_truth(struct reader *reader, struct cursor *cursor);
/* until the next step */
const char *take_text(struct reader *reader, struct cursor *cursor);
struct string_id take_string(struct reader *reader, struct cursor *cursor);
const void *take_blob(struct reader *reader, struct cursor *cursor, size_t *ret_size);
/* The id of a dictionary's row, which must be the next one. */
void take_id(struct reader *reader, struct cursor *cursor, size_t next);
/* Whether the row that was just added got the place it has in the file. */
void reader_placed(struct reader *reader, struct cursor *cursor, uint32_t id, size_t expected);

void read_meta(struct reader *reader);
void read_processes(struct reader *reader);
void read_threads(struct reader *reader);
void read_classes(struct reader *reader);
void read_symbols(struct reader *reader);
void read_strings(struct reader *reader, uint32_t stored);
void read_definitions(struct reader *reader, uint32_t stored);
void read_files(struct reader *reader, uint32_t stored);
void read_objects(struct reader *reader, uint32_t stored);
void read_evidence(struct reader *reader, uint32_t stored);
void read_mappings(struct reader *reader, uint32_t stored);
void read_counts(struct reader *reader, uint32_t stored);
void read_guard_steps(struct reader *reader, uint32_t stored);
void read_stack_segments(struct reader *reader, uint32_t stored);
void read_fact_segments(struct reader *reader, uint32_t stored);
