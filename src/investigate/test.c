/* SPDX-License-Identifier: Apache-2.0 */
/* One change, three arms, blocks in random order. A load that cannot keep its own times measures itself. */
#include "investigate/investigate.h"

#include <stdio.h>

enum { VOID_ROW = 6 };                       /* voided without one good block: the next will be no better */

static bool stop(const struct pass_facts *facts, char *why, size_t why_size)
{
	if (facts->voided < VOID_ROW || facts->blocks)
		return false;
	(void)snprintf(why, why_size, "the load generator was late in each of %u blocks: what would be measured is the load", facts->voided);
	return true;
}

extern const struct pass pass_test;
const struct pass pass_test = {
	.name = "test", .summary = "do they fall back together when one change is taken back?",
	.stops = "the load generator is late in every block", .stop = stop,
};
