/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include <stdio.h>
#include <string.h>

#include "probe/merge.h"

enum { START = 0x1000, END = 0x2000 };
#define EVALUATOR 0x1800
#define ENTRY WIRE_INTERPRETED_ENTRY

/* "n0 n1 p0 p1 …": which frames come out, leaf first. */
static const char *merged(const uint64_t *addresses, size_t depth, const struct wire_interpreted *frames, size_t count, bool complete)
{
	struct merged rows[64];
	static char text[512];
	size_t made = merge_stack(addresses, depth, frames, count, START, END, complete, rows), size = 0;

	assert_true(made <= depth + count);
	text[0] = '\0';
	for (size_t i = 0; i < made; i++)
		size += (size_t)snprintf(text + size, sizeof(text) - size, "%s%c%u", i ? " " : "", rows[i].interpreted ? 'p' : 'n', rows[i].index);
	return text;
}

TEST(each_entry_of_the_evaluator_gives_way_to_what_it_runs)
{
	static const uint64_t addresses[] = { 0x10, 0x20, EVALUATOR, 0x30, EVALUATOR | 2ull << WIRE_METHOD_SHIFT, 0x40 };
	static const struct wire_interpreted frames[] = { { 1, 0 }, { 2, 0 }, { 3, ENTRY }, { 4, ENTRY } };

	assert_string_equal(merged(addresses, 6, frames, 4, true), "n0 n1 p0 p1 p2 n3 p3 n5");
}

TEST(an_evaluator_that_has_not_begun_its_frame_stands_for_itself)
{
	static const uint64_t addresses[] = { EVALUATOR, 0x30, EVALUATOR, 0x40 };
	static const struct wire_interpreted frames[] = { { 1, 0 }, { 2, ENTRY } };

	assert_string_equal(merged(addresses, 4, frames, 2, true), "n0 n1 p0 p1 n3");
}

TEST(where_the_native_walk_ended_early_the_rest_of_the_interpreters_follows)
{
	static const uint64_t addresses[] = { 0x10, EVALUATOR, 0x30 };
	static const struct wire_interpreted frames[] = { { 1, ENTRY }, { 2, 0 }, { 3, ENTRY } };

	assert_string_equal(merged(addresses, 3, frames, 3, false), "n0 p0 n2 p1 p2");
}

TEST(what_the_interpreter_runs_without_an_evaluator_is_left_out_of_a_complete_stack)
{
	static const uint64_t addresses[] = { 0x10, 0x30 };
	static const struct wire_interpreted frames[] = { { 1, ENTRY } };

	assert_string_equal(merged(addresses, 2, frames, 1, true), "n0 n1");
	assert_string_equal(merged(addresses, 2, NULL, 0, true), "n0 n1");
	assert_string_equal(merged(NULL, 0, frames, 1, true), "");
	assert_string_equal(merged(NULL, 0, frames, 1, false), "p0");
}

TEST(the_end_of_the_evaluator_is_a_return_address_of_it)
{
	static const uint64_t addresses[] = { END, START - 1, END + 1 };
	static const struct wire_interpreted frames[] = { { 1, ENTRY } };

	assert_string_equal(merged(addresses, 3, frames, 1, true), "p0 n1 n2");
}
