/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * What a stack is called: function names from the root to the leaf, inlined calls spread out, each
 * name a small number. A stack that was not taken, was cut, or whose leaf has no name begins with
 * its cause in brackets, so that nothing that could not be measured stands under a function of the
 * application.
 */
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "profile/id.h"

struct cell;
struct naming;
struct profile;

enum { NAMING_DEPTH_LIMIT = 4096 };          /* names of one stack, inlined calls included; the rest is cut at the root */

struct naming *naming_new(const struct profile *profile);
void naming_free(struct naming *naming);
DEFINE_CLEANUP(naming)

uint32_t naming_put(struct naming *naming, const char *name);                        /* a name of one's own: "[disk]" */
const char *naming_text(const struct naming *naming, uint32_t name);                 /* stays valid */
size_t naming_count(const struct naming *naming);                                    /* names are 0 … count-1 */
/* Names of a stack from the root; valid until the next call. */
const uint32_t *naming_path(struct naming *naming, struct stack_id stack, size_t *ret_count);
/* The function that the leaf's instructions were compiled into, whatever was inlined there. */
uint32_t naming_compiled(struct naming *naming, struct stack_id stack);
/* Names of one frame, outermost inlined call first; valid until the next call. */
const uint32_t *naming_frame(struct naming *naming, struct frame_id frame, size_t *ret_count);
/* Why a stack cannot stand on its own: the name that its path begins with in brackets, or NULL. Stays valid. */
const char *naming_cause(struct naming *naming, struct stack_id stack);
/* "[unwind failed: no-row in libz.so.1]" where its walk ended below the root; NULL for any other. Stays valid. */
const char *naming_failure(struct naming *naming, struct stack_id stack);
/* The stack of a cell: its own, or else the kernel's as the evidence of its wait holds it. */
struct stack_id cell_stack(const struct profile *profile, const struct cell *cell);
/* "leaf < caller < …", at most `most` names; the caller frees it. */
char *naming_line(struct naming *naming, struct stack_id stack, size_t most);
