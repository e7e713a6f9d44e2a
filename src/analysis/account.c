/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One pass over the cells, one over threads and completions. Names are never asked for here: a
 * dimension's kind says whether it is a state.
 */
#include "analysis/account.h"

#include "analysis/analysis.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/option.h"
#include "profile/cohort.h"
#include "profile/ledger.h"
#include "profile/selection.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

bool dimension_is_state(enum dimension_kind kind)
{
	return kind >= DIMENSION_RUNNING && kind <= DIMENSION_IDLE;
}

const char *dimension_path(const struct profile *profile, struct dimension_id id,
			   char text[DIMENSION_PATH_SIZE])
{
	const struct dimension *dimension = profile_dimension_at(profile, id.index);
	const struct dimension *parent = profile_dimension_at(profile, dimension->parent.index);

	(void)snprintf(text, DIMENSION_PATH_SIZE, "%s%s%s", profile_text(profile, parent->name),
		       dimension->parent.index ? "/" : "", profile_text(profile, dimension->name));
	return text;
}

struct dimension_id dimension_of_path(const struct profile *profile, const char *path)
{
	const char *slash = strchr(path, '/');
	CLEANUP_TEXT char *parent = slash ? xstrndup(path, (size_t)(slash - path)) : NULL;

	return profile_dimension_find(profile, parent, slash ? slash + 1 : path);
}

bool dimension_is_below(const struct profile *profile, struct dimension_id id,
			struct dimension_id above)
{
	return !above.index || dimension_is(id, above) ||
	       dimension_is(profile_dimension_root(profile, id), above);
}

static const char *nearest_dimension(const struct profile *profile, const char *path)
{
	static char near[DIMENSION_PATH_SIZE];
	const char *names[2 * PROFILE_DIMENSION_LIMIT + 1] = { NULL };
	char paths[PROFILE_DIMENSION_LIMIT][DIMENSION_PATH_SIZE];
	const char *found;
	size_t count = 0;

	for (size_t i = 0; i < dimension_row_count; i++)
		if (!dimension_rows[i].parent)
			names[count++] = dimension_rows[i].name;
	for (uint32_t i = 1; i < profile_dimension_count(profile) && i < PROFILE_DIMENSION_LIMIT;
	     i++)
		names[count++] = dimension_path(profile, (struct dimension_id){ i }, paths[i]);
	found = nearest_name(path, names);
	if (!found)
		return NULL;
	(void)snprintf(near, sizeof(near), "%s", found);
	return near;
}

int dimension_named(const struct profile *profile, const char *path, struct dimension_id *ret,
		    struct error *err)
{
	const char *slash = strchr(path, '/'), *near;
	CLEANUP_TEXT char *parent = slash ? xstrndup(path, (size_t)(slash - path)) : NULL;

	*ret = dimension_of_path(profile, path);
	if (ret->index || dimension_row_find(parent, slash ? slash + 1 : path))
		return 0;
	near = nearest_dimension(profile, path);
	(void)fail(err, FAILURE_USAGE, -EINVAL, "unknown dimension '%.64s'", path);
	(void)error_because(err, "neither this file nor crosscut has one of that name");
	return near ? error_try(err, "--dimension %s", near)
		    : error_try(err, "crosscut list dimensions");
}

const char *weighting_name(enum weighting weighting)
{
	switch (weighting) {
	case WEIGHTING_SAMPLED:
		return "sampled";
	case WEIGHTING_ESTIMATED:
		return "estimated";
	default:
		return "exact";
	}
}

void account_free(struct account *account)
{
	if (!account)
		return;
	free(account->totals);
	free(account->splits);
	free(account->lengths);
	free(account->has_totals);
	free(account->has_splits);
	free(account);
}

static void tally_add(struct tally *tally, const struct cell *cell, enum weighting weighting)
{
	tally->total += cell_weight(cell);
	tally->count += (double)cell->count * (double)(1ull << (cell->p_log2 & 63));
	tally->maximum = fmax(tally->maximum, (double)cell->maximum);
	tally->weighting = weighting > tally->weighting ? weighting : tally->weighting;
}

static void tally_merge(struct tally *into, const struct tally *from)
{
	into->total += from->total;
	into->count += from->count;
	into->maximum = fmax(into->maximum, from->maximum);
	into->weighting = from->weighting > into->weighting ? from->weighting : into->weighting;
}

static unsigned bucket_of(const struct cell *cell)
{
	uint64_t mean = cell->count ? cell->value / cell->count : cell->value;

	if (cell->length_log2)
		return cell->length_log2 & (ACCOUNT_BUCKETS - 1);
	return mean ? 63 - (unsigned)__builtin_clzll(mean) : 0;
}

/* Lengths of waits come from the cells of the ledger, each of which holds one power of two; of
 * delays, from details. */
static void add_length(struct account *account, const struct cell *cell, enum measure_role role,
		       struct dimension_id root)
{
	struct bucket *bucket = &account->lengths[root.index][bucket_of(cell)];

	if (!cell->count || (role == ROLE_DETAIL ? cell->thread.index : !cell->evidence.index))
		return;
	if (!dimension_is_state(profile_dimension_at(account->profile, root.index)->kind))
		return;
	bucket->count += (double)cell->count;
	bucket->total += cell_weight(cell);
}

static void add_cell(struct account *account, const struct cell *cell)
{
	const struct profile *profile = account->profile;
	const struct measure *measure = profile_measure_at(profile, cell->measure.index);
	struct dimension_id id = profile_cell_dimension(profile, cell);
	struct dimension_id root = profile_dimension_root(profile, id);

	if (!id.index || profile_thread_at(profile, cell->thread.index)->outside)
		return;
	account->has_totals[root.index] |= measure->role == ROLE_TOTAL;
	account->has_splits[root.index] |= measure->role == ROLE_SPLIT;
	if (!selection_has_cell(account->question->selection, profile, cell))
		return;
	if (measure->role == ROLE_TOTAL)
		tally_add(&account->totals[id.index], cell, measure->weighting);
	if (measure->role == ROLE_SPLIT)
		tally_add(&account->splits[id.index], cell, measure->weighting);
	if (measure->role != ROLE_SPLIT)
		add_length(account, cell, measure->role, root);
}

static void add_threads(struct account *account)
{
	const struct profile *profile = account->profile;
	const struct selection *selection = account->question->selection;
	bool *processes = xcalloc(profile_process_count(profile), sizeof(*processes));

	for (size_t i = 1; i < profile_thread_count(profile); i++) {
		const struct thread *thread = profile_thread_at(profile, i);

		if (thread->outside || !selection_has_thread(selection, profile, thread))
			continue;
		account->thread_ns += (double)selection_lifetime_ns(selection, profile, thread);
		account->threads++;
		account->processes += thread->process.index && !processes[thread->process.index];
		processes[thread->process.index] = true;
	}
	free(processes);
}

/* Responses on several ports are several services: one sum of them would be nobody's work. */
static bool has_several_ports(const struct account *account)
{
	const char *source = profile_meta(account->profile, "work.source");
	uint32_t port = 0;

	if (source && strchr(source, ':'))
		return false;
	for (size_t i = 0; i < profile_completion_count(account->profile); i++) {
		const struct completion *completion = profile_completion_at(account->profile, i);

		if (!completion->port || !selection_has_completion(account->question->selection,
								   account->profile, completion))
			continue;
		if (port && port != completion->port)
			return true;
		port = completion->port;
	}
	return false;
}

static void add_completions(struct account *account)
{
	double *const sums[OUTCOME_COUNT] = {
		[OUTCOME_CORRECT] = &account->correct,   [OUTCOME_INCORRECT] = &account->incorrect,
		[OUTCOME_UNJUDGED] = &account->unjudged, [OUTCOME_REJECTED] = &account->rejected,
		[OUTCOME_RETRIED] = &account->retried,   [OUTCOME_ABANDONED] = &account->abandoned,
	};

	account->several_ports = has_several_ports(account);
	for (size_t i = 0; i < profile_completion_count(account->profile); i++) {
		const struct completion *completion = profile_completion_at(account->profile, i);

		account->worked = true;
		if (!selection_has_completion(account->question->selection, account->profile,
					      completion))
			continue;
		if (completion->outcome > 0 && completion->outcome < OUTCOME_COUNT)
			*sums[completion->outcome] += (double)completion->count;
	}
}

static void sum_states(struct account *account)
{
	for (uint32_t i = 1; i < account->count; i++) {
		const struct dimension *dimension = profile_dimension_at(account->profile, i);
		struct tally tally;

		if (dimension->parent.index || !dimension_is_state(dimension->kind))
			continue;
		tally = account_state(account, (struct dimension_id){ i });
		account->accounted_ns += isnan(tally.total) ? 0 : tally.total;
	}
}

struct account *account_new(const struct question *question)
{
	struct account *account = xcalloc(1, sizeof(*account));

	account->profile = question->profile;
	account->question = question;
	account->count = profile_dimension_count(question->profile);
	account->totals = xcalloc(account->count, sizeof(*account->totals));
	account->splits = xcalloc(account->count, sizeof(*account->splits));
	account->lengths = xcalloc(account->count, sizeof(*account->lengths));
	account->has_totals = xcalloc(account->count, sizeof(bool));
	account->has_splits = xcalloc(account->count, sizeof(bool));
	for (size_t i = 0; i < profile_cell_count(question->profile); i++)
		add_cell(account, profile_cell_at(question->profile, i));
	add_threads(account);
	add_completions(account);
	account->elapsed_ns = (double)selection_elapsed_ns(question->selection, question->profile);
	account->is_ledger = profile_is_ledger(account->profile);
	sum_states(account);
	if (cohort_is(account->profile))
		account->thread_ns = account->accounted_ns;     /* requests have latencies, not lives */
	return account;
}

/* --- Reading ---------------------------------------------------------------------------------- */

static struct tally sum_of(const struct account *account, const struct tally *tallies,
			   struct dimension_id state)
{
	struct tally sum = { 0 };

	for (uint32_t i = 1; i < account->count; i++)
		if (profile_dimension_root(account->profile, (struct dimension_id){ i }).index ==
		    state.index)
			tally_merge(&sum, &tallies[i]);
	return sum;
}

enum measure_role account_role(const struct account *account, struct dimension_id state)
{
	return account->has_totals[state.index] && !selection_by_stack(account->question->selection)
		       ? ROLE_TOTAL
		       : ROLE_SPLIT;
}

struct tally account_split(const struct account *account, struct dimension_id state)
{
	return sum_of(account, account->splits, state);
}

struct tally account_state(const struct account *account, struct dimension_id state)
{
	struct tally tally;

	if (account_role(account, state) == ROLE_TOTAL)
		return sum_of(account, account->totals, state);
	tally = account_split(account, state);
	if (account->has_totals[state.index] && !account->has_splits[state.index])
		tally.total = tally.count = NAN;
	return tally;
}

double account_exact(const struct account *account, struct dimension_id state)
{
	struct tally tally = account_state(account, state);
	bool nothing = !account->has_totals[state.index] && !account->has_splits[state.index];

	if (nothing)
		return 0;
	return account_role(account, state) == ROLE_TOTAL && tally.weighting <= WEIGHTING_EXACT
		       ? tally.total
		       : NAN;
}

static bool any_part(const struct account *account, const struct tally *tallies,
		     struct dimension_id state)
{
	for (uint32_t i = 1; i < account->count; i++)
		if (tallies[i].weighting &&
		    profile_dimension_at(account->profile, i)->parent.index == state.index)
			return true;
	return false;
}

/* Of the parts that have no exact time of their own: samples of the others say nothing of these. */
static struct tally split_untold(const struct account *account, struct dimension_id state)
{
	struct tally sum = { 0 };

	for (uint32_t i = 1; i < account->count; i++)
		if (profile_dimension_root(account->profile, (struct dimension_id){ i }).index ==
			    state.index &&
		    (i == state.index || !account->totals[i].weighting))
			tally_merge(&sum, &account->splits[i]);
	return sum;
}

/* Exact time that lies on the state alone is divided by the samples among the parts that have none of their
 * own; without samples the parts of running time are not known, while a wait's class would have
 * told its part. */
struct tally account_part(const struct account *account, struct dimension_id part)
{
	struct dimension_id state = profile_dimension_root(account->profile, part);
	const struct tally *on_state = &account->totals[state.index];
	bool is_running =
		profile_dimension_at(account->profile, state.index)->kind == DIMENSION_RUNNING;
	struct tally split, tally = account->splits[part.index];

	if (account_role(account, state) == ROLE_SPLIT)
		return tally;
	if (account->totals[part.index].weighting || !on_state->weighting ||
	    (!is_running && any_part(account, account->totals, state)))
		return account->totals[part.index];
	if (!any_part(account, account->splits, state) && !is_running)
		return account->totals[part.index];
	split = split_untold(account, state);
	tally.total = split.total > 0 ? on_state->total * tally.total / split.total : NAN;
	tally.weighting = WEIGHTING_ESTIMATED;
	return tally;
}

double account_per_completion(const struct account *account, double weight)
{
	if (account->several_ports)
		return NAN;
	return account->correct > 0 ? weight / account->correct : NAN;
}

bool account_is_held(const struct account *account, struct dimension_id id)
{
	struct dimension_id root = profile_dimension_root(account->profile, id);

	return profile_dimension_at(account->profile, root.index)->kind == DIMENSION_LEVEL &&
	       !account->has_splits[root.index];
}

double account_attempts(const struct account *account)
{
	return account->correct + account->incorrect + account->unjudged + account->rejected +
	       account->retried + account->abandoned;
}
