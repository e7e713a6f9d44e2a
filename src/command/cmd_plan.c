/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `crosscut plan`: how many pairs of which length would show a change of a given size. Pilots of one build tell how far runs
 * differ; slices within each tell which part of that a longer block would take away, which is none of what differs from run to
 * run. A pair's difference then varies by the root of twice the sum (statistics/power.h).
 */
#include "analysis/account.h"
#include "analysis/analysis.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/intern.h"
#include "base/memory.h"
#include "base/option.h"
#include "base/quantity.h"
#include "command/answer.h"
#include "command/command.h"
#include "command/profile_open.h"
#include "profile/profile.h"
#include "profile/selection.h"
#include "result/document.h"
#include "statistics/moments.h"
#include "statistics/power.h"
#include "statistics/slices.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { PILOTS_MOST = 64, STATES_MOST = 32, PAIRS_LEAST = 6, PILOTS_FEW = 12 };
#define ACTIVE_LEAST 0.01                    /* of active time: a smaller state is not planned for */

struct plan_config {
	double change, power;
	const char *dimension, *counts;
	bool json;
};
static const struct plan_config defaults = { .change = 0.1, .power = 0.8 };

#define INTO(field) offsetof(struct plan_config, field)
static const struct option plan_options[] = {
	{ .name = "change", .type = OPTION_FRACTION, .into = INTO(change), .value = "SHARE",
	  .help = "the change that is to be shown; 0.1, the default, is a tenth", .example = "--change 0.05" },
	OPTION_COUNTS(plan_config),
	{ .name = "dimension", .type = OPTION_TEXT, .into = INTO(dimension), .value = "STATE",
	  .help = "of which state (default: each that holds a hundredth)", .example = "--dimension disk" },
	{ .name = "power", .type = OPTION_FRACTION, .into = INTO(power), .value = "SHARE",
	  .help = "in which share of experiments it is shown (default 0.8)", .example = "--power 0.9" },
	{ .name = "json", .type = OPTION_FLAG, .into = INTO(json), .help = "print the answer as JSON", .example = "--json" },
	{ 0 },
};

struct planned {
	const struct dimension_row *row;
	struct moments logs;                 /* of the pilots' weight per completion */
	double value;                        /* its mean */
	struct moments within;               /* of the relative variance that slices show */
};

struct planning {
	const struct plan_config *config;
	struct planned states[STATES_MOST];
	size_t count, pilots;
	double seconds, active;
	char build[128];
	struct intern *seen;                 /* recordings */
	bool mixed;
};

/* --- Pilots ----------------------------------------------------------------------------------------------------- */

static void read_slices(const struct profile *profile, struct dimension_id state, struct slices_ratio *ret)
{
	size_t count = profile_slice_count(profile);
	double *weights = xcalloc(count, sizeof(*weights)), *completions = xcalloc(count, sizeof(*completions));

	for (size_t i = 0; i < profile_cell_count(profile); i++) {
		const struct cell *cell = profile_cell_at(profile, i);

		if (profile_dimension_root(profile, profile_cell_dimension(profile, cell)).index == state.index &&
		    profile_measure_at(profile, cell->measure.index)->role == ROLE_TOTAL)
			weights[cell->slice.index] += cell_weight(cell);
	}
	for (size_t i = 0; i < profile_completion_count(profile); i++) {
		const struct completion *completion = profile_completion_at(profile, i);

		if (completion->outcome == OUTCOME_CORRECT)
			completions[completion->slice.index] += (double)completion->count;
	}
	slices_ratio_of(weights + 1, completions + 1, count - 1, ret);
	free(weights);
	free(completions);
}

/* Counted at the end as a whole, completions tell nothing about slices. */
static bool counts_by_slice(const struct profile *profile)
{
	uint32_t first = profile_completion_count(profile) ? profile_completion_at(profile, 0)->slice.index : 0;

	for (size_t i = 1; i < profile_completion_count(profile); i++)
		if (profile_completion_at(profile, i)->slice.index != first)
			return true;
	return false;
}

static void add_state(struct planned *planned, const struct account *account, struct dimension_id id)
{
	double value = account_per_completion(account, account_state(account, id).total);
	struct slices_ratio ratio;

	if (!(value > 0))
		return;
	moments_add(&planned->logs, log(value));
	planned->value += value;
	if (!counts_by_slice(account->profile))
		return;
	read_slices(account->profile, id, &ratio);
	if (isfinite(ratio.error) && ratio.ratio > 0)
		moments_add(&planned->within, ratio.error * ratio.error / (ratio.ratio * ratio.ratio));
}

static void note_build(struct planning *planning, const struct profile *profile)
{
	const char *build = profile_meta(profile, "label.build");

	if (!planning->pilots)
		(void)snprintf(planning->build, sizeof(planning->build), "%s", build ? build : "");
	planning->mixed |= strcmp(planning->build, build ? build : "") != 0;
}

/* Of two copies of one pilot every difference is 0, and six pairs would show anything. */
static int check_pilot(const struct planning *planning, const struct profile *profile, const char *path, struct error *err)
{
	char identity[PROFILE_IDENTITY_SIZE];
	bool named = profile_identity(profile, identity);
	size_t known = intern_count(planning->seen);

	if (intern_put(planning->seen, named ? identity : path) >= known)
		return 0;
	fail(err, FAILURE_USAGE, -EEXIST, "'%.180s' is a pilot twice", path);
	error_because(err, "one recording says nothing of how runs differ");
	return error_try(err, "a recording of its own for each pilot");
}

static int read_pilot(const char *path, struct planning *planning, struct error *err)
{
	CLEANUP(profile) struct profile *profile = NULL;
	CLEANUP(selection) struct selection *selection = selection_new();
	CLEANUP(account) struct account *account = NULL;
	struct question question = { .selection = selection };
	int r = profile_open_told(path, planning->config->counts, &profile, err);

	if (r < 0)
		return r;
	r = check_pilot(planning, profile, path, err);
	if (r < 0)
		return r;
	question.profile = profile;
	account = account_new(&question);
	if (!(account->correct > 0)) {
		fail(err, FAILURE_USAGE, -EINVAL, "'%.180s' has no correct completions", path);
		return error_because(err, "without them there is no equal unit of work to plan for");
	}
	note_build(planning, profile);
	for (size_t i = 0; i < planning->count; i++) {
		struct dimension_id id = profile_dimension_find(profile, NULL, planning->states[i].row->name);

		if (id.index)
			add_state(&planning->states[i], account, id);
	}
	planning->seconds += account->elapsed_ns / 1e9;
	planning->pilots++;
	return 0;
}

/* --- The plan --------------------------------------------------------------------------------------------------- */

/* Of one pair's log ratio, with blocks so many times as long as the pilots. NAN where nothing tells it. */
static double deviation_at(const struct planned *planned, double times)
{
	double within = planned->within.count ? planned->within.mean : NAN;
	double all = planned->logs.count > 1 ? moments_variance(&planned->logs) : within;

	if (isnan(within))
		return times == 1 ? sqrt(2 * all) : NAN;
	return sqrt(2 * (fmax(all - within, 0) + within / times));
}

static const struct column plan_columns[] = {
	{ "name", "per correct completion", "", 0 }, { "value", "pilots", "ns", 0 }, { "spread", "a pair differs by", "fraction", 0 },
	{ "half", "pairs, half as long", "", 0 },    { "pairs", "as long", "", 0 },  { "twice", "twice", "", 0 },
	{ "fourfold", "four times", "", 0 },         { "shown", "six pairs show", "fraction", 0 },
};

/* Of few pilots the spread is itself uncertain; slices are many. */
static double freedom_of(const struct planned *planned)
{
	return planned->logs.count > 1 ? (double)planned->logs.count - 1 : INFINITY;
}

static struct value pairs_at(const struct planning *planning, const struct planned *planned, double times)
{
	double deviation = deviation_at(planned, times);
	size_t pairs = power_pairs_estimated(deviation, freedom_of(planned), log1p(planning->config->change), 0.05, planning->config->power);

	if (!isfinite(deviation) || !pairs)
		return value_none();
	if (pairs > POWER_PAIRS_MOST)
		return value_print("over %d", POWER_PAIRS_MOST);
	return value_integer((int64_t)(pairs < PAIRS_LEAST ? PAIRS_LEAST : pairs));
}

static void add_plan(const struct planning *planning, struct document *into)
{
	struct table *table = table_new(plan_columns, ARRAY_LENGTH(plan_columns));

	for (size_t i = 0; i < planning->count; i++) {
		const struct planned *planned = &planning->states[i];
		double deviation = deviation_at(planned, 1);

		if (!planned->logs.count || (!planning->config->dimension && planned->value < ACTIVE_LEAST * planning->active))
			continue;
		table_add(table, (struct value[]){
			value_text(planned->row->name), value_number(planned->value / (double)planned->logs.count), value_number(deviation),
			pairs_at(planning, planned, 0.5), pairs_at(planning, planned, 1), pairs_at(planning, planned, 2),
			pairs_at(planning, planned, 4),
			value_number(expm1(power_effect_estimated(deviation, freedom_of(planned), PAIRS_LEAST, 0.05, planning->config->power))) });
	}
	document_add_table(into, "plan", "Pairs that would show the change, by length of a block", table);
}

static void say_terms(const struct planning *planning, struct document *into)
{
	double mean = planning->seconds / (double)planning->pilots;
	bool within = false;

	for (size_t i = 0; i < planning->count; i++)
		within |= planning->states[i].within.count > 0;
	document_add_finding(into, SEVERITY_NOTE,
			     "a change of %.3g %% per correct completion, shown at 5 %% in %.0f %% of experiments; %zu pilot%s of %.3g s; "
			     "a verdict takes six pairs or more. That is for a row that is named beforehand (crosscut diff --test STATE=%.3g): rows "
			     "that are tested together need more, and what stays within the margin of diff, 3 %%, is equivalent there", 100 * planning->config->change, 100 * planning->config->power,
			     planning->pilots, planning->pilots == 1 ? "" : "s", mean, 100 * planning->config->change);
	if (planning->pilots < 3)
		document_add_finding(into, SEVERITY_WARNING, "%s: take three pilots of one build or more",
				     planning->pilots == 1 ? "one pilot says nothing about how runs differ, so that these are the least"
							   : "two pilots hardly tell how runs differ");
	else if (planning->pilots < PILOTS_FEW)
		document_add_finding(into, SEVERITY_NOTE, "%zu pilots tell only roughly how runs differ: these numbers allow for that, and would be "
				     "smaller with more of them", planning->pilots);
	if (!within)
		document_add_finding(into, SEVERITY_NOTE, "what longer blocks would gain is not known: completions were counted for the whole "
							  "capture, or it has fewer than %d slices", SLICES_LEAST);
	if (planning->mixed)
		document_add_finding(into, SEVERITY_WARNING, "the pilots are of different builds: what the builds differ by is taken for noise");
}

static int choose_states(struct planning *planning, struct error *err)
{
	const char *wanted = planning->config->dimension;

	for (size_t i = 0; i < dimension_row_count && planning->count < STATES_MOST; i++) {
		const struct dimension_row *row = &dimension_rows[i];

		if (row->parent || !dimension_is_state(row->kind) || (wanted ? strcmp(wanted, row->name) != 0 : row->kind == DIMENSION_IDLE))
			continue;
		planning->states[planning->count++].row = row;
	}
	if (planning->count)
		return 0;
	fail(err, FAILURE_USAGE, -EINVAL, "unknown state '%.64s'", wanted);
	error_because(err, "no state of threads has that name");
	return error_try(err, "crosscut list dimensions");
}

static int plan_run(void *config, const struct option_arguments *arguments, struct error *err)
{
	CLEANUP(document) struct document *document = document_new("crosscut.plan/1", "how many pairs");
	struct planning planning = { .config = config };
	int r;

	if (!arguments->operand_count || arguments->operand_count > PILOTS_MOST || !(planning.config->change > 0) ||
	    !(planning.config->power > 0 && planning.config->power < 1)) {
		fail(err, FAILURE_USAGE, -EINVAL, "cannot plan for that");
		error_because(err, "plan takes 1 to %d pilot captures, a change above 0, and a power below 1", PILOTS_MOST);
		return error_try(err, "crosscut plan --change 0.1 before-1.xcut before-2.xcut before-3.xcut");
	}
	planning.seen = intern_new();
	r = choose_states(&planning, err);
	for (size_t i = 0; i < arguments->operand_count && !r; i++)
		r = read_pilot(arguments->operands[i], &planning, err);
	intern_free(planning.seen);
	if (r < 0)
		return r;
	for (size_t i = 0; i < planning.count; i++)
		planning.active += planning.states[i].value;
	add_plan(&planning, document);
	say_terms(&planning, document);
	return answer_print(document, planning.config->json, err);
}

extern const struct command cmd_plan;
const struct command cmd_plan = {
	.name = "plan", .summary = "how many pairs of which length would show a change of a given size",
	.synopsis = "crosscut plan [OPTIONS] PILOT...", .example = "crosscut plan --change 0.1 before-1.xcut before-2.xcut before-3.xcut",
	.options = plan_options, .config_size = sizeof(struct plan_config), .defaults = &defaults, .run = plan_run,
};
