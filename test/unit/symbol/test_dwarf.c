/* SPDX-License-Identifier: Apache-2.0 */
/* The source "dwarf": what a capture's frames gain from debug information, and what a damaged file costs. */
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <sys/stat.h>

#include "base/error.h"
#include "fixture.h"
#include "profile/profile.h"
#include "symbol/elf_file.h"
#include "symbol/symbol.h"

/* Line numbers count from 1 here. */
static const char inlined_source[] =
	"static inline __attribute__((always_inline)) long inner(const long *a) { return a[0] * a[1]; }\n"
	"static inline __attribute__((always_inline)) long middle(const long *a)\n"
	"{\n"
	"	return inner(a + 2) + 5;\n"
	"}\n"
	"__attribute__((noinline)) long outer(const long *a)\n"
	"{\n"
	"	return middle(a) ^ 3;\n"
	"}\n";

static void make_inlined(const char *flags)
{
	char path[128];
	FILE *file;

	fixture_make("-Wl,--build-id");
	(void)snprintf(path, sizeof(path), "%s/inlined.c", fixture_folder);
	file = fopen(path, "we");
	assert_non_null(file);
	(void)fputs(inlined_source, file);
	(void)fclose(file);
	(void)snprintf(fixture_path, sizeof(fixture_path), "%s/inlined.so", fixture_folder);
	fixture_run("cd %s && cc -O2 -g -fPIC -shared -nostdlib -Wl,--build-id %s -o inlined.so inlined.c", fixture_folder, flags);
}

/* A profile with a leaf frame at each byte of outer(). */
static struct profile *profile_of_outer(uint64_t *ret_start)
{
	struct profile *profile = profile_new();
	char build_id[BUILD_ID_SIZE];
	void *object = fixture_load();
	struct file_id file;

	assert_int_equal(elf_build_id(fixture_path, build_id), 0);
	file = profile_file(profile, fixture_path, build_id);
	*ret_start = fixture_offset_of(object, "outer");
	for (uint64_t at = 0; at < 16; at++)
		(void)profile_frame(profile, (struct frame){ .file = file, .offset = *ret_start + at, .method = METHOD_LEAF });
	(void)dlclose(object);
	return profile;
}

static struct symbol_statistics resolve(struct profile *profile, const struct symbol_options *options)
{
	struct symbol_statistics statistics;
	struct error err;

	assert_int_equal(symbol_resolve(profile, options, &statistics, &err), 0);
	profile_freeze(profile);
	return statistics;
}

/* The frame with the longest chain. */
static const struct symbol *deepest(const struct profile *profile, size_t *ret_count)
{
	const struct symbol *best = NULL;

	*ret_count = 0;
	for (uint32_t i = 1; i < profile_frame_count(profile); i++) {
		size_t count;
		const struct symbol *symbols = profile_frame_symbols(profile, (struct frame_id){ i }, &count);

		if (count <= *ret_count)
			continue;
		best = symbols;
		*ret_count = count;
	}
	return best;
}

static void check_chain(const struct profile *profile)
{
	size_t count;
	const struct symbol *symbols = deepest(profile, &count);
	static const char *const names[] = { "inner", "middle", "outer" };
	static const uint32_t lines[] = { 1, 4, 8 };

	assert_int_equal(count, 3);
	for (size_t i = 0; i < 3; i++) {
		const char *path = profile_text(profile, symbols[i].path);

		assert_string_equal(profile_text(profile, symbols[i].name), names[i]);
		assert_int_equal(symbols[i].line, lines[i]);
		assert_int_equal(strncmp(path, fixture_folder, strlen(fixture_folder)), 0);
		assert_string_equal(path + strlen(path) - strlen("/inlined.c"), "/inlined.c");
		assert_string_equal(profile_text(profile, symbols[i].origin), i < 2 ? "dwarf" : "symtab");
	}
}

TEST(a_frame_gets_the_calls_inlined_into_its_function_and_their_lines)
{
	static const char *const flags[] = { "", "-gdwarf-4", "-gz", "-gdwarf-2", "-ffunction-sections -Wl,--gc-sections" };

	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
		uint64_t start;

		make_inlined(flags[i]);
		CLEANUP(profile) struct profile *profile = profile_of_outer(&start);
		struct symbol_statistics statistics = resolve(profile, &(struct symbol_options){ 0 });

		check_chain(profile);
		assert_int_equal(statistics.files_read, 1);
		assert_int_equal(statistics.debug_crashed + statistics.debug_failed + statistics.debug_timed_out, 0);
		assert_true(statistics.calls_inlined > 0 && statistics.frames_lines > 0);
		fixture_remove();
	}
}

TEST(clang_writes_no_table_of_ranges_and_is_read_all_the_same)
{
	uint64_t start;

	if (system("clang --version >/dev/null 2>&1") != 0)
		skip();
	make_inlined("");
	fixture_run("cd %s && clang -O2 -g -fPIC -shared -nostdlib -Wl,--build-id -o inlined.so inlined.c", fixture_folder);
	CLEANUP(profile) struct profile *profile = profile_of_outer(&start);

	(void)resolve(profile, &(struct symbol_options){ 0 });
	check_chain(profile);
	fixture_remove();
}

TEST(debug_information_in_a_separate_file_is_as_good)
{
	char build_id[BUILD_ID_SIZE];
	uint64_t start;

	make_inlined("");
	assert_int_equal(elf_build_id(fixture_path, build_id), 0);
	fixture_run("cd %s && mkdir -p .build-id/%.2s && objcopy --only-keep-debug inlined.so .build-id/%.2s/%s.debug && strip -g inlined.so",
		    fixture_folder, build_id, build_id, build_id + 2);
	CLEANUP(profile) struct profile *profile = profile_of_outer(&start);

	(void)resolve(profile, &(struct symbol_options){ .debug_directory = fixture_folder });
	check_chain(profile);
	fixture_remove();
}

TEST(a_return_address_has_the_line_of_its_call)
{
	uint64_t start;
	size_t count;

	make_inlined("");
	CLEANUP(profile) struct profile *profile = profile_of_outer(&start);
	struct frame_id exact = { 1 };
	struct frame_id back = profile_frame(profile, (struct frame){
		.file = profile_frame_at(profile, 1)->file, .offset = start, .method = METHOD_CFI });

	(void)resolve(profile, &(struct symbol_options){ 0 });
	assert_non_null(profile_frame_symbols(profile, exact, &count));
	assert_null(profile_frame_symbols(profile, back, &count));    /* one byte before outer() there is nothing */
	fixture_remove();
}

/* GCC leaves such a row in .text.startup, where the C library's _start follows. The unit has other code further up. */
static const char ending_source[] =
	"	.file 1 \"ending.c\"\n	.section .text.startup,\"ax\"\n	.globl outer\n	.type outer,@function\n"
	"outer:\n	.loc 1 3 1\n	nop\n	nop\n	.loc 1 4 1\n	nop\n	nop\n	.size outer,.-outer\n"
	"	.loc 1 334 1 view .LVU1\n"
	"	.text\n	.type other,@function\nother:\n	.loc 1 7 1\n	nop\n	.size other,.-other\n";
static const char bare_source[] =
	"	.section .text.startup,\"ax\"\n	.type bare,@function\n"
	"bare:\n	nop\n	nop\n	nop\n	nop\n	.size bare,.-bare\n";

static void write_source(const char *name, const char *source)
{
	char path[160];
	FILE *file;

	(void)snprintf(path, sizeof(path), "%s/%s", fixture_folder, name);
	file = fopen(path, "we");
	assert_non_null(file);
	(void)fputs(source, file);
	(void)fclose(file);
}

TEST(a_row_for_no_code_at_the_end_of_a_sequence_says_nothing_of_what_follows)
{
	static const uint32_t lines[] = { 3, 3, 4, 4, 0, 0, 0, 0 };
	uint64_t start;

	make_inlined("");
	write_source("ending.s", ending_source);
	write_source("bare.s", bare_source);
	fixture_run("cd %s && cc -gdwarf-5 -c ending.s && cc -c bare.s && cc -shared -nostdlib -Wl,--build-id -o inlined.so ending.o bare.o",
		    fixture_folder);
	CLEANUP(profile) struct profile *profile = profile_of_outer(&start);

	(void)resolve(profile, &(struct symbol_options){ 0 });
	for (uint32_t at = 0; at < sizeof(lines) / sizeof(lines[0]); at++) {
		size_t count;
		const struct symbol *symbols = profile_frame_symbols(profile, (struct frame_id){ at + 1 }, &count);

		assert_int_equal(count, 1);
		assert_string_equal(profile_text(profile, symbols[0].name), at < 4 ? "outer" : "bare");
		assert_int_equal(symbols[0].line, lines[at]);
	}
	fixture_remove();
}

TEST(the_second_time_the_cache_knows_it)
{
	struct symbol_options options = { 0 };
	char caches[160];
	struct stat status;
	uint64_t start;

	make_inlined("");
	(void)snprintf(caches, sizeof(caches), "%s/caches", fixture_folder);
	options.cache_directory = caches;
	for (int round = 0; round < 2; round++) {
		CLEANUP(profile) struct profile *profile = profile_of_outer(&start);
		struct symbol_statistics statistics = resolve(profile, &options);

		check_chain(profile);
		assert_int_equal(statistics.files_read, round == 0);
		assert_int_equal(statistics.files_cached, round == 1);
	}
	(void)snprintf(caches, sizeof(caches), "%s/caches/code", fixture_folder);
	assert_int_equal(stat(caches, &status), 0);
	assert_int_equal(status.st_mode & 0777, 0700);
	fixture_remove();
}

/* Random bytes of debug information: names from the symbols stay, and we do too. */
TEST(damaged_debug_information_costs_lines_and_nothing_else)
{
	uint32_t random = 11;
	uint64_t start, done = 0;

	make_inlined("");
	for (int round = 0; round < 20; round++) {
		fixture_run("cd %s && cc -O2 -g -fPIC -shared -nostdlib -Wl,--build-id=0x1122334455 -o inlined.so inlined.c && "
			    "objcopy --dump-section .debug_info=info --dump-section .debug_line=line --dump-section .debug_abbrev=abbrev inlined.so",
			    fixture_folder);
		for (int i = 0; i < 6; i++) {
			random = random * 1664525 + 1013904223;
			fixture_run("cd %s && for f in info line abbrev; do printf '\\%03o' | dd of=$f bs=1 conv=notrunc status=none "
				    "seek=$((%u %% $(stat -c %%s $f))); done", fixture_folder, (random >> 24) & 0xff, random >> 8 & 0xffff);
		}
		fixture_run("cd %s && objcopy --update-section .debug_info=info --update-section .debug_line=line "
			    "--update-section .debug_abbrev=abbrev inlined.so", fixture_folder);
		CLEANUP(profile) struct profile *profile = profile_of_outer(&start);
		struct symbol_statistics statistics = resolve(profile, &(struct symbol_options){ 0 });

		assert_true(statistics.resolved[0] > 0);
		done += statistics.files_read + statistics.debug_crashed + statistics.debug_failed + statistics.debug_timed_out;
	}
	assert_int_equal(done, 20);
	fixture_remove();
}
