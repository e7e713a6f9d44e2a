/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * What a profile can hold, as a list of kinds: how much of each is in one, and which of them a format
 * keeps. A format's row declares its own; `convert --explain` and the tests of round trips read it.
 */
#include <stdbool.h>
#include <stdint.h>

struct profile;

/* Append-only is not needed: nothing stores these. */
enum content {
	CONTENT_EVENTS, CONTENT_PARTS, CONTENT_UNITS, CONTENT_WEIGHTING, CONTENT_COUNTS, CONTENT_FUNCTIONS, CONTENT_STACKS,
	CONTENT_TOTALS, CONTENT_NAMES, CONTENT_PROCESSES, CONTENT_THREADS, CONTENT_COMMS, CONTENT_TIME, CONTENT_INTERVALS, CONTENT_WAKERS, CONTENT_MODULES, CONTENT_BUILD_IDS,
	CONTENT_ADDRESSES, CONTENT_SOURCE, CONTENT_LINES, CONTENT_INLINED, CONTENT_KERNEL, CONTENT_LABELS, CONTENT_CAUSES, CONTENT_REQUESTS,
	CONTENT_COMPLETIONS, CONTENT_LOSSES, CONTENT_META, CONTENT_ZEROS, CONTENT_ARGUMENTS, CONTENT_BIAS, CONTENT_COUNT,
};
#define KEEPS(content) (1u << CONTENT_##content)
#define KEEPS_ALL ((1u << CONTENT_COUNT) - 1)

/* Beside these: the format's reader takes weights for exact, so that also what is merely sampled is lost. */
#define TAKES_AS_EXACT (1u << 31)

struct content_row {
	const char *name, *what;             /* "wakers"; "who ended a wait" */
	uint64_t (*amount)(const struct profile *profile);   /* 0: there is nothing to lose */
};
extern const struct content_row contents[CONTENT_COUNT];
/* How much of it a format that keeps so much would keep or lose. */
uint64_t content_amount(const struct profile *profile, enum content content, uint32_t keeps);
/* Is it known of every stack whether it reaches its root? Ours goes along into formats that have a place for notes. */
bool content_stacks_checked(const struct profile *profile);
#define CONTENT_STACKS_CHECKED "checked"
/* "label.build", "host.kernel", "import.bias": what is said of a capture goes along into formats that have a place for notes. */
bool content_travels(const char *key);
