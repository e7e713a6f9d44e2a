/* SPDX-License-Identifier: Apache-2.0 */
/* What a trigger is and what fires it, on slices that are built here. */
#include "command/trigger.h"

#include <string.h>

#include "base/error.h"
#include "command/flight.h"
#include "gate/gate.h"
#include "test.h"
#include "unit/profile_builder.h"

static struct profile *slice_with(uint64_t latency_ns)
{
	struct profile *profile = profile_new();
	struct thread_id thread = built_thread(profile, built_process(profile, 1, "shop"), 1, "one", 0, 100);

	profile_add_request(profile, (struct request){ .thread = thread, .one_in = 1, .opened_ns = 1000, .closed_ns = 1000 + latency_ns });
	return profile;
}

TEST(alternatives_are_read_one_by_one)
{
	struct trigger trigger;
	struct error err = { 0 };

	assert_int_equal(trigger_parse("request>200ms,gate:lost-events,signal,gate:own-cost", &trigger, &err), 0);
	assert_int_equal(trigger.request_ns, 200000000);
	assert_int_equal(trigger.gate_count, 2);
	assert_string_equal(trigger.gates[1]->name, "own-cost");
	assert_true(trigger.signal);
	assert_true(trigger_parse("gate:lost-events,request>", &trigger, &err) < 0);
	assert_int_equal(err.kind, FAILURE_USAGE);
	assert_non_null(strstr(err.next, "--trigger"));
}

TEST(of_two_limits_the_shorter_fires)
{
	struct trigger trigger;
	struct error err = { 0 };

	assert_int_equal(trigger_parse("request>5ms,request>1s", &trigger, &err), 0);
	assert_int_equal(trigger.request_ns, 5000000);
	assert_int_equal(trigger_parse("request>1s,request>5ms", &trigger, &err), 0);
	assert_int_equal(trigger.request_ns, 5000000);
}

TEST(a_request_fires_only_what_asks_for_requests_and_only_above_the_limit)
{
	struct trigger trigger = { .request_ns = 5000 }, signal = { .signal = true };
	char reason[TRIGGER_REASON_SIZE] = "";
	struct profile *slow = slice_with(5001), *fast = slice_with(5000);

	assert_false(trigger_fires(&trigger, fast, true, reason));
	assert_false(trigger_fires(&signal, slow, false, reason));
	assert_string_equal(reason, "");
	assert_true(trigger_fires(&trigger, slow, false, reason));
	assert_string_equal(reason, "a request took 5.00 us");
	assert_true(trigger_fires(&signal, fast, true, reason));
	profile_free(slow);
	profile_free(fast);
}

static void cut(struct flight *flight, struct profile *profile, uint64_t start_ns, uint64_t end_ns, size_t cells)
{
	struct slice_id slice = profile_slice(profile, start_ns, end_ns);

	profile_clear_facts(profile);
	for (size_t i = 0; i < cells; i++)
		built_total(profile, slice, (struct thread_id){ 1 }, i % 2 ? "oncpu" : "runnable/woken", end_ns - start_ns, 1, 1);
	flight_keep(flight, profile, slice);
}

TEST(the_oldest_slices_are_forgotten_by_time_and_by_room)
{
	struct profile *profile = profile_new();
	struct flight *flight = flight_new(3000, 1 << 20), *narrow = flight_new(1000000, 1);
	struct flight_state held;

	(void)built_thread(profile, built_process(profile, 1, "shop"), 1, "one", 0, 100);
	for (uint64_t at = 0; at < 10; at++)
		cut(flight, profile, at * 1000, (at + 1) * 1000, 2);
	flight_state(flight, &held);
	assert_int_equal(held.slices, 3);
	assert_int_equal(held.kept_ns, 3000);
	assert_int_equal(held.forgotten_for_room, 0);
	for (uint64_t at = 10; at < 14; at++)
		cut(narrow, profile, at * 1000, (at + 1) * 1000, 2);
	flight_state(narrow, &held);
	assert_int_equal(held.slices, 1);                      /* the newest stays, however large */
	assert_int_equal(held.forgotten_for_room, 3);
	assert_int_equal(held.bytes, 2 * sizeof(struct cell));
	flight_free(flight);
	flight_free(narrow);
	profile_free(profile);
}
