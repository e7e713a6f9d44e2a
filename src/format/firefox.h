/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * The tables of a Firefox profile, as they become frames and stacks, and both halves of the format. Private to the firefox*.c files.
 *
 * From docs-developer/CHANGELOG-formats.md of github.com/firefox-devtools/profiler: the Gecko form, which the browser
 * writes, is row-wise and keeps a frame as one string; the processed form is column-wise, and what versions moved about
 * (libs in 41, stringArray in 56, sources in 58, all tables in 60, prefixes in 66, lib in 70) is looked for where it was.
 */
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "format/json_table.h"
#include "format/stretches.h"
#include "profile/id.h"

struct error;
struct format_options;
struct import;
struct input;
struct output;
struct profile;

/* Strings by index; texts: what each became, plus one, once it was asked for. */
struct firefox_strings { struct string_table table; uint32_t *texts; };

struct firefox_library { struct string_id path, build_id; struct file_id file; bool is_file; uint64_t start, end, offset; };

struct firefox_libraries {
	struct firefox_library *rows;
	size_t count;
	struct stretches mapped;                     /* by the number of their row */
};

/* What the threads of a profile share. It is read once: a small file may hold a million threads. */
struct firefox_common {
	struct import *import;
	struct json_value meta, shared;
	uint32_t pid, generation;                    /* of the threads that say none; 0 */
	bool has_tables, has_strings, has_sources, has_libraries;
	struct firefox_strings strings;
	struct column source_path;
	struct firefox_libraries libraries;
	struct text scratch;
};

struct firefox_tables {
	struct firefox_common *common;
	struct import *import;
	struct profile *into;                        /* the import's */
	struct json_value thread;                    /* whose tables these are */
	bool gecko;
	struct firefox_strings own_strings, *strings;           /* the thread's, or what all share */
	struct firefox_libraries own_libraries, *libraries;
	struct frame_id *frames;
	size_t frame_count;
	struct stack_id *stacks;
	size_t stack_count;
};

struct firefox_common firefox_common_read(struct import *import, struct json_value root);
void firefox_common_done(struct firefox_common *common);
/* "1234", 1234 or "1234.1": a process id, and how often it was used before. */
void firefox_pid(struct json_value value, struct text *scratch, uint32_t *pid, uint32_t *generation);

/* The tables of a thread, or those that all threads share (thread absent). */
void firefox_tables_read(struct firefox_tables *tables, struct firefox_common *common, struct json_value thread);
void firefox_tables_done(struct firefox_tables *tables);
/* None where there is no such string. Decoded once. */
struct string_id firefox_text(const struct firefox_tables *tables, size_t index);
/* None for SIZE_MAX, which is no stack; one that does not exist is counted. */
struct stack_id firefox_stack(struct firefox_tables *tables, size_t index);

int firefox_read(struct input *from, struct profile *into, struct error *err);
int firefox_write(const struct profile *profile, const struct format_options *options, struct output *to,
		  struct error *err);
