/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include <errno.h>

#include "base/error.h"
#include "log_file.h"
#include "work/work.h"

static struct error err;
static char told[4096];

static void add(void *to, const struct work_count *count)
{
	assert_ptr_equal(to, told);
	assert_int_equal(count->process + count->port, 0);
	(void)snprintf(told + strlen(told), sizeof(told) - strlen(told), "%s%s=%lu ", count->class,
		       count->outcome == OUTCOME_CORRECT ? "+" : "-", (unsigned long)count->count);
}

static const char *collect(const struct work *work, struct work_state *source)
{
	told[0] = '\0';
	assert_int_equal(work->collect(source, false, add, told, &err), 0);
	return told;
}

static struct work_state *open_log(const char *expression, const char *correct)
{
	char argument[512];
	struct work_options options = { .argument = argument, .correct = correct };
	struct work_state *source = NULL;

	(void)snprintf(argument, sizeof(argument), "%s:%s", log_path, expression);
	assert_int_equal(work_find("log")->check(argument, &err), 0);
	assert_int_equal(work_find("log")->open(&options, &source, &err), 0);
	return source;
}

TEST(lines_that_match_are_counted_once)
{
	const struct work *work = work_find("log");
	struct work_state *source;

	log_make("done before\n");
	source = open_log("^done: ", NULL);
	log_append("done: 1\nnot done: 2\ndone: 3\ndo");
	assert_string_equal(collect(work, source), "+=2 ");
	assert_string_equal(collect(work, source), "");
	log_append("ne: 4\n");
	assert_string_equal(collect(work, source), "+=1 ");
	work->close(source);
	log_remove();
}

TEST(the_first_group_is_the_class_and_a_list_says_what_is_correct)
{
	const struct work *work = work_find("log");
	struct work_state *source;

	log_make("");
	source = open_log("status=([0-9]+)( |$)", "2xx,304");
	log_append("a status=200 x\nb status=503\nc status=200\nd status=304\nstatus=\nstatus=20x\n");
	assert_string_equal(collect(work, source), "200+=2 503-=1 304+=1 ");
	work->close(source);
	log_remove();
}

TEST(a_group_that_did_not_take_part_gives_no_class)
{
	const struct work *work = work_find("log");
	struct work_state *source;

	log_make("");
	source = open_log("^(x)?done", "x");
	log_append("done\nxdone\n");
	assert_string_equal(collect(work, source), "-=1 x+=1 ");
	work->close(source);
	log_remove();
}

TEST(a_zero_byte_ends_neither_line_nor_count)
{
	const struct work *work = work_find("log");
	struct work_state *source;
	FILE *file;

	log_make("");
	source = open_log("done$", NULL);
	file = fopen(log_path, "ae");
	(void)fwrite("a\0done\nb done\n", 1, 14, file);
	(void)fclose(file);
	assert_string_equal(collect(work, source), "+=2 ");
	work->close(source);
	log_remove();
}

static uint64_t all;
static int classes, other;

static void add_up(void *to, const struct work_count *count)
{
	(void)to;
	all += count->count;
	classes++;
	other += strcmp(count->class, "other") == 0;
}

TEST(classes_without_end_are_counted_as_other)
{
	const struct work *work = work_find("log");
	struct work_state *source;
	FILE *file;

	log_make("");
	source = open_log("id=(.*)", NULL);
	file = fopen(log_path, "ae");
	for (int i = 0; i < 5000; i++)
		(void)fprintf(file, "id=%d\n", i);
	(void)fclose(file);
	assert_int_equal(work->collect(source, true, add_up, NULL, &err), 0);
	assert_int_equal(all, 5000);
	assert_int_equal(other, 1);
	assert_in_range(classes, 100, 1100);
	work->close(source);
	log_remove();
}

TEST(an_argument_that_is_unsound_is_refused_with_advice)
{
	const struct work *work = work_find("log");
	static const char *const arguments[] = { NULL, "", "/var/log/x", ":x", "/var/log/x:", "/var/log/x:(" };

	for (size_t i = 0; i < ARRAY_LENGTH(arguments); i++) {
		assert_int_equal(work->check(arguments[i], &err), -EINVAL);
		assert_int_equal(err.kind, FAILURE_USAGE);
		assert_true(err.next[0] != '\0');
	}
}

TEST(a_log_that_is_not_there_cannot_be_measured)
{
	struct work_options options = { .argument = "/nonexistent/log:x" };
	struct work_state *source = NULL;

	assert_int_equal(work_find("log")->open(&options, &source, &err), -ENOENT);
	assert_int_equal(err.kind, FAILURE_CANNOT);
	assert_null(source);
}
