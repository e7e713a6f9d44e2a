/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What did a thread's time, or a request's, come down to? Its waits are followed to those who ended them, and theirs in turn, down to what ran,
 * waited for a device or slept (analysis/wake_path.h). A wait for a lock is followed to each of its holders for that one's
 * part. A request is followed in the thread that answered it: while that one waited to be handed the request, it is followed to
 * those who had it before. The parts cover the time exactly; where nothing explains one it is [unknown], and stays.
 *
 *	lock/mutex (orders) ▸ writer: disk/flush          the thread waited for a lock whose holder waited for the disk
 */
#include "analysis/account.h"
#include "analysis/analysis.h"
#include "analysis/call_tree.h"
#include "analysis/figure.h"
#include "analysis/naming.h"
#include "analysis/wake_path.h"
#include "base/map.h"
#include "base/memory.h"
#include "base/text.h"
#include "profile/cohort.h"
#include "profile/selection.h"
#include "result/document.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS_MOST = 20, THREADS_MOST = 8, REQUESTS_MOST = 20000, CHAIN_SIZE = 4096, TREE_NODES = 20000 };

/* What an interval of the graph stands for: one of the profile, or one part of it. */
struct step { uint32_t interval; struct object_id lock; };
struct chain { uint32_t name, ground; double ns, count; };

struct chaining {
	const struct question *question;
	struct naming *naming;
	struct call_tree *tree;
	struct wake_graph *graph;
	struct wake_interval *intervals;
	size_t count, room;
	struct step *steps;
	size_t step_room, step_count;
	struct map *chain_ids;               /* (name, ground) to row plus 1 */
	struct chain *chains;
	size_t chain_count, chain_room;
	double window_ns, told_ns, unknown_ns, cut_ns;
	size_t requests;                     /* that were followed; 0: threads were */
	uint32_t root;                       /* node of the tree */
};

/* --- The graph ------------------------------------------------------------------------------------------------- */

static void add_interval(struct chaining *chaining, const struct interval *interval, uint32_t index, uint64_t start, uint64_t end,
			 struct thread_id waker, struct object_id lock)
{
	grow(chaining->steps, chaining->step_count, chaining->step_room);
	chaining->steps[chaining->step_count] = (struct step){ index, lock };
	grow(chaining->intervals, chaining->count, chaining->room);
	chaining->intervals[chaining->count++] = (struct wake_interval){
		.worker = interval->thread.index, .waker = waker.index, .start = start, .end = end, .woken_at = end,
		.tag = (uint32_t)chaining->step_count++ };
}

struct links_of { uint32_t interval; uint32_t link; };

static int compare_links(const void *left, const void *right)
{
	const struct links_of *a = left, *b = right;

	if (a->interval != b->interval)
		return a->interval < b->interval ? -1 : 1;
	return a->link < b->link ? -1 : a->link > b->link;
}

static void read_graph(struct chaining *chaining)
{
	const struct profile *profile = chaining->question->profile;
	size_t link_count = profile_link_count(profile), at = 0;
	struct links_of *links = xcalloc(link_count + 1, sizeof(*links));

	for (uint32_t i = 0; i < link_count; i++)
		links[i] = (struct links_of){ profile_link_at(profile, i)->interval, i };
	qsort(links, link_count, sizeof(*links), compare_links);
	for (uint32_t i = 0; i < profile_interval_count(profile); i++) {
		const struct interval *interval = profile_interval_at(profile, i);
		bool is_cut = false;

		for (; at < link_count && links[at].interval == i; at++) {
			const struct link *link = profile_link_at(profile, links[at].link);

			add_interval(chaining, interval, i, link->start_ns, link->end_ns, link->by, link->object);
			is_cut = true;
		}
		if (!is_cut)
			add_interval(chaining, interval, i, interval->start_ns, interval->end_ns, profile_interval_waker(profile, interval),
				     (struct object_id){ 0 });
	}
	free(links);
	chaining->graph = wake_graph_new(chaining->intervals, chaining->count);
}

/* --- Names ----------------------------------------------------------------------------------------------------- */

static const char *name_of_state(const struct chaining *chaining, uint32_t index, char text[DIMENSION_PATH_SIZE + 256])
{
	const struct profile *profile = chaining->question->profile;
	const struct step *step = &chaining->steps[wake_graph_at(chaining->graph, index)->tag];
	const struct interval *interval = profile_interval_at(profile, step->interval);
	struct dimension_id class = interval->evidence.index ? profile_evidence_at(profile, interval->evidence.index)->class
							     : interval->dimension;
	const char *lock = profile_text(profile, profile_object_at(profile, step->lock.index)->name);
	char path[DIMENSION_PATH_SIZE];

	(void)snprintf(text, DIMENSION_PATH_SIZE + 256, "%s%s%.200s%s", dimension_path(profile, class, path), *lock ? " (" : "", lock,
		       *lock ? ")" : "");
	return text;
}

static const char *name_of_worker(const struct chaining *chaining, uint32_t worker)
{
	const struct profile *profile = chaining->question->profile;
	const char *comm = profile_text(profile, profile_thread_at(profile, worker)->comm);

	return *comm ? comm : "[unknown thread]";
}

static const char *name_of_ground(const struct chaining *chaining, const struct wake_part *part, char text[DIMENSION_PATH_SIZE + 256])
{
	switch (part->kind) {
	case WAKE_UNKNOWN:
		return "[unknown]";
	case WAKE_DELAY:
		return "[wake-up]";
	case WAKE_CUT:
		return "[cut: the chain goes on]";
	case WAKE_OWN:
	case WAKE_SELF:
		break;
	}
	return name_of_state(chaining, part->interval, text);
}

/* --- Parts ----------------------------------------------------------------------------------------------------- */

static void add_chain(struct chaining *chaining, const char *name, const char *ground, double ns)
{
	uint32_t key[2] = { naming_put(chaining->naming, name), naming_put(chaining->naming, ground) };
	uint32_t *at = map_put(chaining->chain_ids, key, NULL);

	if (!*at) {
		grow(chaining->chains, chaining->chain_count, chaining->chain_room);
		chaining->chains[chaining->chain_count++] = (struct chain){ key[0], key[1], 0, 0 };
		*at = (uint32_t)chaining->chain_count;
	}
	chaining->chains[*at - 1].ns += ns;
	chaining->chains[*at - 1].count++;
}

static void add_part(void *context, const struct wake_part *part)
{
	struct chaining *chaining = context;
	double ns = (double)(part->end - part->start);
	char text[DIMENSION_PATH_SIZE + 256];
	const char *ground = name_of_ground(chaining, part, text);
	struct text chain = TEXT(CHAIN_SIZE);
	uint32_t node = chaining->root;
	char wait[DIMENSION_PATH_SIZE + 256];

	for (unsigned i = 0; i < part->depth; i++) {
		const struct wake_interval *via = wake_graph_at(chaining->graph, part->via[i]);
		const char *waker = name_of_worker(chaining, via->waker);

		text_print(&chain, "%s ▸ %s: ", name_of_state(chaining, part->via[i], wait), waker);
		node = call_tree_child(chaining->tree, node, naming_put(chaining->naming, wait));
		node = call_tree_child(chaining->tree, node, naming_put(chaining->naming, waker));
	}
	text_print(&chain, "%s", ground);
	node = call_tree_child(chaining->tree, node, naming_put(chaining->naming, ground));
	call_tree_weigh(chaining->tree, node, ns, 1);
	add_chain(chaining, text_string(&chain), ground, ns);
	chaining->told_ns += ns;
	/* Of some intervals the ledger itself knows no more than that they were. */
	chaining->unknown_ns += part->kind == WAKE_UNKNOWN || !strcmp(ground, "unknown") ? ns : 0;
	chaining->cut_ns += part->kind == WAKE_CUT ? ns : 0;
	text_done(&chain);
}

/* --- Whose ----------------------------------------------------------------------------------------------------- */

/* The selected threads that waited longest for others: idle time and planned sleep lead nowhere. */
struct waiter { uint32_t thread; double ns; };

static int compare_waiters(const void *left, const void *right)
{
	const struct waiter *a = left, *b = right;

	if (a->ns != b->ns)
		return a->ns > b->ns ? -1 : 1;
	return a->thread < b->thread ? -1 : 1;
}

static size_t choose(const struct chaining *chaining, uint32_t threads[THREADS_MOST])
{
	const struct question *question = chaining->question;
	const struct profile *profile = question->profile;
	size_t count = profile_thread_count(profile), chosen = 0;
	size_t most = question->most && question->most < THREADS_MOST ? question->most
		      : selection_is_whole(question->selection)	      ? 1
								      : THREADS_MOST;
	struct waiter *waiters = xcalloc(count, sizeof(*waiters));

	for (uint32_t i = 0; i < count; i++)
		waiters[i].thread = i;
	for (size_t i = 0; i < profile_interval_count(profile); i++) {
		const struct interval *interval = profile_interval_at(profile, i);
		struct dimension_id class = profile_evidence_at(profile, interval->evidence.index)->class;
		struct dimension_id root = profile_dimension_root(profile, class);

		if (profile_interval_waker(profile, interval).index && profile_dimension_at(profile, root.index)->kind == DIMENSION_WAITING)
			waiters[interval->thread.index].ns += (double)(interval->end_ns - interval->start_ns);
	}
	qsort(waiters, count, sizeof(*waiters), compare_waiters);
	for (size_t i = 0; i < count && chosen < most; i++) {
		const struct thread *thread = profile_thread_at(profile, waiters[i].thread);

		if (waiters[i].thread && !thread->outside && selection_has_thread(question->selection, profile, thread) &&
		    (waiters[i].ns > 0 || !selection_is_whole(question->selection)))
			threads[chosen++] = waiters[i].thread;
	}
	free(waiters);
	return chosen;
}

static void follow(struct chaining *chaining, uint32_t index)
{
	const struct thread *thread = profile_thread_at(chaining->question->profile, index);
	uint64_t from = thread->start_ns, to = thread->end_ns;

	selection_clip(chaining->question->selection, chaining->question->profile, &from, &to);
	if (from >= to)
		return;
	chaining->root = call_tree_child(chaining->tree, CALL_TREE_ROOT,
					 naming_put(chaining->naming, profile_text(chaining->question->profile, thread->comm)));
	chaining->window_ns += (double)(to - from);
	wake_path(chaining->graph, index, from, to, add_part, chaining);
}

/* Those that --where request chose: a window may cut one, and no part of it is told of the rest. */
static void follow_requests(struct chaining *chaining)
{
	const struct profile *profile = chaining->question->profile;

	chaining->root = CALL_TREE_ROOT;
	for (size_t i = 0; i < profile_request_count(profile) && chaining->requests < REQUESTS_MOST; i++) {
		const struct request *request = profile_request_at(profile, i);
		uint64_t from = request->opened_ns, to = request->closed_ns;

		selection_clip(chaining->question->selection, profile, &from, &to);
		if (from >= to || !selection_has_thread(chaining->question->selection, profile,
							profile_thread_at(profile, request->thread.index)))
			continue;
		chaining->requests++;
		chaining->window_ns += (double)(to - from);
		wake_path(chaining->graph, request->thread.index, from, to, add_part, chaining);
	}
}

/* --- Sections -------------------------------------------------------------------------------------------------- */

static const struct column chain_columns[] = {
	{ "total", "total", "ns", 0 },
	{ "share", "share", "fraction", COLUMN_BAR },
	{ "count", "parts", "count", 0 },
	{ "ground", "came down to", "", COLUMN_LEFT },
	{ "chain", "chain", "", COLUMN_CODE },
};

static int compare_chains(const void *left, const void *right)
{
	const struct chain *a = left, *b = right;

	if (a->ns != b->ns)
		return a->ns > b->ns ? -1 : 1;
	return a->name < b->name ? -1 : a->name > b->name;
}

static struct table *chains_of(struct chaining *chaining)
{
	struct table *table = table_new(chain_columns, ARRAY_LENGTH(chain_columns));
	size_t most = chaining->question->most ? chaining->question->most : ROWS_MOST;

	if (chaining->chain_count)
		qsort(chaining->chains, chaining->chain_count, sizeof(*chaining->chains), compare_chains);
	for (size_t i = 0; i < chaining->chain_count && i < most; i++) {
		const struct chain *chain = &chaining->chains[i];

		table_add(table, (struct value[]){
			figure(chain->ns), figure(chain->ns / chaining->window_ns), figure_whole(chain->count),
			value_text(naming_text(chaining->naming, chain->ground)),
			value_text(naming_text(chaining->naming, chain->name)) });
	}
	table->rows_left_out += chaining->chain_count > most ? chaining->chain_count - most : 0;
	return table;
}

static struct record *summary_of(const struct chaining *chaining, const uint32_t *threads, size_t count)
{
	const struct profile *profile = chaining->question->profile;
	struct record *record = record_new();
	struct text names = TEXT(1024);

	for (size_t i = 0; i < count; i++)
		text_print(&names, "%s%s (%u)", i ? ", " : "", profile_text(profile, profile_thread_at(profile, threads[i])->comm),
			   profile_thread_at(profile, threads[i])->tid);
	if (chaining->requests)
		record_add(record, "requests", "requests", "count", value_integer((int64_t)chaining->requests));
	else
		record_add(record, "threads", "threads", "", value_text(text_string(&names)));
	record_add(record, "window", "their time", "ns", figure(chaining->window_ns));
	record_add(record, "told", "told in parts", "ns", figure(chaining->told_ns));
	record_add(record, "residual", "residual", "ns", figure(chaining->window_ns - chaining->told_ns));
	record_add(record, "unknown", "unknown", "fraction", figure(chaining->unknown_ns / chaining->window_ns));
	record_add(record, "cut", "cut", "fraction", figure(chaining->cut_ns / chaining->window_ns));
	text_done(&names);
	return record;
}

static int chain_run(const struct question *question, struct document *into, struct error *err)
{
	CLEANUP(naming) struct naming *naming = NULL;
	CLEANUP(call_tree) struct call_tree *tree = NULL;
	CLEANUP(map) struct map *chain_ids = NULL;
	CLEANUP(wake_graph) struct wake_graph *graph = NULL;
	struct chaining chaining = { .question = question };
	uint32_t threads[THREADS_MOST];
	size_t count;

	(void)err;
	if (!profile_interval_count(question->profile)) {
		document_add_finding(into, SEVERITY_WARNING, "chains need the intervals one by one, and this capture keeps sums "
							     "(crosscut record --timeline)");
		return 0;
	}
	chaining.naming = naming = naming_new(question->profile);
	chaining.tree = tree = call_tree_new();
	chaining.chain_ids = chain_ids = map_new(2 * sizeof(uint32_t));
	read_graph(&chaining);
	graph = chaining.graph;
	count = cohort_is(question->profile) ? 0 : choose(&chaining, threads);
	for (size_t i = 0; i < count; i++)
		follow(&chaining, threads[i]);
	if (cohort_is(question->profile))
		follow_requests(&chaining);
	if (chaining.window_ns > 0) {
		(void)document_add_record(into, "chain", "Time followed to its ground", summary_of(&chaining, threads, count));
		(void)document_add_table(into, "chains", "What it came down to: exact", chains_of(&chaining));
		(void)document_add_tree(into, "chain_tree", "Chains, down to the ground",
					call_tree_draw(tree, naming, "time", "ns", "exact", TREE_NODES));
	} else {
		document_add_finding(into, SEVERITY_NOTE, "no selected thread waited");
	}
	free(chaining.intervals);
	free(chaining.steps);
	free(chaining.chains);
	return 0;
}

extern const struct analysis analysis_chain;
const struct analysis analysis_chain = {
	.name = "chain",
	.asks = "what did waits of a thread or request come down to, by who ended them?",
	.run = chain_run,
};
