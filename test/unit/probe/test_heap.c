/* SPDX-License-Identifier: Apache-2.0 */
/* What the records of sampled objects add up to, and whether the interval around it holds the truth as often as it says. */
#include "test.h"

#include "capture/batch.h"
#include "probe/decoder.h"
#include "probe/heap_book.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct sums { double value, variance; uint64_t count; };

static struct sums sums_of(const struct profile *profile, const char *name, enum measure_role role)
{
	struct dimension_id id = profile_dimension_find(profile, NULL, name);
	struct sums sums = { 0 };

	for (size_t i = 0; id.index && i < profile_cell_count(profile); i++) {
		const struct cell *cell = profile_cell_at(profile, i);
		const struct measure *measure = profile_measure_at(profile, cell->measure.index);

		if (measure->dimension.index != id.index || measure->role != role)
			continue;
		sums.value += (double)cell->value;
		sums.variance += cell->variance;
		sums.count += cell->count;
	}
	return sums;
}

static void put_sample(struct batch *batch, uint64_t id, uint64_t size, uint64_t mean, uint32_t process, uint64_t at_ns)
{
	struct wire_heap_sample wire = { .id = id, .size = size, .mean_bytes = mean, .process = process, .thread = process };

	batch_put(batch, WIRE_HEAP_SAMPLE, at_ns, &wire, sizeof(wire), NULL);
}

static void put_freed(struct batch *batch, uint64_t id, uint32_t process, uint64_t at_ns)
{
	struct wire_heap_freed wire = { .id = id, .process = process };

	batch_put(batch, WIRE_HEAP_FREED, at_ns, &wire, sizeof(wire), NULL);
}

static void put_event(struct batch *batch, uint32_t process, uint32_t event, uint64_t at_ns)
{
	struct wire_heap_process wire = { .process = process, .event = event };

	batch_put(batch, WIRE_HEAP_PROCESS, at_ns, &wire, sizeof(wire), NULL);
}

static struct profile *decoded(struct batch *batch, uint64_t end_ns)
{
	struct profile *profile = profile_new();
	struct decoder *decoder = decoder_new(profile);
	struct wire_slice slice = { .start_ns = 1, .end_ns = end_ns };
	struct wire_heap_end end = { .unsampled = 0 };
	struct batch all = { 0 };

	batch_put(&all, WIRE_SLICE, 0, &slice, sizeof(slice), NULL);
	assert_int_equal(decoder_feed(decoder, all.bytes, all.size), 0);
	batch_put(batch, WIRE_HEAP_END, end_ns, &end, sizeof(end), NULL);
	assert_int_equal(decoder_feed(decoder, batch->bytes, batch->size), 0);
	assert_null(profile_broken(profile));
	decoder_free(decoder);
	batch_done(&all);
	batch_done(batch);
	return profile;
}

TEST(what_is_freed_is_allocated_and_not_retained)
{
	struct batch batch = { 0 };
	struct profile *profile;

	put_sample(&batch, 1, 1 << 20, 1 << 10, 7, 100);        /* sampled for certain: it stands for itself */
	put_sample(&batch, 2, 1 << 20, 1 << 10, 7, 110);
	put_freed(&batch, 1, 7, 200);
	profile = decoded(&batch, 1000);
	assert_true(fabs(sums_of(profile, "alloc_space", ROLE_TOTAL).value - (2 << 20)) <= 2);
	assert_true(fabs(sums_of(profile, "inuse_space", ROLE_TOTAL).value - (1 << 20)) <= 1);
	assert_int_equal(sums_of(profile, "inuse_objects", ROLE_SPLIT).value, 1);
	assert_int_equal(profile_meta_number(profile, "heap.peak_bytes", 0) >> 20, 2);
	profile_free(profile);
}

TEST(an_end_that_is_told_before_its_beginning_is_kept_for_it)
{
	struct batch batch = { 0 };
	struct profile *profile;

	put_freed(&batch, 1, 7, 200);
	put_freed(&batch, 2, 8, 200);                           /* another process' copy */
	put_sample(&batch, 1, 1 << 20, 1 << 10, 7, 100);
	put_sample(&batch, 2, 1 << 20, 1 << 10, 7, 110);
	profile = decoded(&batch, 1000);
	assert_true(fabs(sums_of(profile, "alloc_space", ROLE_TOTAL).value - (2 << 20)) <= 2);
	assert_int_equal(sums_of(profile, "inuse_objects", ROLE_SPLIT).value, 1);
	profile_free(profile);
}

TEST(a_child_frees_its_copy_and_not_the_object)
{
	struct batch batch = { 0 };
	struct profile *profile;

	put_sample(&batch, 1, 1 << 20, 1 << 10, 7, 100);
	put_freed(&batch, 1, 8, 200);
	put_freed(&batch, 99, 7, 200);
	profile = decoded(&batch, 1000);
	assert_int_equal(sums_of(profile, "inuse_objects", ROLE_TOTAL).value, 1);
	profile_free(profile);
}

TEST(what_a_process_held_at_its_end_is_retained_and_lives_no_longer)
{
	struct batch batch = { 0 };
	struct profile *profile;

	put_event(&batch, 7, WIRE_HEAP_BEGAN, 50);
	put_sample(&batch, 1, 1 << 20, 1 << 10, 7, 100);
	put_event(&batch, 7, WIRE_HEAP_ENDED, 200);
	put_sample(&batch, 2, 1 << 20, 1 << 10, 8, 300);
	profile = decoded(&batch, 1000);
	assert_int_equal(sums_of(profile, "inuse_objects", ROLE_TOTAL).value, 2);
	assert_int_equal(profile_meta_number(profile, "heap.peak_bytes", 0) >> 20, 1);
	assert_int_equal(profile_meta_number(profile, "heap.processes", 0), 1);
	profile_free(profile);
}

TEST(a_new_image_that_is_told_late_ends_nothing_that_came_after_it)
{
	struct batch batch = { 0 };
	struct profile *profile;

	put_sample(&batch, 1, 1 << 20, 1 << 10, 7, 100);
	put_sample(&batch, 2, 1 << 20, 1 << 10, 7, 300);
	put_event(&batch, 7, WIRE_HEAP_BEGAN, 200);
	put_freed(&batch, 1, 7, 400);
	put_freed(&batch, 2, 7, 400);
	profile = decoded(&batch, 1000);
	assert_int_equal(sums_of(profile, "inuse_objects", ROLE_TOTAL).value, 1);
	profile_free(profile);
}

TEST(objects_that_come_and_go_leave_no_trace_in_what_is_retained)
{
	struct batch batch = { 0 };
	struct profile *profile;

	for (uint64_t id = 1; id <= 300000; id++) {
		put_sample(&batch, id, 64, 32, 7, id * 2);
		put_freed(&batch, id, 7, id * 2 + 1);
	}
	put_sample(&batch, 300001, 4096, 32, 7, 700000);
	profile = decoded(&batch, 800000);
	assert_int_equal(sums_of(profile, "alloc_space", ROLE_TOTAL).count, 300001);
	assert_int_equal(sums_of(profile, "inuse_space", ROLE_TOTAL).value, 4096);
	profile_free(profile);
}

/* A program that keeps objects of many sizes, sampled a hundred times over by the countdown that the shim uses. */
TEST(the_interval_holds_the_truth_as_often_as_it_says)
{
	enum { RUNS = 200, OBJECTS = 4000, MEAN = 64 << 10 };
	unsigned inside = 0;

	srand48(11);
	for (int run = 0; run < RUNS; run++) {
		struct profile *profile;
		struct batch batch = { 0 };
		double truth = 0, left = -log(1 - drand48()) * MEAN;
		struct sums sums;

		for (uint64_t i = 1; i <= OBJECTS; i++) {
			uint64_t size = 16ull << (i % 13);

			truth += (double)size;
			left -= (double)size;
			if (left > 0)
				continue;
			put_sample(&batch, i, size, MEAN, 7, i);
			left = -log(1 - drand48()) * MEAN;
		}
		profile = decoded(&batch, 100000);
		sums = sums_of(profile, "inuse_space", ROLE_SPLIT);
		inside += fabs(sums.value - truth) <= 1.959964 * sqrt(sums.variance);
		assert_true(1.959964 * sqrt(sums.variance) <= 2 / sqrt((double)sums.count) * sums.value);
		profile_free(profile);
	}
	assert_in_range(inside, RUNS * 90 / 100, RUNS * 99 / 100);
}

TEST(a_size_that_no_address_space_holds_is_no_object)
{
	struct batch batch = { 0 };
	struct profile *profile;

	put_sample(&batch, 1, UINT64_MAX, 1 << 10, 7, 100);
	profile = decoded(&batch, 1000);
	assert_int_equal(profile_cell_count(profile), 0);
	profile_free(profile);
}
