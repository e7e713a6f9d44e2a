/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * The stacks of all captures in one tree of canonical names, a root per dimension. A capture's stacks are walked once and then
 * forgotten; what stays of it is a list of nodes with their own weight. Children lie behind their parents, so that inclusive
 * sums are one loop backwards.
 */
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "profile/id.h"

struct forest;
struct naming;
struct profile;

enum { FOREST_NONE = 0, FOREST_NODE_LIMIT = 64 << 20 };      /* node 0 is above all roots */

/* Of a node alone, in one capture. compiled: of stacks whose leaf was compiled into this function, whatever was inlined there. */
struct forest_weight { uint32_t node; double weight, events, compiled; };
struct forest_weights { struct forest_weight *rows; size_t count, room; };

struct forest *forest_new(void);
void forest_free(struct forest *forest);
DEFINE_CLEANUP(forest)

/* --- Growing: one capture after the other --------------------------------------------------------------------------------- */
struct forest_walk;                                                  /* through one capture */
struct forest_walk *forest_walk_new(struct forest *forest, const struct profile *profile);
/* Adds a weight at the end of a stack below the root of that name. Events: how many were seen. */
void forest_walk_add(struct forest_walk *walk, const char *root, struct stack_id stack, double weight, double events);
/* Ends the walk and frees it; the weights are the caller's, ordered by node. */
void forest_walk_end(struct forest_walk *walk, struct forest_weights *ret);

/* --- Reading -------------------------------------------------------------------------------------------------------------- */
size_t forest_count(const struct forest *forest);
uint32_t forest_parent(const struct forest *forest, uint32_t node);
uint32_t forest_root(const struct forest *forest, uint32_t node);    /* the node of its dimension */
uint32_t forest_name(const struct forest *forest, uint32_t node);    /* equal names, equal numbers */
size_t forest_name_count(const struct forest *forest);
const char *forest_text(const struct forest *forest, uint32_t name); /* the function, or a root's dimension */
/* Its module, below forest_text_count(); 0: the program itself, or a profile without modules. Causes in brackets have none. */
enum { FOREST_NO_MODULE = UINT32_MAX };
uint32_t forest_module(const struct forest *forest, uint32_t name);
size_t forest_text_count(const struct forest *forest);
/* "parse < serve < worker": at most so many names from the node upwards. The caller frees it. */
char *forest_line(const struct forest *forest, uint32_t node, size_t most);
/* sums: one per node, all zero; filled with inclusive weights. */
void forest_sum(const struct forest *forest, const struct forest_weights *weights, double scale, double *sums);
void forest_sum_events(const struct forest *forest, const struct forest_weights *weights, double *sums);
