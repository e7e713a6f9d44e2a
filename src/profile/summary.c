/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One pass over the cells gives the sums, a second looks at threads. What could not be measured
 * stays NAN: a gate then says so instead of passing.
 */
#include "profile/summary.h"

#include "base/map.h"
#include "base/memory.h"
#include "profile/ledger.h"
#include "profile/profile.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLES_LEAST = 30 };             /* fewer expected samples than that show no bias */

/* What is summed per thread. */
struct life {
	double states_ns, oncpu_ns, ready_ns;
	double waits;
};

/* Of running or of waiting time, by stack. */
struct split {
	double weight, complete, unverified, unresolved;
	double squares;                  /* of the weight of each event that was sampled */
};

struct sums {
	struct life *lives;              /* by thread; 0 gathers what has no thread */
	double blocked_ns;
	struct split running, waiting;
	double cut_ns, cut_all_ns;
	double waits, unwoken;
	double exact_oncpu_ns;           /* what samples can be held against */
	double samples, periods;         /* on-CPU samples seen; their periods, weighted by sample */
};

static bool is_state(enum dimension_kind kind)
{
	return kind >= DIMENSION_RUNNING && kind <= DIMENSION_IDLE;
}

static const struct dimension *state_of(const struct profile *profile, const struct cell *cell)
{
	struct dimension_id id = profile_cell_dimension(profile, cell);

	return profile_dimension_at(profile, profile_dimension_root(profile, id).index);
}

/* A wait's length is known by the class that took it; only the class may be missing. */
static bool is_unknown(const struct profile *profile, const struct dimension *state)
{
	return !strcmp(profile_text(profile, state->name), "unknown");
}

static void add_wait(const struct wait_evidence *seen, const struct cell *cell, bool unknown,
		     double weight, struct sums *sums)
{
	if (seen->flags & (EVIDENCE_CUT_START | EVIDENCE_CUT_END)) {
		sums->cut_all_ns += weight;
		sums->cut_ns += unknown ? weight : 0;
	}
	if (seen->flags & EVIDENCE_CUT_END)
		return;
	if (!(seen->flags & EVIDENCE_IOWAIT)) {
		sums->waits += (double)cell->count;
		sums->unwoken += seen->flags & EVIDENCE_NO_WAKER ? (double)cell->count : 0;
	}
	sums->lives[cell->thread.index].waits += (double)cell->count;
}

static void add_total(const struct profile *profile, const struct cell *cell, struct sums *sums,
		      struct summary *ret)
{
	const struct dimension *state = state_of(profile, cell);
	struct life *life = &sums->lives[cell->thread.index];
	double weight = cell_weight(cell);
	bool unknown = is_unknown(profile, state);

	if (!is_state(state->kind))
		return;
	ret->accounted_ns += weight;
	life->states_ns += weight;
	ret->oncpu_ns += state->kind == DIMENSION_RUNNING ? weight : 0;
	life->oncpu_ns += state->kind == DIMENSION_RUNNING ? weight : 0;
	if (state->kind == DIMENSION_RUNNING &&
	    profile_measure_at(profile, cell->measure.index)->weighting == WEIGHTING_EXACT)
		sums->exact_oncpu_ns += weight;
	ret->ready_ns += state->kind == DIMENSION_READY ? weight : 0;
	life->ready_ns += state->kind == DIMENSION_READY ? weight : 0;
	ret->waiting_ns += state->kind == DIMENSION_WAITING ? weight : 0;
	ret->idle_ns += state->kind == DIMENSION_IDLE ? weight : 0;
	ret->unknown_ns += unknown ? weight : 0;
	sums->blocked_ns +=
		state->kind == DIMENSION_WAITING || state->kind == DIMENSION_IDLE ? weight : 0;
	if (cell->evidence.index)
		add_wait(&profile_evidence_at(profile, cell->evidence.index)->seen, cell, unknown,
			 weight, sums);
}

/* --- Stacks ----------------------------------------------------------------------------------- */

static bool frame_is_named(const struct profile *profile, struct frame_id frame)
{
	size_t count = 0;

	(void)profile_frame_symbols(profile, frame, &count);
	return count || profile_frame_at(profile, frame.index)->name.index;
}

/* The leaf user frame; where the thread has none (it lives in the kernel), the leaf. */
static struct frame_id leaf_of(const struct profile *profile, struct stack_id stack)
{
	struct frame_id leaf = profile_stack_at(profile, stack.index).frame;

	while (stack.index) {
		struct stack row = profile_stack_at(profile, stack.index);

		if (profile_frame_at(profile, row.frame.index)->method != METHOD_KERNEL)
			return row.frame;
		stack = row.parent;
	}
	return leaf;
}

/* A kernel thread's wait without a stack lacks no name: it has no program to be named. */
static bool cell_is_named(const struct profile *profile, const struct cell *cell)
{
	if (!cell->stack.index)
		return profile_evidence_at(profile, cell->evidence.index)->seen.flags &
		       EVIDENCE_KERNEL_THREAD;
	return frame_is_named(profile, leaf_of(profile, cell->stack));
}

static void add_split(const struct profile *profile, const struct cell *cell, struct sums *sums,
		      struct summary *ret)
{
	struct stack stack = profile_stack_at(profile, cell->stack.index);
	const struct measure *measure = profile_measure_at(profile, cell->measure.index);
	const struct dimension *state = state_of(profile, cell);
	struct split *split = state->kind == DIMENSION_RUNNING ? &sums->running : &sums->waiting;
	double weight = cell_weight(cell);

	if (!is_state(state->kind) || state->kind == DIMENSION_IDLE)
		return;
	ret->stack_weight += weight;
	split->weight += weight;
	if (measure->weighting == WEIGHTING_SAMPLED && cell->count)
		split->squares += weight * weight / (double)cell->count;
	split->complete += stack.status == STACK_COMPLETE ? weight : 0;
	split->unverified += stack.status == STACK_UNVERIFIED ? weight : 0;
	split->unresolved += cell_is_named(profile, cell) ? 0 : weight;
	if (state->kind == DIMENSION_RUNNING) {
		ret->sampled_oncpu_ns += weight;
		sums->samples += (double)cell->count;
		sums->periods += (double)cell->count * (double)measure->period;
	}
}

/* --- What the sums say ------------------------------------------------------------------------ */

static bool split_counts(const struct split *split, const struct summary *summary)
{
	return split->weight > 0 && split->weight >= 0.01 * summary->stack_weight;
}

/* Of a share among sampled stacks of unequal weight: as of so many equal ones, none of which is certain (Laplace). */
static double share_error(const struct split *split, double share)
{
	double equal = split->squares > 0 ? split->weight * split->weight / split->squares : INFINITY;
	double moved = isinf(equal) ? share : (share * equal + 1) / (equal + 2);

	return sqrt(moved * (1 - moved) / equal);
}

static void judge_stacks(const struct sums *sums, struct summary *ret)
{
	const struct split *splits[] = { &sums->running, &sums->waiting };
	static const char *const names[] = { "on-CPU time", "waits" };

	ret->complete_fraction = ret->unresolved_fraction = NAN;
	ret->complete_where = ret->unresolved_where = "";
	for (size_t i = 0; i < 2; i++) {
		double complete = splits[i]->complete / splits[i]->weight;
		double unresolved = splits[i]->unresolved / splits[i]->weight;

		if (!split_counts(splits[i], ret))
			continue;
		if (isnan(ret->complete_fraction) || complete < ret->complete_fraction) {
			ret->complete_fraction = complete;
			ret->complete_error = share_error(splits[i], complete);
			ret->complete_where = names[i];
		}
		if (isnan(ret->unresolved_fraction) || unresolved > ret->unresolved_fraction) {
			ret->unresolved_fraction = unresolved;
			ret->unresolved_error = share_error(splits[i], unresolved);
			ret->unresolved_where = names[i];
		}
	}
	if (sums->running.unverified > 0 || sums->waiting.unverified > 0)
		ret->complete_fraction = NAN;
}

/* The period of the on-CPU sampler; 0 where none ran. It counts though no sample came: that is the
 * worst bias. */
static double sampling_period(const struct profile *profile, const struct sums *sums)
{
	double most = 0;

	if (sums->samples > 0)
		return sums->periods / sums->samples;
	for (size_t i = 1; i < profile_measure_count(profile); i++) {
		const struct measure *measure = profile_measure_at(profile, i);
		struct dimension_id root = profile_dimension_root(profile, measure->dimension);

		if (measure->role == ROLE_SPLIT && (double)measure->period > most &&
		    profile_dimension_at(profile, root.index)->kind == DIMENSION_RUNNING)
			most = (double)measure->period;
	}
	return most;
}

/* Samples are taken independently of what runs, so their number varies at most like a Poisson
 * count. */
static double sampling_z(const struct profile *profile, const struct sums *sums,
			 const struct summary *summary)
{
	double period = sampling_period(profile, sums), expected;

	if (period <= 0 || (sums->exact_oncpu_ns <= 0 && summary->oncpu_ns > 0))
		return NAN;                      /* an import has no other measure of the same time */
	expected = summary->oncpu_ns / period;
	if (expected < SAMPLES_LEAST)
		return NAN;
	return (summary->sampled_oncpu_ns - summary->oncpu_ns) / (period * sqrt(expected));
}

/* The kernel charges a thread up to 20 us more per wake from idle, so only threads that seldom
 * wait can be compared. */
static bool is_cpu_bound(const struct life *life, const struct thread *thread, double lifetime_ns)
{
	return thread->kernel_runtime_ns && life->oncpu_ns >= 50e6 &&
	       life->oncpu_ns >= life->waits * 10e6 &&
	       life->oncpu_ns + life->ready_ns >= 0.9 * lifetime_ns;
}

static bool any_lifetime(const struct profile *profile)
{
	for (size_t i = 1; i < profile_thread_count(profile); i++)
		if (profile_thread_at(profile, i)->end_ns)
			return true;
	return false;
}

/* Where lifetimes are known, states of a thread without one are an error of their own. */
static void judge_threads(const struct profile *profile, const struct sums *sums,
			  struct summary *ret)
{
	double runtime_ns = 0, oncpu_ns = 0, surplus_ns, worst_ns = NAN;
	const bool known = any_lifetime(profile);

	for (size_t i = 1; i < profile_thread_count(profile); i++) {
		const struct thread *thread = profile_thread_at(profile, i);
		const struct life *life = &sums->lives[i];
		double lifetime_ns = 0, error_ns;

		if (thread->outside || !known)
			continue;
		if (thread->end_ns)
			lifetime_ns = (double)thread->end_ns - (double)thread->start_ns;
		ret->thread_ns += lifetime_ns;
		error_ns = fabs(life->states_ns - lifetime_ns);
		worst_ns = isnan(worst_ns) || error_ns > worst_ns ? error_ns : worst_ns;
		if (is_cpu_bound(life, thread, lifetime_ns)) {
			ret->runtime_threads++;
			runtime_ns += (double)thread->kernel_runtime_ns;
			oncpu_ns += life->oncpu_ns;
		}
	}
	ret->conservation_error_ns = ret->accounted_ns > 0 ? worst_ns : NAN;
	surplus_ns = oncpu_ns - runtime_ns;
	if (surplus_ns > 0)
		surplus_ns = fmax(
			0, surplus_ns - (double)profile_meta_number(profile, "host.steal_ns", 0) -
				   (double)profile_meta_number(profile, "host.irq_ns", 0));
	ret->runtime_error_fraction = runtime_ns > 0 ? fabs(surplus_ns) / runtime_ns : NAN;
}

struct source_loss {
	struct string_id source;
	double seen, lost, worst;
	struct slice_id worst_slice;
};

static void losses_add(struct source_loss *sources, struct map *index, const struct loss *loss)
{
	uint32_t *at = map_put(index, &loss->source.index, NULL);
	struct source_loss *source;

	if (!*at)
		*at = (uint32_t)map_count(index);
	source = &sources[*at - 1];
	source->source = loss->source;
	source->seen += (double)loss->seen;
	source->lost += (double)loss->lost;
	if ((double)loss->lost > source->worst) {
		source->worst = (double)loss->lost;
		source->worst_slice = loss->slice;
	}
}

static void judge_losses(const struct profile *profile, struct summary *ret)
{
	size_t count = profile_loss_count(profile);
	struct source_loss *sources = xcalloc(count + 1, sizeof(*sources));
	CLEANUP(map) struct map *index = map_new(sizeof(uint32_t));
	uint64_t start_ns = profile_meta_number(profile, "capture.start_ns", 0);

	for (size_t i = 0; i < count; i++)
		losses_add(sources, index, profile_loss_at(profile, i));
	for (size_t i = 0; i < map_count(index); i++) {
		const struct source_loss *source = &sources[i];
		double all = source->seen + source->lost,
		       fraction = all > 0 ? source->lost / all : 0;
		const struct slice *slice = profile_slice_at(profile, source->worst_slice.index);

		ret->events_seen += source->seen;
		ret->events_lost += source->lost;
		if (!isnan(ret->lost_fraction) && fraction <= ret->lost_fraction)
			continue;
		ret->lost_fraction = fraction;
		(void)snprintf(ret->lost_source, sizeof(ret->lost_source), "%s",
			       profile_text(profile, source->source));
		ret->lost_slice_s =
			slice->start_ns > start_ns ? (double)(slice->start_ns - start_ns) / 1e9 : 0;
	}
	free(sources);
}

static double window_ns(const struct profile *profile)
{
	uint64_t start = profile_meta_number(profile, "capture.start_ns", 0);
	uint64_t end = profile_meta_number(profile, "capture.end_ns", 0);
	size_t count = profile_slice_count(profile);

	if (end <= start && count > 1) {
		start = profile_slice_at(profile, 1)->start_ns;
		end = profile_slice_at(profile, count - 1)->end_ns;
	}
	return end > start ? (double)(end - start) : 0;
}

static void judge_costs(const struct profile *profile, struct summary *ret)
{
	const char *worst = profile_meta(profile, "overhead.worst"), *suspected = profile_meta(profile, "overhead.suspected");

	ret->overhead_worst = worst ? strtod(worst, NULL) : NAN;
	ret->overhead_suspected = suspected ? strtod(suspected, NULL) : NAN;
	for (size_t i = 0; i < profile_own_cost_count(profile); i++)
		ret->own_cost_ns += (double)profile_own_cost_at(profile, i)->ns;
	ret->own_cost_fraction = profile_own_cost_count(profile) && ret->oncpu_ns > 0
					 ? ret->own_cost_ns / ret->oncpu_ns
					 : NAN;
	for (size_t i = 0; i < profile_completion_count(profile); i++) {
		const struct completion *completion = profile_completion_at(profile, i);

		ret->correct +=
			completion->outcome == OUTCOME_CORRECT ? (double)completion->count : 0;
		ret->incorrect +=
			completion->outcome == OUTCOME_INCORRECT ? (double)completion->count : 0;
	}
}

/* Exact weights by stack of which none has a stack are totals that a format without totals brought back: nobody looked for
 * their stacks, so that none of them failed. The caller frees it. */
static bool *splits_of_totals(const struct profile *profile)
{
	bool *totals = xcalloc(profile_measure_count(profile) + 1, sizeof(*totals));

	for (size_t i = 1; i < profile_measure_count(profile); i++)
		totals[i] = profile_measure_at(profile, i)->weighting == WEIGHTING_EXACT;
	for (size_t i = 0; i < profile_cell_count(profile); i++)
		if (profile_cell_at(profile, i)->stack.index)
			totals[profile_cell_at(profile, i)->measure.index] = false;
	return totals;
}

static void add_cells(const struct profile *profile, struct sums *sums, struct summary *ret)
{
	bool *totals = splits_of_totals(profile);

	for (size_t i = 0; i < profile_cell_count(profile); i++) {
		const struct cell *cell = profile_cell_at(profile, i);
		const struct measure *measure = profile_measure_at(profile, cell->measure.index);

		if (profile_thread_at(profile, cell->thread.index)->outside)
			continue;
		if (measure->role == ROLE_TOTAL)
			add_total(profile, cell, sums, ret);
		else if (measure->role == ROLE_SPLIT && !totals[cell->measure.index])
			add_split(profile, cell, sums, ret);
	}
	free(totals);
}

/* Where only some states are known, nothing is said of the waits that were never looked at. */
static void judge_ledger(const struct profile *profile, const struct sums *sums, struct summary *ret)
{
	const bool known = ret->accounted_ns > 0 && profile_is_ledger(profile);

	ret->unknown_fraction = known ? 0 : NAN;
	if (known && sums->blocked_ns > 0)
		ret->unknown_fraction = ret->unknown_ns / sums->blocked_ns;
	ret->cut_fraction = known ? sums->cut_ns / ret->accounted_ns : NAN;
	ret->cut_all_fraction = known ? sums->cut_all_ns / ret->accounted_ns : NAN;
}

static unsigned count_generated_lost(const struct profile *profile)
{
	const char *key, *value;
	unsigned count = 0;

	for (size_t i = 0; i < profile_meta_count(profile); i++) {
		profile_meta_at(profile, i, &key, &value);
		count += !strncmp(key, META_GENERATED, sizeof(META_GENERATED) - 1);
	}
	return count;
}

void summary_of(const struct profile *profile, struct summary *ret)
{
	struct sums sums = { .lives = xcalloc(profile_thread_count(profile) + 1,
					      sizeof(*sums.lives)) };

	*ret = (struct summary){ .wall_ns = window_ns(profile), .lost_fraction = NAN };
	ret->multiplexed_fraction = 1 - (double)profile_meta_number(profile, "counters.running_ppm", UINT64_MAX) / 1e6;
	if (!profile_meta(profile, "counters.running_ppm"))
		ret->multiplexed_fraction = NAN;
	add_cells(profile, &sums, ret);
	judge_threads(profile, &sums, ret);
	judge_losses(profile, ret);
	judge_costs(profile, ret);
	judge_stacks(&sums, ret);
	judge_ledger(profile, &sums, ret);
	ret->sampled_oncpu_expected_ns = ret->oncpu_ns;
	(void)snprintf(ret->bias, sizeof(ret->bias), "%s",
		       profile_meta(profile, "import.bias") ? profile_meta(profile, "import.bias") : "");
	ret->sampling_z = sampling_z(profile, &sums, ret);
	ret->generated_lost = count_generated_lost(profile);
	ret->waits = sums.waits;
	ret->no_waker_fraction = sums.waits > 0 ? sums.unwoken / sums.waits : NAN;
	free(sums.lives);
	summary_comparable_of(profile, ret);
}
