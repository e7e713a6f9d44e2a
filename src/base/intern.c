/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Texts lie in chunks that never move, so that a pointer handed out stays valid; an open-addressed table of ids finds
 * them. Hashes are kept beside the pointers: growing never reads the texts again.
 */
#include "base/intern.h"

#include "base/map.h"
#include "base/memory.h"

#include <assert.h>
#include <string.h>

enum { CHUNK_BYTES = 64 * 1024 };

struct intern_entry {
	const char *text;
	uint32_t hash, size;
};

struct intern {
	struct intern_entry *entries;
	size_t count, room;
	uint32_t *slots;                    /* id + 1, 0 = free */
	size_t slot_count;
	char **chunks;
	size_t chunk_count, chunk_room;
	size_t chunk_used, chunk_size;
};

static const char *intern_keep(struct intern *intern, const char *text, size_t size)
{
	char *kept;

	if (intern->chunk_size - intern->chunk_used < size + 1) {
		grow(intern->chunks, intern->chunk_count, intern->chunk_room);
		intern->chunk_size = size + 1 > CHUNK_BYTES ? size + 1 : CHUNK_BYTES;
		intern->chunks[intern->chunk_count++] = xmalloc(intern->chunk_size);
		intern->chunk_used = 0;
	}
	kept = intern->chunks[intern->chunk_count - 1] + intern->chunk_used;
	memcpy(kept, text, size);
	kept[size] = '\0';
	intern->chunk_used += size + 1;
	return kept;
}

struct intern *intern_new(void)
{
	struct intern *intern = xcalloc(1, sizeof(*intern));

	intern->slot_count = 64;
	intern->slots = xcalloc(intern->slot_count, sizeof(*intern->slots));
	(void)intern_put(intern, "");
	return intern;
}

void intern_free(struct intern *intern)
{
	if (!intern)
		return;
	for (size_t i = 0; i < intern->chunk_count; i++)
		free(intern->chunks[i]);
	free(intern->chunks);
	free(intern->entries);
	free(intern->slots);
	free(intern);
}

static size_t intern_slot(const struct intern *intern, const char *text, size_t size, uint32_t hash)
{
	size_t slot = hash & (intern->slot_count - 1);

	while (intern->slots[slot]) {
		const struct intern_entry *entry = &intern->entries[intern->slots[slot] - 1];

		if (entry->hash == hash && entry->size == size && !memcmp(entry->text, text, size))
			break;
		slot = (slot + 1) & (intern->slot_count - 1);
	}
	return slot;
}

static void intern_double(struct intern *intern)
{
	free(intern->slots);
	intern->slot_count *= 2;
	intern->slots = xcalloc(intern->slot_count, sizeof(*intern->slots));
	for (size_t i = 0; i < intern->count; i++) {
		size_t slot = intern->entries[i].hash & (intern->slot_count - 1);

		while (intern->slots[slot])
			slot = (slot + 1) & (intern->slot_count - 1);
		intern->slots[slot] = (uint32_t)i + 1;
	}
}

uint32_t intern_put_size(struct intern *intern, const char *text, size_t size)
{
	uint32_t hash;
	size_t slot;

	size = strnlen(text, size);
	assert(size <= UINT32_MAX);
	hash = (uint32_t)hash_bytes(text, size);
	slot = intern_slot(intern, text, size, hash);
	if (intern->slots[slot])
		return intern->slots[slot] - 1;
	grow(intern->entries, intern->count, intern->room);
	intern->entries[intern->count++] = (struct intern_entry){ intern_keep(intern, text, size), hash, (uint32_t)size };
	intern->slots[slot] = (uint32_t)intern->count;
	if (intern->count * 3 > intern->slot_count * 2)
		intern_double(intern);
	return (uint32_t)intern->count - 1;
}

uint32_t intern_put(struct intern *intern, const char *text)
{
	return intern_put_size(intern, text ? text : "", text ? strlen(text) : 0);
}

uint32_t intern_find(const struct intern *intern, const char *text)
{
	size_t size = strlen(text);
	uint32_t id = intern->slots[intern_slot(intern, text, size, (uint32_t)hash_bytes(text, size))];

	return id ? id - 1 : UINT32_MAX;
}

const char *intern_text(const struct intern *intern, uint32_t id)
{
	return id < intern->count ? intern->entries[id].text : "";
}

size_t intern_count(const struct intern *intern)
{
	return intern->count;
}
