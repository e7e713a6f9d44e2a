/* SPDX-License-Identifier: Apache-2.0 */
#include "unit/analysis/asking.h"

static void add(struct profile *profile, struct slice_id slice, struct thread_id thread, const char *name, const char *unit,
		enum dimension_kind kind, struct stack_id stack, uint64_t value, double variance)
{
	const struct dimension_row row = { .name = name, .unit = unit, .kind = kind, .meaning = "" };
	struct cell cell = { .slice = slice, .thread = thread, .value = value, .count = 4, .variance = variance };

	for (int role = ROLE_TOTAL; role <= ROLE_SPLIT; role++) {
		cell.measure = profile_measure(profile, (struct measure){
			.dimension = profile_dimension(profile, &row), .role = (enum measure_role)role, .weighting = WEIGHTING_SAMPLED, .period = 512,
			.source = profile_string(profile, "heap") });
		cell.stack = role == ROLE_SPLIT ? stack : (struct stack_id){ 0 };
		profile_add_cell(profile, cell);
	}
}

static struct asking kept(void)
{
	struct profile *profile = profile_new();
	struct slice_id slice = built_slice(profile, BUILDER_START, BUILDER_START + BUILDER_SECOND);
	struct process_id process = built_process(profile, 1, "shop");
	struct thread_id thread = built_thread(profile, process, 1, "shop", BUILDER_START, BUILDER_START + BUILDER_SECOND);
	struct stack_id cache = built_stack(profile, "main;fill;cache_put", STACK_COMPLETE);
	struct stack_id parse = built_stack(profile, "main;parse", STACK_COMPLETE);

	add(profile, slice, thread, "alloc_space", "bytes", DIMENSION_AMOUNT, cache, 1000, 2500);
	add(profile, slice, thread, "alloc_space", "bytes", DIMENSION_AMOUNT, parse, 9000, 10000);
	add(profile, slice, thread, "inuse_space", "bytes", DIMENSION_LEVEL, cache, 800, 2500);
	return asking(profile);
}

TEST(sites_come_by_what_they_retain_with_the_half_width_of_their_interval)
{
	struct asking it = kept();
	const struct table *table;

	assert_int_equal(ask(&it, "memory"), 0);
	table = table_at(&it, "sites");
	assert_int_equal(table->row_count, 2);
	assert_string_equal(cell_at(table, 0, "site")->text, "cache_put < fill < main");
	near(number_of(cell_at(table, 0, "retained")), 800);
	near(number_of(cell_at(table, 0, "retained_half_width")), 98);          /* 1.96 * 50 */
	near(number_of(cell_at(table, 0, "allocated")), 1000);
	near(number_of(cell_at(table, 1, "retained")), 0);
	near(number_of(cell_at(table, 1, "allocated_half_width")), 196);
	asked(&it);
}

TEST(a_file_without_allocations_says_how_to_get_them)
{
	struct asking it = asking(profile_new());

	assert_int_equal(ask(&it, "memory"), 0);
	assert_null(document_find(it.document, "sites"));
	asked(&it);
}

TEST(what_was_sampled_for_certain_has_no_error)
{
	struct profile *profile = profile_new();
	struct slice_id slice = built_slice(profile, BUILDER_START, BUILDER_START + BUILDER_SECOND);
	struct process_id process = built_process(profile, 1, "shop");
	struct thread_id thread = built_thread(profile, process, 1, "shop", BUILDER_START, BUILDER_START + BUILDER_SECOND);
	struct asking it;

	add(profile, slice, thread, "inuse_space", "bytes", DIMENSION_LEVEL, built_stack(profile, "main", STACK_COMPLETE), 1 << 20, 0);
	profile_set_meta_number(profile, "heap.unsampled", 0);
	it = asking(profile);
	assert_int_equal(ask(&it, "memory"), 0);
	near(number_of(cell_at(table_at(&it, "sites"), 0, "retained_half_width")), 0);
	asked(&it);
}
