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

static enum process_end look_at_end(uint32_t pid)
{
	char stat[1024];

	return proc_end(proc_read((pid_t)pid, "stat", stat, sizeof(stat)) > 0 ? stat : "");
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
		enum process_end end = is_due && pid ? look_at_end(pid) : PROCESS_LIVES;

		if (!is_due || end == PROCESS_ENDING) {
			drain->ended[kept++] = pid;
		} else if (end == PROCESS_ENDED) {
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
