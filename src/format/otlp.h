/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/* The halves of the otlp row. Private to the otlp*.c files. */
#include <stdbool.h>
#include <stddef.h>

struct error;
struct format_options;
struct import;
struct input;
struct output;
struct profile;

/* What one export request holds, and no more: import_finish() is the caller's. Where it is refused and the bytes are the file's
 * own, the place is told. */
int otlp_read_bytes(struct import *import, const void *bytes, size_t size, bool own, struct error *err);
int otlp_read(struct input *input, struct profile *into, struct error *err);
int otlp_write(const struct profile *profile, const struct format_options *options,
	       struct output *to, struct error *err);
