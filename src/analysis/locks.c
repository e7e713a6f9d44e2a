/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which locks were waited for, where, and who held them meanwhile? A wait is cut at each release of its lock and each part
 * is its holder's (profile/lock.h), so times of locks and holders are exact; what stacks add was sampled, and says so.
 *
 * Two times stand side by side. *wait* sums over waiters: three threads that wait for a millisecond lost three. *contended*
 * is the time during which the lock was held while somebody waited, which never overlaps for one lock: wait divided by it is
 * the mean length of the queue, and from two on the threads go through the lock as a convoy.
 */
#include "analysis/account.h"
#include "analysis/analysis.h"
#include "analysis/figure.h"
#include "analysis/lock_table.h"
#include "profile/cohort.h"
#include "profile/lock.h"
#include "profile/selection.h"
#include "result/document.h"

#include <math.h>
#include <string.h>

enum { LOCKS_MOST = 10, SITES_MOST = 10, HOLDERS_MOST = 12, EDGES_MOST = 40, STACK_NAMES_MOST = 32, CONVOY = 2 };

static const struct column lock_columns[] = {
	{ "lock", "lock", "", COLUMN_LEFT },
	{ "primitive", "primitive", "", COLUMN_LEFT },
	{ "process", "process", "", COLUMN_LEFT },
	{ "wait", "wait", "ns", 0 },
	{ "share", "share", "fraction", COLUMN_HUMAN | COLUMN_BAR },
	{ "per_completion", "per completion", "ns", 0 },
	{ "in_request", "in requests", "fraction", 0 },
	{ "acquisitions", "acquired", "count", 0 },
	{ "longest", "longest part", "ns", 0 },
	{ "contended", "contended", "ns", 0 },
	{ "queue", "queue", "", 0 },
	{ "waiters", "waiters", "count", 0 },
	{ "holders", "holders", "count", 0 },
	{ "unheld", "holder unknown", "fraction", 0 },
	{ "address", "address", "", COLUMN_MACHINE },
};

static struct value address_of(const struct lock_row *lock)
{
	return lock->address ? value_print("0x%llx", (unsigned long long)lock->address) : value_none();
}

static void add_lock(const struct lock_table *table, const struct lock_row *lock, struct table *into)
{
	const struct account *account = table->account;
	double all = account->thread_ns > 0 ? account->thread_ns : account->accounted_ns;

	table_add(into, (struct value[]){
		value_text(lock->name),
		value_text(lock->primitive),
		value_text(lock->process),
		figure(lock->wait_ns),
		figure(all > 0 ? lock->wait_ns / all : NAN),
		figure(account_per_completion(account, lock->wait_ns)),
		figure(table->has_requests && lock->wait_ns > 0 ? lock->in_request_ns / lock->wait_ns : NAN),
		figure_whole(lock->acquisitions),
		figure(lock->longest_ns),
		figure(lock->contended_ns),
		figure(lock->contended_ns > 0 ? round(lock->wait_ns / lock->contended_ns * 10) / 10 : NAN),
		figure_whole(lock->waiters),
		figure_whole(lock->holders),
		figure(lock->wait_ns > 0 ? lock->unheld_ns / lock->wait_ns : NAN),
		address_of(lock),
	});
}

static const struct column site_columns[] = {
	{ "lock", "lock", "", COLUMN_LEFT },
	{ "primitive", "primitive", "", COLUMN_LEFT },
	{ "wait", "wait", "ns", 0 },
	{ "share", "share of lock", "fraction", COLUMN_BAR },
	{ "count", "parts", "count", 0 },
	{ "measured", "measured", "", 0 },
	{ "stack", "stack", "", COLUMN_CODE },
};

static void add_site(const struct lock_table *table, const struct lock_site *site, struct table *into)
{
	const struct lock_row *lock = &table->locks[site->lock];
	CLEANUP_TEXT char *stack = naming_line(table->naming, site->stack, STACK_NAMES_MOST);

	table_add(into, (struct value[]){
		value_text(lock->name),
		value_text(site->primitive),
		figure(site->wait_ns),
		figure(lock->sampled_ns > 0 ? site->wait_ns / lock->sampled_ns : NAN),
		figure_whole(site->count),
		value_text("sampled"),
		value_text(stack),
	});
}

static const struct column release_columns[] = {
	{ "stack", "let go on", "", COLUMN_CODE },
	{ "share", "share", "fraction", 0 },
};

static const struct column holder_columns[] = {
	{ "lock", "lock", "", COLUMN_LEFT },
	{ "holder", "holder", "", COLUMN_LEFT },
	{ "tid", "tid", "", COLUMN_LEFT | COLUMN_MACHINE },
	{ "wait", "wait caused", "ns", 0 },
	{ "share", "share of lock", "fraction", COLUMN_BAR },
	{ "hand_offs", "let go", "count", 0 },
	{ "contended", "contended", "ns", 0 },
	{ "doing", "meanwhile", "", 0 },
	{ "releases", "let go on", "", 0 },
};

static struct table *releases_of(const struct lock_table *table, const struct lock_holder *holder)
{
	struct table *into = table_new(release_columns, ARRAY_LENGTH(release_columns));

	for (size_t i = 0; i < table->release_count; i++) {
		const struct lock_release *release = &table->releases[i];
		CLEANUP_TEXT char *stack = NULL;

		if (release->holder != (size_t)(holder - table->holders) || !release->stack.index)
			continue;
		if (into->row_count >= 3) {
			into->rows_left_out++;
			continue;
		}
		stack = naming_line(table->naming, release->stack, STACK_NAMES_MOST);
		table_add(into, (struct value[]){ value_text(stack), figure(release->ns / holder->sampled_ns) });
	}
	return into;
}

static const struct column doing_columns[] = {
	{ "state", "state", "", COLUMN_LEFT },
	{ "share", "share", "fraction", 0 },
	{ "total", "total", "ns", COLUMN_MACHINE },
};

/* Of the contended time, in which one holder was in one state after the other: the shares sum to one. */
static struct table *doings_of(const struct lock_holder *holder)
{
	struct table *into = table_new(doing_columns, ARRAY_LENGTH(doing_columns));
	bool shown[LOCK_DOINGS] = { false };

	for (unsigned i = 0; i < LOCK_DOINGS; i++) {
		unsigned largest = LOCK_DOINGS;

		for (unsigned k = 0; k < LOCK_DOINGS; k++)
			if (!shown[k] && holder->doing_ns[k] > 0 &&
			    (largest == LOCK_DOINGS || holder->doing_ns[k] > holder->doing_ns[largest]))
				largest = k;
		if (largest == LOCK_DOINGS || !(holder->contended_ns > 0))
			break;
		shown[largest] = true;
		table_add(into, (struct value[]){ value_text(lock_doing_name(largest)),
						  figure(holder->doing_ns[largest] / holder->contended_ns),
						  figure(holder->doing_ns[largest]) });
	}
	return into;
}

static void add_holder(const struct lock_table *table, const struct lock_holder *holder, struct table *into)
{
	const struct lock_row *lock = &table->locks[holder->lock];

	table_add(into, (struct value[]){
		value_text(lock->name),
		value_text(holder->name),
		holder->tid ? value_integer(holder->tid) : value_none(),
		figure(holder->wait_ns),
		figure(lock->wait_ns > 0 ? holder->wait_ns / lock->wait_ns : NAN),
		figure_whole(holder->hand_offs),
		figure(holder->contended_ns),
		value_table(doings_of(holder)),
		value_table(releases_of(table, holder)),
	});
}

static const struct column edge_columns[] = {
	{ "waiter", "waiter", "", COLUMN_LEFT },
	{ "holder", "holder", "", COLUMN_LEFT },
	{ "lock", "lock", "", COLUMN_LEFT },
	{ "wait", "wait", "ns", COLUMN_BAR },
	{ "count", "parts", "count", 0 },
};

static void add_edge(const struct lock_table *table, const struct lock_edge *edge, struct table *into)
{
	table_add(into, (struct value[]){
		value_text(lock_table_thread(table, edge->waiter)),
		value_text(edge->holder ? lock_table_thread(table, edge->holder) : LOCK_UNHELD),
		value_text(table->locks[edge->lock].name),
		figure(edge->wait_ns),
		figure_whole(edge->count),
	});
}

/* --- Sections ------------------------------------------------------------------------------------------------- */

#define ADD_ROWS(table, noun, most, into)                                                            \
	do {                                                                                         \
		for (size_t row = 0; row < (table)->noun##_count; row++) {                           \
			if ((into)->row_count >= (most))                                             \
				(into)->rows_left_out++;                                             \
			else                                                                         \
				add_##noun((table), &(table)->noun##s[row], (into));                 \
		}                                                                                    \
	} while (0)

static struct record *summary_of_locks(const struct lock_table *table)
{
	struct record *record = record_new();
	struct tally lock = account_state(table->account, dimension_of_path(table->profile, "lock"));

	record_add(record, "wait", "waits for locks", "ns", figure(lock.total));
	record_add(record, "cut", "cut by holder", "ns", figure(table->wait_ns));
	record_add(record, "held", "with a known holder", "fraction",
		   figure(table->wait_ns > 0 ? 1 - table->unheld_ns / table->wait_ns : NAN));
	record_add(record, "locks", "locks", "count", value_integer((int64_t)table->lock_count));
	return record;
}

static void add_findings(const struct lock_table *table, struct document *into)
{
	if (!table->lock_count && cohort_is(table->profile) && !profile_interval_count(table->profile))
		document_add_finding(into, SEVERITY_WARNING, "which locks they were and who held them is kept by request with record --timeline "
							     "alone: of these requests, --question waits has the stacks of such waits and who ended them");
	else if (!table->lock_count && cohort_is(table->profile))
		document_add_finding(into, SEVERITY_NOTE, "none of these requests waited for a lock");
	else if (!table->lock_count)
		document_add_finding(into, SEVERITY_NOTE, "no wait for a lock was cut by holder: there was none, or the capture was made "
							  "--without locks or imported");
	for (size_t i = 0; i < table->lock_count && i < LOCKS_MOST; i++) {
		const struct lock_row *lock = &table->locks[i];

		if (lock->contended_ns > 0 && lock->wait_ns / lock->contended_ns >= CONVOY && lock->acquisitions >= 100)
			document_add_finding(into, SEVERITY_NOTE, "convoy at %s: while it was fought for, %.1f threads waited on average",
					     lock->name, lock->wait_ns / lock->contended_ns);
	}
	if (table->lock_count && !table->has_releases)
		document_add_finding(into, SEVERITY_NOTE, "on which stacks holders let go was not captured (crosscut record --with wakers)");
}

/* Beside other answers, nothing is said where there is nothing. */
static bool is_worth_saying(const struct lock_table *table, const struct question *question)
{
	return question->alone || table->lock_count;
}

static void add_sections(const struct lock_table *table, size_t most, struct document *into)
{
	struct table *locks = table_new(lock_columns, ARRAY_LENGTH(lock_columns));
	struct table *sites = table_new(site_columns, ARRAY_LENGTH(site_columns));
	struct table *holders = table_new(holder_columns, ARRAY_LENGTH(holder_columns));
	struct table *edges = table_new(edge_columns, ARRAY_LENGTH(edge_columns));

	ADD_ROWS(table, lock, most ? most : LOCKS_MOST, locks);
	ADD_ROWS(table, site, most ? most : SITES_MOST, sites);
	ADD_ROWS(table, holder, most ? most : HOLDERS_MOST, holders);
	ADD_ROWS(table, edge, most ? most : EDGES_MOST, edges);
	(void)document_add_record(into, "waits_for_locks", "Waits for locks", summary_of_locks(table));
	(void)document_add_table(into, "locks", "Locks: exact", locks);
	(void)document_add_table(into, "holders", "Holders: exact, and what they did while others waited", holders);
	(void)document_add_table(into, "call_sites", "Call sites: sampled", sites);
	(void)document_add_table(into, "waiters", "Who waited for whom: exact", edges);
}

static int locks_run(const struct question *question, struct document *into, struct error *err)
{
	CLEANUP(account) struct account *account = account_new(question);
	CLEANUP(lock_table) struct lock_table *table = NULL;

	(void)err;
	table = lock_table_new(question->profile, question->selection, account);
	if (!is_worth_saying(table, question))
		return 0;
	add_sections(table, question->most, into);
	add_findings(table, into);
	return 0;
}

extern const struct analysis analysis_locks;
const struct analysis analysis_locks = {
	.name = "locks",
	.asks = "which locks were waited for, who held them, and what kept the holders?",
	.run = locks_run,
};
