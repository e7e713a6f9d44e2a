/* SPDX-License-Identifier: Apache-2.0 */
#include "command/cost_cache.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/memory.h"
#include "test.h"

/* A cache of our own, that did not exist before. */
static char *fresh_cache(void)
{
	char place[] = "/tmp/crosscut-cache-XXXXXX";
	char *path;

	assert_non_null(mkdtemp(place));
	path = xasprintf("%s/deep/er", place);
	assert_int_equal(setenv("XDG_CACHE_HOME", path, 1), 0);
	free(path);
	return xstrdup(place);
}

static char *file_of(const char *place)
{
	struct utsname system;

	assert_int_equal(uname(&system), 0);
	return xasprintf("%s/deep/er/crosscut/cost-%s.json", place, system.release);
}

static void forget(const char *place)
{
	CLEANUP_TEXT char *file = file_of(place), *folder = xasprintf("%s/deep/er/crosscut", place);

	(void)unlink(file);
	for (int i = 0; i < 4; i++) {
		(void)rmdir(folder);
		*strrchr(folder, '/') = '\0';
	}
	assert_int_not_equal(access(place, F_OK), 0);
}

static const struct capture_cost some = {
	.programs = { { "sched_switched", 141.25, 1e6 }, { "sched_waken", 90, 2e6 } }, .program_count = 2,
	.ping_pong = { 2000, 2300.5, 300.5, 250, 350, 9 }, .getppid = { 100, 100.5, 0.5, -1, 2, 9 },
	.measured_wall_s = 1.7e9,
};

TEST(what_was_kept_is_read_again)
{
	CLEANUP_TEXT char *place = fresh_cache();
	CLEANUP_TEXT char *file = file_of(place);
	struct capture_cost read = { 0 };
	struct error err;
	struct stat status;

	assert_int_equal(cost_cache_write(&some, &err), 0);
	assert_true(cost_cache_read(&read));
	assert_memory_equal(&read, &some, sizeof(some));
	assert_int_equal(stat(file, &status), 0);
	assert_int_equal(status.st_mode & 0777, 0600);
	assert_true(cost_of_program(&read, "sched_waken")->ns == 90);
	assert_null(cost_of_program(&read, "sched"));
	forget(place);
}

TEST(where_nothing_was_kept_nothing_is_read)
{
	CLEANUP_TEXT char *place = fresh_cache();
	struct capture_cost read;

	assert_false(cost_cache_read(&read));
	assert_true(read.measured_wall_s == 0);
	assert_int_equal(rmdir(place), 0);
}

TEST(a_damaged_file_costs_no_more_than_its_figures)
{
	static const char *const texts[] = {
		"", "{", "\"measured_wall_s\": nan\n", "\"measured_wall_s\": 1e999\n", "\"program..ns\": 1\n",
		"\"program.\": 1\n\"program.a\": 2\n",
		"\"program.a_name_that_is_longer_than_any_program_of_ours_could_be.ns\": 1\n",
	};
	CLEANUP_TEXT char *place = fresh_cache();
	CLEANUP_TEXT char *file = file_of(place);
	struct capture_cost read;
	struct error err;

	assert_int_equal(cost_cache_write(&some, &err), 0);
	for (size_t i = 0; i < ARRAY_LENGTH(texts); i++) {
		FILE *to = fopen(file, "w");

		assert_non_null(to);
		(void)fputs(texts[i], to);
		(void)fclose(to);
		assert_false(cost_cache_read(&read));
		assert_int_equal(read.program_count, 0);
	}
	forget(place);
}

TEST(more_programs_than_there_is_room_for_are_left_out)
{
	CLEANUP_TEXT char *place = fresh_cache();
	CLEANUP_TEXT char *file = file_of(place);
	struct capture_cost read;
	struct error err;
	FILE *to;

	assert_int_equal(cost_cache_write(&some, &err), 0);
	to = fopen(file, "w");
	assert_non_null(to);
	for (int i = 0; i < 2 * COST_PROGRAM_LIMIT; i++)
		(void)fprintf(to, "\"program.p%d.ns\": %d\n", i, i + 1);
	(void)fputs("\"measured_wall_s\": 5\n", to);
	(void)fclose(to);
	assert_true(cost_cache_read(&read));
	assert_int_equal(read.program_count, COST_PROGRAM_LIMIT);
	forget(place);
}

TEST(a_link_is_not_followed)
{
	CLEANUP_TEXT char *place = fresh_cache();
	CLEANUP_TEXT char *file = file_of(place), *target = xasprintf("%s/target", place);
	struct capture_cost read;
	struct error err;

	assert_int_equal(cost_cache_write(&some, &err), 0);
	assert_int_equal(rename(file, target), 0);
	assert_int_equal(symlink(target, file), 0);
	assert_false(cost_cache_read(&read));
	assert_int_equal(unlink(target), 0);
	forget(place);
}
