/* SPDX-License-Identifier: Apache-2.0 */
/* The passes in their order, and the order of the blocks (SplitMix64 by S. Vigna, shuffled as by R. Durstenfeld). */
#include "investigate/investigate.h"

extern const struct pass pass_confirm, pass_classify, pass_attribute, pass_test;

const struct pass *const passes[] = {
	&pass_confirm,
	&pass_classify,
	&pass_attribute,
	&pass_test,
	NULL,
};

static uint64_t next_random(uint64_t *state)
{
	uint64_t z = (*state += 0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return z ^ (z >> 31);
}

void schedule_order(uint64_t seed, unsigned pair, unsigned arms, unsigned ret_order[])
{
	uint64_t state = seed * 0x2545f4914f6cdd1d + pair;

	for (unsigned i = 0; i < arms; i++)
		ret_order[i] = i;
	for (unsigned i = arms; i > 1; i--) {
		unsigned other = (unsigned)(next_random(&state) % i), kept = ret_order[i - 1];

		ret_order[i - 1] = ret_order[other];
		ret_order[other] = kept;
	}
}

bool block_is_void(double late_p99_ns, double p99_ns, double share)
{
	return late_p99_ns > share * p99_ns;         /* false where the load does not say how late it was */
}
