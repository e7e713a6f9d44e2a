/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * One stack from two: the thread's native frames, and what its interpreter runs. A native frame of the evaluator gives way
 * to the frames that one entry of it runs:
 *
 *	native        epoll_wait  select_poll  EVAL        method_call  EVAL  main
 *	interpreted                            c  b  a|                 main_module|      | the evaluator was entered for it
 *	merged        epoll_wait  select_poll  c  b  a     method_call  main_module  main
 *
 * The two are compared from the root, where both are settled: at the leaf the evaluator may have been entered and not have
 * begun its frame yet. Where the native walk did not reach the root they are compared from the leaf.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/wire.h"

struct merged { bool interpreted; uint32_t index; };         /* of the native, or of the interpreted frames */

/* Leaf first. addresses carry their method, as in a record. ret has room for depth + count. Returns how many there are. */
size_t merge_stack(const uint64_t *addresses, size_t depth, const struct wire_interpreted *frames, size_t count, uint64_t start,
		   uint64_t end, bool complete, struct merged *ret);
