/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * An analysis answers one question about a frozen profile and prints nothing: it adds sections to a document.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct document;
struct error;
struct profile;
struct selection;

struct question {
	const struct profile *profile;
	const struct selection *selection;    /* which cells count (profile/selection.h); never NULL */
	const char *by;                       /* "thread", "process", "comm", "cgroup", "class"; NULL: the whole population */
	const char *dimension;                /* a state or "state/part", "wall" for running and waiting together; NULL: none named */
	const char *sort;                     /* "inclusive" (default) or "exclusive" for call trees */
	bool alone;                           /* asked by name: all that is known; else beside others, what people need */
	size_t most;                          /* rows of a list, e.g. the largest waits; 0: the analysis' default */
};

struct analysis {
	const char *name;                     /* "ledger", as in --question ledger */
	const char *asks;                     /* the question, as a person would put it */
	int (*run)(const struct question *question, struct document *into, struct error *err);
	const char *not_by_request;           /* why it cannot answer of some requests (profile/cohort.h); NULL: it can */
};

extern const struct analysis *const analyses[];  /* NULL-terminated, sorted by name */
const struct analysis *analysis_find(const char *name);
/* Of some requests a question whose facts are not kept by request has no answer: that is said, where it is asked by name, and nothing else. */
int analysis_run(const struct analysis *analysis, const struct question *question, struct document *into, struct error *err);
