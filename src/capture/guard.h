/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * The guard's judgement, without its hands: what is to be given up next, from what the capture costs. The ladder, each rung only
 * where the one before did not bring the cost below the budget:
 *
 *	all ─▶ stacks rarer (by as many halvings as the excess asks for) ─▶ no stacks ─▶ the ledger alone ─▶ detached
 *
 * It judges every GUARD_TICKS, three times in a window of a second, and the ladder is four rungs long: whatever the load, the cost is below
 * the budget, or the capture is over, within two windows. Rates that rise by stages wait here too: a stage is taken when
 * the one before cost less than half the budget. Pure: no clock, no kernel.
 */
#include <stdbool.h>
#include <stdint.h>

#define GUARD_WINDOW_NS 1000000000ull
enum { GUARD_TICKS = 3, GUARD_HALVINGS_MOST = 6, GUARD_STAGES_MOST = 8 };       /* a tick is a tenth of a second */

enum guard_action { GUARD_NOTHING, GUARD_RARER, GUARD_STACKS_OFF, GUARD_LEDGER_ONLY, GUARD_DETACH };

struct guard_stages { double rates_hz[GUARD_STAGES_MOST]; unsigned count; uint64_t each_ns; };

struct guard {
	double budget;                       /* of a CPU; 0: no guard */
	double abort;                        /* above it the ledger alone is too dear as well; 0: never */
	enum guard_action rung;              /* the last that was taken */
	unsigned halvings;
	bool just_acted;
	struct guard_stages stages;
	unsigned stage;
	uint64_t stage_since_ns;
	double stage_highest, highest;       /* costs seen: in this stage, and at all */
};

/* Of the CPU that pays most: what the kernel half took there, and this process' own share. A budget that somebody stated (abort is not
 * above it) holds for both together; else what keeps stacks from a reader is only done for what the kernel half takes, since a busy
 * host makes our own share look larger than it is. Of GUARD_RARER, how many halvings there are now is in guard->halvings. */
enum guard_action guard_judge(struct guard *guard, double kernel_cost, double own_cost);
/* True where the next stage is to begin, whose rate is returned; a capture that gave something up stays where it is. */
bool guard_stage(struct guard *guard, uint64_t now_ns, double *ret_rate_hz);
