/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each chunk is a BPF array that user space can map. To put one in its slot of the outer map costs an RCU grace period,
 * some ten milliseconds, so chunks are few and large: the first holds the rows of an ordinary process, each next one twice
 * as many. Pages are mapped for as long as something is written or read, so they are nobody's resident memory.
 */
#include "capture/unwind_store.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/extents.h"
#include "base/memory.h"

enum { FIRST_CHUNK_ROWS = 256 << 10, CHUNK_ROWS = UNWIND_ROW_LIMIT, PIECE_ROWS = 32 << 10 };
#define GRACE_NS 2000000000ull

struct chunk {
	int fd;
	uint32_t rows;
	struct extents free;
};

/* Rows that are being read. To map a BPF array makes all of it resident, so only these pages are. */
struct view {
	struct unwind_place place;
	void *mapped;
	size_t bytes;
	const struct unwind_row *rows;
};

struct given {
	uint64_t at_ns;
	bool is_run;
	struct unwind_place place;
};

struct unwind_store {
	int chunks_fd;
	struct chunk chunks[WIRE_UNWIND_CHUNKS];
	uint32_t chunk_count, room;             /* rows in all chunks */
	uint64_t rows_used;
	struct wire_unwind_mapping *mappings;
	size_t mapping_bytes;
	struct extents free_mappings;
	struct view *views;
	size_t view_count, view_room, view_bytes;
	struct given *given;                    /* oldest first */
	size_t given_count, given_room;
};

int unwind_store_open(struct unwind_store **ret, int chunks_fd, int mappings_fd, uint32_t mappings, struct error *err)
{
	CLEANUP(unwind_store) struct unwind_store *store = xcalloc(1, sizeof(*store));

	store->chunks_fd = chunks_fd;
	store->mapping_bytes = (size_t)mappings * sizeof(*store->mappings);
	store->mappings = mmap(NULL, store->mapping_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, mappings_fd, 0);
	if (store->mappings == MAP_FAILED) {
		store->mappings = NULL;
		return fail(err, FAILURE_CANNOT, -errno, "cannot map the unwinder's tables");
	}
	extents_init(&store->free_mappings, mappings);
	*ret = take(store);
	return 0;
}

void unwind_store_free(struct unwind_store *store)
{
	if (!store)
		return;
	unwind_store_unmap(store, 0);
	for (uint32_t i = 0; i < store->chunk_count; i++) {
		(void)close(store->chunks[i].fd);
		extents_done(&store->chunks[i].free);
	}
	if (store->mappings)
		(void)munmap(store->mappings, store->mapping_bytes);
	extents_done(&store->free_mappings);
	free(store->views);
	free(store->given);
	free(store);
}

static bool add_chunk(struct unwind_store *store, uint32_t at_least)
{
	LIBBPF_OPTS(bpf_map_create_opts, options, .map_flags = BPF_F_INNER_MAP | BPF_F_MMAPABLE);
	uint32_t rows = FIRST_CHUNK_ROWS, slot = store->chunk_count;
	int fd;

	while (rows < CHUNK_ROWS && (rows < at_least || rows < store->room))
		rows *= 2;
	if (slot >= WIRE_UNWIND_CHUNKS || rows < at_least || store->room + rows > UNWIND_STORE_ROWS)
		return false;
	fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "unwind_chunk", sizeof(uint32_t), sizeof(struct unwind_row), rows, &options);
	if (fd < 0)
		return false;
	if (bpf_map_update_elem(store->chunks_fd, &slot, &fd, BPF_ANY)) {
		(void)close(fd);
		return false;
	}
	store->chunks[slot] = (struct chunk){ .fd = fd, .rows = rows };
	extents_init(&store->chunks[slot].free, rows);
	store->chunk_count++;
	store->room += rows;
	return true;
}

static size_t page_bytes(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

static bool write_piece(const struct chunk *chunk, uint32_t first, const struct unwind_row *rows, size_t count)
{
	size_t from = (size_t)first * sizeof(*rows), page = from / page_bytes() * page_bytes(), size = from - page + count * sizeof(*rows);
	char *mapped = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, chunk->fd, (off_t)page);

	if (mapped == MAP_FAILED)
		return false;
	memcpy(mapped + (from - page), rows, count * sizeof(*rows));
	(void)munmap(mapped, size);
	return true;
}

/* A piece after the other: what is mapped counts as ours, beside the rows that are copied from. */
static bool write_rows(const struct chunk *chunk, uint32_t first, const struct unwind_row *rows, size_t count)
{
	for (size_t done = 0; done < count; done += PIECE_ROWS) {
		size_t piece = count - done < PIECE_ROWS ? count - done : PIECE_ROWS;

		if (!write_piece(chunk, first + (uint32_t)done, rows + done, piece))
			return false;
	}
	return true;
}

static bool take_rows(struct unwind_store *store, size_t count, struct unwind_place *ret)
{
	for (uint32_t i = 0; i < store->chunk_count; i++) {
		uint32_t first = extents_take(&store->chunks[i].free, (uint32_t)count);

		if (first == EXTENTS_NONE)
			continue;
		*ret = (struct unwind_place){ .chunk = i, .first = first, .count = (uint32_t)count };
		return true;
	}
	return false;
}

bool unwind_store_put_rows(struct unwind_store *store, const struct unwind_row *rows, size_t count, struct unwind_place *ret)
{
	if (!count || count > UNWIND_ROW_LIMIT)
		return false;
	if (!take_rows(store, count, ret) && (!add_chunk(store, (uint32_t)count) || !take_rows(store, count, ret)))
		return false;
	if (!write_rows(&store->chunks[ret->chunk], ret->first, rows, count)) {
		extents_give(&store->chunks[ret->chunk].free, ret->first, ret->count);
		return false;
	}
	store->rows_used += count;
	return true;
}

bool unwind_store_put_run(struct unwind_store *store, const struct wire_unwind_mapping *mappings, size_t count, uint32_t *ret_first)
{
	if (!count || count > UINT32_MAX)
		return false;
	*ret_first = extents_take(&store->free_mappings, (uint32_t)count);
	if (*ret_first == EXTENTS_NONE)
		return false;
	memcpy(&store->mappings[*ret_first], mappings, count * sizeof(*mappings));
	return true;
}

static void give(struct unwind_store *store, bool is_run, struct unwind_place place)
{
	if (!place.count)
		return;
	grow(store->given, store->given_count, store->given_room);
	store->given[store->given_count++] = (struct given){ .at_ns = clock_now_ns(), .is_run = is_run, .place = place };
}

void unwind_store_give_rows(struct unwind_store *store, struct unwind_place place)
{
	give(store, false, place);
}

void unwind_store_give_run(struct unwind_store *store, uint32_t first, uint32_t count)
{
	give(store, true, (struct unwind_place){ .first = first, .count = count });
}

void unwind_store_collect(struct unwind_store *store, uint64_t now_ns)
{
	size_t done = 0;

	for (; done < store->given_count && store->given[done].at_ns + GRACE_NS <= now_ns; done++) {
		struct unwind_place place = store->given[done].place;

		if (store->given[done].is_run) {
			extents_give(&store->free_mappings, place.first, place.count);
		} else {
			extents_give(&store->chunks[place.chunk].free, place.first, place.count);
			store->rows_used -= place.count;
		}
	}
	if (!done)
		return;
	store->given_count -= done;
	memmove(store->given, store->given + done, store->given_count * sizeof(*store->given));
}

const struct unwind_row *unwind_store_rows(struct unwind_store *store, struct unwind_place place)
{
	size_t from = place.first * sizeof(struct unwind_row), page = from / page_bytes() * page_bytes();
	struct view view = { .place = place, .bytes = from - page + place.count * sizeof(struct unwind_row) };

	if (place.chunk >= store->chunk_count || place.first + place.count > store->chunks[place.chunk].rows)
		return NULL;
	for (size_t i = store->view_count; i-- > 0;)
		if (!memcmp(&store->views[i].place, &place, sizeof(place)))
			return store->views[i].rows;
	view.mapped = mmap(NULL, view.bytes, PROT_READ, MAP_SHARED, store->chunks[place.chunk].fd, (off_t)page);
	if (view.mapped == MAP_FAILED)
		return NULL;
	view.rows = (const void *)((const char *)view.mapped + (from - page));
	grow(store->views, store->view_count, store->view_room);
	store->views[store->view_count++] = view;
	store->view_bytes += view.bytes;
	return view.rows;
}

void unwind_store_unmap(struct unwind_store *store, size_t keep_bytes)
{
	if (store->view_bytes <= keep_bytes)
		return;
	for (size_t i = 0; i < store->view_count; i++)
		(void)munmap(store->views[i].mapped, store->views[i].bytes);
	store->view_count = store->view_bytes = 0;
}

uint64_t unwind_store_row_count(const struct unwind_store *store)
{
	return store->rows_used;
}

uint64_t unwind_store_bytes(const struct unwind_store *store)
{
	return (uint64_t)store->room * sizeof(struct unwind_row) + store->mapping_bytes;
}
