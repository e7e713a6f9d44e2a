/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counts and costs of requests by class, over all captures of a side, weighted by how many each stands for. Quantity 0 is elapsed
 * time, since a request arrived; the others are the states that its parts are of. Classes beyond the limit are one together.
 */
#include "compare/mix.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/figure.h"
#include "base/intern.h"
#include "base/memory.h"
#include "base/quantity.h"
#include "compare/objective.h"
#include "profile/profile.h"
#include "profile/selection.h"
#include "result/document.h"

struct mix {
	struct intern *classes, *quantities;
	double counts[MIX_CLASSES_MOST][2];
	double sums[MIX_CLASSES_MOST][MIX_QUANTITIES_MOST][2];
	double seconds[2];
};

/* --- The arithmetic ---------------------------------------------------------------------------------------------------------- */

static double counted(const struct mix_class *classes, size_t count, size_t side)
{
	double all = 0;

	for (size_t i = 0; i < count; i++)
		all += classes[i].count[side];
	return all;
}

void mix_part(const struct mix_class *classes, size_t count, size_t which, struct mix_part *ret)
{
	const struct mix_class *class = &classes[which];

	for (size_t side = 0; side < 2; side++) {
		double all = counted(classes, count, side);

		ret->share[side] = all > 0 ? class->count[side] / all : 0;
		ret->cost[side] = class->count[side] > 0 ? class->sum[side] / class->count[side] : NAN;
	}
	for (size_t side = 0; side < 2; side++)
		if (isnan(ret->cost[side]))
			ret->cost[side] = isnan(ret->cost[!side]) ? 0 : ret->cost[!side];
	ret->by_mix = (ret->share[1] - ret->share[0]) * 0.5 * (ret->cost[0] + ret->cost[1]);
	ret->by_cost = (ret->cost[1] - ret->cost[0]) * 0.5 * (ret->share[0] + ret->share[1]);
}

void mix_split(const struct mix_class *classes, size_t count, const double seconds[2], struct mix_split *ret)
{
	double rate[2], mean[2] = { 0, 0 }, mix = 0, cost = 0;

	for (size_t i = 0; i < count; i++) {
		struct mix_part part;

		mix_part(classes, count, i, &part);
		mix += part.by_mix;
		cost += part.by_cost;
		for (size_t side = 0; side < 2; side++)
			mean[side] += part.share[side] * part.cost[side];
	}
	for (size_t side = 0; side < 2; side++)
		rate[side] = counted(classes, count, side) / seconds[side];
	*ret = (struct mix_split){
		.base = rate[0] * mean[0], .candidate = rate[1] * mean[1], .by_rate = (rate[1] - rate[0]) * 0.5 * (mean[0] + mean[1]),
		.by_mix = mix * 0.5 * (rate[0] + rate[1]), .by_cost = cost * 0.5 * (rate[0] + rate[1]),
	};
}

/* --- Gathering --------------------------------------------------------------------------------------------------------------- */

struct mix *mix_new(void)
{
	struct mix *mix = xcalloc(1, sizeof(*mix));

	mix->classes = intern_new();
	mix->quantities = intern_new();
	return mix;
}

void mix_free(struct mix *mix)
{
	if (!mix)
		return;
	intern_free(mix->classes);
	intern_free(mix->quantities);
	free(mix);
}

/* The last place holds all that come when the others are taken. */
static size_t place_of(struct intern *names, const char *name, size_t most)
{
	uint32_t number = intern_find(names, name);

	if (number < most)
		return number;
	return intern_count(names) < most - 1 ? intern_put(names, name) : intern_put(names, "(others)");
}

static size_t class_of(struct mix *mix, const struct profile *profile, const struct request *request)
{
	return place_of(mix->classes, profile_text(profile, request->class), MIX_CLASSES_MOST);
}

static void add_part(struct mix *mix, const struct profile *profile, const struct part *part, size_t class, double weight, size_t side)
{
	const struct evidence *evidence = profile_evidence_at(profile, part->evidence.index);
	struct dimension_id id = profile_dimension_root(profile, part->dimension.index ? part->dimension : evidence->class);
	const char *name = profile_text(profile, profile_dimension_at(profile, id.index)->name);
	size_t quantity = place_of(mix->quantities, name, MIX_QUANTITIES_MOST);

	mix->sums[class][quantity][side] += weight * (double)part->ns;
}

void mix_add(struct mix *mix, const struct profile *profile, const struct selection *selection, size_t side, double seconds)
{
	mix->seconds[side] += seconds;
	for (size_t i = 0; i < profile_request_count(profile); i++) {
		const struct request *request = profile_request_at(profile, i);
		uint64_t from = request->arrived_ns ? request->arrived_ns : request->opened_ns;
		size_t class;

		if (!objective_counts(profile, selection, request))
			continue;
		class = class_of(mix, profile, request);
		mix->counts[class][side] += objective_stands_for(request);
		mix->sums[class][0][side] += objective_stands_for(request) * (double)(request->closed_ns - from);
	}
	for (size_t i = 0; i < profile_part_count(profile); i++) {
		const struct part *part = profile_part_at(profile, i);
		const struct request *request =
			part->request < profile_request_count(profile) ? profile_request_at(profile, part->request) : NULL;

		if (request && objective_counts(profile, selection, request))
			add_part(mix, profile, part, class_of(mix, profile, request), objective_stands_for(request), side);
	}
}

/* --- The answer -------------------------------------------------------------------------------------------------------------- */

static size_t classes_of(const struct mix *mix, size_t quantity, struct mix_class classes[MIX_CLASSES_MOST])
{
	for (size_t i = 0; i < MIX_CLASSES_MOST; i++)
		classes[i] = (struct mix_class){ .count = { mix->counts[i][0], mix->counts[i][1] },
						 .sum = { mix->sums[i][quantity][0], mix->sums[i][quantity][1] } };
	return MIX_CLASSES_MOST;
}

static bool is_known(const struct mix *mix)
{
	double counts[2] = { 0, 0 };

	for (size_t i = 0; i < MIX_CLASSES_MOST; i++)
		for (size_t side = 0; side < 2; side++)
			counts[side] += mix->counts[i][side];
	return counts[0] > 0 && counts[1] > 0 && mix->seconds[0] > 0 && mix->seconds[1] > 0;
}

static const struct column split_columns[] = {
	{ "name", "", "", 0 },		       { "base", "per second", "ns", 0 },     { "candidate", "then", "ns", 0 },
	{ "delta", "change", "ns", 0 },	       { "by_rate", "by how many", "ns", 0 }, { "by_mix", "by which classes", "ns", 0 },
	{ "by_cost", "by how much each", "ns", 0 },
};

static void add_splits(const struct mix *mix, struct document *into)
{
	struct table *table = table_new(split_columns, ARRAY_LENGTH(split_columns));

	for (size_t i = 0; i < intern_count(mix->quantities); i++) {
		struct mix_class classes[MIX_CLASSES_MOST];
		struct mix_split split;
		const char *name = intern_text(mix->quantities, (uint32_t)i);

		mix_split(classes, classes_of(mix, i, classes), mix->seconds, &split);
		table_add(table, (struct value[]){
			i ? value_print("in %s", name) : value_text("elapsed"), figure(split.base), figure(split.candidate),
			figure(split.candidate - split.base), figure(split.by_rate), figure(split.by_mix), figure(split.by_cost) });
	}
	(void)document_add_table(into, "mix", "What requests take per second, over all pairs: more of them, others, or dearer ones", table);
}

static const struct column class_columns[] = {
	{ "class", "class", "", 0 },
	{ "base_share", "of requests", "fraction", 0 },
	{ "candidate_share", "then", "fraction", 0 },
	{ "base_cost", "elapsed each", "ns", 0 },
	{ "candidate_cost", "then", "ns", 0 },
	{ "by_mix", "by its share", "ns", 0 },
	{ "by_cost", "by its cost", "ns", 0 },
};

struct ranked { struct mix_part part; size_t class; };

static int compare_parts(const void *left, const void *right)
{
	const struct ranked *a = left, *b = right;
	double first = fabs(a->part.by_mix) + fabs(a->part.by_cost), second = fabs(b->part.by_mix) + fabs(b->part.by_cost);

	if (first != second)
		return first > second ? -1 : 1;
	return a->class < b->class ? -1 : a->class > b->class;
}

static void add_class_rows(const struct mix *mix, size_t most, struct document *into)
{
	struct table *table = table_new(class_columns, ARRAY_LENGTH(class_columns));
	struct mix_class classes[MIX_CLASSES_MOST];
	struct ranked ranked[MIX_CLASSES_MOST];
	size_t count = classes_of(mix, 0, classes), found = 0;

	for (size_t i = 0; i < count; i++) {
		if (classes[i].count[0] + classes[i].count[1] <= 0)
			continue;
		ranked[found].class = i;
		mix_part(classes, count, i, &ranked[found++].part);
	}
	qsort(ranked, found, sizeof(*ranked), compare_parts);
	for (size_t i = 0; i < found && (!most || i < most); i++) {
		const struct mix_part *part = &ranked[i].part;
		const char *name = intern_text(mix->classes, (uint32_t)ranked[i].class);

		table_add(table, (struct value[]){
			value_text(*name ? name : "(none)"), figure(part->share[0]), figure(part->share[1]),
			figure(classes[ranked[i].class].count[0] > 0 ? part->cost[0] : NAN),
			figure(classes[ranked[i].class].count[1] > 0 ? part->cost[1] : NAN), figure(part->by_mix),
			figure(part->by_cost) });
	}
	table->rows_left_out = most && found > most ? found - most : 0;
	(void)document_add_table(into, "mix_classes", "Classes of requests over all pairs, and what of the mean request's change is theirs", table);
}

void mix_add_document(const struct mix *mix, size_t most, struct document *into)
{
	if (!is_known(mix))
		return;
	add_splits(mix, into);
	add_class_rows(mix, most, into);
}

void mix_add_finding(const struct mix *mix, struct document *into)
{
	struct mix_class classes[MIX_CLASSES_MOST];
	char change[QUANTITY_SIZE], by_mix[QUANTITY_SIZE], by_cost[QUANTITY_SIZE];
	struct mix_split split;
	static const double seconds[2] = { 1, 1 };
	double mean[2] = { 0, 0 }, moved = 0, dearer = 0;
	size_t count;

	if (!is_known(mix))
		return;
	count = classes_of(mix, 0, classes);
	mix_split(classes, count, seconds, &split);
	for (size_t side = 0; side < 2; side++)
		mean[side] = (side ? split.candidate : split.base) / counted(classes, count, side);
	for (size_t i = 0; i < count; i++) {
		struct mix_part part;

		mix_part(classes, count, i, &part);
		moved += part.by_mix;
		dearer += part.by_cost;
	}
	if (fabs(moved) < 0.01 * mean[0] || fabs(moved) < fabs(dearer))
		return;
	document_add_finding(into, SEVERITY_WARNING,
			     "the mean request changed by %s, of which %s because other classes of requests came and %s because classes "
			     "cost more or less: compare within one class before any code is blamed",
			     quantity_print(change, mean[1] - mean[0], "ns"), quantity_print(by_mix, moved, "ns"),
			     quantity_print(by_cost, dearer, "ns"));
}
