/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * What a writer of capture files is made of. Private to the native_write_*.c files.
 *
 * A failure of SQLite inside a transaction is kept in `failed` and asked once, before the commit:
 * whatever came after it goes with the rollback.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/native.h"
#include "format/native_schema.h"
#include "format/sha256.h"

struct frame;
struct map;
struct redaction;
struct sqlite3;
struct sqlite3_stmt;

/* How far each append-only table is stored; string counts the file's own numbers. */
struct native_written {
	uint32_t string, dimension, measure, slice, file, mapping, frame, stack, object, evidence,
		guard_step;
	/* of all slices, which links and parts count from */
	uint32_t intervals, requests;
};

/* Hashes of rows as they are stored, so that only what changed is written again. 0: not stored. They lie in pages, which go with
 * the rows that the profile let go. */
enum { MARK_PAGE = 64 };
struct native_marks { uint64_t **pages; size_t room; };

struct native_total { uint32_t thread, measure, evidence; uint64_t value, count, maximum; };

struct native {
	struct sqlite3 *db;
	char *path;
	struct sqlite3_stmt *inserts[TABLE_COUNT];
	struct sqlite3_stmt *current;                /* the row being filled */
	int column;
	/* NULL while what is stored enters no digest */
	struct sha256 *digest;
	bool failed;
	/* a slice did not fit: what it alone refers to is not stored either */
	bool cut;
	/* number of the transaction: the slice's, at the seal one more */
	uint32_t stored;
	unsigned char chain[SHA256_SIZE];
	uint64_t size_limit, size;
	struct native_written written;
	/* by the profile's string id; 0: not stored yet */
	uint32_t *string_numbers;
	size_t string_room;
	struct native_marks threads, processes, classes;
	/* NULL: names are stored as they are */
	struct redaction *redaction;
	struct map *total_ids;
	struct native_total *totals;
	size_t total_count, total_room;
};

/* A row: begin, its values in the order of the schema, end. */
void row_begin(struct native *native, enum native_table table);
void row_number(struct native *native, uint64_t value);
void row_text(struct native *native, const char *text);
void row_real(struct native *native, double value);
void row_blob(struct native *native, const void *bytes, size_t size);
void row_end(struct native *native);

/* Prepares the statements; creates the tables where create is set. */
int native_tables_open(struct native *native, bool create);
void native_tables_close(struct native *native);

uint32_t native_string(struct native *native, const struct profile *profile, struct string_id id);
uint32_t native_frame_name(struct native *native, const struct profile *profile, const struct frame *frame);
uint32_t native_frame_path(struct native *native, const struct profile *profile, const struct frame *frame);
void native_write_meta(struct native *native, const struct profile *profile);
void native_marks_free(struct native_marks *marks);
/* processes, threads, classes */
void native_write_living(struct native *native, const struct profile *profile);
void native_write_dictionaries(struct native *native, const struct profile *profile);
/* dimensions and measures */
void native_write_definitions(struct native *native, const struct profile *profile);
void native_write_facts(struct native *native, const struct profile *profile);
void native_write_guard_steps(struct native *native, const struct profile *profile);
void native_write_symbols(struct native *native, const struct profile *profile, size_t frame_count);
void native_write_totals(struct native *native);

void native_strings_gather(struct native *native, const struct profile *profile, bool facts);
void native_segments_frames(struct native *native, const struct profile *profile);
void native_segments_stacks(struct native *native, const struct profile *profile);
void native_segments_facts(struct native *native, const struct profile *profile);

void native_totals_add(struct native *native, const struct profile *profile);
/* Within a slice's transaction: writes the totals of threads that died long enough ago, and tells before when; 0: of none. Once the
 * transaction stands they are forgotten. */
uint64_t native_write_ended(struct native *native, const struct profile *profile);
void native_totals_forget(struct native *native, const struct profile *profile, uint64_t before_ns);
