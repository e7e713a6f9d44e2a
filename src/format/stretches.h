/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * Stretches of addresses, each with a number, found by an address inside: the libraries and modules that a file lists. Both
 * putting and finding stay quick in whatever order a file does the two, however many it lists.
 *
 * They lie in runs that are sorted by start, each less than half as long as the one before it; a new one is a run of its
 * own, and runs of like length are merged (the logarithmic method of J. L. Bentley and J. B. Saxe, 1980).
 */
#include <stddef.h>
#include <stdint.h>

struct stretch { uint64_t start, end; uint32_t number; };

struct stretches {
	struct stretch *rows, *spare;                /* run behind run; room to merge two */
	size_t count, room, spare_room;
	size_t run_count, runs[64];                  /* where each begins */
};

/* One that holds no address is left out. */
void stretches_put(struct stretches *stretches, struct stretch stretch);
/* The number, UINT32_MAX where no stretch holds the address. Of several that do, one of those that start last. */
uint32_t stretches_find(const struct stretches *stretches, uint64_t address);
void stretches_clear(struct stretches *stretches);
void stretches_done(struct stretches *stretches);
