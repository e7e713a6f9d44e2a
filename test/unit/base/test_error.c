/* SPDX-License-Identifier: Apache-2.0 */
#include "base/error.h"

#include <errno.h>
#include <string.h>

#include "test.h"

TEST(an_error_says_what_failed_why_and_what_to_try)
{
	struct error err;

	assert_int_equal(fail(&err, FAILURE_CANNOT, -EPERM, "cannot watch '%s'", "sched"), -EPERM);
	assert_string_equal(err.what, "cannot watch 'sched'");
	assert_string_equal(err.why, strerror(EPERM));
	assert_string_equal(err.next, "");
	assert_int_equal(error_because(&err, "needs %s", "CAP_BPF"), -EPERM);
	assert_int_equal(error_try(&err, "run as root"), -EPERM);
	assert_string_equal(err.why, "needs CAP_BPF");
	assert_string_equal(err.next, "run as root");
	assert_int_equal(err.kind, 3);
}

TEST(a_new_error_forgets_the_old_one)
{
	struct error err;

	(void)fail(&err, FAILURE_USAGE, -EINVAL, "first");
	(void)error_try(&err, "this");
	(void)fail(&err, FAILURE_WORK, -EIO, "second");
	assert_string_equal(err.what, "second");
	assert_string_equal(err.next, "");
}

TEST(a_code_with_a_usual_remedy_brings_it_until_there_is_a_better_one)
{
	struct error err;

	(void)fail(&err, FAILURE_WORK, -ENOSPC, "cannot write");
	assert_string_equal(err.next, "a file system with free space");
	(void)error_try(&err, "--max-size 10M");
	assert_string_equal(err.next, "--max-size 10M");
}

TEST(long_texts_are_cut_and_end)
{
	struct error err;
	char text[4096];

	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = 0;
	(void)fail(&err, FAILURE_WORK, -EIO, "%s", text);
	(void)error_because(&err, "%s", text);
	(void)error_try(&err, "%s", text);
	assert_int_equal(strlen(err.what), sizeof(err.what) - 1);
	assert_int_equal(strlen(err.why), sizeof(err.why) - 1);
	assert_int_equal(strlen(err.next), sizeof(err.next) - 1);
}
