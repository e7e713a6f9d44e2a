/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * A dimension is one way a thread's time, or a program's resources, can go. The set is open: a profile carries its own
 * dimensions as data. Analyses and views ask for the kind, never for a name.
 *
 * The ledger's states are dimensions; their parts ("disk" has "read", "write" …) are dimensions with a parent. A
 * state's total is what lies on it plus what lies on its parts.
 */
#include <stddef.h>

enum dimension_kind {
	DIMENSION_RUNNING = 1,       /* on a processor */
	DIMENSION_READY,             /* could run, has no processor */
	DIMENSION_WAITING,           /* cannot run until something happens */
	DIMENSION_IDLE,              /* waits for work to arrive: no cost */
	DIMENSION_AMOUNT,            /* adds up over a capture: bytes allocated, switches */
	DIMENSION_LEVEL,             /* true at an instant: bytes retained */
};

const char *dimension_kind_name(enum dimension_kind kind);           /* "running" …; "?" outside the range */
enum dimension_kind dimension_kind_of(const char *name);             /* 0 where there is none */

/* What a producer says of a dimension when it first fills it. */
struct dimension_row {
	const char *name;            /* a state: "disk"; a part: "read" under parent "disk" */
	const char *parent;          /* NULL for a state or an amount */
	const char *unit;            /* "ns", "bytes", "count" */
	enum dimension_kind kind;
	const char *meaning;         /* one sentence, for help and legends */
};

/* The states of the ledger and their parts, and the amounts beside it, in the order in which they are shown. */
extern const struct dimension_row dimension_rows[];
extern const size_t dimension_row_count;
/* Parent NULL for a state. NULL where there is no such row. */
const struct dimension_row *dimension_row_find(const char *parent, const char *name);
