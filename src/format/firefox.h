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
#include "profile/id.h"

struct error;
struct format_options;
struct import;
struct input;
struct output;
struct profile;

struct firefox_library { struct string_id path, build_id; uint64_t start, end, offset; };

struct firefox_tables {
	struct import *import;
	struct profile *into;                        /* the import's */
	struct json_value root, thread;              /* of the profile, and the thread whose tables these are */
	bool gecko;
	struct string_table strings;
	struct firefox_library *libraries;
	size_t library_count;
	struct frame_id *frames;
	size_t frame_count;
	struct stack_id *stacks;
	size_t stack_count;
	struct text scratch, other;
};

/* The tables of a thread, or those that all threads share (thread absent). */
struct firefox_tables firefox_tables_read(struct import *import, struct json_value root, struct json_value thread);
void firefox_tables_done(struct firefox_tables *tables);
const char *firefox_string(struct firefox_tables *tables, size_t index);
/* None for SIZE_MAX, which is no stack; one that does not exist is counted. */
struct stack_id firefox_stack(struct firefox_tables *tables, size_t index);

int firefox_read(struct input *from, struct profile *into, struct error *err);
int firefox_write(const struct profile *profile, const struct format_options *options, struct output *to,
		  struct error *err);
