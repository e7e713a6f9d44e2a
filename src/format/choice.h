/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * The cells of one dimension, for formats that hold one: which of them count, what each weighs, on
 * which stack. The same nanoseconds are written once: where stacks were sampled from a dimension
 * its exact totals stay away, else the totals go out with the kernel stack of their evidence.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profile/profile.h"

struct error;
struct format_options;

struct choice {
	const struct profile *profile;
	struct dimension_id dimension;           /* a state stands for its parts too */
	bool split;                              /* take the cells sampled by stack */
};

/* options->dimension: "disk" or "disk/read". FAILURE_USAGE where none is named or the profile has
 * no such. */
int choice_make(const struct profile *profile, const struct format_options *options,
		struct choice *ret, struct error *err);
struct choice choice_of(const struct profile *profile, struct dimension_id dimension);
/* By dimension: is an amount nothing but the sum of the intervals? It has some, and no stacks. The caller frees it. */
bool *choice_interval_sums(const struct profile *profile);
/* The choice is such a sum: where these are written it would be there twice. */
bool choice_is_of_intervals(const struct choice *choice);
bool choice_has(const struct choice *choice, const struct cell *cell);
struct stack_id choice_stack(const struct choice *choice, const struct cell *cell);
/* cut at INT64_MAX, which readers end at */
uint64_t choice_weight(const struct cell *cell);
/* "disk/read"; the caller frees it. */
char *choice_name(const struct profile *profile, struct dimension_id dimension);
const char *choice_unit(const struct choice *choice);
/* The name of a thread, or of its process where it has none. */
const char *choice_comm(const struct profile *profile, struct thread_id thread);

/* The frames of a stack, leaf first. It grows to the deepest and is used again; free() its frames. */
struct choice_path { struct frame_id *frames; size_t count, room; };
void choice_frames(const struct choice *choice, struct stack_id stack, struct choice_path *ret);
/* A frame's name, whole where it has one; else it is made up in text. */
const char *choice_frame_name(const struct profile *profile, struct frame_id frame, char *text, size_t size);
/* Why a stack does not reach its root: "[truncated]", "[failed]"; NULL where it does or nobody
 * knows. */
const char *choice_cause(const struct choice *choice, struct stack_id stack);
/* The other way round, for readers; 0 where no such cause is known. */
enum stack_status choice_cause_status(const char *cause);
