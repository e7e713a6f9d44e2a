/* SPDX-License-Identifier: Apache-2.0 */
/* Captures whose answer can be told beforehand: the teaching case, one slowed down throughout, one that completed half. */
#include "test.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "compare/comparison.h"
#include "profile/selection.h"
#include "result/document.h"
#include "unit/profile_builder.h"

enum { PAIRS = 6 };

/* A program of three functions, sampled at some rate: what it costs per completion, and how many completions there were. */
struct run {
	double parse_ns, hash_ns, old_ns, new_ns;    /* per completion; 0: the function is not there */
	double completions;
	uint64_t period_ns;
	const char *state;
};

static const struct run usual = { .parse_ns = 3e6, .hash_ns = 2e6, .old_ns = 1e6, .completions = 10000, .period_ns = 10000000,
				  .state = "nominal" };

static void add_samples(struct profile *profile, struct slice_id slice, struct thread_id thread, const struct run *run,
			const char *path, double ns, double noise)
{
	struct stack_id stack = built_stack(profile, path, STACK_COMPLETE);
	uint64_t count = (uint64_t)llround(ns * noise * run->completions / (double)run->period_ns);

	if (count)
		profile_add_cell(profile, (struct cell){ .slice = slice, .thread = thread, .stack = stack, .count = count,
							 .value = count * run->period_ns,
							 .measure = built_measure(profile, "oncpu/user", ROLE_SPLIT, WEIGHTING_SAMPLED,
										  "cpu-clock", run->period_ns) });
}

static struct profile *make_named(const struct run *run, double noise, const char *prefix)
{
	char path[128];

	struct profile *profile = profile_new();
	struct process_id process = built_process(profile, 1, "service");
	struct thread_id thread = built_thread(profile, process, 1, "worker", BUILDER_START, BUILDER_START + 100ull * BUILDER_SECOND);
	struct slice_id slice = built_slice(profile, BUILDER_START, BUILDER_START + 100ull * BUILDER_SECOND);
	const struct { const char *name; double ns; } functions[] = { { "parse", run->parse_ns },
								       { "hash", run->hash_ns },
								       { "reply;old_way", run->old_ns },
								       { "reply;new_way", run->new_ns } };
	double ns = run->parse_ns + run->hash_ns + run->old_ns + run->new_ns;

	profile_set_meta(profile, "work.unit", "request");
	profile_set_meta(profile, "label.state", run->state);
	for (size_t i = 0; i < ARRAY_LENGTH(functions); i++) {
		(void)snprintf(path, sizeof(path), "%s%s", prefix, functions[i].name);
		add_samples(profile, slice, thread, run, path, functions[i].ns, noise);
	}
	built_total(profile, slice, thread, "oncpu", (uint64_t)(ns * noise * run->completions), 1000, 1000);
	built_completions(profile, slice, process, "200", OUTCOME_CORRECT, (uint64_t)run->completions);
	profile_add_loss(profile, (struct loss){ slice, profile_string(profile, "sched"), 1000, 0 });
	profile_freeze(profile);
	return profile;
}

static struct profile *make(const struct run *run, double noise)
{
	return make_named(run, noise, "main;serve;");
}

static const double noises[2][PAIRS] = { { 1.002, 0.999, 1.001, 0.998, 1.0, 1.0005 }, { 1.0, 1.001, 0.999, 1.0015, 0.9995, 0.998 } };

static void add(struct comparison *comparison, enum side side, size_t pair, struct profile *profile)
{
	struct error err = { 0 };
	char name[32];

	(void)snprintf(name, sizeof(name), "%s-%zu", side_name(side), pair);
	assert_int_equal(comparison_add(comparison, side, pair, name, profile, NULL, &err), 0);
	profile_free(profile);
}

static struct comparison *compare(const struct selection *selection, const struct run *base, const struct run *candidate, size_t pairs)
{
	struct comparison_options options = comparison_defaults;
	struct comparison *comparison;
	struct error err = { 0 };

	options.selection = selection;
	comparison = comparison_new(&options);
	for (size_t i = 0; i < pairs; i++) {
		add(comparison, SIDE_CANDIDATE, i, make(candidate, noises[1][i]));
		add(comparison, SIDE_BASE, i, make(base, noises[0][i]));
	}
	assert_int_equal(comparison_finish(comparison, &err), 0);
	return comparison;
}

static enum change change_of(const struct comparison *comparison, const char *name)
{
	const struct compared *row = comparison_find(comparison, name);

	if (!row)
		print_error("no row %s\n", name);
	assert_non_null(row);
	return row->judged.change;
}

static const char *failing(const struct comparison *comparison)
{
	for (size_t i = 0; i < comparison_gate_count(comparison); i++)
		if (comparison_gate_at(comparison, i)->reading.verdict > VERDICT_WARN)
			return comparison_gate_at(comparison, i)->gate->name;
	return "none";
}

TEST(a_uniform_slowdown_grows_every_large_frame_and_shrinks_none)
{
	struct run slow = { .parse_ns = 3.6e6, .hash_ns = 2.4e6, .old_ns = 1.2e6, .completions = 9000, .period_ns = 10000000,
			    .state = "nominal" };
	CLEANUP(selection) struct selection *selection = selection_new();
	CLEANUP(comparison) struct comparison *comparison = compare(selection, &usual, &slow, PAIRS);

	assert_string_equal(failing(comparison), "none");
	for (size_t i = 0; i < comparison_row_count(comparison); i++)
		if (comparison_row_at(comparison, i)->kind == ROW_STACK)
			assert_int_equal(comparison_row_at(comparison, i)->judged.change, CHANGE_GREW);
	assert_int_equal(change_of(comparison, "oncpu"), CHANGE_GREW);
	assert_true(comparison_worse(comparison));
}

TEST(half_the_throughput_at_equal_cost_is_equivalent)
{
	struct run half = usual;
	CLEANUP(selection) struct selection *selection = selection_new();
	CLEANUP(comparison) struct comparison *comparison = NULL;

	half.completions /= 2;
	comparison = compare(selection, &usual, &half, PAIRS);
	for (size_t i = 0; i < comparison_row_count(comparison); i++)
		if (comparison_row_at(comparison, i)->tested)
			assert_int_equal(comparison_row_at(comparison, i)->judged.change, CHANGE_EQUIVALENT);
	assert_false(comparison_worse(comparison));
	assert_true(comparison_find(comparison, "oncpu")->totals[SIDE_CANDIDATE] <
		    0.51 * comparison_find(comparison, "oncpu")->totals[SIDE_BASE]);
}

TEST(another_sampling_rate_is_corrected)
{
	struct run often = usual;
	CLEANUP(selection) struct selection *selection = selection_new();
	CLEANUP(comparison) struct comparison *comparison = NULL;

	often.period_ns = 1000000;
	comparison = compare(selection, &usual, &often, PAIRS);
	assert_string_equal(failing(comparison), "none");
	assert_int_equal(change_of(comparison, "oncpu:parse"), CHANGE_EQUIVALENT);
	assert_int_equal(change_of(comparison, "oncpu:old_way"), CHANGE_EQUIVALENT);
}

TEST(a_stack_that_vanished_is_shown_and_the_one_that_took_its_place_is_a_cost_shift)
{
	struct run moved = usual;
	CLEANUP(selection) struct selection *selection = selection_new();
	CLEANUP(comparison) struct comparison *comparison = NULL;
	const struct compared *gone, *come;

	moved.new_ns = moved.old_ns;
	moved.old_ns = 0;
	comparison = compare(selection, &usual, &moved, PAIRS);
	assert_string_equal(failing(comparison), "none");
	gone = comparison_find(comparison, "oncpu:old_way");
	come = comparison_find(comparison, "oncpu:new_way");
	assert_non_null(gone);
	assert_non_null(come);
	assert_int_equal(gone->judged.change, CHANGE_SHRANK);
	assert_true(gone->totals[SIDE_CANDIDATE] == 0 && come->totals[SIDE_BASE] == 0);
	assert_int_equal(come->judged.change, CHANGE_GREW);
	assert_true(come->shift);
	assert_false(comparison_worse(comparison));
}

/* Six pairs of which only the candidates counted what programs allocated, and only some were moved to another processor. */
TEST(what_one_side_did_not_measure_has_not_grown)
{
	CLEANUP(selection) struct selection *selection = selection_new();
	struct comparison_options options = comparison_defaults;
	CLEANUP(comparison) struct comparison *comparison = NULL;
	CLEANUP(document) struct document *document = document_new("crosscut.diff/1", "test");
	struct comparison_asked asked = { .trees = true };
	struct objective objective = { .known = true, .source = "the load generator", .mean_ns = NAN, .p50_ns = NAN, .p90_ns = NAN,
				       .p99_ns = 5e6, .p999_ns = NAN, .throughput_per_s = NAN, .correct = NAN };
	struct comparison_given given = { .objective = &objective };
	const struct compared *allocated, *migrations, *p99;
	struct error err = { 0 };
	bool told = false;
	char name[32];

	options.selection = selection;
	comparison = comparison_new(&options);
	for (size_t pair = 0; pair < PAIRS; pair++)
		for (size_t side = 0; side < 2; side++) {
			struct profile *profile = mercury(side ? &mercury_candidate : &mercury_baseline);
			struct slice_id slice = { 1 };
			struct thread_id thread = { 1 };

			(void)snprintf(name, sizeof(name), "%zu-%zu", side, pair);
			profile_set_meta(profile, "capture.id", name);
			built_total(profile, slice, thread, "context-switches", 1000, 1000, 0);
			for (size_t i = 0; i < 2 && side; i++)
				profile_add_cell(profile, (struct cell){
					.slice = slice, .thread = thread, .count = 1, .value = 1000000,
					.stack = i ? built_stack(profile, "main;grab", STACK_COMPLETE) : (struct stack_id){ 0 },
					.measure = built_measure(profile, "alloc_space", i ? ROLE_SPLIT : ROLE_TOTAL,
								 WEIGHTING_EXACT, "heap", 0) });
			profile_freeze(profile);
			assert_int_equal(comparison_add(comparison, (enum side)side, pair, name, profile, side ? &given : NULL, &err), 0);
			profile_free(profile);
		}
	assert_int_equal(comparison_finish(comparison, &err), 0);
	allocated = comparison_find(comparison, "alloc_space");
	assert_int_equal(allocated->judged.change, CHANGE_UNMEASURED);
	assert_true(isnan(allocated->judged.base) && isnan(allocated->judged.delta.estimate) && isnan(allocated->judged.p));
	assert_false(allocated->tested);
	assert_int_equal(change_of(comparison, "alloc_space:grab"), CHANGE_UNMEASURED);
	p99 = comparison_find(comparison, "elapsed:p99");
	assert_true(isnan(p99->judged.base) && p99->judged.candidate == 5e6);
	assert_int_equal(p99->judged.change, CHANGE_UNMEASURED);
	migrations = comparison_find(comparison, "migrations");
	assert_int_equal(migrations->judged.change, CHANGE_GREW);
	comparison_document(comparison, &asked, document);
	assert_null(document_find(document, "trees.grew.alloc_space"));
	for (size_t i = 0; i < document->section_count; i++)
		told |= document->sections[i].kind == SECTION_FINDING &&
			strstr(document->sections[i].finding, "p99 5 ms in the candidate, and the base's is not known") != NULL;
	assert_true(told);
}

/* What counts it ran in the base as well, so that none there is none, and not silence. */
TEST(an_amount_that_was_counted_and_never_happened_was_zero)
{
	CLEANUP(selection) struct selection *selection = selection_new();
	struct comparison_options options = comparison_defaults;
	CLEANUP(comparison) struct comparison *comparison = NULL;
	struct error err = { 0 };

	options.selection = selection;
	comparison = comparison_new(&options);
	for (size_t pair = 0; pair < PAIRS; pair++)
		for (size_t side = 0; side < 2; side++) {
			struct profile *profile = mercury(&mercury_baseline);

			profile_set_meta(profile, "capture.id", (char[]){ (char)('a' + pair), (char)('0' + side), '\0' });
			if (side)
				built_total(profile, (struct slice_id){ 1 }, (struct thread_id){ 1 }, "page-faults", 1000000, 1000000, 0);
			profile_freeze(profile);
			add(comparison, (enum side)side, pair, profile);
		}
	assert_int_equal(comparison_finish(comparison, &err), 0);
	assert_int_equal(change_of(comparison, "page-faults"), CHANGE_GREW);
}

TEST(names_that_do_not_match_are_refused)
{
	CLEANUP(selection) struct selection *selection = selection_new();
	struct comparison_options options = comparison_defaults;
	CLEANUP(comparison) struct comparison *comparison = NULL;
	struct error err = { 0 };

	options.selection = selection;
	comparison = comparison_new(&options);
	add(comparison, SIDE_BASE, 0, make_named(&usual, 1, "main;serve;"));
	add(comparison, SIDE_CANDIDATE, 0, make_named(&usual, 1, "start;run;do_"));
	assert_int_equal(comparison_finish(comparison, &err), 0);
	assert_true(comparison_matched_share(comparison) < 0.5);
	assert_true(comparison_refused(comparison));
}

TEST(another_operating_state_is_refused)
{
	struct run loaded = usual;
	CLEANUP(selection) struct selection *selection = selection_new();
	CLEANUP(comparison) struct comparison *comparison = NULL;

	loaded.state = "overload";
	comparison = compare(selection, &usual, &loaded, PAIRS);
	assert_true(comparison_refused(comparison));
	assert_string_equal(failing(comparison), "equal-state");
}

TEST(one_pair_describes_with_an_interval_and_decides_nothing)
{
	struct run slow = usual;
	CLEANUP(selection) struct selection *selection = selection_new();
	CLEANUP(comparison) struct comparison *comparison = NULL;
	const struct compared *parse;

	slow.parse_ns = 4.5e6;
	comparison = compare(selection, &usual, &slow, 1);
	parse = comparison_find(comparison, "oncpu:parse");
	assert_true(comparison_described(comparison));
	assert_false(comparison_refused(comparison));
	assert_int_equal(parse->judged.change, CHANGE_UNCLEAR);
	assert_int_equal(change_of(comparison, "class:200 correct"), CHANGE_UNTESTED);
	assert_true(parse->judged.ratio.low > 0.3 && parse->judged.ratio.high < 0.7);
}

TEST(sides_that_make_no_pairs_are_a_mistake_of_the_question)
{
	CLEANUP(selection) struct selection *selection = selection_new();
	struct comparison_options options = comparison_defaults;
	CLEANUP(comparison) struct comparison *comparison = NULL;
	struct error err = { 0 };

	options.selection = selection;
	comparison = comparison_new(&options);
	add(comparison, SIDE_BASE, 0, make(&usual, 1));
	add(comparison, SIDE_BASE, 1, make(&usual, 1));
	add(comparison, SIDE_CANDIDATE, 0, make(&usual, 1));
	assert_int_not_equal(comparison_finish(comparison, &err), 0);
	assert_non_null(strstr(err.why, "pair 2 has no candidate"));
}

/* Six copies of one run differ by nothing, so that any change between two runs would be certain. */
TEST(one_recording_is_no_two_pairs)
{
	CLEANUP(selection) struct selection *selection = selection_new();
	struct comparison_options options = comparison_defaults;
	CLEANUP(comparison) struct comparison *comparison = NULL;
	struct error err = { 0 };

	options.selection = selection;
	comparison = comparison_new(&options);
	for (size_t pair = 0; pair < 2; pair++)
		for (size_t side = 0; side < 2; side++) {
			struct profile *profile = mercury(side ? &mercury_candidate : &mercury_baseline);

			profile_set_meta(profile, "capture.id", side ? "two" : pair ? "three" : "one");
			profile_freeze(profile);
			add(comparison, (enum side)side, pair, profile);
		}
	assert_true(comparison_finish(comparison, &err) < 0);
	assert_int_equal(err.kind, FAILURE_USAGE);
	assert_non_null(strstr(err.why, "candidate 1 and candidate 2 are one recording"));
}

/* The same memory under fewer completions is the same memory; a change in the table is one of the means beside it. */
TEST(what_processes_hold_is_not_divided_by_completions)
{
	CLEANUP(selection) struct selection *selection = selection_new();
	struct comparison_options options = comparison_defaults;
	CLEANUP(comparison) struct comparison *comparison = NULL;
	CLEANUP(document) struct document *document = document_new("crosscut.diff/1", "test");
	struct comparison_asked asked = { 0 };
	const struct compared *resident;
	struct error err = { 0 };

	options.selection = selection;
	comparison = comparison_new(&options);
	for (size_t pair = 0; pair < PAIRS; pair++)
		for (size_t side = 0; side < 2; side++) {
			struct profile *profile = mercury(side ? &mercury_candidate : &mercury_baseline);

			profile_set_meta(profile, "capture.id", (char[]){ (char)('a' + pair), (char)('0' + side), '\0' });
			profile_add_cell(profile, (struct cell){
				.slice = { 1 }, .thread = { 1 }, .count = 1, .value = 64 << 20,
				.measure = built_measure(profile, "resident", ROLE_TOTAL, WEIGHTING_EXACT, "smaps", 0) });
			profile_freeze(profile);
			add(comparison, (enum side)side, pair, profile);
		}
	assert_int_equal(comparison_finish(comparison, &err), 0);
	resident = comparison_find(comparison, "resident");
	assert_true(resident->judged.base == 64 << 20 && resident->judged.candidate == 64 << 20);
	assert_int_equal(resident->judged.change, CHANGE_EQUIVALENT);
	comparison_document(comparison, &asked, document);
	assert_non_null(document_find(document, "levels"));
	assert_true(document_find(document, "levels")->table->row_count == 1);
}

/* One run in six that is a hundredth: the mean rises, the geometric mean falls, and the table shows means. */
TEST(the_share_beside_a_change_is_of_the_means_beside_it)
{
	static const double noise[PAIRS] = { 0.01, 2, 2, 2, 2, 2 };
	CLEANUP(selection) struct selection *selection = selection_new();
	struct comparison_options options = comparison_defaults;
	CLEANUP(comparison) struct comparison *comparison = NULL;
	CLEANUP(document) struct document *document = document_new("crosscut.diff/1", "test");
	struct comparison_asked asked = { .anyway = true };
	const struct table *table;
	struct error err = { 0 };
	bool found = false;

	options.selection = selection;
	comparison = comparison_new(&options);
	for (size_t pair = 0; pair < PAIRS; pair++) {
		add(comparison, SIDE_BASE, pair, make(&usual, 1));
		add(comparison, SIDE_CANDIDATE, pair, make(&usual, noise[pair]));
	}
	assert_int_equal(comparison_finish(comparison, &err), 0);
	assert_true(comparison_find(comparison, "oncpu")->judged.ratio.estimate < 0);
	comparison_document(comparison, &asked, document);
	table = document_find(document, "dimensions")->table;
	for (size_t c = 0; c < table->column_count; c++)
		if (!strcmp(table->columns[c].key, "percent")) {
			assert_string_equal(table->cells[c].text, "+66.8 %");
			found = true;
		}
	assert_true(found);
}

/* Widths of both trees add up from the leaves, and what vanished stands in the second at its full former width. */
TEST(what_grew_and_what_shrank_are_two_trees_without_a_negative_width)
{
	struct run moved = usual;
	CLEANUP(selection) struct selection *selection = selection_new();
	CLEANUP(comparison) struct comparison *comparison = NULL;
	CLEANUP(document) struct document *document = document_new("crosscut.diff/1", "test");
	struct comparison_asked asked = { .trees = true };
	const struct section *grew, *shrank;

	moved.new_ns = 2e6;
	moved.old_ns = 0;
	comparison = compare(selection, &usual, &moved, PAIRS);
	comparison_document(comparison, &asked, document);
	grew = document_find(document, "trees.grew.oncpu");
	shrank = document_find(document, "trees.shrank.oncpu");
	assert_non_null(grew);
	assert_non_null(shrank);
	assert_true(fabs(grew->tree->values[0] - 2e6) < 0.02e6);
	assert_true(fabs(shrank->tree->values[0] - 1e6) < 0.02e6);
	for (size_t i = 0; i < shrank->tree->node_count; i++)
		assert_true(shrank->tree->values[i] >= 0 && shrank->tree->selves[i] >= 0);
}

TEST(the_teaching_case_is_told_as_it_is_told)
{
	CLEANUP(selection) struct selection *selection = selection_new();
	struct comparison_options options = comparison_defaults;
	CLEANUP(comparison) struct comparison *comparison = NULL;
	CLEANUP(document) struct document *document = document_new("crosscut.diff/1", "test");
	struct profile *base = mercury(&mercury_baseline), *candidate = mercury(&mercury_candidate);
	struct comparison_asked asked = { 0 };
	struct error err = { 0 };
	bool told = false, parse = false;

	options.selection = selection;
	comparison = comparison_new(&options);
	profile_freeze(base);
	profile_freeze(candidate);
	add(comparison, SIDE_BASE, 0, base);
	add(comparison, SIDE_CANDIDATE, 0, candidate);
	assert_int_equal(comparison_finish(comparison, &err), 0);
	comparison_document(comparison, &asked, document);
	for (size_t i = 0; i < document->section_count; i++) {
		const char *text = document->sections[i].kind == SECTION_FINDING ? document->sections[i].finding : "";

		told |= strstr(text, "lost most per correct completion is disk: 10 ms, then 42 ms") != NULL;
		parse |= strstr(text, "parse gained 0.5 % of that, so it does not matter here") != NULL;
	}
	assert_true(told && parse);
	assert_true(fabs(comparison_find(comparison, "runnable")->judged.delta.estimate - 16e6) < 1);
	assert_true(fabs(comparison_find(comparison, "lock")->judged.delta.estimate - 8e6) < 1);
	assert_true(fabs(comparison_find(comparison, "oncpu")->judged.delta.estimate + 0.6e6) < 1);
}

static bool says(const struct comparison *comparison, const char *words)
{
	CLEANUP(document) struct document *document = document_new("test", "test");
	const struct comparison_asked asked = { .anyway = true };
	bool said = false;

	comparison_document(comparison, &asked, document);
	for (size_t i = 0; i < document->section_count; i++)
		said |= document->sections[i].kind == SECTION_FINDING && strstr(document->sections[i].finding, words);
	return said;
}

/* --- Requests ---------------------------------------------------------------------------------------------------------------- */

/* Two threads answer requests of 2 ms, half of it on the disk, one a second; a third has one of 9 ms that shared its thread, all of it disk. */
static struct profile *make_requests(uint64_t disk_ns)
{
	struct profile *profile = profile_new();
	struct process_id process = built_process(profile, 1, "service");
	uint32_t number = 0;

	profile_set_meta_number(profile, "capture.start_ns", BUILDER_START);
	for (uint32_t second = 0; second < 4; second++)
		(void)built_slice(profile, BUILDER_START + second * (uint64_t)BUILDER_SECOND,
				  BUILDER_START + (second + 1) * (uint64_t)BUILDER_SECOND);
	for (uint32_t tid = 1; tid <= 3; tid++) {
		struct thread_id thread = built_thread(profile, process, tid, tid == 2 ? "other" : "worker", BUILDER_START,
						       BUILDER_START + 4ull * BUILDER_SECOND);

		for (uint32_t second = 0; second < 4; second++, number++) {
			uint64_t opened_ns = BUILDER_START + second * (uint64_t)BUILDER_SECOND + 1000;
			uint64_t waited_ns = tid == 3 ? 9000000 : tid == 2 ? 500000 : second < 2 ? 1000000 : disk_ns;

			profile_add_request(profile, (struct request){
				.thread = thread, .class = profile_string(profile, "GET /"), .overlap = tid == 3, .one_in = tid == 2 ? 4 : 1,
				.opened_ns = opened_ns, .closed_ns = opened_ns + waited_ns + (tid == 3 ? 0 : 1000000) });
			profile_add_part(profile, (struct part){ .request = number, .dimension = built_dimension(profile, "disk"),
								 .ns = waited_ns });
			if (tid != 3)
				profile_add_part(profile, (struct part){ .request = number, .ns = 1000000,
									 .dimension = built_dimension(profile, "oncpu") });
		}
	}
	profile_freeze(profile);
	return profile;
}

static struct comparison *compare_requests(const struct selection *selection)
{
	struct comparison_options options = comparison_defaults;
	struct comparison *comparison;
	struct error err = { 0 };

	options.selection = selection;
	comparison = comparison_new(&options);
	add(comparison, SIDE_BASE, 0, make_requests(1000000));
	add(comparison, SIDE_CANDIDATE, 0, make_requests(3000000));
	assert_int_equal(comparison_finish(comparison, &err), 0);
	return comparison;
}

static void expect_elapsed(const struct comparison *comparison, const char *name, double base, double candidate)
{
	const struct compared *row = comparison_find(comparison, name);

	assert_non_null(row);
	if (fabs(row->judged.base - base) > 1 || fabs(row->judged.candidate - candidate) > 1)
		print_error("%s: %g, %g\n", name, row->judged.base, row->judged.candidate);
	assert_true(fabs(row->judged.base - base) <= 1 && fabs(row->judged.candidate - candidate) <= 1);
}

/* Of the worker's four requests and the sixteen that the other's stand for; those that shared their thread are in none. */
TEST(where_elapsed_time_went_is_of_the_requests_that_the_mean_is_of)
{
	CLEANUP(selection) struct selection *selection = selection_new();
	CLEANUP(comparison) struct comparison *comparison = compare_requests(selection);

	expect_elapsed(comparison, "elapsed:mean", 1.6e6, 1.8e6);
	expect_elapsed(comparison, "elapsed:in disk", 0.6e6, 0.8e6);
	expect_elapsed(comparison, "elapsed:in oncpu", 1e6, 1e6);
}

TEST(elapsed_time_is_of_the_selected_requests)
{
	CLEANUP(selection) struct selection *worker = selection_new(), *late = selection_new();
	CLEANUP(comparison) struct comparison *of_worker = NULL, *of_late = NULL;
	struct error err = { 0 };

	assert_int_equal(selection_where(worker, "tid=1", &err), 0);
	of_worker = compare_requests(worker);
	expect_elapsed(of_worker, "elapsed:mean", 2e6, 3e6);
	expect_elapsed(of_worker, "elapsed:in disk", 1e6, 2e6);
	assert_int_equal(selection_window(late, 2ull * BUILDER_SECOND, 0, NULL), 0);
	of_late = compare_requests(late);
	expect_elapsed(of_late, "elapsed:mean", 1.6e6, 2e6);
	expect_elapsed(of_late, "elapsed:in disk", 0.6e6, 1e6);
}

TEST(how_many_requests_are_in_no_figure_is_said)
{
	CLEANUP(selection) struct selection *selection = selection_new();
	CLEANUP(comparison) struct comparison *comparison = compare_requests(selection);

	assert_true(says(comparison, "16.7 % of the base's requests and 16.7 % of the candidate's are left out"));
}

/* parse gains 0.5 ms of the 3 ms that on-CPU time gains. */
TEST(a_widest_stack_that_grew_is_not_said_not_to_have_grown)
{
	struct run slow = usual;
	CLEANUP(selection) struct selection *selection = selection_new();
	CLEANUP(comparison) struct comparison *partly = NULL, *elsewhere = NULL;

	slow.parse_ns = 3.5e6;
	slow.hash_ns = 2.2e6;
	slow.old_ns = 3.3e6;
	partly = compare(selection, &usual, &slow, PAIRS);
	assert_true(says(partly, "17 % of what on-CPU time gained"));
	assert_false(says(partly, "it is not what grew"));
	slow.parse_ns = 2.9e6;
	slow.hash_ns = 2.8e6;
	slow.old_ns = 2.8e6;
	elsewhere = compare(selection, &usual, &slow, PAIRS);
	assert_true(says(elsewhere, "it is not what grew"));
}

static double cell_of(const struct document *document, const char *key, const char *row, const char *column)
{
	for (size_t i = 0; i < document->section_count; i++) {
		const struct table *table = document->sections[i].table;

		if (document->sections[i].kind != SECTION_TABLE || strcmp(document->sections[i].key, key) != 0)
			continue;
		for (size_t r = 0; r < table->row_count; r++)
			for (size_t c = 0; c < table->column_count; c++)
				if (!strcmp(table->cells[r * table->column_count].text, row) && !strcmp(table->columns[c].key, column))
					return table->cells[r * table->column_count + c].number;
	}
	return NAN;
}

/* A thousand intervals in each run, of 10000 completions and of 2000: pooled, the pairs would not weigh alike. */
TEST(rate_and_cost_sum_to_the_change_of_the_row)
{
	struct run few = usual, slow = usual;
	CLEANUP(selection) struct selection *selection = selection_new();
	struct comparison_options options = comparison_defaults;
	CLEANUP(comparison) struct comparison *comparison = NULL;
	CLEANUP(document) struct document *document = document_new("test", "test");
	const struct comparison_asked asked = { .anyway = true };
	const struct compared *row;
	struct error err = { 0 };
	double by_rate, by_cost;

	options.selection = selection;
	comparison = comparison_new(&options);
	few.completions = 2000;
	few.parse_ns = 9e6;
	slow.parse_ns = 5e6;
	slow.completions = 4000;
	add(comparison, SIDE_BASE, 0, make(&usual, 1));
	add(comparison, SIDE_BASE, 1, make(&few, 1));
	add(comparison, SIDE_CANDIDATE, 0, make(&slow, 1));
	add(comparison, SIDE_CANDIDATE, 1, make(&slow, 1.01));
	assert_int_equal(comparison_finish(comparison, &err), 0);
	comparison_document(comparison, &asked, document);
	row = comparison_find(comparison, "oncpu");
	by_rate = cell_of(document, "rates", "oncpu", "by_rate");
	by_cost = cell_of(document, "rates", "oncpu", "by_cost");
	assert_true(fabs(by_rate + by_cost - row->judged.delta.estimate) < 1);
	assert_true(fabs(cell_of(document, "rates", "oncpu", "base_rate") - 0.3) < 1e-9);
}

TEST(that_a_part_of_the_time_is_rough_at_its_edges_is_said)
{
	CLEANUP(selection) struct selection *selection = selection_new();
	CLEANUP(comparison) struct comparison *comparison = NULL;

	assert_int_equal(selection_window(selection, 2ull * BUILDER_SECOND, 0, NULL), 0);
	comparison = compare_requests(selection);
	assert_true(says(comparison, "an interval counts where it ended"));
}

/* Disk gains 1 ms per completion in every pair, lock 30 ms in one of them. */
static struct profile *make_waits(uint64_t disk_ns, uint64_t lock_ns, const char *id)
{
	struct profile *profile = profile_new();
	struct process_id process = built_process(profile, 1, "service");
	struct thread_id thread = built_thread(profile, process, 1, "worker", BUILDER_START, BUILDER_START + 100ull * BUILDER_SECOND);
	struct slice_id slice = built_slice(profile, BUILDER_START, BUILDER_START + 100ull * BUILDER_SECOND);

	profile_set_meta(profile, "capture.id", id);
	built_wait(profile, slice, thread, built_evidence(profile, "disk/read", EVIDENCE_IOWAIT, WAKE_SOFTIRQ), 1000 * disk_ns, 1000, disk_ns);
	built_wait(profile, slice, thread, built_evidence(profile, "lock/mutex", EVIDENCE_OWNER_WOKE, WAKE_TASK), 1000 * lock_ns, 1000, lock_ns);
	built_completions(profile, slice, process, "200", OUTCOME_CORRECT, 1000);
	profile_freeze(profile);
	return profile;
}

TEST(what_lost_most_is_what_was_shown_to_grow)
{
	CLEANUP(selection) struct selection *selection = selection_new();
	struct comparison_options options = comparison_defaults;
	CLEANUP(comparison) struct comparison *comparison = NULL;
	struct error err = { 0 };

	options.selection = selection;
	comparison = comparison_new(&options);
	for (size_t pair = 0; pair < PAIRS; pair++)
		for (size_t side = 0; side < 2; side++) {
			char id[16];

			(void)snprintf(id, sizeof(id), "%zu-%zu", side, pair);
			add(comparison, (enum side)side, pair,
			    make_waits(1000000 + side * 1000000 + pair * 1000, 1000000 + (side && pair == 2 ? 30000000 : 0), id));
		}
	assert_int_equal(comparison_finish(comparison, &err), 0);
	assert_int_equal(change_of(comparison, "lock"), CHANGE_UNCLEAR);
	assert_true(comparison_find(comparison, "lock")->judged.delta.estimate > comparison_find(comparison, "disk")->judged.delta.estimate);
	assert_string_equal(comparison_most_lost(comparison)->name, "disk");
}

TEST(what_a_load_generator_saw_is_not_held_against_what_the_service_saw)
{
	const struct objective objective = { .known = true, .source = "the load generator", .mean_ns = 5e6, .p50_ns = NAN, .p90_ns = NAN,
					     .p99_ns = NAN, .p999_ns = NAN, .throughput_per_s = NAN, .correct = NAN };
	const struct comparison_given given = { .objective = &objective };
	CLEANUP(selection) struct selection *selection = selection_new();
	struct comparison_options options = comparison_defaults;
	CLEANUP(comparison) struct comparison *comparison = NULL;
	CLEANUP(profile) struct profile *candidate = make_requests(3000000);
	struct error err = { 0 };

	options.selection = selection;
	comparison = comparison_new(&options);
	add(comparison, SIDE_BASE, 0, make_requests(1000000));
	assert_int_equal(comparison_add(comparison, SIDE_CANDIDATE, 0, "candidate", candidate, &given, &err), 0);
	assert_int_equal(comparison_finish(comparison, &err), 0);
	assert_int_equal(change_of(comparison, "elapsed:mean"), CHANGE_UNMEASURED);
	assert_true(says(comparison, "mean 5 ms in the candidate, and the base's is not known"));
	expect_elapsed(comparison, "elapsed:in disk", 0.6e6, 0.8e6);
}
