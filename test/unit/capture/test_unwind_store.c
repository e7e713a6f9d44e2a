/* SPDX-License-Identifier: Apache-2.0 */
/* The tables in the kernel's maps, with real maps: what is put there is read there, what is given back is used again, and
 * not before its time. Without the privilege to make a map there is nothing to test. */
#include "test.h"

#include "base/error.h"
#include "capture/unwind_store.h"

#include <bpf/bpf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAPPINGS = 64 };
#define LATER_NS (3600ull * 1000000000)

struct maps { int inner, chunks, mappings; };

static bool maps_make(struct maps *maps)
{
	LIBBPF_OPTS(bpf_map_create_opts, rows, .map_flags = BPF_F_INNER_MAP | BPF_F_MMAPABLE);
	LIBBPF_OPTS(bpf_map_create_opts, mapped, .map_flags = BPF_F_MMAPABLE);
	LIBBPF_OPTS(bpf_map_create_opts, outer);

	maps->inner = bpf_map_create(BPF_MAP_TYPE_ARRAY, "rows", 4, 8, 1, &rows);
	if (maps->inner < 0)
		return false;
	outer.inner_map_fd = (unsigned)maps->inner;
	maps->chunks = bpf_map_create(BPF_MAP_TYPE_ARRAY_OF_MAPS, "chunks", 4, 4, WIRE_UNWIND_CHUNKS, &outer);
	maps->mappings = bpf_map_create(BPF_MAP_TYPE_ARRAY, "mappings", 4, sizeof(struct wire_unwind_mapping), MAPPINGS, &mapped);
	return maps->chunks >= 0 && maps->mappings >= 0;
}

static void maps_done(const struct maps *maps)
{
	(void)close(maps->inner);
	(void)close(maps->chunks);
	(void)close(maps->mappings);
}

static struct unwind_store *store_make(struct maps *maps)
{
	struct unwind_store *store = NULL;
	struct error err;

	if (!maps_make(maps))
		skip();
	assert_int_equal(unwind_store_open(&store, maps->chunks, maps->mappings, MAPPINGS, &err), 0);
	return store;
}

TEST(rows_are_read_where_the_kernel_reads_them)
{
	struct unwind_row rows[1000], found;
	struct unwind_place place;
	struct maps maps;
	struct unwind_store *store = store_make(&maps);
	uint32_t id, key;
	int chunk;

	for (uint32_t i = 0; i < 1000; i++)
		rows[i] = (struct unwind_row){ .pc = i * 16, .cfa = (uint16_t)i, .kind = UNWIND_RSP };
	assert_true(unwind_store_put_rows(store, rows, 1000, &place));
	assert_true(unwind_store_put_rows(store, rows, 1000, &place));
	assert_int_equal(place.count, 1000);
	key = place.chunk;
	assert_int_equal(bpf_map_lookup_elem(maps.chunks, &key, &id), 0);
	chunk = bpf_map_get_fd_by_id(id);
	key = place.first + 999;
	assert_int_equal(bpf_map_lookup_elem(chunk, &key, &found), 0);
	assert_memory_equal(&found, &rows[999], sizeof(found));
	assert_memory_equal(unwind_store_rows(store, place), rows, sizeof(rows));
	assert_int_equal(unwind_store_row_count(store), 2000);
	(void)close(chunk);
	unwind_store_free(store);
	maps_done(&maps);
}

static long status_kib(const char *field)
{
	FILE *file = fopen("/proc/self/status", "re");
	char line[256];
	long kib = 0;

	while (file && fgets(line, sizeof(line), file))
		if (!strncmp(line, field, strlen(field)))
			kib = strtol(line + strlen(field), NULL, 10);
	if (file)
		(void)fclose(file);
	return kib;
}

/* The kernel forgets the peak so far. */
static bool peak_begins(void)
{
	FILE *file = fopen("/proc/self/clear_refs", "we");
	bool written = file && fputs("5", file) >= 0;

	return file && fclose(file) == 0 && written;
}

TEST(a_large_table_is_written_whole_and_never_mapped_whole)
{
	enum { ROWS = 500000, PEAK_KIB = 1024 };
	struct unwind_row *rows = calloc(ROWS, sizeof(*rows));
	struct unwind_row small[3] = { { .kind = UNWIND_RSP } };
	struct unwind_place place;
	struct maps maps;
	struct unwind_store *store = store_make(&maps);
	bool is_peak_known;
	long before;

	for (uint32_t i = 0; i < ROWS; i++)
		rows[i] = (struct unwind_row){ .pc = i * 16, .cfa = (uint16_t)i, .kind = UNWIND_RSP };
	assert_true(unwind_store_put_rows(store, small, 3, &place));            /* so that no page begins with it */
	before = status_kib("VmRSS:");
	is_peak_known = peak_begins();
	assert_true(unwind_store_put_rows(store, rows, ROWS, &place));
	assert_int_equal(place.count, ROWS);
	if (is_peak_known)
		assert_true(status_kib("VmHWM:") - before < PEAK_KIB);
	assert_memory_equal(unwind_store_rows(store, place), rows, ROWS * sizeof(*rows));
	free(rows);
	unwind_store_free(store);
	maps_done(&maps);
}

TEST(what_is_given_back_is_free_after_a_while_and_not_at_once)
{
	struct wire_unwind_mapping run[MAPPINGS] = { { .start = 1 } };
	struct maps maps;
	struct unwind_store *store = store_make(&maps);
	uint32_t first;

	assert_true(unwind_store_put_run(store, run, MAPPINGS, &first));
	assert_false(unwind_store_put_run(store, run, 1, &first));
	unwind_store_give_run(store, 0, MAPPINGS);
	unwind_store_collect(store, 0);
	assert_false(unwind_store_put_run(store, run, 1, &first));
	unwind_store_collect(store, LATER_NS * 1000);
	assert_true(unwind_store_put_run(store, run, MAPPINGS, &first));
	assert_int_equal(first, 0);
	unwind_store_free(store);
	maps_done(&maps);
}

TEST(the_room_for_rows_has_an_end_and_comes_back)
{
	enum { LARGE = 1 << 20 };
	struct unwind_row *rows = calloc(LARGE, sizeof(*rows));
	struct unwind_place places[64];
	struct maps maps;
	struct unwind_store *store = store_make(&maps);
	size_t count = 0;

	while (count < 64 && unwind_store_put_rows(store, rows, LARGE, &places[count]))
		count++;
	assert_true(count >= UNWIND_STORE_ROWS / LARGE - 1 && count <= UNWIND_STORE_ROWS / LARGE);
	assert_true(unwind_store_bytes(store) <= UNWIND_STORE_ROWS * sizeof(*rows) + MAPPINGS * sizeof(struct wire_unwind_mapping));
	unwind_store_give_rows(store, places[0]);
	unwind_store_collect(store, LATER_NS * 1000);
	assert_true(unwind_store_put_rows(store, rows, LARGE, &places[0]));
	assert_false(unwind_store_put_rows(store, rows, LARGE + 1, &places[1]));
	unwind_store_free(store);
	maps_done(&maps);
	free(rows);
}
