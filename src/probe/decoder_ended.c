/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads and processes that ended. A thread that died has facts for a slice more; then nobody tells of its serial number again, nor
 * of its process, and what finds them goes. The profile may let go their rows.
 */
#include "probe/decoder_state.h"

#include "base/map.h"
#include "base/memory.h"
#include "probe/interrupt_book.h"
#include "probe/space.h"

#include <string.h>

enum { SLICES_AFTER_DEATH = 3 };

static void note(struct decoder *decoder, struct ended ended)
{
	ended.slice = decoder->slice.index;
	grow(decoder->ended, decoder->ended_count, decoder->ended_room);
	decoder->ended[decoder->ended_count++] = ended;
}

void decoder_remember_ended(struct decoder *decoder, uint32_t slices)
{
	decoder->ended_kept = slices;
}

void decoder_thread_ended(struct decoder *decoder, uint32_t serial)
{
	note(decoder, (struct ended){ .serial = serial });
}

/* What finds a mapping by its address goes at once. */
void decoder_process_ended(struct decoder *decoder, struct process_id id, uint32_t pid)
{
	profile_process_unmapped(decoder->profile, id);
	note(decoder, (struct ended){ .process = id, .pid = pid, .generation = spaces_generation(decoder->spaces, pid) });
}

static void remove_if(struct map *map, uint32_t key, uint32_t value)
{
	const uint32_t *now = map_find(map, &key);

	if (now && *now == value)
		(void)map_remove(map, &key);
}

static void forget_thread(struct decoder *decoder, uint32_t serial)
{
	struct thread_id id = decoder_thread(decoder, serial);

	(void)map_remove(decoder->threads, &serial);
	interrupt_book_forget(decoder->interrupts, serial);
	if (!id.index)
		return;
	remove_if(decoder->threads_by_tid, profile_thread_at(decoder->profile, id.index)->tid, id.index);
	profile_thread_ended(decoder->profile, id);
}

/* Its number may be another's by now. */
static void forget_process(struct decoder *decoder, const struct ended *ended)
{
	if (ended->pid)
		remove_if(decoder->processes, ended->pid, ended->process.index);
	if (ended->pid && spaces_generation(decoder->spaces, ended->pid) == ended->generation)
		spaces_retire(decoder->spaces, ended->pid);
	profile_process_ended(decoder->profile, ended->process);
}

void decoder_forget_ended(struct decoder *decoder)
{
	const struct ended *ended = decoder->ended;
	uint32_t after = SLICES_AFTER_DEATH + decoder->ended_kept;
	size_t done = 0;

	for (; done < decoder->ended_count && ended[done].slice + after < decoder->slice.index; done++)
		if (ended[done].serial)
			forget_thread(decoder, ended[done].serial);
		else
			forget_process(decoder, &ended[done]);
	if (!done)
		return;
	decoder->ended_count -= done;
	memmove(decoder->ended, decoder->ended + done, decoder->ended_count * sizeof(*decoder->ended));
}
