/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * A shared object made by the compiler while a test runs, so that its functions, its strip and its debug file are the
 * real ones; and where its functions really are, asked of the dynamic loader's view of it.
 */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char fixture_folder[64], fixture_path[128];

static const char fixture_source[] =
	"static __attribute__((noinline, used)) int fixture_local(int a) { return a * 3; }\n"
	"__attribute__((noinline)) int fixture_global(int a) { return fixture_local(a) + 1; }\n"
	"__attribute__((noinline)) int fixture_cpp(int a) __asm__(\"_ZN4shop4CartC1Ei\");\n"
	"int fixture_cpp(int a) { return a + 5; }\n"
	"extern __typeof(fixture_global) fixture_al __attribute__((alias(\"fixture_global\")));\n"
	"static int chosen(int a) { return a ^ 1; }\n"
	"static __typeof(chosen) *choose(void) { return chosen; }\n"
	"int fixture_indirect(int) __attribute__((ifunc(\"choose\")));\n"
	"__asm__(\".text\\n.globl fixture_label\\n.type fixture_label,@function\\nfixture_label: nop; nop; nop; nop; ret\\n\");\n"
	"void *fixture_local_address(void) { return (void *)fixture_local; }\n";

__attribute__((format(printf, 1, 2))) static void fixture_run(const char *format, ...)
{
	char command[1024];
	va_list arguments;

	va_start(arguments, format);
	(void)vsnprintf(command, sizeof(command), format, arguments);
	va_end(arguments);
	assert_int_equal(system(command), 0);
}

__attribute__((unused)) static void fixture_make(const char *flags)
{
	char source[128];
	FILE *file;

	(void)snprintf(fixture_folder, sizeof(fixture_folder), "/tmp/crosscut-fixture-XXXXXX");
	assert_non_null(mkdtemp(fixture_folder));
	(void)snprintf(source, sizeof(source), "%s/fixture.c", fixture_folder);
	file = fopen(source, "we");
	assert_non_null(file);
	(void)fputs(fixture_source, file);
	(void)fclose(file);
	(void)snprintf(fixture_path, sizeof(fixture_path), "%s/fixture.so", fixture_folder);
	fixture_run("cc -O1 -g -fPIC -shared -nostdlib %s -o %s %s", flags, fixture_path, source);
}

static void fixture_remove(void)
{
	fixture_run("rm -r %s", fixture_folder);
}

/* Offset in the file of a function, by the mappings of this process. */
__attribute__((unused)) static uint64_t fixture_offset(uintptr_t address)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	unsigned long start, end, offset;
	char line[512];
	uint64_t result = 0;

	while (fgets(line, sizeof(line), maps))
		if (sscanf(line, "%lx-%lx %*s %lx", &start, &end, &offset) == 3 && address >= start && address < end)
			result = address - start + offset;
	(void)fclose(maps);
	assert_true(result > 0);
	return result;
}

__attribute__((unused)) static void *fixture_load(void)
{
	void *object = dlopen(fixture_path, RTLD_NOW | RTLD_LOCAL);

	if (!object)
		print_error("%s\n", dlerror());
	assert_non_null(object);
	return object;
}

__attribute__((unused)) static uint64_t fixture_offset_of(void *object, const char *name)
{
	void *address = dlsym(object, name);

	assert_non_null(address);
	return fixture_offset((uintptr_t)address);
}
