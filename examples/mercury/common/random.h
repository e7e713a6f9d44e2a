/* SPDX-License-Identifier: Apache-2.0 */
/* A small seeded generator (splitmix64): the same seed gives the same items, requests and times. */
#pragma once

#include <stdint.h>

struct random { uint64_t state; };

static inline uint64_t random_next(struct random *random)
{
	uint64_t value = random->state += 0x9e3779b97f4a7c15u;

	value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9u;
	value = (value ^ (value >> 27)) * 0x94d049bb133111ebu;
	return value ^ (value >> 31);
}

static inline uint32_t random_below(struct random *random, uint32_t limit)
{
	return (uint32_t)((random_next(random) >> 32) * limit >> 32);
}

/* Above 0, at most 1. */
static inline double random_unit(struct random *random)
{
	return (double)((random_next(random) >> 11) + 1) / 9007199254740992.0;
}
