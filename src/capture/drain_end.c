/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Processes that ended. The side band is read after the ring, so an exit may be seen in it a tick before the process' last
 * stacks are: what was known of it is kept for one tick more.
 */
#include "capture/drain_state.h"

#include "base/memory.h"
#include "capture/interpreting.h"
#include "capture/proc.h"
#include "probe/decoder.h"

#include <stdio.h>
#include <string.h>

enum end { ENDED, ENDED_FIRST_THREAD, LIVES_ON };

/* What an exit of a process' first thread meant: its others may go on without it, one of them may have begun a new image, and
 * another process may have the number by now. "1234 (a name) Z 1 …": the state, and 17 fields further
 * on the number of threads. */
static enum end look_at_end(uint32_t pid)
{
	unsigned long threads = 0;
	const char *name_end;
	char text[1024], state = 'X';

	if (proc_read((pid_t)pid, "stat", text, sizeof(text)) <= 0)
		return ENDED;
	name_end = strrchr(text, ')');
	if (!name_end || sscanf(name_end + 1, " %c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %lu", &state,
				&threads) != 2)
		return ENDED;
	if (!strchr("ZX", state))
		return LIVES_ON;
	return threads > 1 ? ENDED_FIRST_THREAD : ENDED;
}

static void process_ended(struct drain *drain, uint32_t pid)
{
	struct wire_space space = { .process = pid };

	unwinding_exit(drain->unwinding, pid);
	interpreting_exit(drain->interpreting, pid);
	batch_put(&drain->extra, WIRE_SPACE_END, 0, &space, sizeof(space), NULL);
	drain_feed_extra(drain);
}

void drain_forget_ended(struct drain *drain)
{
	size_t kept = 0;

	for (size_t i = 0; i < drain->ended_count; i++) {
		uint32_t pid = drain->ended[i];
		bool is_due = i < drain->ended_before;
		enum end end = is_due && pid ? look_at_end(pid) : LIVES_ON;

		if (!is_due || end == ENDED_FIRST_THREAD) {
			drain->ended[kept++] = pid;
		} else if (end == ENDED) {
			process_ended(drain, pid);
		}
	}
	drain->ended_count = drain->ended_before = kept;
}

/* A process whose id an ended one had. */
void drain_keep_born(struct drain *drain, uint32_t pid)
{
	for (size_t i = 0; i < drain->ended_before; i++)
		if (drain->ended[i] == pid) {
			unwinding_exit(drain->unwinding, pid);
			interpreting_exit(drain->interpreting, pid);
			drain->ended[i] = 0;
		}
}

void drain_note_end(struct drain *drain, uint32_t pid)
{
	grow(drain->ended, drain->ended_count, drain->ended_room);
	drain->ended[drain->ended_count++] = pid;
}
