/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * Which parts of a fixed range of numbered places are free: taken first-fit, joined again when given back.
 *
 *	struct extents free = { 0 };
 *	extents_init(&free, 1000);
 *	uint32_t first = extents_take(&free, 16);        EXTENTS_NONE where no part is large enough
 *	extents_give(&free, first, 16);
 */
#include <stddef.h>
#include <stdint.h>

enum { EXTENTS_NONE = UINT32_MAX };

struct extent { uint32_t first, count; };
struct extents {
	struct extent *free;            /* sorted, never touching */
	size_t count, room;
};

void extents_init(struct extents *extents, uint32_t places);
void extents_done(struct extents *extents);
uint32_t extents_take(struct extents *extents, uint32_t places);
void extents_give(struct extents *extents, uint32_t first, uint32_t places);     /* only what was taken */
