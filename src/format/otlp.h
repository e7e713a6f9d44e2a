/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/* The halves of the otlp row. Private to the otlp*.c files. */
#include <stddef.h>

struct error;
struct format_options;
struct input;
struct output;
struct profile;

int otlp_read(struct input *input, struct profile *into, struct error *err);
int otlp_write(const struct profile *profile, const struct format_options *options,
	       struct output *to, struct error *err);
