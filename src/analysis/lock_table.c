/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cells are read in two passes: sampled ones first, since only their stacks tell primitives apart, and with them which two
 * addresses are one reader-writer lock; then the exact ones.
 */
#include "analysis/lock_table.h"

#include "analysis/account.h"
#include "analysis/primitive.h"
#include "base/map.h"
#include "base/memory.h"
#include "profile/lock.h"
#include "profile/profile.h"
#include "profile/selection.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAMES_LOOKED_AT = 12, RWLOCK_READERS = 8, RWLOCK_WRITERS = 12 };

static const char *const doings[LOCK_DOINGS] = { "oncpu", "runnable", "lock", "disk", "network", "paging", "ipc", "timer", "child",
						 "unknown" };

const char *lock_doing_name(unsigned doing)
{
	return doing < LOCK_DOINGS ? doings[doing] : "unknown";
}

static bool cell_is(const struct profile *profile, const struct cell *cell, const char *source, enum weighting weighting)
{
	const struct measure *measure = profile_measure_at(profile, cell->measure.index);

	return measure->role == ROLE_DETAIL && measure->weighting == weighting &&
	       !strcmp(profile_text(profile, measure->source), source);
}

/* The row of a key in one of the lists, made where it is new: which may move the list. */
#define ROW_OF(table, noun, key)                                                                     \
	({                                                                                           \
		uint32_t *at = map_put((table)->noun##_ids, (key), NULL);                            \
		if (!*at) {                                                                          \
			grow((table)->noun##s, (table)->noun##_count, (table)->noun##_room);         \
			(table)->noun##s[(table)->noun##_count++] = (__typeof__(*(table)->noun##s)){ 0 }; \
			*at = (uint32_t)(table)->noun##_count;                                       \
		}                                                                                    \
		*at - 1;                                                                             \
	})

/* --- Which primitive, which lock ------------------------------------------------------------------------------- */

static const char *primitive_of_cell(struct lock_table *table, const struct cell *cell)
{
	const struct wait_evidence *seen = &profile_evidence_at(table->profile, cell->evidence.index)->seen;
	const char *names[NAMES_LOOKED_AT], *primitive;
	size_t count, used = 0;
	const uint32_t *path = naming_path(table->naming, cell->stack, &count);

	for (size_t i = count; i > 0 && used < NAMES_LOOKED_AT; i--)
		names[used++] = naming_text(table->naming, path[i - 1]);
	primitive = primitive_of(seen, names, cell->stack.index ? used : 0);
	return primitive ? primitive : "unknown";
}

/* glibc's readers and writers sleep at two words of one lock. */
static uint64_t address_of(const struct wait_evidence *seen, const struct object *object, const char *primitive)
{
	if (strncmp(primitive, "rwlock", 6) != 0 || strstr(primitive, "Rust") || strstr(primitive, "parking") ||
	    seen->contention)
		return object->address;
	if (seen->futex_word == FUTEX_WORD_TWO || seen->futex_word == FUTEX_WORD_THREE)
		return object->address % 8 == 4 ? object->address - RWLOCK_WRITERS : object->address - RWLOCK_READERS;
	return object->address;
}

/* "table+0x8" at 8 beyond the lock is "table". */
static char *name_of(const struct profile *profile, const struct object *object, uint64_t address)
{
	const char *name = profile_text(profile, object->name), *plus = strrchr(name, '+');
	uint64_t beyond = object->address - address;
	bool unnamed = !*name || *name == '[';

	if (unnamed)
		return xasprintf("%s%s0x%llx", *name ? name : profile_text(profile, object->kind), *name ? "+" : " at ",
				 (unsigned long long)address);
	if (!beyond)
		return xstrdup(name);
	if (plus && strtoull(plus + 1, NULL, 16) == beyond)
		return xstrndup(name, (size_t)(plus - name));
	return plus ? xasprintf("%.*s+0x%llx", (int)(plus - name), name,
				(unsigned long long)(strtoull(plus + 1, NULL, 16) - beyond))
		    : xstrdup(name);
}

static size_t lock_of(struct lock_table *table, const struct cell *cell, const char *primitive)
{
	const struct profile *profile = table->profile;
	const struct object *object = profile_object_at(profile, cell->object.index);
	bool user = !strcmp(profile_text(profile, object->kind), LOCK_IN_PROGRAM);
	const struct evidence *evidence = profile_evidence_at(profile, cell->evidence.index);
	uint32_t process = profile_thread_at(profile, cell->thread.index)->process.index;
	uint64_t address = address_of(&evidence->seen, object, primitive);
	uint64_t key[3] = { address, user ? process : 0, strcmp(profile_text(profile, object->name), "mmap_lock") ? 0 : process };
	size_t index = ROW_OF(table, lock, key);
	struct lock_row *lock = &table->locks[index];

	if (!lock->name) {
		lock->name = name_of(profile, object, address);
		lock->process = user || key[2] ? profile_text(profile, profile_process_at(profile, process)->comm) : "[kernel]";
		lock->address = address;
		lock->primitive = primitive;
	}
	return index;
}

/* --- Sampled --------------------------------------------------------------------------------------------------- */

static size_t holder_of(struct lock_table *table, size_t lock, uint32_t thread)
{
	uint32_t key[2] = { (uint32_t)lock, thread };
	size_t before = table->holder_count, index = ROW_OF(table, holder, key);
	struct lock_holder *holder = &table->holders[index];

	if (table->holder_count > before) {
		holder->lock = lock;
		holder->thread = thread;
		holder->tid = profile_thread_at(table->profile, thread)->tid;
		holder->name = thread ? lock_table_thread(table, thread) : LOCK_UNHELD;
		table->locks[lock].holders += thread != 0;
	}
	return index;
}

static void add_sampled(struct lock_table *table, const struct cell *cell)
{
	const char *primitive = primitive_of_cell(table, cell);
	size_t index = lock_of(table, cell, primitive), holder = holder_of(table, index, cell->other.index);
	uint32_t site_key[2] = { (uint32_t)index, cell_stack(table->profile, cell).index };
	uint32_t release_key[2] = { (uint32_t)holder, cell->other_stack.index };
	size_t site_index = ROW_OF(table, site, site_key), release_index = ROW_OF(table, release, release_key);
	struct lock_site *site = &table->sites[site_index];
	struct lock_release *release = &table->releases[release_index];
	double weight = cell_weight(cell);

	*site = (struct lock_site){ .lock = index, .stack = { site_key[1] }, .primitive = primitive, .wait_ns = site->wait_ns + weight,
				    .count = site->count + (double)cell->count * (double)(1ull << (cell->p_log2 & 63)) };
	*release = (struct lock_release){ .holder = holder, .stack = cell->other_stack, .ns = release->ns + weight };
	table->locks[index].sampled_ns += weight;
	table->holders[holder].sampled_ns += weight;
	table->has_releases |= cell->other_stack.index != 0;
	if (cell->stack.index && site->wait_ns > table->locks[index].primitive_ns) {
		table->locks[index].primitive_ns = site->wait_ns;
		table->locks[index].primitive = primitive;
	}
}

/* --- Exact ----------------------------------------------------------------------------------------------------- */

/* The lock of a cell without a stack: by its address, which a sampled cell may have shown to be part of a lock. */
static size_t lock_of_exact(struct lock_table *table, const struct cell *cell)
{
	const struct wait_evidence *seen = &profile_evidence_at(table->profile, cell->evidence.index)->seen;
	const char *primitive = primitive_of(seen, NULL, 0);

	return lock_of(table, cell, primitive ? primitive : "unknown");
}

static void add_exact(struct lock_table *table, const struct cell *cell)
{
	size_t index = lock_of_exact(table, cell), holder = holder_of(table, index, cell->other.index);
	uint32_t edge_key[3] = { cell->thread.index, cell->other.index, (uint32_t)index };
	uint32_t waiter_key[2] = { (uint32_t)index, cell->thread.index };
	size_t edge_index = ROW_OF(table, edge, edge_key);
	struct lock_edge *edge = &table->edges[edge_index];
	struct lock_row *lock = &table->locks[index];
	const struct wait_evidence *seen = &profile_evidence_at(table->profile, cell->evidence.index)->seen;
	double ns = (double)cell->value;
	bool is_new = false;

	*edge = (struct lock_edge){ .waiter = edge_key[0], .holder = edge_key[1], .lock = index, .wait_ns = edge->wait_ns + ns,
				    .count = edge->count + (double)cell->count };
	(void)map_put(table->waiter_ids, waiter_key, &is_new);
	lock->waiters += is_new;
	lock->wait_ns += ns;
	lock->unheld_ns += cell->other.index ? 0 : ns;
	lock->in_request_ns += seen->flags & EVIDENCE_IN_REQUEST ? ns : 0;
	lock->longest_ns = fmax(lock->longest_ns, (double)cell->maximum);
	table->holders[holder].wait_ns += ns;
	table->wait_ns += ns;
	table->unheld_ns += cell->other.index ? 0 : ns;
}

static void add_hand_off(struct lock_table *table, const struct cell *cell)
{
	size_t index = lock_of_exact(table, cell);
	struct lock_holder *holder = &table->holders[holder_of(table, index, cell->other.index)];

	table->locks[index].contended_ns += (double)cell->value;
	table->locks[index].acquisitions += (double)cell->count;
	holder->contended_ns += (double)cell->value;
	holder->hand_offs += (double)cell->count;
}

/* It has no evidence, so its lock is found by the object alone: a reader-writer lock's part by what was found before. */
static void add_doing(struct lock_table *table, const struct cell *cell)
{
	const struct profile *profile = table->profile;
	struct dimension_id id = profile_dimension_root(profile, profile_cell_dimension(profile, cell));
	const char *name = profile_text(profile, profile_dimension_at(profile, id.index)->name);
	const struct object *object = profile_object_at(profile, cell->object.index);
	bool user = !strcmp(profile_text(profile, object->kind), LOCK_IN_PROGRAM);
	uint32_t process = profile_thread_at(profile, cell->thread.index)->process.index;
	static const unsigned distances[] = { 0, RWLOCK_READERS, RWLOCK_WRITERS };
	uint64_t key[3] = { 0, user ? process : 0, strcmp(profile_text(profile, object->name), "mmap_lock") ? 0 : process };
	const uint32_t *at = NULL;

	for (size_t i = 0; i < ARRAY_LENGTH(distances) && !at; i++) {
		key[0] = object->address - distances[i];
		at = map_find(table->lock_ids, key);
	}
	for (unsigned i = 0; at && i < LOCK_DOINGS; i++)
		if (!strcmp(doings[i], name))
			table->holders[holder_of(table, *at - 1, cell->other.index)].doing_ns[i] += (double)cell->value;
}

/* --- The table ------------------------------------------------------------------------------------------------- */

static void add_all(struct lock_table *table, const struct selection *selection, const char *source, enum weighting weighting,
		    void (*add)(struct lock_table *table, const struct cell *cell))
{
	const struct profile *profile = table->profile;

	for (size_t i = 0; i < profile_cell_count(profile); i++) {
		const struct cell *cell = profile_cell_at(profile, i);

		if (cell_is(profile, cell, source, weighting) && selection_has_cell(selection, profile, cell))
			add(table, cell);
	}
}

#define COMPARE(noun, member)                                                                        \
	static int compare_##noun##s(const void *left, const void *right)                            \
	{                                                                                            \
		const struct lock_##noun *a = left, *b = right;                                      \
		return a->member != b->member ? (a->member > b->member ? -1 : 1) : 0;                \
	}
COMPARE(site, wait_ns)
COMPARE(release, ns)
COMPARE(edge, wait_ns)

struct rank { double ns; size_t index; };

static int compare_ranks(const void *left, const void *right)
{
	const struct rank *a = left, *b = right;

	if (a->ns != b->ns)
		return a->ns > b->ns ? -1 : 1;
	return a->index < b->index ? -1 : 1;
}

/* Where each row of a list goes. The caller frees it. */
static size_t *places_of(size_t count, double (*ns_of)(const struct lock_table *table, size_t index), const struct lock_table *table)
{
	struct rank *ranks = xcalloc(count + 1, sizeof(*ranks));
	size_t *places = xcalloc(count + 1, sizeof(*places));

	for (size_t i = 0; i < count; i++)
		ranks[i] = (struct rank){ ns_of(table, i), i };
	qsort(ranks, count, sizeof(*ranks), compare_ranks);
	for (size_t i = 0; i < count; i++)
		places[ranks[i].index] = i;
	free(ranks);
	return places;
}

static double lock_wait_ns(const struct lock_table *table, size_t index)
{
	return table->locks[index].wait_ns;
}

static double holder_wait_ns(const struct lock_table *table, size_t index)
{
	return table->holders[index].wait_ns;
}

static void sort_locks(struct lock_table *table)
{
	size_t *places = places_of(table->lock_count, lock_wait_ns, table);
	struct lock_row *sorted = xcalloc(table->lock_count + 1, sizeof(*sorted));

	for (size_t i = 0; i < table->lock_count; i++)
		sorted[places[i]] = table->locks[i];
	free(table->locks);
	table->locks = sorted;
	for (size_t i = 0; i < table->site_count; i++)
		table->sites[i].lock = places[table->sites[i].lock];
	for (size_t i = 0; i < table->holder_count; i++)
		table->holders[i].lock = places[table->holders[i].lock];
	for (size_t i = 0; i < table->edge_count; i++)
		table->edges[i].lock = places[table->edges[i].lock];
	free(places);
}

static void sort_holders(struct lock_table *table)
{
	size_t *places = places_of(table->holder_count, holder_wait_ns, table);
	struct lock_holder *sorted = xcalloc(table->holder_count + 1, sizeof(*sorted));

	for (size_t i = 0; i < table->holder_count; i++)
		sorted[places[i]] = table->holders[i];
	free(table->holders);
	table->holders = sorted;
	for (size_t i = 0; i < table->release_count; i++)
		table->releases[i].holder = places[table->releases[i].holder];
	free(places);
}

static void sort_all(struct lock_table *table)
{
	sort_locks(table);
	sort_holders(table);
	if (table->site_count)
		qsort(table->sites, table->site_count, sizeof(*table->sites), compare_sites);
	if (table->release_count)
		qsort(table->releases, table->release_count, sizeof(*table->releases), compare_releases);
	if (table->edge_count)
		qsort(table->edges, table->edge_count, sizeof(*table->edges), compare_edges);
}

struct lock_table *lock_table_new(const struct profile *profile, const struct selection *selection, const struct account *account)
{
	struct lock_table *table = xcalloc(1, sizeof(*table));

	table->profile = profile;
	table->account = account;
	table->naming = naming_new(profile);
	table->has_requests = profile_request_count(profile) || profile_meta_number(profile, "requests.opened", 0);
	table->lock_ids = map_new(3 * sizeof(uint64_t));
	table->site_ids = map_new(2 * sizeof(uint32_t));
	table->holder_ids = map_new(2 * sizeof(uint32_t));
	table->release_ids = map_new(2 * sizeof(uint32_t));
	table->edge_ids = map_new(3 * sizeof(uint32_t));
	table->waiter_ids = map_new(2 * sizeof(uint32_t));
	table->thread_count = profile_thread_count(profile);
	table->thread_names = xcalloc(table->thread_count + 1, sizeof(*table->thread_names));
	add_all(table, selection, LOCK_SEGMENTS, WEIGHTING_SAMPLED, add_sampled);
	add_all(table, selection, LOCK_SEGMENTS, WEIGHTING_EXACT, add_exact);
	add_all(table, selection, LOCK_HAND_OFFS, WEIGHTING_EXACT, add_hand_off);
	add_all(table, selection, LOCK_HOLDERS, WEIGHTING_EXACT, add_doing);
	sort_all(table);
	return table;
}

const char *lock_table_thread(const struct lock_table *table, uint32_t thread)
{
	const struct thread *row = profile_thread_at(table->profile, thread);

	if (!table->thread_names[thread])
		table->thread_names[thread] = xasprintf("%s (%u)", profile_text(table->profile, row->comm), row->tid);
	return table->thread_names[thread];
}

void lock_table_free(struct lock_table *table)
{
	if (!table)
		return;
	for (size_t i = 0; i < table->lock_count; i++)
		free(table->locks[i].name);
	for (size_t i = 0; i < table->thread_count; i++)
		free(table->thread_names[i]);
	free(table->thread_names);
	free(table->locks);
	free(table->sites);
	free(table->holders);
	free(table->releases);
	free(table->edges);
	map_free(table->lock_ids);
	map_free(table->site_ids);
	map_free(table->holder_ids);
	map_free(table->release_ids);
	map_free(table->edge_ids);
	map_free(table->waiter_ids);
	naming_free(table->naming);
	free(table);
}
