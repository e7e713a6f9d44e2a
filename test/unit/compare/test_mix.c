/* SPDX-License-Identifier: Apache-2.0 */
/* Changes that can be split by hand: none of the classes, only their mix (Simpson's paradox); one dearer; more of all; one new. */
#include "test.h"

#include <math.h>
#include <string.h>

#include "compare/mix.h"
#include "profile/selection.h"
#include "result/document.h"
#include "unit/profile_builder.h"

static const double ten[2] = { 10, 10 };

static void expect(double value, double wanted)
{
	assert_true(fabs(value - wanted) <= 1e-9 * fmax(1, fabs(wanted)));
}

static struct mix_split split_of(const struct mix_class *classes, size_t count, const double seconds[2])
{
	struct mix_split split;

	mix_split(classes, count, seconds, &split);
	expect(split.by_rate + split.by_mix + split.by_cost, split.candidate - split.base);
	return split;
}

/*
 * A read takes 2 ms and a write 10 ms on both sides. 900 reads and 100 writes in 10 s take 2.8 ms each, 280 ms a second; then
 * 500 and 500 take 6 ms each, 600 ms a second: +320 ms, and no class costs more.
 */
TEST(a_mean_that_rose_while_no_class_did_is_all_mix)
{
	const struct mix_class classes[] = { { { 900, 500 }, { 900 * 2e6, 500 * 2e6 } }, { { 100, 500 }, { 100 * 10e6, 500 * 10e6 } } };
	struct mix_split split = split_of(classes, 2, ten);

	expect(split.base, 280e6);
	expect(split.candidate, 600e6);
	expect(split.by_rate, 0);
	expect(split.by_mix, 320e6);
	expect(split.by_cost, 0);
}

/* Each class became faster (2 to 1.5 ms, 10 to 9 ms), and yet the mean rose from 2.8 to 5.25 ms: by mix (0.4 x 9.5 - 0.4 x 1.75). */
TEST(classes_that_all_became_faster_show_so_although_the_mean_rose)
{
	const struct mix_class classes[] = { { { 900, 500 }, { 1800e6, 750e6 } }, { { 100, 500 }, { 1000e6, 4500e6 } } };
	struct mix_split split = split_of(classes, 2, ten);

	expect(split.by_mix, 100 * 3.1e6);
	expect(split.by_cost, 100 * (-0.5 * 0.7 - 1 * 0.3) * 1e6);
}

/* Twice the requests of the same kind at the same cost: 100 a second at 2 ms, then 200. */
TEST(more_of_the_same_is_all_rate)
{
	const struct mix_class classes[] = { { { 1000, 2000 }, { 2000e6, 4000e6 } } };
	struct mix_split split = split_of(classes, 1, ten);

	expect(split.by_rate, 200e6);
	expect(split.by_mix, 0);
	expect(split.by_cost, 0);
}

/* The rate is per second of the captures: as many requests in half the time are twice the rate. */
TEST(the_length_of_the_captures_is_taken_into_account)
{
	const struct mix_class classes[] = { { { 1000, 1000 }, { 2000e6, 2000e6 } } };
	struct mix_split split = split_of(classes, 1, (const double[]){ 10, 5 });

	expect(split.by_rate, 200e6);
}

/* A tenth of the requests becomes one of a class that was not there, of 22 ms: (0.1 x 22 - 0.1 x 2) ms a request. */
TEST(a_class_that_is_new_is_mix_and_not_cost)
{
	const struct mix_class classes[] = { { { 1000, 900 }, { 2000e6, 1800e6 } }, { { 0, 100 }, { 0, 2200e6 } } };
	struct mix_split split = split_of(classes, 2, ten);

	expect(split.by_mix, 100 * 2e6);
	expect(split.by_cost, 0);
}

/* --- From captures ----------------------------------------------------------------------------------------------------------- */

struct wanted { const char *class; unsigned count, one_in; uint64_t disk_ns, oncpu_ns; };

static struct profile *make(const struct wanted *wanted, size_t count)
{
	struct profile *profile = profile_new();
	struct process_id process = built_process(profile, 1, "service");
	struct thread_id thread = built_thread(profile, process, 1, "worker", BUILDER_START, BUILDER_START + 10ull * BUILDER_SECOND);
	uint32_t number = 0;

	(void)built_slice(profile, BUILDER_START, BUILDER_START + 10ull * BUILDER_SECOND);
	for (size_t i = 0; i < count; i++)
		for (unsigned k = 0; k < wanted[i].count; k++, number++) {
			uint64_t opened_ns = BUILDER_START + 1000ull * number;

			profile_add_request(profile, (struct request){
				.thread = thread, .class = profile_string(profile, wanted[i].class), .one_in = wanted[i].one_in,
				.opened_ns = opened_ns, .closed_ns = opened_ns + wanted[i].disk_ns + wanted[i].oncpu_ns });
			profile_add_part(profile, (struct part){ .request = number, .dimension = built_dimension(profile, "disk"),
								 .ns = wanted[i].disk_ns });
			profile_add_part(profile, (struct part){ .request = number, .dimension = built_dimension(profile, "oncpu"),
								 .ns = wanted[i].oncpu_ns });
		}
	profile_freeze(profile);
	return profile;
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
	assert_string_equal("", key);                   /* no such row */
	return NAN;
}

static struct document *answer_of(const struct wanted *base, const struct wanted *candidate, size_t count)
{
	CLEANUP(mix) struct mix *mix = mix_new();
	CLEANUP(selection) struct selection *selection = selection_new();
	struct document *document = document_new("test", "test");
	struct profile *profiles[2] = { make(base, count), make(candidate, count) };

	for (size_t side = 0; side < 2; side++) {
		mix_add(mix, profiles[side], selection, side, 10);
		profile_free(profiles[side]);
	}
	mix_add_finding(mix, document);
	mix_add_document(mix, 0, document);
	return document;
}

/* As above, in requests that stand for ten each; a read waits for nothing, a write for the disk 9 of its 10 ms. */
TEST(requests_of_captures_are_split_by_class_and_state)
{
	static const struct wanted base[] = { { "GET /item", 90, 10, 0, 2000000 }, { "POST /item", 10, 10, 9000000, 1000000 } };
	static const struct wanted candidate[] = { { "GET /item", 50, 10, 0, 2000000 }, { "POST /item", 50, 10, 9000000, 1000000 } };
	CLEANUP(document) struct document *document = answer_of(base, candidate, 2);

	expect(cell_of(document, "mix", "elapsed", "delta"), 320e6);
	expect(cell_of(document, "mix", "elapsed", "by_mix"), 320e6);
	expect(cell_of(document, "mix", "elapsed", "by_cost"), 0);
	expect(cell_of(document, "mix", "in disk", "by_mix"), 360e6);
	expect(cell_of(document, "mix", "in oncpu", "by_mix"), -40e6);
	expect(cell_of(document, "mix_classes", "POST /item", "base_share"), 0.1);
	expect(cell_of(document, "mix_classes", "POST /item", "by_mix"), 4e6);
	assert_int_equal(document->sections[0].kind, SECTION_FINDING);
}

/* A class that costs more is no matter of the mix: nothing is warned of. */
TEST(a_class_that_became_dearer_is_no_mix)
{
	static const struct wanted base[] = { { "GET /item", 90, 1, 0, 2000000 }, { "POST /item", 10, 1, 9000000, 1000000 } };
	static const struct wanted candidate[] = { { "GET /item", 90, 1, 1000000, 2000000 }, { "POST /item", 10, 1, 9000000, 1000000 } };
	CLEANUP(document) struct document *document = answer_of(base, candidate, 2);

	expect(cell_of(document, "mix", "elapsed", "by_mix"), 0);
	expect(cell_of(document, "mix", "elapsed", "by_cost"), 9e6);
	expect(cell_of(document, "mix", "in disk", "by_cost"), 9e6);
	assert_int_equal(document->sections[0].kind, SECTION_TABLE);
}
