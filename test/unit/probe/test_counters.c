/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include "capture/batch.h"
#include "probe/counters.h"
#include "probe/decoder.h"
#include "profile/profile.h"

#include <string.h>

static uint32_t event_of(const char *name)
{
	for (uint32_t i = 0; i < counter_event_count; i++)
		if (!strcmp(counter_events[i].name, name))
			return i;
	return UINT32_MAX;
}

static struct profile *decoded(struct wire_counter_sum wire, size_t *ret_malformed)
{
	struct profile *profile = profile_new();
	struct decoder *decoder = decoder_new(profile);
	struct wire_slice slice = { .start_ns = 1, .end_ns = 2 };
	struct batch batch = { 0 };

	batch_put(&batch, WIRE_SLICE, 0, &slice, sizeof(slice), NULL);
	batch_put(&batch, WIRE_COUNTER, 0, &wire, sizeof(wire), NULL);
	*ret_malformed = decoder_feed(decoder, batch.bytes, batch.size);
	assert_null(profile_broken(profile));
	decoder_free(decoder);
	batch_done(&batch);
	return profile;
}

static const struct cell *total_of(const struct profile *profile, const char *parent, const char *name)
{
	struct dimension_id id = profile_dimension_find(profile, parent, name);

	for (size_t i = 0; id.index && i < profile_cell_count(profile); i++) {
		const struct measure *measure = profile_measure_at(profile, profile_cell_at(profile, i)->measure.index);

		if (measure->dimension.index == id.index && measure->role == ROLE_TOTAL)
			return profile_cell_at(profile, i);
	}
	return NULL;
}

TEST(a_counter_that_ran_half_the_time_counts_twice)
{
	size_t malformed;
	struct profile *profile = decoded((struct wire_counter_sum){
		.key = { .event = event_of("cycles") | WIRE_COUNTER_KERNEL }, .value = { 3, 3000 }, .period = 1000, .enabled_ns = 200,
		.running_ns = 100 }, &malformed);
	const struct cell *cell = total_of(profile, "cycles", "kernel");

	assert_int_equal(malformed, 0);
	assert_non_null(cell);
	assert_int_equal(cell->value, 6000);
	assert_int_equal(cell->count, 3);
	assert_true(cell->variance > 0);
	assert_null(total_of(profile, "cycles", "user"));
	profile_free(profile);
}

TEST(faults_are_parted_by_kind_and_not_by_mode)
{
	size_t malformed;
	struct profile *profile = decoded((struct wire_counter_sum){
		.key = { .event = 1 | WIRE_COUNTER_KERNEL }, .value = { 7, 7 }, .period = 1 }, &malformed);
	const struct cell *cell = total_of(profile, "page-faults", "major");

	assert_non_null(cell);
	assert_int_equal(cell->value, 7);
	assert_true(cell->variance == 0);
	profile_free(profile);
}

TEST(an_event_that_nobody_knows_adds_nothing)
{
	size_t malformed;
	struct profile *profile = decoded((struct wire_counter_sum){ .key = { .event = 4096 }, .value = { 7, 7 }, .period = 1 }, &malformed);

	assert_int_equal(profile_cell_count(profile), 0);
	profile_free(profile);
}
