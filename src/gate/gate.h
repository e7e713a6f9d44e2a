/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * A gate decides whether evidence may speak: one measure against one limit. It reads summaries, its own and, between
 * captures, another's. Unmeasured never passes.
 */
#include <stdbool.h>

struct document;
struct error;
struct summary;
struct table;

enum verdict { VERDICT_PASS = 1, VERDICT_WARN, VERDICT_FAIL, VERDICT_UNMEASURED };
const char *verdict_name(enum verdict verdict);

struct reading {
	double value;                        /* NAN: unmeasured */
	double limit;
	enum verdict verdict;
	char why[256];                       /* what was found, in words, with its numbers */
};

struct gate {
	const char *name;                    /* "lost-events" */
	const char *asks;                    /* "were events lost?" */
	const char *unit;                    /* "fraction", "z", "ns" */
	double limit;                        /* the default; --gate NAME=LIMIT overrides it */
	bool at_least;                       /* value must be at least the limit; else at most */
	double doubtful;                     /* above it and up to the limit: a warning; 0 where there is no such range */
	bool between;                        /* compares two captures */
	double (*measure)(const struct summary *summary, const struct summary *other, char *why, unsigned why_size);
	const char *next;                    /* what to do when it does not pass */
};

extern const struct gate *const gates[];     /* NULL-terminated, sorted by name */
const struct gate *gate_find(const char *name);
void gate_read(const struct gate *gate, double limit, const struct summary *summary, const struct summary *other,
	       struct reading *ret);

/* The gates of one capture as the table "gates" {name,verdict,value,limit,unit,why,next}. limits: pairs from --gate. */
struct gate_limit { const struct gate *gate; double limit; };
/* Returns the worst verdict (fail before unmeasured before warn before pass). */
enum verdict gate_judge(const struct summary *summary, const struct gate_limit *limits, unsigned limit_count,
			struct document *into);
