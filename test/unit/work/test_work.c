/* SPDX-License-Identifier: Apache-2.0 */
/* How --work and --correct are read. */
#include "test.h"

#include "base/error.h"
#include "work/work.h"

#include <string.h>

TEST(a_source_is_found_by_name_and_the_rest_is_its_argument)
{
	const struct work *work;
	const char *argument;
	struct error err;

	assert_int_equal(work_parse("http:8080", &work, &argument, &err), 0);
	assert_string_equal(work->name, "http");
	assert_string_equal(argument, "8080");
	assert_int_equal(work_parse("http", &work, &argument, &err), 0);
	assert_null(argument);
}

TEST(counts_given_by_outcome_belong_to_count)
{
	const struct work *work;
	const char *argument;
	struct error err;

	assert_int_equal(work_parse("correct:5,incorrect:1", &work, &argument, &err), 0);
	assert_string_equal(work->name, "count");
	assert_string_equal(argument, "correct:5,incorrect:1");
}

TEST(an_unknown_source_and_a_port_that_is_none_are_wrong_questions)
{
	const struct work *work;
	const char *argument;
	struct error err;

	assert_true(work_parse("htpt", &work, &argument, &err) < 0);
	assert_int_equal(err.kind, FAILURE_USAGE);
	assert_non_null(strstr(err.next, "http"));
	assert_true(work_parse("http:70000", &work, &argument, &err) < 0);
	assert_true(work_parse("http:", &work, &argument, &err) < 0);
}

TEST(a_list_of_correct_classes_names_statuses_and_hundreds)
{
	assert_true(work_class_listed("200,304", "304"));
	assert_true(work_class_listed("2xx,404", "204"));
	assert_false(work_class_listed("2xx", "404"));
	assert_false(work_class_listed("20", "200"));
	assert_false(work_class_listed("", "200"));
}
