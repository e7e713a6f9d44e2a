/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * The sums behind every answer: what the selected cells add up to, per dimension. Exact totals and
 * what was split by stack are kept apart, since they count the same nanoseconds twice; a state is
 * read from its totals where it has some and from the split where it has none (an import, or a
 * question about stacks).
 */
#include <stdbool.h>
#include <stddef.h>

#include "base/cleanup.h"
#include "profile/profile.h"

struct error;
struct question;

enum { ACCOUNT_BUCKETS = 64 };

struct tally {
	double total, count, maximum;        /* in the dimension's unit; events; of one event, 0 unknown */
	enum weighting weighting;            /* the weakest of what was added; 0: nothing was */
};

struct bucket { double count, total; };      /* of lengths in [2^k, 2^(k+1)) */

struct account {
	const struct profile *profile;
	const struct question *question;
	size_t count;                        /* of dimensions, row 0 included */
	struct tally *totals, *splits;       /* by dimension, parts apart from their state */
	struct bucket (*lengths)[ACCOUNT_BUCKETS];   /* by state */
	bool *has_totals, *has_splits;       /* by state: in the whole profile, selected or not */
	bool is_ledger;                      /* profile_is_ledger(): a state that is absent was zero */
	double thread_ns;                    /* lifetimes of the selected threads */
	double accounted_ns;                 /* the selected states' sum */
	double elapsed_ns;
	double threads, processes;           /* selected */
	double correct, incorrect, unjudged; /* completions */
	double rejected, retried, abandoned; /* attempts that completed nothing */
	bool worked;                         /* some completion was counted */
	bool several_ports;                  /* on more than one port, and none was chosen */
};

struct account *account_new(const struct question *question);
void account_free(struct account *account);
DEFINE_CLEANUP(account)

/* Which cells a state is read from: ROLE_TOTAL, or ROLE_SPLIT where it has no totals or stacks are
 * asked for. */
enum measure_role account_role(const struct account *account, struct dimension_id state);
/* A state or amount with its parts. Total NAN where it cannot be known: its time was not split by
 * stack. */
struct tally account_state(const struct account *account, struct dimension_id state);
/* The same where it was counted exactly; NAN where it was only sampled, or stacks are asked for. */
double account_exact(const struct account *account, struct dimension_id state);
/* One part of a state; estimated by the ratio of the samples where only they tell the parts apart.
 * */
struct tally account_part(const struct account *account, struct dimension_id part);
/* What was sampled with stacks of a state and its parts, to be set beside the exact total. */
struct tally account_split(const struct account *account, struct dimension_id state);
/* What processes hold at an instant (resident): no more for fewer completions, so that none divide it. What was retained of a
 * window's allocations, by stack, is divided. */
bool account_is_held(const struct account *account, struct dimension_id id);
double account_attempts(const struct account *account);      /* of whatever outcome; less retried: operations */
double account_per_completion(const struct account *account, double weight);         /* NAN without work */
const char *weighting_name(enum weighting weighting);                                /* "exact" … */

bool dimension_is_state(enum dimension_kind kind);           /* a thread is in it: not an amount or a level */
/* "disk/read", "disk"; written into text. */
enum { DIMENSION_PATH_SIZE = 128 };
const char *dimension_path(const struct profile *profile, struct dimension_id id,
			   char text[DIMENSION_PATH_SIZE]);
/* Is a dimension the named one or a part of it? Anything is below none. */
bool dimension_is_below(const struct profile *profile, struct dimension_id id,
			struct dimension_id above);
/* --dimension: -EINVAL with the nearest name where neither the profile nor profile/dimension.c
 * knows it. *ret is none where it is known and this profile has nothing of it. */
int dimension_named(const struct profile *profile, const char *path, struct dimension_id *ret,
		    struct error *err);
/* "disk" or "disk/read". None where the profile has no such dimension. */
struct dimension_id dimension_of_path(const struct profile *profile, const char *path);
