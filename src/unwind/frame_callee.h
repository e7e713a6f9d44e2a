/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * Where a frame that is counted from rbx, and not the interrupted one, is found. The dynamic linker's lazy binding makes one: of
 * its frame's size nothing is known but at run time, and rows do not follow rbx. But the function that it calls has saved it.
 */
#include <stdint.h>

#include "unwind/frame_set.h"

/* Of what code in [from, to) calls: where it saves its caller's rbx, in words from its CFA (so below 0). 0 where that is not
 * known, or where it calls functions that differ in that. */
int8_t frame_callee_rbx(struct frame_set *set, uint64_t from, uint64_t to);
