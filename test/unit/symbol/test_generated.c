/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/error.h"
#include "profile/profile.h"
#include "symbol/generated.h"
#include "symbol/symbol.h"

static struct generated_file file_of(const char *path, enum generated_kind kind, const void *bytes, size_t size)
{
	int fd = memfd_create("generated", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, size), size);
	return (struct generated_file){ .path = path, .kind = kind, .fd = fd, .size = size, .start_ns = 100, .end_ns = 1000 };
}

static struct frame_id add_frame(struct profile *profile, const char *path, uint64_t address, enum frame_method method)
{
	return profile_frame(profile, (struct frame){ .file = profile_file(profile, path, NULL), .offset = address, .method = method });
}

static struct symbol_statistics resolve(struct profile *profile, struct generated_file *files, size_t count)
{
	struct symbol_options options = { .generated = files, .generated_count = count };
	struct symbol_statistics statistics;
	struct error err;

	assert_int_equal(symbol_resolve(profile, &options, &statistics, &err), 0);
	profile_freeze(profile);
	for (size_t i = 0; i < count; i++)
		(void)close(files[i].fd);
	return statistics;
}

static const char *name_of(const struct profile *profile, struct frame_id frame)
{
	static char name[512];

	return profile_frame_name(profile, frame, name, sizeof(name));
}

TEST(two_processes_have_their_own_code_at_one_address)
{
	CLEANUP(profile) struct profile *profile = profile_new();
	struct frame_id first = add_frame(profile, "[anon:1]", 0x1008, METHOD_LEAF);
	struct frame_id second = add_frame(profile, "[anon:2]", 0x1008, METHOD_LEAF);
	struct frame_id third = add_frame(profile, "[anon:3]", 0x1008, METHOD_LEAF);
	struct generated_file files[] = {
		file_of("[anon:1]", GENERATED_PERF_MAP, "1000 10 one\n", 12), file_of("[anon:2]", GENERATED_PERF_MAP, "1000 10 two\n", 12) };
	struct symbol_statistics statistics = resolve(profile, files, 2);

	assert_string_equal(name_of(profile, first), "one");
	assert_string_equal(name_of(profile, second), "two");
	assert_non_null(strstr(name_of(profile, third), "+0x1008"));
	assert_int_equal(statistics.unresolved, 1);
	for (size_t i = 0; i < profile_symbol_count(profile); i++)
		assert_string_equal(profile_text(profile, profile_symbol_at(profile, i)->origin), "perf-map");
}

TEST(the_newest_code_at_an_address_names_it)
{
	static const char map[] = "1000 100 old\n1040 10 inside\n0800 1000 around\n1020 8 newest\n";
	CLEANUP(profile) struct profile *profile = profile_new();
	struct frame_id newest = add_frame(profile, "[anon:1]", 0x1021, METHOD_LEAF);
	struct frame_id around = add_frame(profile, "[anon:1]", 0x1041, METHOD_LEAF);
	struct frame_id after = add_frame(profile, "[anon:1]", 0x1028, METHOD_LEAF);
	struct frame_id call = add_frame(profile, "[anon:1]", 0x1028, METHOD_FRAME_POINTER);      /* a return address */
	struct frame_id beyond = add_frame(profile, "[anon:1]", 0x1800, METHOD_LEAF);
	struct generated_file file = file_of("[anon:1]", GENERATED_PERF_MAP, map, sizeof(map) - 1);

	(void)resolve(profile, &file, 1);
	assert_string_equal(name_of(profile, newest), "newest");
	assert_string_equal(name_of(profile, around), "around");
	assert_string_equal(name_of(profile, after), "around");
	assert_string_equal(name_of(profile, call), "newest");
	assert_non_null(strstr(name_of(profile, beyond), "+0x1800"));
}

/* A jitdump's load, as it stands in a file. */
static size_t put_load(char *to, uint64_t time_ns, uint64_t address, char name)
{
	uint32_t head[] = { 0, 16 + 40 + 2 }, ids[] = { 1, 1 };
	uint64_t numbers[] = { address, address, 16, time_ns };
	char text[] = { name, 0 };

	memcpy(to, head, 8), memcpy(to + 8, &time_ns, 8), memcpy(to + 16, ids, 8), memcpy(to + 24, numbers, 32);
	memcpy(to + 56, text, 2);
	return 58;
}

TEST(code_that_came_after_the_capture_does_not_name_it_and_code_used_again_is_counted)
{
	uint32_t header[10] = { 0x4a695444, 1, 40, 62 };
	char dump[512];
	size_t size = sizeof(header);
	CLEANUP(profile) struct profile *profile = profile_new();
	struct frame_id again = add_frame(profile, "[anon:1]", 0x1004, METHOD_LEAF);
	struct frame_id before = add_frame(profile, "[anon:1]", 0x2004, METHOD_LEAF);
	struct frame_id late = add_frame(profile, "[anon:1]", 0x3004, METHOD_LEAF);

	memcpy(dump, header, sizeof(header));
	size += put_load(dump + size, 50, 0x2000, 'p');         /* both before the capture, which began at 100 */
	size += put_load(dump + size, 60, 0x2000, 'q');
	size += put_load(dump + size, 70, 0x1000, 'a');
	size += put_load(dump + size, 500, 0x1000, 'b');
	size += put_load(dump + size, 2000, 0x1000, 'c');       /* after its end at 1000 */
	size += put_load(dump + size, 2000, 0x3000, 'd');
	struct generated_file file = file_of("[anon:1]", GENERATED_JITDUMP, dump, size);
	struct symbol_statistics statistics = resolve(profile, &file, 1);

	assert_string_equal(name_of(profile, again), "b");
	assert_string_equal(name_of(profile, before), "q");
	assert_non_null(strstr(name_of(profile, late), "+0x3004"));
	assert_int_equal(statistics.frames_used_again, 1);
	assert_string_equal(profile_text(profile, profile_symbol_at(profile, 0)->origin), "jitdump");
}

TEST(a_name_with_control_characters_is_cleaned)
{
	CLEANUP(profile) struct profile *profile = profile_new();
	struct frame_id frame = add_frame(profile, "[anon:1]", 0x1000, METHOD_LEAF);
	struct generated_file file = file_of("[anon:1]", GENERATED_PERF_MAP, "1000 10 a\033[2Jb\n", 16);

	(void)resolve(profile, &file, 1);
	assert_string_equal(name_of(profile, frame), "a?[2Jb");
}

/* What a hostile map would do to a scan of all that overlaps: a hundred thousand stretches under each question. */
TEST(many_stretches_over_one_another_are_no_burden)
{
	enum { STRETCHES = 100000, QUESTIONS = 20000 };
	CLEANUP_TEXT char *map = malloc(STRETCHES * 32);
	CLEANUP(profile) struct profile *profile = profile_new();
	size_t size = 0;

	for (int i = 0; i < STRETCHES; i++)
		size += (size_t)sprintf(map + size, "%x %x n%d\n", 0x1000 + i % 7, 0x100000 - i, i);
	for (int i = 0; i < QUESTIONS; i++)
		(void)add_frame(profile, "[anon:1]", 0x2000u + (unsigned)i, METHOD_LEAF);
	struct generated_file file = file_of("[anon:1]", GENERATED_PERF_MAP, map, size);
	struct symbol_statistics statistics = resolve(profile, &file, 1);

	assert_int_equal(statistics.unresolved, 0);
	assert_int_equal(statistics.functions, STRETCHES);
}

static const char *said_of(const struct profile *profile, const char *process)
{
	char key[64];

	(void)snprintf(key, sizeof(key), META_GENERATED "%s", process);
	return profile_meta(profile, key);
}

TEST(a_refused_file_is_said_with_its_process_and_a_whole_one_is_not)
{
	CLEANUP(profile) struct profile *profile = profile_new();
	struct frame_id frame = add_frame(profile, "[anon:1]", 0x1008, METHOD_LEAF);
	struct frame_id named = add_frame(profile, "[anon:2]", 0x1008, METHOD_LEAF);
	struct generated_file files[] = {
		{ .path = "[anon:1]", .kind = GENERATED_PERF_MAP, .fd = -1, .refused = "it is a symbolic link" },
		file_of("[anon:2]", GENERATED_PERF_MAP, "1000 10 two\n", 12),
		{ .path = "[anon:3]", .kind = GENERATED_PERF_MAP, .fd = -1, .refused = "it is no regular file" } };

	(void)resolve(profile, files, 3);
	assert_non_null(strstr(name_of(profile, frame), "+0x1008"));
	assert_string_equal(name_of(profile, named), "two");
	assert_string_equal(said_of(profile, "1"), "its perf map was refused: it is a symbolic link");
	assert_null(said_of(profile, "2"));
	assert_null(said_of(profile, "3"));             /* none of its frames lie in generated code */
}

/* Terabytes of holes cost nothing, and the newest rows are those that hold. */
TEST(of_a_map_beyond_the_limit_the_end_is_read_and_that_is_said)
{
	static const char old[] = "1000 10 old\n2000 10 only_old\n", new[] = "\n1000 10 new\n";
	CLEANUP(profile) struct profile *profile = profile_new();
	struct frame_id both = add_frame(profile, "[anon:1]", 0x1008, METHOD_LEAF);
	struct frame_id early = add_frame(profile, "[anon:1]", 0x2008, METHOD_LEAF);
	struct generated_file file = file_of("[anon:1]", GENERATED_PERF_MAP, old, sizeof(old) - 1);

	file.size = 1ull << 40;
	assert_int_equal(pwrite(file.fd, new, sizeof(new) - 1, (off_t)(file.size - (sizeof(new) - 1))), sizeof(new) - 1);
	struct symbol_statistics statistics = resolve(profile, &file, 1);

	assert_string_equal(name_of(profile, both), "new");
	assert_non_null(strstr(name_of(profile, early), "+0x2008"));
	assert_string_equal(said_of(profile, "1"), "its perf map is too large: only its last 64 MiB were read");
	assert_int_equal(statistics.read_bytes, GENERATED_MAP_LIMIT);
}

TEST(of_a_map_only_rows_that_are_asked_for_are_kept)
{
	static const struct symbol_query asked[] = { { .offset = 0x1000 }, { .offset = 0x2010 }, { .offset = 0x3000 } };
	CLEANUP(generated_codes) struct generated_codes *codes = generated_codes_new();
	static const char map[] = "1000 10 yes\nff0 10 before\n1001 f behind\n2000 10 before\n2000 11 yes\n2fff 2 yes\n3001 10 behind\n";

	codes->asked = asked;
	codes->asked_count = 3;
	assert_int_equal(perf_map_parse(map, sizeof(map) - 1, codes), 0);
	assert_int_equal(codes->count, 3);
	assert_int_equal(codes->unasked, 4);
	for (size_t i = 0; i < codes->count; i++)
		assert_memory_equal(codes->rows[i].name, "yes", 3);
}
