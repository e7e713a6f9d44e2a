/* SPDX-License-Identifier: Apache-2.0 */
/* A growing run of wire records with an index that can be sorted by time. */
#include "capture/batch.h"

#include "base/cleanup.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

static unsigned char *batch_reserve(struct batch *batch, size_t size, uint64_t time_ns)
{
	size_t padded = (size + 7) & ~(size_t)7, room = batch->room ? batch->room : 65536;
	unsigned char *at;

	if (batch->size + padded > BATCH_BYTES_LIMIT) {
		batch->dropped++;
		return NULL;
	}
	while (room < batch->size + padded)
		room *= 2;
	if (room != batch->room) {
		batch->bytes = xreallocarray(batch->bytes, room, 1);
		batch->room = room;
	}
	grow(batch->entries, batch->count, batch->entry_room);
	batch->entries[batch->count++] = (struct batch_entry){ time_ns, batch->size };
	at = batch->bytes + batch->size;
	memset(at + size, 0, padded - size);
	batch->size += padded;
	return at;
}

void batch_add(struct batch *batch, const void *record, size_t size)
{
	const struct wire_head *head = record;
	unsigned char *at = size >= sizeof(*head) ? batch_reserve(batch, size, head->time_ns) : NULL;

	if (!at)
		return;
	memcpy(at, record, size);
	((struct wire_head *)(void *)at)->size = (uint32_t)((size + 7) & ~(size_t)7);
}

void batch_put(struct batch *batch, unsigned kind, uint64_t time_ns, void *record, size_t struct_size, const char *const *texts)
{
	size_t size = struct_size, lengths[BATCH_TEXTS] = { 0 };
	unsigned char *at;

	for (unsigned i = 0; texts && texts[i] && i < BATCH_TEXTS; i++) {
		lengths[i] = strnlen(texts[i], WIRE_TEXT - 1);
		size += lengths[i] + 1;
	}
	at = batch_reserve(batch, size, time_ns);
	if (!at)
		return;
	*(struct wire_head *)record = (struct wire_head){
		.size = (uint32_t)((size + 7) & ~(size_t)7), .kind = (uint16_t)kind, .time_ns = time_ns };
	memcpy(at, record, struct_size);
	at += struct_size;
	for (unsigned i = 0; texts && texts[i] && i < BATCH_TEXTS; i++) {
		memcpy(at, texts[i], lengths[i]);
		at[lengths[i]] = '\0';
		at += lengths[i] + 1;
	}
}

static int compare_entries(const void *left, const void *right)
{
	const struct batch_entry *a = left, *b = right;

	if (a->time_ns != b->time_ns)
		return a->time_ns < b->time_ns ? -1 : 1;
	return a->at < b->at ? -1 : a->at > b->at;
}

void batch_sort(struct batch *batch)
{
	if (batch->count)
		qsort(batch->entries, batch->count, sizeof(*batch->entries), compare_entries);
}

const struct wire_head *batch_at(const struct batch *batch, size_t index)
{
	return (const void *)(batch->bytes + batch->entries[index].at);
}

/* A storm of births fills megabytes once: they are not kept for the next one. */
void batch_clear(struct batch *batch)
{
	batch->size = batch->count = 0;
	if (batch->room <= BATCH_BYTES_KEPT)
		return;
	free(take(batch->bytes));
	free(take(batch->entries));
	batch->room = batch->entry_room = 0;
}

void batch_done(struct batch *batch)
{
	free(batch->bytes);
	free(batch->entries);
	*batch = (struct batch){ 0 };
}
