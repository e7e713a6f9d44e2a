/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * Why the time that requests take per second has changed: more of them, others of them, or dearer ones. A class of requests is
 * method and path. Each of the three is the change of one factor times the mean of the others on both sides, so that they sum to
 * the change with nothing left over:
 *
 *	rate x mix x cost   =   requests per second  x  sum over classes of (share of the requests x time of one)
 *
 * A mean that rose while no class did (E. H. Simpson, 1951) is all mix. A class that one side lacks has the other's cost there:
 * that it came or went is mix, too.
 */
#include <stddef.h>

#include "base/cleanup.h"

enum { MIX_CLASSES_MOST = 512, MIX_QUANTITIES_MOST = 32 };

struct mix_class { double count[2], sum[2]; };               /* requests, and what they took together; of base and candidate */
struct mix_split { double base, candidate, by_rate, by_mix, by_cost; };      /* per second */
/* seconds: that each side was recorded. One class' own part of by_mix and by_cost: mix_part, per request. */
void mix_split(const struct mix_class *classes, size_t count, const double seconds[2], struct mix_split *ret);
struct mix_part { double share[2], cost[2], by_mix, by_cost; };
void mix_part(const struct mix_class *classes, size_t count, size_t which, struct mix_part *ret);

/* --- Gathered from captures ------------------------------------------------------------------------------------------------- */
struct document;
struct profile;
struct selection;
struct mix;

struct mix *mix_new(void);
void mix_free(struct mix *mix);
DEFINE_CLEANUP(mix)
/* Requests whose thread held several at once are left out: their time is not their own. side: 0 base, 1 candidate. */
void mix_add(struct mix *mix, const struct profile *profile, const struct selection *selection, size_t side, double seconds);
/* The tables "mix" and "mix_classes", and what they say in words; nothing where either side has no requests. */
void mix_add_document(const struct mix *mix, size_t most, struct document *into);
void mix_add_finding(const struct mix *mix, struct document *into);
