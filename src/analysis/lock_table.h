/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * Locks, their holders, their call sites and who waited for whom, added up from the cells of one selection. Each list is
 * sorted by time, largest first. A lock is one object of one process; the two words that a reader-writer lock of glibc is
 * waited for at are one.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/naming.h"
#include "base/cleanup.h"
#include "profile/id.h"

struct account;
struct map;
struct profile;
struct selection;

enum { LOCK_DOINGS = 10 };              /* states of a holder: see lock_doing_name() */
#define LOCK_UNHELD "[unknown]"

struct lock_row {
	char *name;                          /* of its variable, or kind and address */
	const char *process;                 /* its comm; "[kernel]" */
	const char *primitive;               /* of its heaviest call site */
	uint64_t address;
	double wait_ns, sampled_ns, unheld_ns, contended_ns, acquisitions, longest_ns;
	double in_request_ns;                /* of the wait: by threads that had a request open */
	double waiters, holders;             /* distinct threads */
	double primitive_ns;
};

struct lock_site { size_t lock; struct stack_id stack; const char *primitive; double wait_ns, count; };
struct lock_holder {
	size_t lock;
	uint32_t thread;                     /* 0: unknown */
	uint32_t tid;
	const char *name;
	double wait_ns, sampled_ns, contended_ns, hand_offs;
	double doing_ns[LOCK_DOINGS];
};
struct lock_release { size_t holder; struct stack_id stack; double ns; };
struct lock_edge { uint32_t waiter, holder; size_t lock; double wait_ns, count; };

struct lock_table {
	const struct profile *profile;
	const struct account *account;
	struct naming *naming;
	struct lock_row *locks;
	struct lock_site *sites;
	struct lock_holder *holders;
	struct lock_release *releases;
	struct lock_edge *edges;
	size_t lock_count, site_count, holder_count, release_count, edge_count;
	size_t lock_room, site_room, holder_room, release_room, edge_room;
	double wait_ns, unheld_ns;
	bool has_releases, has_requests;     /* requests: they were followed, so that time outside of them is known to be such */
	struct map *lock_ids, *site_ids, *holder_ids, *release_ids, *edge_ids, *waiter_ids;
	char **thread_names;                 /* by thread; NULL until asked */
	size_t thread_count;
};

struct lock_table *lock_table_new(const struct profile *profile, const struct selection *selection, const struct account *account);
void lock_table_free(struct lock_table *table);
DEFINE_CLEANUP(lock_table)
const char *lock_doing_name(unsigned doing);         /* "oncpu", "disk" …: a state of the ledger */
const char *lock_table_thread(const struct lock_table *table, uint32_t thread);          /* "worker (1234)" */
