/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * What the terminal behind a descriptor can show, and one line of progress for long work.
 *
 *	struct progress progress;
 *	progress_init(&progress, stderr);
 *	progress_show(&progress, "recording: %u s, %s", seconds, size);
 *	progress_clear(&progress);           before anything else is printed, and at the end
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

bool terminal_colour(int fd);            /* a terminal, neither NO_COLOR nor TERM=dumb */
unsigned terminal_width(int fd);         /* COLUMNS, else the terminal's own; 0 = unknown */

struct progress {
	FILE *file;
	bool shows;                      /* false where it is no terminal that can rewrite a line */
	bool shown;                      /* a line stands there */
	uint64_t last_ns;
};

void progress_init(struct progress *progress, FILE *file);
/* Rewrites the line, at most ten times a second; cut at the terminal's width. */
void progress_show(struct progress *progress, const char *format, ...) __attribute__((format(printf, 2, 3)));
void progress_clear(struct progress *progress);
