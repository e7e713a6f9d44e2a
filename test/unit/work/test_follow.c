/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include <errno.h>
#include <sys/stat.h>

#include "base/error.h"
#include "log_file.h"
#include "work/follow.h"

static char seen[1 << 20];
static struct error err;

static void look(void *context, const char *line, size_t size)
{
	size_t *count = context;

	(*count)++;
	(void)snprintf(seen + strlen(seen), sizeof(seen) - strlen(seen), "%.*s|", (int)size, line);
}

static const char *read_lines(struct follow *follow)
{
	size_t count = 0;

	seen[0] = '\0';
	assert_int_equal(follow_read(follow, look, &count, &err), 0);
	return seen;
}

TEST(a_log_is_followed_from_its_present_end)
{
	struct follow *follow = NULL;

	log_make("before\n");
	assert_int_equal(follow_open(log_path, &follow, &err), 0);
	assert_string_equal(read_lines(follow), "");
	log_append("one\n\ntwo\n");
	assert_string_equal(read_lines(follow), "one||two|");
	assert_string_equal(read_lines(follow), "");
	follow_free(follow);
	log_remove();
}

TEST(a_line_counts_when_it_is_finished)
{
	struct follow *follow = NULL;

	log_make("");
	assert_int_equal(follow_open(log_path, &follow, &err), 0);
	log_append("hal");
	assert_string_equal(read_lines(follow), "");
	log_append("f a li");
	assert_string_equal(read_lines(follow), "");
	log_append("ne\nnext\nrest");
	assert_string_equal(read_lines(follow), "half a line|next|");
	follow_free(follow);
	log_remove();
}

TEST(a_rotated_log_is_read_to_its_end_and_the_new_one_from_its_start)
{
	struct follow_statistics statistics;
	struct follow *follow = NULL;
	const char *rotated;

	log_make("");
	assert_int_equal(follow_open(log_path, &follow, &err), 0);
	log_append("a\n");
	rotated = log_rotate();
	assert_string_equal(read_lines(follow), "a|");           /* nothing at the path yet */
	log_append_to(rotated, "late\nhalf");
	log_append("b\n");
	assert_string_equal(read_lines(follow), "late|b|");
	log_append_to(rotated, " later\n");                      /* its writer has not let go of it */
	log_append("c\n");
	assert_string_equal(read_lines(follow), "half later|c|");
	follow_statistics(follow, &statistics);
	assert_int_equal(statistics.rotated, 1);
	assert_int_equal(statistics.lines, 5);
	(void)log_rotate();
	log_append("d\n");
	assert_string_equal(read_lines(follow), "d|");
	follow_free(follow);
	log_remove();
}

TEST(a_log_that_is_cut_short_is_read_from_its_start)
{
	struct follow_statistics statistics;
	struct follow *follow = NULL;

	log_make("a long line before\n");
	assert_int_equal(follow_open(log_path, &follow, &err), 0);
	log_append("partial");
	assert_string_equal(read_lines(follow), "");
	assert_int_equal(truncate(log_path, 0), 0);
	log_append("new\n");
	assert_string_equal(read_lines(follow), "new|");
	follow_statistics(follow, &statistics);
	assert_int_equal(statistics.truncated, 1);
	follow_free(follow);
	log_remove();
}

TEST(of_a_line_without_end_only_the_beginning_is_kept)
{
	struct follow_statistics statistics;
	struct follow *follow = NULL;
	static char part[100001];
	const char *lines;

	log_make("");
	assert_int_equal(follow_open(log_path, &follow, &err), 0);
	memset(part, 'x', sizeof(part) - 1);
	for (int i = 0; i < 10; i++)
		log_append(part);
	assert_string_equal(read_lines(follow), "");
	log_append("\nshort\n");
	lines = read_lines(follow);
	assert_int_equal(strlen(lines), FOLLOW_LINE_LIMIT + 1 + strlen("short|"));
	assert_string_equal(lines + FOLLOW_LINE_LIMIT, "|short|");
	follow_statistics(follow, &statistics);
	assert_int_equal(statistics.cut, 1);
	assert_int_equal(statistics.lines, 2);
	follow_free(follow);
	log_remove();
}

TEST(what_is_no_plain_file_is_refused)
{
	struct follow *follow = NULL;
	char fifo[128];

	log_make("");
	(void)snprintf(fifo, sizeof(fifo), "%s/fifo", log_folder);
	assert_int_equal(mkfifo(fifo, 0600), 0);
	assert_int_equal(follow_open(fifo, &follow, &err), -EINVAL);
	assert_int_equal(follow_open(log_folder, &follow, &err), -EINVAL);
	assert_int_equal(follow_open("/nonexistent/log", &follow, &err), -ENOENT);
	assert_int_equal(err.kind, FAILURE_CANNOT);
	assert_true(err.next[0] != '\0');
	assert_null(follow);
	log_remove();
}
