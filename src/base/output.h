/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * Where bytes go: a file, stdout or memory. Writing never fails at the call; the first failure is kept and reported
 * by output_finish(), so that a full disk is found once and said once.
 *
 *	struct output to;
 *	r = output_open(&to, path, OUTPUT_REPLACE, err);     a new file of mode 0600
 *	output_print(&to, "%s\n", name);
 *	return output_finish(&to, err);
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct error;
struct text;

enum output_flag {
	OUTPUT_REPLACE = 1,      /* an existing file may be overwritten */
};

struct output {
	FILE *file;              /* NULL when it goes to text */
	struct text *text;
	char *path;              /* for messages; NULL for stdout and memory */
	char *buffer;            /* of the file, where it is owned */
	bool owned;
	int code;                /* the first failure, negative errno */
};

/* Refuses to write over what is read: the same file by whatever name. input NULL or "-": nothing to fear. */
int output_spare(const char *path, const char *input, struct error *err);
int output_open(struct output *output, const char *path, int flags, struct error *err);
void output_to_file(struct output *output, FILE *file);           /* borrowed, e.g. stdout */
void output_to_text(struct output *output, struct text *text);    /* borrowed */
void output_write(struct output *output, const void *bytes, size_t size);
void output_puts(struct output *output, const char *text);
void output_print(struct output *output, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Flushes, closes what is owned, and returns the first failure. A file that failed is removed. Call it exactly once. */
int output_finish(struct output *output, struct error *err);
