/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * A source of completions: what counts as useful work, the denominator of every comparison. One per file. A source with
 * a kernel half reads its maps; others look elsewhere. Counts are handed over once per slice, correct and incorrect apart.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probe/probe.h"

struct crosscut_bpf;
struct error;
struct work_state;

/* One class of completions since the last collection. */
struct work_count {
	const char *class;                   /* "200"; "" where the source has none */
	uint32_t process, port;              /* 0 where unknown */
	enum outcome outcome;
	uint64_t count;
};

/* Of a request: what it is called, bounded and without what identifies anybody, and the trace it belongs to. */
struct work_class { char name[96], trace_id[33]; };

struct work_options {
	const char *argument;                /* what follows the first colon of --work NAME:ARGUMENT; NULL where nothing does */
	const char *correct;                 /* --correct LIST: "200,304" or "2xx"; NULL: the source's own rule */
	const char *executable;              /* of the target, where it has one; NULL */
	struct crosscut_bpf *bpf;            /* loaded; NULL for sources without a kernel half */
};

struct work {
	const char *name;                    /* "http", as in --work http:8080 */
	const char *summary;
	const char *unit;                    /* "response": one completion */
	const char *synopsis;                /* "http[:PORT]" */
	const char *exposes;                 /* what it reads of the user's, for --dry-run; NULL: nothing */
	struct probe_program programs[PROBE_PROGRAMS];       /* of its kernel half; none: it has none */
	struct probe_program request_programs[PROBE_PROGRAMS];       /* beyond these where requests are followed */
	/* Where it tells of requests, else NULL. Of a request that opened, by its first bytes; of one that closed, by what the kernel half gave as its status. */
	void (*class_of)(const char *prefix, size_t size, struct work_class *ret);
	enum outcome (*judge)(const struct work_state *state, unsigned status);
	int (*check)(const char *argument, struct error *err);          /* before anything is loaded: is the argument sound? */
	int (*open)(const struct work_options *options, struct work_state **ret, struct error *err);
	/* Calls add once per class that counted since the last call; with last set, once more at the end of the window. */
	int (*collect)(struct work_state *state, bool last, void (*add)(void *to, const struct work_count *count), void *to,
		       struct error *err);
	void (*close)(struct work_state *state);                        /* NULL is fine */
};

extern const struct work *const works[];             /* NULL-terminated, sorted by name */
const struct work *work_find(const char *name);
/* Splits "http:8080" and finds its row. *ret_argument points into spec, NULL where there is none. */
int work_parse(const char *spec, const struct work **ret, const char **ret_argument, struct error *err);
/* "200,304" or "2xx": does the list name this class? For --correct. */
bool work_class_listed(const char *list, const char *class);
