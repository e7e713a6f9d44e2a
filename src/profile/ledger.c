/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A capture keeps every state of its threads. A foreign file may know but one: samples of a CPU clock say nothing of waits,
 * nor waits of running time. It is a ledger only where it knows, without sampling, both when threads ran and when not.
 */
#include "profile/ledger.h"

#include "profile/profile.h"

enum { LEDGER_RUNNING = 1, LEDGER_NOT_RUNNING = 2 };

static unsigned sides_of(const struct profile *profile, const struct cell *cell, bool imported)
{
	const struct measure *measure = profile_measure_at(profile, cell->measure.index);
	struct dimension_id id = profile_dimension_root(profile, profile_cell_dimension(profile, cell));
	enum dimension_kind kind = profile_dimension_at(profile, id.index)->kind;

	if (measure->role != ROLE_TOTAL || kind < DIMENSION_RUNNING || kind > DIMENSION_IDLE ||
	    profile_thread_at(profile, cell->thread.index)->outside)
		return 0;
	if (!imported)
		return LEDGER_RUNNING | LEDGER_NOT_RUNNING;
	if (measure->weighting != WEIGHTING_EXACT)
		return 0;
	return kind == DIMENSION_RUNNING ? LEDGER_RUNNING : LEDGER_NOT_RUNNING;
}

bool profile_is_ledger(const struct profile *profile)
{
	const bool imported = profile_meta(profile, "import.format") != NULL;
	unsigned seen = 0;

	for (size_t i = 0; i < profile_cell_count(profile); i++) {
		seen |= sides_of(profile, profile_cell_at(profile, i), imported);
		if (seen == (LEDGER_RUNNING | LEDGER_NOT_RUNNING))
			return true;
	}
	return false;
}
