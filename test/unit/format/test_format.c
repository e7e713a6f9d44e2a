/* SPDX-License-Identifier: Apache-2.0 */
#include "format/format.h"

#include "base/cleanup.h"
#include "base/error.h"
#include "test.h"
#include "profile/profile.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

TEST(rows_are_sorted_by_name_and_found_by_it)
{
	for (size_t i = 0; formats[i]; i++) {
		assert_ptr_equal(format_find(formats[i]->name), formats[i]);
		assert_true(!i || strcmp(formats[i - 1]->name, formats[i]->name) < 0);
		assert_true(formats[i]->read || formats[i]->write);
		assert_true(!formats[i]->read || formats[i]->recognise);
		assert_true((formats[i]->recognise && !formats[i]->read) == (formats[i]->instead != NULL));
		assert_true(*formats[i]->summary && strlen(formats[i]->summary) < 72);
	}
	assert_null(format_find("nothing"));
}

TEST(a_file_name_tells_the_format)
{
	assert_string_equal(format_of_suffix("a/b.xcut")->name, "native");
	assert_string_equal(format_of_suffix("cpu.pb.gz")->name, "pprof");
	assert_string_equal(format_of_suffix("x.folded")->name, "folded");
	assert_null(format_of_suffix(".xcut"));
	assert_null(format_of_suffix("x.txt"));
	assert_null(format_of_suffix(""));
}

static void looks_like(const char *bytes, size_t size, const char *words)
{
	char path[] = "/tmp/crosscut-test-XXXXXX";
	struct profile *profile = NULL;
	struct error err = { 0 };
	int fd = mkstemp(path);

	assert_int_equal(write(fd, bytes, size), size);
	(void)close(fd);
	assert_true(format_read(path, &profile, &err) < 0);
	(void)unlink(path);
	assert_int_equal(err.kind, FAILURE_WORK);
	assert_non_null(strstr(err.why, words));
	assert_non_null(strstr(err.next, "list formats"));
}

TEST(a_foreign_file_is_named_for_what_it_looks_like)
{
	looks_like("\x7f" "ELF\2\1\1", 7, "ELF");
	looks_like("{\"a\": 1}\n", 9, "JSON");
	looks_like("hello\nworld\n", 12, "text");
	looks_like("\1\2\3\4\5", 5, "data");
	looks_like(
		"SQLite format 3\0..............................................................",
		78, "SQLite");
}

TEST(what_is_no_regular_file_is_not_waited_for)
{
	struct profile *profile = NULL;
	char path[] = "/tmp/crosscut-test-fifo-XXXXXX";
	struct error err = { 0 };

	assert_int_equal(close(mkstemp(path)), 0);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_true(format_read(path, &profile, &err) < 0);
	assert_non_null(strstr(err.why, "empty"));
	(void)unlink(path);
	assert_true(format_read("/dev/null", &profile, &err) < 0);
	assert_non_null(strstr(err.why, "no regular file"));
	assert_true(format_read("/", &profile, &err) == -EISDIR);
	assert_int_equal(err.kind, FAILURE_WORK);
}
