/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/types.h>

#include "capture/harvest.h"
#include "capture/harvest_generated.h"
#include "child.h"
#include "symbol/generated.h"

static char map_path[64];

static void write_map(const char *text)
{
	FILE *file = fopen(map_path, "we");

	assert_non_null(file);
	(void)fputs(text, file);
	(void)fclose(file);
}

static pid_t begin(struct harvested_process *process)
{
	pid_t pid = child_begin("/bin/sleep", "1000");

	*process = (struct harvested_process){ .pid = (uint32_t)pid, .namespace_pid = (uint32_t)pid, .parent_pid = (uint32_t)getpid() };
	(void)snprintf(map_path, sizeof(map_path), "/tmp/perf-%d.map", pid);
	return pid;
}

static void end(pid_t pid)
{
	child_end(pid);
	(void)unlink(map_path);
}

static const struct generated_file *only_file(struct harvest_generated *harvest)
{
	size_t count = 0;
	const struct generated_file *files = harvest_generated_files(harvest, 1, 2, &count);

	assert_true(count <= 1);
	return count ? files : NULL;
}

static void is_refused(struct harvest_generated *harvest, const char *why)
{
	const struct generated_file *file = only_file(harvest);

	assert_non_null(file);
	assert_int_equal(file->fd, -1);
	assert_string_equal(file->refused, why);
}

static void holds(const struct generated_file *file, const char *text)
{
	char bytes[256] = "";

	assert_non_null(file);
	assert_null(file->refused);
	assert_int_equal(file->size, strlen(text));
	assert_int_equal(pread(file->fd, bytes, sizeof(bytes) - 1, 0), strlen(text));
	assert_string_equal(bytes, text);
}

TEST(a_map_outlives_its_process_and_its_own_removal)
{
	CLEANUP(harvest_generated) struct harvest_generated *harvest = harvest_generated_new();
	static struct harvested_process process;
	char path[32];
	pid_t pid = begin(&process);

	write_map("1000 10 a\n");
	harvest_generated_process(harvest, &process);
	end(pid);
	harvest_generated_exit(harvest, pid);
	holds(only_file(harvest), "1000 10 a\n");
	(void)snprintf(path, sizeof(path), "[anon:%d]", pid);
	assert_string_equal(only_file(harvest)->path, path);
	assert_int_equal(only_file(harvest)->kind, GENERATED_PERF_MAP);
}

TEST(a_map_written_after_the_first_look_is_found_at_the_end_of_its_process)
{
	CLEANUP(harvest_generated) struct harvest_generated *harvest = harvest_generated_new();
	static struct harvested_process process;
	pid_t pid = begin(&process);

	harvest_generated_process(harvest, &process);
	assert_null(only_file(harvest));
	write_map("1000 10 late\n");
	child_end(pid);
	harvest_generated_exit(harvest, pid);
	holds(only_file(harvest), "1000 10 late\n");
	(void)unlink(map_path);
}

TEST(a_map_that_was_replaced_is_opened_anew)
{
	CLEANUP(harvest_generated) struct harvest_generated *harvest = harvest_generated_new();
	static struct harvested_process process;
	char other[80];
	pid_t pid = begin(&process);

	write_map("1000 10 old\n");
	harvest_generated_process(harvest, &process);
	(void)snprintf(other, sizeof(other), "%s.old", map_path);
	assert_int_equal(rename(map_path, other), 0);
	write_map("1000 10 new\n");
	harvest_generated_look(harvest);
	holds(only_file(harvest), "1000 10 new\n");
	(void)unlink(other);
	end(pid);
}

TEST(a_map_of_somebody_else_is_not_believed)
{
	CLEANUP(harvest_generated) struct harvest_generated *harvest = harvest_generated_new();
	static struct harvested_process process;
	pid_t pid;

	if (geteuid())
		skip();
	pid = begin(&process);
	write_map("1000 10 forged\n");
	assert_int_equal(chown(map_path, 65534, 65534), 0);
	harvest_generated_process(harvest, &process);
	is_refused(harvest, "it belongs to another user");
	end(pid);
}

TEST(a_map_that_is_older_than_its_process_is_another_ones)
{
	CLEANUP(harvest_generated) struct harvest_generated *harvest = harvest_generated_new();
	static struct harvested_process process;
	struct timeval old[2] = { { .tv_sec = 1000 }, { .tv_sec = 1000 } };
	pid_t pid = begin(&process);

	write_map("1000 10 stale\n");
	assert_int_equal(utimes(map_path, old), 0);
	harvest_generated_process(harvest, &process);
	is_refused(harvest, "it is older than the process");
	end(pid);
}

TEST(links_and_pipes_are_no_maps)
{
	CLEANUP(harvest_generated) struct harvest_generated *harvest = harvest_generated_new();
	static struct harvested_process process;
	pid_t pid = begin(&process);

	assert_int_equal(symlink("/etc/passwd", map_path), 0);
	harvest_generated_process(harvest, &process);
	is_refused(harvest, "it is a symbolic link");
	(void)unlink(map_path);
	assert_int_equal(mkfifo(map_path, 0600), 0);
	harvest_generated_look(harvest);
	is_refused(harvest, "it is no regular file");
	(void)unlink(map_path);
	write_map("1000 10 a\n");
	harvest_generated_look(harvest);
	holds(only_file(harvest), "1000 10 a\n");
	end(pid);
}

TEST(a_map_that_was_refused_is_remembered_beyond_the_end_of_its_process)
{
	CLEANUP(harvest_generated) struct harvest_generated *harvest = harvest_generated_new();
	static struct harvested_process process;
	pid_t pid = begin(&process);

	assert_int_equal(symlink("/etc/passwd", map_path), 0);
	harvest_generated_process(harvest, &process);
	end(pid);
	harvest_generated_exit(harvest, pid);
	is_refused(harvest, "it is a symbolic link");
}

TEST(a_jitdump_is_known_by_the_name_of_what_is_mapped)
{
	static const struct { const char *name; bool is; } rows[] = {
		{ "jit-17.dump", true }, { "jit-17.dump.old", false }, { "jit-.dump", false }, { "xjit-17.dump", false } };

	child_make_folder();
	for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
		CLEANUP(harvest_generated) struct harvest_generated *harvest = harvest_generated_new();
		static struct harvested_process process;
		static struct harvested_mapping mapping;
		pid_t pid = begin(&process);

		(void)snprintf(mapping.path, sizeof(mapping.path), "%s/%s", child_folder, rows[i].name);
		child_run("echo dump >%s", mapping.path);
		harvest_generated_process(harvest, &process);
		harvest_generated_mapping(harvest, pid, &mapping);
		if (rows[i].is) {
			holds(only_file(harvest), "dump\n");
			assert_int_equal(only_file(harvest)->kind, GENERATED_JITDUMP);
		} else {
			assert_null(only_file(harvest));
		}
		end(pid);
	}
	child_run("rm -r %s", child_folder);
}

TEST(a_new_image_forgets_the_map_of_the_old_one)
{
	CLEANUP(harvest_generated) struct harvest_generated *harvest = harvest_generated_new();
	static struct harvested_process process;
	pid_t pid = begin(&process);

	write_map("1000 10 a\n");
	harvest_generated_process(harvest, &process);
	assert_non_null(only_file(harvest));
	(void)unlink(map_path);
	harvest_generated_process(harvest, &process);
	assert_null(only_file(harvest));
	end(pid);
}
