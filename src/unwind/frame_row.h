/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * A state of a frame as a row of eight bytes, its pc left 0. Pure; what the rows can say stands in row.h.
 */
#include "unwind/frame_program.h"
#include "unwind/row.h"

struct unwind_row frame_row(const struct frame_program *program);
