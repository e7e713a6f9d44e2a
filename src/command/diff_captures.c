/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every list is checked before the first file is read, since reading may take minutes. The labels of pairs are in the captures:
 * a capture whose label contradicts its place in the order is an error, not a choice.
 */
#include "command/diff_captures.h"
#include "command/profile_open.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/option.h"
#include "base/quantity.h"
#include "compare/comparison.h"
#include "profile/cohort.h"
#include "profile/profile.h"
#include "profile/selection.h"
#include "profile/summary.h"

enum { CAPTURES_MOST = SIDE_COUNT * COMPARISON_PAIRS_MOST };

struct named_capture {
	const char *path;
	enum side side;
	size_t order;                        /* among its side's */
	struct objective objective;
	bool has_objective;
	double correct, period_ns;
};

struct gathered { struct named_capture rows[CAPTURES_MOST]; size_t count; };

static int add_path(struct gathered *into, enum side side, size_t order, const char *path, struct error *err)
{
	if (order >= COMPARISON_PAIRS_MOST) {
		(void)fail(err, FAILURE_USAGE, -E2BIG, "too many captures of %s", side_name(side));
		return error_because(err, "at most %d pairs are compared", COMPARISON_PAIRS_MOST);
	}
	into->rows[into->count++] = (struct named_capture){ .path = path, .side = side, .order = order };
	return 0;
}

static int gather(const struct diff_captures *captures, struct gathered *into, struct error *err)
{
	const struct option_list *lists[SIDE_COUNT] = { captures->base, captures->candidate, captures->restored };
	int r = 0;

	for (size_t i = 0; i < captures->operand_count && r >= 0; i++)
		r = add_path(into, (enum side)i, 0, captures->operands[i], err);
	for (size_t side = 0; side < SIDE_COUNT; side++)
		for (size_t i = 0; i < lists[side]->count && r >= 0; i++)
			r = add_path(into, (enum side)side, i, lists[side]->items[i], err);
	return r;
}

static int wrong_count(const char *option, size_t given, size_t captures, struct error *err)
{
	(void)fail(err, FAILURE_USAGE, -EINVAL, "--%s does not fit the captures", option);
	return error_because(err, "%zu were given for %zu captures", given, captures);
}

static int give_work(const struct diff_captures *captures, struct gathered *into, struct error *err)
{
	const struct option_list *work = captures->work;

	if (work->count && work->count != into->count)
		return wrong_count("work", work->count, into->count, err);
	for (size_t i = 0; i < work->count; i++) {
		char *end;

		into->rows[i].correct = strtod(work->items[i], &end);
		if (*end || !(into->rows[i].correct > 0)) {
			(void)fail(err, FAILURE_USAGE, -EINVAL, "--work: '%.64s' is no count of completions", work->items[i]);
			return error_try(err, "--work 100000,80000");
		}
	}
	return 0;
}

/* One for all, or one for each. */
static int give_periods(const struct diff_captures *captures, struct gathered *into, struct error *err)
{
	const struct option_list *periods = captures->periods;

	if (periods->count > 1 && periods->count != into->count)
		return wrong_count("period", periods->count, into->count, err);
	for (size_t i = 0; i < into->count && periods->count; i++) {
		uint64_t period_ns;
		int r = quantity_parse_duration(periods->items[periods->count > 1 ? i : 0], &period_ns, err);

		if (r < 0)
			return r;
		into->rows[i].period_ns = (double)period_ns;
	}
	return 0;
}

/* --- Objectives -------------------------------------------------------------------------------------------------------------- */

/* The part of a path between its folder and its last dot. */
static size_t stem_of(const char *path, const char **ret)
{
	const char *slash = strrchr(path, '/'), *dot;

	*ret = slash ? slash + 1 : path;
	dot = strrchr(*ret, '.');
	return dot ? (size_t)(dot - *ret) : strlen(*ret);
}

static bool share_stem(const char *path, const char *other)
{
	const char *one, *two;
	size_t size = stem_of(path, &one);

	return size == stem_of(other, &two) && !strncmp(one, two, size);
}

static bool share_folder(const char *path, const char *other)
{
	const char *one, *two;

	(void)stem_of(path, &one);
	(void)stem_of(other, &two);
	return one - path == two - other && !strncmp(path, other, (size_t)(one - path));
}

/* Those of that name in the same folder; where there are none, the only one of that name elsewhere. How many got it. */
static size_t assign(const char *objective, const struct gathered *all, const char **assigned)
{
	size_t near = 0, far = 0, last = 0;

	for (size_t i = 0; i < all->count; i++) {
		if (!share_stem(objective, all->rows[i].path))
			continue;
		far++;
		last = i;
		if (!share_folder(objective, all->rows[i].path))
			continue;
		if (assigned[i])
			return 0;
		assigned[i] = objective;
		near++;
	}
	if (near || far != 1 || assigned[last])
		return near;
	assigned[last] = objective;
	return 1;
}

/* Each is named as a capture is: then a capture without one has none, and what users saw of it is not known. */
static bool assign_by_name(const struct option_list *objectives, const struct gathered *all, const char **assigned)
{
	for (size_t i = 0; i < objectives->count; i++)
		if (!assign(objectives->items[i], all, assigned))
			return false;
	return true;
}

static int wrong_objectives(const struct option_list *objectives, const struct gathered *all, size_t sides, struct error *err)
{
	(void)fail(err, FAILURE_USAGE, -EINVAL, "--objective does not fit the captures");
	(void)error_because(err, "%zu were given for %zu captures of %zu sides, and they are not named as captures are", objectives->count,
			    all->count, sides);
	return error_try(err, "one for each capture or side; or those there are, named alike: a-1.json beside a-1.xcut");
}

static int give_objectives(const struct diff_captures *captures, struct gathered *into, struct error *err)
{
	const struct option_list *objectives = captures->objectives;
	const char *assigned[CAPTURES_MOST] = { NULL };
	size_t sides = captures->restored->count ? 3 : 2;
	bool by_name;

	if (!objectives->count)
		return 0;
	by_name = assign_by_name(objectives, into, assigned);
	if (!by_name && objectives->count != into->count && objectives->count != sides)
		return wrong_objectives(objectives, into, sides, err);
	for (size_t i = 0; i < into->count; i++) {
		size_t order = objectives->count == into->count ? i : (size_t)into->rows[i].side;
		const char *path = by_name ? assigned[i] : objectives->items[order];
		int r = path ? objective_read(path, &into->rows[i].objective, err) : 0;

		if (r < 0)
			return r;
		into->rows[i].has_objective = true;     /* of one without a file: that it is not known, and not its requests' own time */
	}
	return 0;
}

/* --- Pairs ------------------------------------------------------------------------------------------------------------------- */

static int pair_of(const struct profile *profile, const struct named_capture *capture, size_t *ret, struct error *err)
{
	const char *label = profile_meta(profile, "label.pair");
	char *end;
	unsigned long pair;

	*ret = capture->order;
	if (!label)
		return 0;
	pair = strtoul(label, &end, 10);
	if (*end || !pair || pair > COMPARISON_PAIRS_MOST) {
		(void)fail(err, FAILURE_USAGE, -EINVAL, "'%s' has no pair", capture->path);
		return error_because(err, "its label pair is '%.64s', not a number from 1 to %d", label, COMPARISON_PAIRS_MOST);
	}
	*ret = pair - 1;
	return 0;
}

static int add_one(const struct named_capture *capture, const struct diff_captures *captures, struct comparison *comparison,
		   struct error *err)
{
	CLEANUP(profile) struct profile *profile = NULL;
	struct comparison_given given = { .objective = capture->has_objective ? &capture->objective : NULL,
					  .correct = capture->correct, .period_ns = capture->period_ns };
	const char *value;
	struct summary whole;
	size_t pair = 0;
	int r = profile_open_told(capture->path, captures->counts, &profile, err);

	if (r >= 0 && selection_values(captures->selection, "request", &value, 1)) {
		summary_of(profile, &whole);
		given.whole = &whole;
		r = cohort_narrow_to(profile, captures->selection, err);
	}
	if (r >= 0 && captures->base->count > 1)
		r = pair_of(profile, capture, &pair, err);
	return r < 0 ? r : comparison_add(comparison, capture->side, pair, capture->path, profile, &given, err);
}

int diff_captures_add(const struct diff_captures *captures, struct comparison *comparison, struct error *err)
{
	struct gathered *all = xcalloc(1, sizeof(*all));
	int r = gather(captures, all, err);

	if (r >= 0)
		r = give_work(captures, all, err);
	if (r >= 0)
		r = give_periods(captures, all, err);
	if (r >= 0)
		r = give_objectives(captures, all, err);
	for (size_t i = 0; i < all->count && r >= 0; i++)
		r = add_one(&all->rows[i], captures, comparison, err);
	free(all);
	return r;
}
