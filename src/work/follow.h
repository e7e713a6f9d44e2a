/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * Follows a text file by its path, as tail -F does, from its present end: lines that are added, a file that is rotated
 * away and made anew, and one that is cut short. A rotated file is read on until the next rotation, since its writers
 * may not have let go of it yet. Only whole lines are handed on.
 */
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"

struct error;
struct follow;

enum { FOLLOW_LINE_LIMIT = 64 << 10 };               /* of a longer line, the rest is left out */

struct follow_statistics {
	uint64_t lines, bytes;
	uint64_t rotated, truncated, cut;            /* times; cut: lines beyond the limit */
};

typedef void follow_line_function(void *context, const char *line, size_t size);   /* no line feed, no zero byte behind it */

int follow_open(const char *path, struct follow **ret, struct error *err);
void follow_free(struct follow *follow);             /* NULL is fine */
DEFINE_CLEANUP(follow)

/* Calls for each line that was finished since the last reading, as far as the file reached when it began. */
int follow_read(struct follow *follow, follow_line_function *call, void *context, struct error *err);
void follow_statistics(const struct follow *follow, struct follow_statistics *ret);
