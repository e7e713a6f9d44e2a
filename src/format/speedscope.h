/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/* The two halves of speedscope's format: speedscope_read.c and speedscope_write.c. */
struct error;
struct format_options;
struct input;
struct output;
struct profile;

int speedscope_read(struct input *from, struct profile *into, struct error *err);
int speedscope_write(const struct profile *profile, const struct format_options *options, struct output *to,
		     struct error *err);
