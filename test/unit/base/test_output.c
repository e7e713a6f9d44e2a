/* SPDX-License-Identifier: Apache-2.0 */
#include "base/output.h"

#include "base/error.h"
#include "base/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "test.h"

static char folder[] = "/tmp/output-XXXXXX";

static const char *path_of(const char *name)
{
	static char path[128];

	if (strstr(folder, "XXXXXX"))
		assert_non_null(mkdtemp(folder));
	(void)snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

TEST(a_new_file_is_for_its_owner_only)
{
	const char *path = path_of("new");
	struct output to;
	struct error err;
	struct stat status;

	assert_int_equal(output_open(&to, path, 0, &err), 0);
	output_print(&to, "%d\n", 7);
	assert_int_equal(output_finish(&to, &err), 0);
	assert_int_equal(stat(path, &status), 0);
	assert_int_equal(status.st_mode & 0777, 0600);
	assert_int_equal(status.st_size, 2);
	assert_int_equal(unlink(path), 0);
}

TEST(an_existing_file_is_overwritten_only_on_demand)
{
	const char *path = path_of("old");
	struct output to;
	struct error err;

	assert_int_equal(output_open(&to, path, 0, &err), 0);
	assert_int_equal(output_finish(&to, &err), 0);
	assert_int_equal(output_open(&to, path, 0, &err), -EEXIST);
	assert_int_equal(err.kind, FAILURE_WORK);
	assert_non_null(strstr(err.next, "--force"));
	assert_int_equal(output_open(&to, path, OUTPUT_REPLACE, &err), 0);
	assert_int_equal(output_finish(&to, &err), 0);
	assert_int_equal(unlink(path), 0);
}

TEST(a_full_disk_is_found_once_and_said_at_the_end)
{
	struct output to;
	struct error err;
	FILE *full = fopen("/dev/full", "w");

	assert_non_null(full);
	output_to_file(&to, full);
	for (int i = 0; i < 10000; i++)
		output_puts(&to, "something that will not arrive\n");
	assert_int_equal(output_finish(&to, &err), -ENOSPC);
	assert_int_equal(err.kind, FAILURE_WORK);
	fclose(full);
}

TEST(what_does_not_fit_into_memory_is_an_error)
{
	struct text text = TEXT(8);
	struct output to;
	struct error err;

	output_to_text(&to, &text);
	output_puts(&to, "0123456789");
	assert_int_equal(output_finish(&to, &err), -EFBIG);
	text_done(&text);
}

TEST(a_folder_that_does_not_exist_is_named)
{
	struct output to;
	struct error err;

	assert_int_equal(output_open(&to, "/nonexistent/file", 0, &err), -ENOENT);
	assert_non_null(strstr(err.what, "/nonexistent/file"));
}

TEST(the_folder_of_these_tests_is_empty_again)
{
	assert_int_equal(rmdir(folder), 0);
}
