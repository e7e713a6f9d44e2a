/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "symbol/code_builder.h"
#include "symbol/code_cache.h"
#include "symbol/code_map.h"

static char folder[64], place[128];

static void begin(void)
{
	(void)snprintf(folder, sizeof(folder), "/tmp/crosscut-cache-XXXXXX");
	assert_non_null(mkdtemp(folder));
	(void)snprintf(place, sizeof(place), "%s/code/abcd-10", folder);
}

static void end(void)
{
	char command[128];

	(void)snprintf(command, sizeof(command), "rm -r %s", folder);
	assert_int_equal(system(command), 0);
}

static void write_one(void)
{
	CLEANUP(code_builder) struct code_builder *builder = code_builder_new();
	CLEANUP(code_map) struct code_map *map = NULL;
	size_t size;
	void *bytes;

	code_builder_range(builder, 0x100, 0x200, code_builder_scope(builder, 0, "kept", "", 0));
	bytes = code_builder_pack(builder, &size);
	assert_int_equal(code_map_open(bytes, size, &map), 0);
	code_cache_write(folder, "abcd-10", map);
}

static bool reads_one(void)
{
	CLEANUP(code_map) struct code_map *map = code_cache_read(folder, "abcd-10");
	struct code_call calls[CODE_DEPTH_LIMIT];

	return map && code_map_find(map, 0x180, calls) == 1 && strcmp(calls[0].name, "kept") == 0;
}

TEST(what_was_written_is_read_by_its_owner_alone)
{
	struct stat status;

	begin();
	assert_false(reads_one());
	write_one();
	assert_true(reads_one());
	assert_int_equal(stat(place, &status), 0);
	assert_int_equal(status.st_mode & 0777, 0600);
	write_one();                                 /* replaces */
	assert_true(reads_one());
	assert_null(code_cache_read(folder, "abcd-11"));
	end();
}

TEST(a_folder_that_others_may_write_to_is_not_believed)
{
	char code[80];

	begin();
	write_one();
	(void)snprintf(code, sizeof(code), "%s/code", folder);
	assert_int_equal(chmod(code, 0770), 0);
	assert_false(reads_one());
	assert_int_equal(chmod(code, 0700), 0);
	assert_true(reads_one());
	end();
}

TEST(a_damaged_file_is_as_good_as_absent)
{
	int fd;

	begin();
	write_one();
	fd = open(place, O_WRONLY | O_CLOEXEC);
	assert_int_equal(pwrite(fd, "\xff\xff\xff\xff", 4, sizeof(struct code_head) + 4), 4);
	(void)close(fd);
	assert_false(reads_one());
	write_one();
	assert_true(reads_one());
	assert_int_equal(truncate(place, 30), 0);
	assert_false(reads_one());
	assert_int_equal(truncate(place, 0), 0);
	assert_false(reads_one());
	end();
}

TEST(a_link_in_its_place_is_not_followed)
{
	char other[128];

	begin();
	write_one();
	(void)snprintf(other, sizeof(other), "%s/other", folder);
	assert_int_equal(rename(place, other), 0);
	assert_int_equal(symlink(other, place), 0);
	assert_false(reads_one());
	end();
}

TEST(the_files_unused_for_longest_make_room)
{
	char path[160];

	begin();
	write_one();
	for (int i = 0; i < 3; i++) {                /* sparse: they only claim their size */
		int fd;
		struct timespec times[2] = { { .tv_sec = 1000 + i }, { .tv_sec = 1000 + i } };

		(void)snprintf(path, sizeof(path), "%s/code/old-%d", folder, i);
		fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
		assert_int_equal(ftruncate(fd, 200 << 20), 0);
		assert_int_equal(futimens(fd, times), 0);
		(void)close(fd);
	}
	write_one();
	(void)snprintf(path, sizeof(path), "%s/code/old-0", folder);
	assert_int_equal(access(path, F_OK), -1);
	(void)snprintf(path, sizeof(path), "%s/code/old-1", folder);
	assert_int_equal(access(path, F_OK), 0);
	assert_true(reads_one());
	end();
}
