/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * Ids are types, so that a stack cannot be passed where a frame is meant. Index 0 is "none" in every table: its row
 * is all zero, so reading through an absent id is safe.
 */
#include <stdbool.h>
#include <stdint.h>

#define DEFINE_ID(noun)                                                            \
	struct noun##_id {                                                         \
		uint32_t index;                                                    \
	};                                                                         \
	static inline bool noun##_is(struct noun##_id a, struct noun##_id b)       \
	{                                                                          \
		return a.index == b.index;                                         \
	}

DEFINE_ID(string)
DEFINE_ID(dimension)
DEFINE_ID(measure)
DEFINE_ID(slice)
DEFINE_ID(process)
DEFINE_ID(thread)
DEFINE_ID(file)
DEFINE_ID(frame)
DEFINE_ID(stack)
DEFINE_ID(object)
DEFINE_ID(evidence)
