/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * Weighted paths merged into one tree. Paths are added in any order; what comes out is in preorder
 * with children sorted by name, so that two captures draw alike, and bounded: beyond the limit the
 * smallest nodes of each parent become one "(other)", whose weight stays in the sums.
 */
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "profile/id.h"

struct call_tree;
struct naming;
struct tree;

struct call_tree *call_tree_new(void);
void call_tree_free(struct call_tree *tree);
DEFINE_CLEANUP(call_tree)

enum { CALL_TREE_ROOT = 0 };
/* The child of a node by name, made where it is new. */
uint32_t call_tree_child(struct call_tree *tree, uint32_t parent, uint32_t name);
/* The node at the end of a stack's names below a node. A stack is walked once per node it hangs from. */
uint32_t call_tree_stack(struct call_tree *tree, uint32_t from, struct naming *naming, struct stack_id stack);
void call_tree_weigh(struct call_tree *tree, uint32_t node, double weight, uint64_t events);
/* Adds a weight at the end of a path that starts below a node. */
void call_tree_add(struct call_tree *tree, uint32_t from, const uint32_t *names, size_t count,
		   double weight, uint64_t events);
double call_tree_total(const struct call_tree *tree);
/* Draws it into a tree of at most `limit` nodes whose root is called root_name. The caller frees
 * it. */
struct tree *call_tree_draw(const struct call_tree *tree, const struct naming *naming,
			    const char *root_name, const char *unit, const char *weighting,
			    size_t limit);
