/* SPDX-License-Identifier: Apache-2.0 */
/* The source "debugdata": symbols that were packed into a stripped file. */
#include "test.h"

#include <errno.h>

#include "base/error.h"
#include "fixture.h"
#include "profile/profile.h"
#include "symbol/elf_file.h"
#include "symbol/symbol.h"

static struct symbol_statistics resolve_local(const char *damage, char name[256])
{
	CLEANUP(profile) struct profile *profile = profile_new();
	struct symbol_statistics statistics;
	struct error err;
	void *object, *(*local_address)(void);
	struct frame_id frame;
	uint64_t offset;

	fixture_make("-Wl,--build-id");
	object = fixture_load();
	*(void **)&local_address = dlsym(object, "fixture_local_address");
	offset = fixture_offset((uintptr_t)local_address());
	(void)dlclose(object);
	fixture_run("cd %s && objcopy --only-keep-debug fixture.so small && strip -g small && xz -z small && strip -s fixture.so && %s && "
		    "objcopy --add-section .gnu_debugdata=small.xz fixture.so", fixture_folder, damage);
	frame = profile_frame(profile, (struct frame){
		.file = profile_file(profile, fixture_path, NULL), .offset = offset, .method = METHOD_LEAF });
	assert_int_equal(symbol_resolve(profile, &(struct symbol_options){ .debug_directory = "/nonexistent" }, &statistics, &err), 0);
	profile_freeze(profile);
	(void)profile_frame_name(profile, frame, name, 256);
	fixture_remove();
	return statistics;
}

TEST(packed_symbols_name_what_a_stripped_file_does_not)
{
	char name[256];
	struct symbol_statistics statistics;

	if (system("xz --version >/dev/null 2>&1") != 0)
		skip();
	statistics = resolve_local("true", name);
	assert_string_equal(name, "fixture_local");
	assert_int_equal(statistics.resolved[3], 1);
	assert_string_equal(symbol_sources[3]->name, "debugdata");
}

TEST(packed_symbols_that_are_damaged_name_nothing)
{
	char name[256];

	if (system("xz --version >/dev/null 2>&1") != 0)
		skip();
	assert_int_equal(resolve_local("truncate -s -40 small.xz", name).unresolved, 1);
	assert_int_equal(resolve_local("echo no >small.xz", name).unresolved, 1);
	assert_int_equal(strncmp(name, "fixture.so+0x", 13), 0);
}
