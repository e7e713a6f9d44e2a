/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "work/work.h"

static struct error err;
static uint64_t correct, incorrect;
static int calls;

static void add(void *to, const struct work_count *count)
{
	(void)to;
	calls++;
	*(count->outcome == OUTCOME_CORRECT ? &correct : &incorrect) += count->count;
}

/* By the words of the command line. */
static void run(const char *spec)
{
	const struct work *work = NULL;
	struct work_options options = { 0 };
	struct work_state *state = NULL;

	correct = incorrect = 0;
	calls = 0;
	assert_int_equal(work_parse(spec, &work, &options.argument, &err), 0);
	assert_string_equal(work->name, "count");
	assert_int_equal(work->open(&options, &state, &err), 0);
	assert_int_equal(work->collect(state, false, add, NULL, &err), 0);
	assert_int_equal(calls, 0);                          /* not before the window's end */
	assert_int_equal(work->collect(state, true, add, NULL, &err), 0);
	assert_int_equal(work->collect(state, true, add, NULL, &err), 0);
	work->close(state);
}

TEST(a_bare_number_is_correct_completions)
{
	run("count:100000");
	assert_int_equal(correct, 100000);
	assert_int_equal(incorrect, 0);
	assert_int_equal(calls, 1);
}

TEST(correct_and_incorrect_are_kept_apart)
{
	run("correct:99990,incorrect:10");
	assert_int_equal(correct, 99990);
	assert_int_equal(incorrect, 10);
	run("count:incorrect:7,correct:3");
	assert_int_equal(correct, 3);
	assert_int_equal(incorrect, 7);
}

TEST(no_completions_are_no_completions)
{
	run("count:0");
	assert_int_equal(calls, 0);
}

TEST(what_is_no_number_is_refused_with_advice)
{
	static const char *const arguments[] = { NULL, "", "x", "-1", "1.5", "5,", "correct:", "correct:5;incorrect:1",
						 "99999999999999999999999" };

	for (size_t i = 0; i < ARRAY_LENGTH(arguments); i++) {
		assert_int_equal(work_find("count")->check(arguments[i], &err), -EINVAL);
		assert_int_equal(err.kind, FAILURE_USAGE);
		assert_non_null(strstr(err.next, "--work count:"));
	}
}
