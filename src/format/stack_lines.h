/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * Stacks as the BPF tools print them: one frame a line, leaf first, kernel and user the one below the
 * other with or without a mark between them:
 *
 *	    __schedule+1576
 *	    entry_SYSCALL_64_after_hwframe+118
 *	    read+16
 *	    0x7f1365f2580c
 *
 * Lines are gathered with stack_lines_add(); stack_lines_end() makes the stack, and begins anew.
 */
#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"
#include "profile/id.h"

struct import;

enum { STACK_LINES_FRAMES = 1024 };

struct stack_lines {
	struct text bytes;                       /* frames, each ended by a zero byte */
	size_t starts[STACK_LINES_FRAMES];
	size_t count, second;                    /* second: where another stack begins; 0 where only one was seen */
	bool cut;
};

void stack_lines_init(struct stack_lines *lines);
void stack_lines_done(struct stack_lines *lines);
void stack_lines_add(struct stack_lines *lines, const char *frame, size_t size);
void stack_lines_part(struct stack_lines *lines);    /* what follows is another stack */
/* kernel_first: the file says that its kernel stacks stand above; else it is found out by what they begin with, and where
 * that tells nothing the import remarks it. */
struct stack_id stack_lines_end(struct stack_lines *lines, struct import *import, bool kernel_first);
