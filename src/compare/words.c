/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the comparison says in words, at its top: the dimension that lost most per completion, how much of the change in elapsed
 * time that can be, and whether the widest on-CPU stack matters. Thread time is never called elapsed time.
 */
#include "compare/state.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/quantity.h"
#include "base/text.h"
#include "compare/widest.h"
#include "profile/selection.h"
#include "result/document.h"

#define SAY(buffer, row, value) quantity_print((buffer), (value), (row)->unit)

static bool costs_time(const struct compared *row)
{
	return row->kind == ROW_STATE && row->dimension_kind < DIMENSION_IDLE && !strcmp(row->unit, "ns");
}

/* Imports of samples alone hold no state: what their samples stand for is the time that they have. */
static bool has_states(const struct comparison *comparison)
{
	for (size_t i = 0; i < comparison->row_count; i++)
		if (costs_time(comparison->rows[i]))
			return true;
	return false;
}

static bool costs_here(const struct comparison *comparison, const struct compared *row)
{
	return costs_time(row) ||
	       (row->kind == ROW_AMOUNT && !strchr(row->name, '/') && !strcmp(row->unit, "ns") && !has_states(comparison));
}

static double change_of(const struct compared *row)
{
	return row->judged.delta.estimate;
}

/* Where it is decided, only what is no chance and no trifle counts as lost. */
static bool is_lost(const struct comparison *comparison, const struct compared *row)
{
	return costs_here(comparison, row) && change_of(row) > 0 && (comparison_described(comparison) || row->judged.change == CHANGE_GREW);
}

const struct compared *comparison_most_lost(const struct comparison *comparison)
{
	const struct compared *most = NULL;

	for (size_t i = 0; i < comparison->row_count; i++) {
		const struct compared *row = comparison->rows[i];

		if (is_lost(comparison, row) && (!most || change_of(row) > change_of(most)))
			most = row;
	}
	return most;
}

/* All thread time that was lost per completion, gains not set against it. */
static double all_lost(const struct comparison *comparison)
{
	double sum = 0;

	for (size_t i = 0; i < comparison->row_count; i++)
		if (is_lost(comparison, comparison->rows[i]))
			sum += change_of(comparison->rows[i]);
	return sum;
}

static const char *outcome_of(const struct comparison *comparison, const struct compared *row)
{
	return comparison_described(comparison) ? "described, not decided" : change_name(row->judged.change);
}

/* --- Elapsed time ------------------------------------------------------------------------------------------------------------ */

static bool is_known(const struct compared *row)
{
	return row && row->judged.change != CHANGE_UNMEASURED;
}

/* One figure of what users saw; of a side that does not tell it, that it does not. */
static void print_elapsed(const struct comparison *comparison, const struct compared *row, const char *name, struct text *into)
{
	char from[QUANTITY_SIZE], to[QUANTITY_SIZE];

	if (!row)
		return;
	text_print(into, "%s%s ", into->size ? "; " : "", name);
	if (is_known(row))
		text_print(into, "%s, then %s (%s)", SAY(from, row, row->judged.base), SAY(to, row, row->judged.candidate),
			   outcome_of(comparison, row));
	else if (!row->lacks[SIDE_CANDIDATE])
		text_print(into, "%s in the candidate, and the base's is not known", SAY(to, row, row->judged.candidate));
	else if (!row->lacks[SIDE_BASE])
		text_print(into, "%s in the base, and the candidate's is not known", SAY(from, row, row->judged.base));
	else
		text_print(into, "not known of every pair");
}

static const struct objective *objective_known(const struct comparison *comparison)
{
	static const struct objective nobody = { .source = "nobody" };
	const struct objective *found = &nobody;

	for (size_t i = 0; i < comparison->arm_count; i++) {
		const struct objective *objective = &comparison->arms[i].capture.objective;

		if (objective->known && (!found->known || !objective->requests))        /* a load generator's comes first: told.c */
			found = objective;
	}
	return found;
}

/* Of which requests: those that shared their thread are in no figure, and a load generator knows of no selection. */
static void print_of_which(const struct comparison *comparison, const struct objective *known, struct text *into)
{
	double requests[SIDE_COUNT] = { 0 }, shared[SIDE_COUNT] = { 0 };

	for (size_t i = 0; i < comparison->arm_count; i++) {
		const struct compared_capture *capture = &comparison->arms[i].capture;

		requests[capture->side] += capture->objective.requests;
		shared[capture->side] += capture->objective.shared;
	}
	if (shared[SIDE_BASE] + shared[SIDE_CANDIDATE] > 0)
		text_print(into, "; %.3g %% of the base's requests and %.3g %% of the candidate's are left out, since their thread held "
				 "others meanwhile", 100 * shared[SIDE_BASE] / fmax(1, requests[SIDE_BASE]),
			   100 * shared[SIDE_CANDIDATE] / fmax(1, requests[SIDE_CANDIDATE]));
	if (known->known && !known->requests && !selection_is_whole(comparison->options.selection))
		text_print(into, "; it is of all requests, whatever was selected");
}

static void say_elapsed(const struct comparison *comparison, struct document *into)
{
	const struct compared *mean = comparison_find(comparison, "elapsed:mean"), *p99 = comparison_find(comparison, "elapsed:p99");
	const struct objective *known = objective_known(comparison);
	struct text line = TEXT(600), which = TEXT(300);

	print_elapsed(comparison, mean, "mean", &line);
	print_elapsed(comparison, p99, "p99", &line);
	print_of_which(comparison, known, &which);
	if (!line.size)
		document_add_finding(into, SEVERITY_NOTE,
				     "elapsed time was not measured: neither the captures' requests nor --objective tell it%s. What "
				     "follows is thread time, which is not elapsed time", text_string(&which));
	else
		document_add_finding(into, SEVERITY_NOTE, "elapsed time, as %s saw it: %s%s%s", known->source,
				     text_string(&line), mean ? "" : "; its mean was not told", text_string(&which));
	text_done(&line);
	text_done(&which);
}

/* Known where requests were split into their parts; else only bounded, and only if one thread at a time serves a completion. */
static void print_share(const struct comparison *comparison, const struct compared *most, struct text *into)
{
	const struct compared *mean = comparison_find(comparison, "elapsed:mean");
	CLEANUP_TEXT char *part_name = xasprintf("elapsed:in %s", most->name);
	const struct compared *part = comparison_find(comparison, part_name);
	char change[QUANTITY_SIZE];

	if (!is_known(mean)) {
		text_print(into, "; which share of elapsed time that is was not measured");
		return;
	}
	(void)quantity_print(change, change_of(mean), "ns");
	if (change_of(mean) <= 0)
		text_print(into, "; mean elapsed time did not rise (%s)", change);
	else if (is_known(part))
		text_print(into, "; within requests it explains %.0f %% of the +%s of mean elapsed time",
			   100 * change_of(part) / change_of(mean), change);
	else
		text_print(into,
			   "; it can explain at most %.0f %% of the +%s of mean elapsed time, and that much only where one thread at a "
			   "time serves a completion",
			   fmin(100, 100 * change_of(most) / change_of(mean)), change);
}

static void say_most_lost(const struct comparison *comparison, struct document *into)
{
	const struct compared *most = comparison_most_lost(comparison);
	char from[QUANTITY_SIZE], to[QUANTITY_SIZE], change[QUANTITY_SIZE];
	struct text line = TEXT(2048);

	if (!most) {
		document_add_finding(into, SEVERITY_NOTE, "no dimension was shown to take more thread time per correct completion than before");
		return;
	}
	text_print(&line, "the dimension that lost most per correct completion is %s: %s, then %s of %s (+%s, %s)", most->name,
		   SAY(from, most, most->judged.base), SAY(to, most, most->judged.candidate),
		   most->kind == ROW_STATE ? "thread time" : "what its samples stand for", SAY(change, most, change_of(most)),
		   outcome_of(comparison, most));
	print_share(comparison, most, &line);
	document_add_finding(into, most->judged.change == CHANGE_GREW || comparison_described(comparison) ? SEVERITY_WARNING : SEVERITY_NOTE,
			     "%s", text_string(&line));
	text_done(&line);
}

/* --- The widest stack --------------------------------------------------------------------------------------------------------- */

static const struct compared *running_state(const struct comparison *comparison)
{
	for (size_t i = 0; i < comparison->row_count; i++)
		if (costs_time(comparison->rows[i]) && comparison->rows[i]->dimension_kind == DIMENSION_RUNNING)
			return comparison->rows[i];
	return NULL;
}

static const double matters_from = 0.1;              /* of all that was lost: below, it does not matter */

/* It matters by what it gained, not by how wide it is: width ranks consumption within one dimension only. */
static void say_widest(const struct comparison *comparison, struct document *into)
{
	const struct compared *running = running_state(comparison), *most = comparison_most_lost(comparison);
	char width[QUANTITY_SIZE], gained[QUANTITY_SIZE], from[QUANTITY_SIZE], to[QUANTITY_SIZE], lost[QUANTITY_SIZE];
	double all = all_lost(comparison), change;
	struct widest widest;

	if (!running || !widest_find(comparison, running->name, SIDE_CANDIDATE, &widest))
		return;
	change = widest.candidate - widest.base;
	(void)SAY(width, running, widest.candidate);
	(void)SAY(gained, running, fabs(change));
	(void)SAY(from, running, running->judged.base);
	(void)SAY(to, running, running->judged.candidate);
	(void)SAY(lost, running, all);
	if (!most)
		document_add_finding(into, SEVERITY_NOTE,
				     "the candidate's widest on-CPU stack is %s, %s per correct completion (%s%s); nothing was lost, so it "
				     "explains nothing",
				     widest.name, width, change < 0 ? "-" : "+", gained);
	else if (most == running && change >= 0.5 * change_of(running))
		document_add_finding(into, SEVERITY_WARNING,
				     "the candidate's widest on-CPU stack is %s, %s per correct completion (+%s), and it matters: it holds "
				     "%.0f %% of what on-CPU time gained",
				     widest.name, width, gained, 100 * change / change_of(running));
	else if (most == running && change > 0)
		document_add_finding(into, SEVERITY_NOTE,
				     "the candidate's widest on-CPU stack is %s, %s per correct completion (+%s): that is %.0f %% of what "
				     "on-CPU time gained, which went from %s to %s; the rest grew elsewhere",
				     widest.name, width, gained, 100 * change / change_of(running), from, to);
	else if (most == running)
		document_add_finding(into, SEVERITY_NOTE,
				     "the candidate's widest on-CPU stack is %s, %s per correct completion (%s%s), but it is not what grew: "
				     "on-CPU time went from %s to %s elsewhere",
				     widest.name, width, change < 0 ? "-" : "+", gained, from, to);
	else
		document_add_finding(into, SEVERITY_NOTE,
				     "the candidate's widest on-CPU stack is %s, %s per correct completion (%s%s): a CPU profile would say "
				     "to optimise it, but on-CPU time went from %s to %s while %s of thread time was lost, most of it in "
				     "%s; %s gained %.1f %% of that, %s",
				     widest.name, width, change < 0 ? "-" : "+", gained, from, to, lost, most->name, widest.name,
				     100 * fmax(0, change) / all, change > matters_from * all ? "so it is not where to begin"
											     : "so it does not matter here");
}

/* --- How sure, and by what ------------------------------------------------------------------------------------------------------- */

static void say_raw_totals(const struct comparison *comparison, struct document *into)
{
	const struct compared *running = running_state(comparison);
	double work[2] = { 0, 0 };
	char from[QUANTITY_SIZE], to[QUANTITY_SIZE];

	for (size_t i = 0; i < comparison->arm_count; i++)
		if (comparison->arms[i].capture.side < 2)
			work[comparison->arms[i].capture.side] += comparison->arms[i].capture.correct;
	if (running && work[SIDE_BASE] > 0 && work[SIDE_CANDIDATE] > 0)
		document_add_finding(into, SEVERITY_NOTE,
				     "raw totals beside: %.0f and %.0f correct completions, %s and %s of on-CPU time; totals reward whoever "
				     "completed less",
				     work[SIDE_BASE], work[SIDE_CANDIDATE], SAY(from, running, running->totals[SIDE_BASE]),
				     SAY(to, running, running->totals[SIDE_CANDIDATE]));
}

static void say_method(const struct comparison *comparison, struct document *into)
{
	size_t counts[CHANGE_COUNT] = { 0 }, excluding = 0, alone = 0;
	CLEANUP_TEXT char *though = NULL, *by_itself = NULL;

	if (comparison_described(comparison)) {
		document_add_finding(into, SEVERITY_NOTE,
				     comparison->pairs == 1
					     ? "one pair describes and does not decide: its intervals are within-run, a lower bound. A "
					       "verdict takes %zu matched pairs"
					     : "so few pairs describe and do not decide. A verdict takes %zu matched pairs",
				     comparison->options.judge.pairs_least);
		return;
	}
	for (size_t i = 0; i < comparison->row_count; i++)
		if (comparison->rows[i]->tested) {
			counts[comparison->rows[i]->judged.change]++;
			excluding += judged_excludes_zero(&comparison->rows[i]->judged);
			alone += comparison->rows[i]->judged.alone;
		}
	by_itself = alone ? xasprintf(", and %zu named beforehand by %s", alone, alone == 1 ? "itself" : "themselves") : xstrdup("");
	though = excluding ? xasprintf(" (%zu of them though their interval excludes 0: it is of its row alone, the outcome is corrected "
				       "over all)", excluding) : xstrdup("");
	document_add_finding(into, SEVERITY_NOTE,
			     "%zu pairs; %zu rows tested together by paired t (differences taken as normal), Benjamini-Hochberg at %.3g %%%s: "
			     "%zu grew, %zu shrank, %zu equivalent within their margin, %zu unclear%s; %.1f %% of frames matched by name",
			     comparison->pairs, comparison->tested, 100 * comparison->options.judge.false_share, by_itself, counts[CHANGE_GREW],
			     counts[CHANGE_SHRANK], counts[CHANGE_EQUIVALENT], counts[CHANGE_UNCLEAR], though, 100 * comparison->matched_share);
}

/* Whole slices, and intervals where they ended: what was going on at the edges counts on one side of them. */
static void say_window(const struct comparison *comparison, struct document *into)
{
	CLEANUP_TEXT char *selected = selection_text(comparison->options.selection);
	bool counted = true;

	for (size_t i = 0; i < comparison->arm_count; i++)
		counted &= comparison->arms[i].capture.correct > 0;
	if (selection_by_time(comparison->options.selection))
		document_add_finding(into, SEVERITY_NOTE,
				     "of a part of the time, %s, in whole slices: an interval counts where it ended, so that one which reaches "
				     "into or out of that part makes its side's sums rough%s", selected,
				     counted ? "" : ". Completions that were counted for a capture as a whole are of no part of it");
}

static void say_refusal(const struct comparison *comparison, struct document *into)
{
	for (size_t i = 0; i < comparison->gate_count; i++) {
		const struct compared_gate *one = &comparison->gates[i];

		if (one->gate == gate_find("enough-pairs") || one->reading.verdict == VERDICT_PASS)
			continue;
		document_add_finding(into, one->reading.verdict == VERDICT_WARN ? SEVERITY_WARNING : SEVERITY_FAILURE, "%s%s: %s",
				     one->reading.verdict == VERDICT_WARN ? "" : "refused by ", one->gate->name, one->reading.why);
	}
}

static void say_simulated(const struct comparison *comparison, struct document *into)
{
	size_t count = 0;

	for (size_t i = 0; i < comparison->arm_count; i++)
		count += comparison->arms[i].capture.simulated;
	if (count)
		document_add_finding(into, SEVERITY_WARNING, "%zu of %zu captures are simulated: no service was measured for them", count,
				     comparison->arm_count);
}

/* That a capture does not differ from itself is no finding. */
static void say_same(const struct comparison *comparison, struct document *into)
{
	size_t same = 0;

	for (size_t pair = 0; pair < comparison->pairs; pair++)
		same += !strcmp(comparison_arm(comparison, SIDE_BASE, pair)->capture.identity,
				comparison_arm(comparison, SIDE_CANDIDATE, pair)->capture.identity);
	if (same)
		document_add_finding(into, SEVERITY_WARNING, "%zu of %zu pairs hold one recording on both sides: that it is equal to itself "
				     "says nothing about builds", same, comparison->pairs);
}

/* One line, however many: the table of captures names the gates of each. */
static void say_captures(const struct comparison *comparison, struct document *into)
{
	const struct compared_capture *first = NULL;
	size_t count = 0;

	for (size_t i = 0; i < comparison->arm_count; i++) {
		const struct compared_capture *capture = &comparison->arms[i].capture;

		count += *capture->failed != '\0';
		first = !first && *capture->failed ? capture : first;
	}
	if (first)
		document_add_finding(into, SEVERITY_WARNING, "%zu of %zu captures fail gates of their own, as '%s' does: %s (crosscut check)",
				     count, comparison->arm_count, first->name, first->failed);
}

static void say_restored(const struct comparison *comparison, struct document *into)
{
	if (!comparison->restored || comparison_described(comparison))
		return;
	if (comparison_drifted(comparison))
		document_add_finding(into, SEVERITY_FAILURE,
				     "drift: the restored arm is not equivalent to the base, whatever the candidate did");
	else
		document_add_finding(into, SEVERITY_NOTE, "the restored arm is equivalent to the base");
}

/* Attempts that came to nothing are cost without a completion to divide it by: they are said wherever there are any. */
static void say_outcomes(const struct comparison *comparison, struct document *into)
{
	for (size_t side = 0; side < SIDE_COUNT; side++) {
		double attempts = 0, operations = 0, rejected = 0, retried = 0, abandoned = 0;

		for (size_t i = 0; i < comparison->arm_count; i++) {
			const struct objective *objective = &comparison->arms[i].capture.objective;

			if (comparison->arms[i].capture.side != side || !objective->known || !isfinite(objective_attempts(objective)))
				continue;
			attempts += objective_attempts(objective);
			operations += objective_operations(objective);
			rejected += objective->rejected;
			retried += objective->retried;
			abandoned += objective->abandoned;
		}
		if (rejected + retried + abandoned > 0)
			document_add_finding(into, SEVERITY_WARNING,
					     "%s: of %.0f attempts at %.0f operations the load generator saw %.0f rejected, %.0f retried "
					     "and %.0f abandoned: what they cost is divided among the correct ones",
					     side_name((enum side)side), attempts, operations, rejected, retried, abandoned);
	}
}

void comparison_add_findings(const struct comparison *comparison, struct document *into)
{
	bool refused = comparison_refused(comparison);

	say_refusal(comparison, into);
	if (!refused || into->refused) {
		say_elapsed(comparison, into);
		say_most_lost(comparison, into);
		say_widest(comparison, into);
		mix_add_finding(comparison->mix, into);
		say_restored(comparison, into);
		say_raw_totals(comparison, into);
		say_method(comparison, into);
	}
	say_window(comparison, into);
	say_simulated(comparison, into);
	say_same(comparison, into);
	say_outcomes(comparison, into);
	say_captures(comparison, into);
}
