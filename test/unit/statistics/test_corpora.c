/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Public cases with published answers: benchstat's golden files, Kayenta's classifier, statsmodels' reference values. They lie
 * in CROSSCUT_CORPORA, or beside the repository; where they do not, these tests skip, unless CI says that they must be there.
 */
#include "test.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "number.h"
#include "base/cleanup.h"
#include "base/memory.h"
#include "statistics/interval.h"
#include "statistics/location.h"
#include "statistics/rate.h"
#include "statistics/spread.h"

enum { VALUES_MOST = 200 };
struct sample { double values[VALUES_MOST]; size_t count; };

static char *corpus_path(const char *name)
{
	const char *given = getenv("CROSSCUT_CORPORA"), *ci = getenv("CI");
	char *path = xasprintf("%s/%s", given ? given : "../shared/corpora", name);

	if (!access(path, R_OK))
		return path;
	if (ci && !strcmp(ci, "true"))
		_fail(__FILE__, __LINE__);
	free(path);
	print_message("no %s here\n", name);
	skip();
	return NULL;
}

static json_t *corpus_json(const char *name)
{
	CLEANUP_TEXT char *path = corpus_path(name);
	json_error_t where;
	json_t *root = json_load_file(path, 0, &where);

	assert_non_null(root);
	return root;
}

static struct sample sample_of(const json_t *array)
{
	struct sample sample = { 0 };

	for (size_t i = 0; i < json_array_size(array) && i < VALUES_MOST; i++)
		sample.values[sample.count++] = json_number_value(json_array_get(array, i));
	return sample;
}

/* Lines "BenchmarkNAME  iterations  NUMBER ns/op". */
static struct sample benchmark_of(const char *file, const char *name)
{
	CLEANUP_TEXT char *relative = xasprintf("golang+perf/cmd/benchstat/testdata/%s", file);
	CLEANUP_TEXT char *path = corpus_path(relative);
	FILE *lines = fopen(path, "r");
	struct sample sample = { 0 };
	char line[512], found[256];
	double value;

	assert_non_null(lines);
	while (fgets(line, sizeof(line), lines))
		if (sscanf(line, "Benchmark%255s %*s %lf ns/op", found, &value) == 2 && !strcmp(found, name) &&
		    sample.count < VALUES_MOST)
			sample.values[sample.count++] = value;
	(void)fclose(lines);
	return sample;
}

TEST(benchstats_p_values_are_ours)
{
	struct sample before = benchmark_of("old.txt", "Encode/format=json-48");
	struct sample after = benchmark_of("new.txt", "Encode/format=json-48");

	assert_int_equal(before.count, 10);
	assert_true(mann_whitney_p(before.values, 10, after.values, 10) < 0.0005);
	before = benchmark_of("old.txt", "Encode/format=gob-48");
	after = benchmark_of("new.txt", "Encode/format=gob-48");
	assert_true(fabs(mann_whitney_p(before.values, before.count, after.values, after.count) - 0.446) < 0.0005);
}

TEST(benchmaths_cases_are_ours)
{
	json_t *root = corpus_json("golang+perf/derived/benchmath.json");
	const json_t *ranks = json_object_get(root, "mann_whitney"), *medians = json_object_get(root, "median_ci");
	const json_t *means = json_object_get(root, "mean_ci_normal");
	struct statistics_interval interval;

	for (size_t i = 0; i < json_array_size(ranks); i++) {
		const json_t *one = json_array_get(ranks, i);
		struct sample a = sample_of(json_object_get(one, "a")), b = sample_of(json_object_get(one, "b"));

		assert_close(mann_whitney_p(a.values, a.count, b.values, b.count), json_number_value(json_object_get(one, "p")), 1e-12);
	}
	for (size_t i = 0; i < json_array_size(medians); i++) {
		const json_t *one = json_array_get(medians, i), *low = json_object_get(one, "lo");
		struct sample values = sample_of(json_object_get(one, "values"));
		double level = json_number_value(json_object_get(one, "confidence"));

		assert_int_equal(median_interval(values.values, values.count, level, &interval), 0);
		assert_close(interval.estimate, json_number_value(json_object_get(one, "center")), 1e-12);
		if (json_is_number(low))
			assert_close(interval.low, json_number_value(low), 1e-12);
		else
			assert_true(isinf(interval.low) && isinf(interval.high));
	}
	for (size_t i = 0; i < json_array_size(means); i++) {
		const json_t *one = json_array_get(means, i);
		struct sample values = sample_of(json_object_get(one, "values"));

		assert_int_equal(statistics_interval_of(values.values, values.count, 0.95, &interval), 0);
		assert_close(interval.low, json_number_value(json_object_get(one, "lo")), 1e-9);
		assert_close(interval.high, json_number_value(json_object_get(one, "hi")), 1e-9);
	}
	json_decref(root);
}

/* Kayenta: High or Low where the shift's interval lies beyond a tenth of the shift itself, and the direction matters. */
static const char *classify(const struct sample *control, const struct sample *experiment, const char *direction)
{
	struct statistics_interval shift;
	double bound;

	assert_int_equal(hodges_lehmann(control->values, control->count, experiment->values, experiment->count, 0.95, &shift), 0);
	bound = 0.1 * fabs(shift.estimate);
	if (shift.low > bound && strcmp(direction, "decrease") != 0)
		return "High";
	return shift.high < -bound && strcmp(direction, "increase") != 0 ? "Low" : "Pass";
}

TEST(kayentas_cases_are_classified_alike)
{
	json_t *root = corpus_json("spinnaker+kayenta/derived/classifier.json");
	const json_t *cases = json_object_get(root, "cases");

	assert_true(json_array_size(cases) >= 7);
	for (size_t i = 0; i < json_array_size(cases); i++) {
		const json_t *one = json_array_get(cases, i);
		struct sample experiment = sample_of(json_object_get(one, "experiment"));
		struct sample control = sample_of(json_object_get(one, "control"));

		assert_string_equal(classify(&control, &experiment, json_string_value(json_object_get(one, "direction"))),
				    json_string_value(json_object_get(one, "expected")));
	}
	json_decref(root);
}

TEST(statsmodels_reference_values_are_ours)
{
	json_t *root = corpus_json("statsmodels+statsmodels/derived/poisson_rates.json");
	const json_t *one = json_array_get(json_object_get(root, "two_sample"), 0);
	const json_t *score = json_object_get(json_object_get(one, "two_sided"), "score");
	struct rate candidate = { json_number_value(json_object_get(one, "count1")), json_number_value(json_object_get(one, "exposure1")) };
	struct rate base = { json_number_value(json_object_get(one, "count2")), json_number_value(json_object_get(one, "exposure2")) };
	double expected = json_number_value(json_object_get(json_object_get(one, "one_sided_larger"), "etest-score"));

	assert_close(rate_z(base, candidate, 1), json_number_value(json_array_get(score, 0)), 1e-6);
	assert_true(fabs(rate_exact_p(base, candidate, false) - expected) < 5e-6);
	json_decref(root);
}
