/* SPDX-License-Identifier: Apache-2.0 */
/* The five rows, and which of them a capture's time proposes: cpu-cost, latency, memory, remote, scaling. */
#include "test.h"

#include "symptom/symptom.h"

#include <math.h>
#include <string.h>

static const char *proposed(struct symptom_facts facts)
{
	const struct symptom *best;
	double fit;

	facts.elapsed_ns = 100;
	facts.processors = 4;
	best = symptom_propose(&facts, &fit);
	if (!best)
		return "none";
	assert_true(fit > 0 && fit <= 1);
	return best->name;
}

TEST(each_kind_of_time_proposes_the_row_that_is_about_it)
{
	assert_string_equal(proposed((struct symptom_facts){ .oncpu = 90, .disk = 5, .lock = 5 }), "cpu-cost");
	assert_string_equal(proposed((struct symptom_facts){ .oncpu = 10, .paging = 60, .disk = 10 }), "memory");
	assert_string_equal(proposed((struct symptom_facts){ .oncpu = 10, .disk = 60, .lock = 10 }), "remote");
	assert_string_equal(proposed((struct symptom_facts){ .oncpu = 10, .network = 60, .runnable = 10 }), "remote");
	assert_string_equal(proposed((struct symptom_facts){ .oncpu = 10, .lock = 60, .runnable = 10, .disk = 5 }), "scaling");
}

/* Twice as many threads as processors, and no lock: they wait for a processor, and not for each other. */
TEST(ready_time_without_locks_is_a_processor_that_is_saturated)
{
	assert_string_equal(proposed((struct symptom_facts){ .oncpu = 35, .runnable = 55, .disk = 9 }), "cpu-cost");
	assert_string_equal(proposed((struct symptom_facts){ .oncpu = 5, .runnable = 55, .lock = 30, .disk = 9 }), "scaling");
}

TEST(waits_of_several_kinds_are_latency)
{
	assert_string_equal(proposed((struct symptom_facts){ .oncpu = 8, .disk = 42, .runnable = 30, .lock = 10 }), "latency");
}

TEST(a_capture_that_knows_no_states_proposes_nothing)
{
	struct symptom_facts facts = { .oncpu = NAN, .runnable = NAN, .lock = NAN, .disk = NAN, .network = NAN, .paging = NAN,
				       .ipc = NAN, .timer = NAN, .child = NAN, .unknown = NAN };

	assert_string_equal(proposed(facts), "none");
	assert_string_equal(proposed((struct symptom_facts){ 0 }), "none");
}

TEST(every_row_says_all_that_a_reader_needs)
{
	size_t count = 0;

	for (const struct symptom *const *row = symptoms; *row; row++, count++) {
		const char *const texts[] = { (*row)->summary, (*row)->first, (*row)->first_shows, (*row)->second,
					      (*row)->second_shows, (*row)->refutes, (*row)->probes };

		for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
			assert_true(texts[i] && *texts[i]);
		assert_true(!strncmp((*row)->first_command, "crosscut ", 9) && !strncmp((*row)->second_command, "crosscut ", 9));
		assert_ptr_equal(symptom_find((*row)->name), *row);
	}
	assert_int_equal(count, 5);
	assert_null(symptom_find("nothing"));
}
