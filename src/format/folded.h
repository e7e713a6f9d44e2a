/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * How frames and threads are called in folded stacks. Private to the folded*.c files.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profile/id.h"

struct error;
struct format_options;
struct output;
struct profile;
struct text;

/* Names by frame, made once each. */
struct folded_names {
	const struct profile *profile;
	const struct format_options *options;
	bool tidy;                               /* the profile came from perf script: names as its usual collapser has them */
	char **texts[2];                         /* by frame; the second for comms that begin with "java" */
};

void folded_names_init(struct folded_names *names, const struct profile *profile, const struct format_options *options);
void folded_names_done(struct folded_names *names);
/* "outer;inner": the frame, behind the calls that it was inlined into. */
const char *folded_frame(struct folded_names *names, struct frame_id frame, bool java);
/* "java", "java-12", "java-12/13"; appended */
void folded_comm(const struct folded_names *names, struct thread_id thread, struct text *into);
/* A name without what would end it: ';' and line ends. */
void folded_append(struct text *into, const char *name, size_t size);

int folded_write(const struct profile *profile, const struct format_options *options, struct output *to,
		 struct error *err);
