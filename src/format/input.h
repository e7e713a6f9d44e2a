/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * The bytes of a profile that was made elsewhere: of a file, of a pipe ("-" is standard input) or of
 * memory, decompressed on the way (gzip, zstd, xz and bzip2, recognised by their content, one inside
 * another at most), and as UTF-8 where they were UTF-16. A reader streams through it with peek and
 * skip or line by line, or asks for the whole at once; no way of reading holds more than its limit.
 *
 *	while ((line = input_line(input, &size)))
 *		…
 *	return input_error(input, err);
 *
 * Reading never fails at the call: what fails ends the input, and input_error() tells. Whoever reads
 * by format_read_input() need not ask, for that does.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"

struct error;
struct input;

enum {
	INPUT_PEEK_LIMIT = 64 << 20,             /* a peek gives no more */
	INPUT_LINE_LIMIT = 1 << 20,              /* a longer line is cut and counted */
};
#define INPUT_WHOLE_LIMIT (16ull << 30)              /* for formats that must be seen whole */

int input_open(const char *path, struct input **ret, struct error *err);
/* The bytes are borrowed. For tests, fuzzers, and what lies inside another file. */
struct input *input_memory(const void *bytes, size_t size, const char *name);
void input_free(struct input *input);                /* NULL is fine */
DEFINE_CLEANUP(input)

const char *input_name(const struct input *input);   /* for messages: its path, or "standard input" */
/* Where the file lies, for a library that opens by path; NULL for what is a pipe, memory or compressed. */
const char *input_path(const struct input *input);
/* "gzip", "gzip, zstd" (zstd inside gzip), "UTF-16"; "" where nothing was between the bytes and the reader. */
const char *input_encoding(const struct input *input);

/* What the user says that a file's numbers are, where the file does not: "off-cpu:us", "us"; NULL: nothing. A copy is kept;
 * readers whose files are silent ask for it by import_told(). */
void input_tell_counts(struct input *input, const char *counts);
const char *input_counts(const struct input *input);
/* At its end: did bytes follow a compressed stream that belong to none? */
bool input_leaves(const struct input *input);

/* The next bytes; fewer than wanted only at the end or beyond INPUT_PEEK_LIMIT. Valid until the next call. */
const unsigned char *input_peek(struct input *input, size_t wanted, size_t *ret_size);
void input_skip(struct input *input, size_t size);   /* at most what the last peek gave */
uint64_t input_offset(const struct input *input);    /* bytes skipped or read as lines so far */

/* The next line without its LF or CRLF, ended by a zero byte (it may hold others). NULL at the end. */
const char *input_line(struct input *input, size_t *ret_size);
uint64_t input_line_number(const struct input *input);               /* of the last line; the first is 1 */
uint64_t input_lines_cut(const struct input *input, uint64_t *ret_first);

/* All bytes, before any were skipped: mapped where the file allows it, kept in memory where they are few, else spooled
 * to a file without a name. Valid until input_free(). */
int input_whole(struct input *input, uint64_t limit_bytes, const unsigned char **ret, size_t *ret_size,
		struct error *err);
/* The whole as a file of mode 0600 that has a name; the caller unlinks and frees it. */
int input_spool(struct input *input, uint64_t limit_bytes, char **ret_path, struct error *err);

/* 0, or what failed while reading or decompressing; may be asked again. */
int input_error(const struct input *input, struct error *err);
