/* SPDX-License-Identifier: Apache-2.0 */
/* Names of locks: of this very program, whose variables, heap and stack are at hand. */
#include "test.h"

#include "capture/lock_names.h"
#include "symbol/elf_file.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static pthread_mutex_t lock_that_is_zero;
static struct { int before; pthread_mutex_t lock; } lock_that_is_not = { .before = 1 };

static const char *name_of(struct lock_names *names, const void *address, char name[LOCK_NAME_SIZE])
{
	lock_names_find(names, (uint32_t)getpid(), (uint64_t)(uintptr_t)address, 0, name);
	return name;
}

TEST(a_variable_has_its_name_whether_the_file_holds_it_or_not)
{
	struct lock_names *names = lock_names_new(NULL);
	char name[LOCK_NAME_SIZE];

	(void)pthread_mutex_trylock(&lock_that_is_zero);
	(void)pthread_mutex_trylock(&lock_that_is_not.lock);
	assert_string_equal(name_of(names, &lock_that_is_zero, name), "lock_that_is_zero");
	assert_string_equal(name_of(names, &lock_that_is_not.lock, name), "lock_that_is_not+0x8");
	lock_names_free(names);
}

TEST(a_stack_is_named_as_such_and_what_is_not_mapped_has_no_name)
{
	struct lock_names *names = lock_names_new(NULL);
	char name[LOCK_NAME_SIZE];

	assert_string_equal(name_of(names, (const void *)16, name), "");
	assert_true(!strcmp(name_of(names, environ, name), "[stack]") || *name == '[');
	lock_names_find(names, 0x7fffffff, 4096, 0, name);
	assert_string_equal(name, "");
	lock_names_free(names);
}

/* Where this program's file begins in memory, and its path. */
static uint64_t first_page(char *path, size_t size)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	uint64_t first = 0;
	char line[4200];

	assert_true(readlink("/proc/self/exe", path, size) > 0);
	while (!first && fgets(line, sizeof(line), maps))
		if (strstr(line, path))
			first = strtoull(line, NULL, 16);
	(void)fclose(maps);
	return first;
}

/* By the file alone, as when the process has ended; of another build nothing is believed. */
TEST(a_variable_of_a_process_that_has_ended_is_found_in_the_build_that_it_had)
{
	struct lock_names *names = lock_names_new(NULL);
	struct elf_file *elf = NULL;
	char name[LOCK_NAME_SIZE], path[4096] = "";
	uint64_t offset = (uint64_t)(uintptr_t)&lock_that_is_zero - first_page(path, sizeof(path) - 1);

	assert_true(elf_file_open_path(path, &elf) >= 0);
	lock_names_find_gone(names, path, elf_file_build_id(elf), offset, name);
	assert_string_equal(name, "lock_that_is_zero");
	lock_names_find_gone(names, path, elf_file_build_id(elf), 16, name);
	assert_string_equal(name, "");
	lock_names_find_gone(names, path, "0123456789abcdef", offset, name);
	assert_string_equal(name, "");
	elf_file_free(elf);
	lock_names_free(names);
}

/* This program's bytes; at one place in them another name. They stay mapped as a file of that path. */
static const char *mapped_copy(const char *path, const char *instead)
{
	int from = open("/proc/self/exe", O_RDONLY | O_CLOEXEC), to;
	off_t size = lseek(from, 0, SEEK_END);
	char *bytes = mmap(NULL, (size_t)size, PROT_READ | PROT_WRITE, MAP_PRIVATE, from, 0), *at = bytes;
	const char *mapped;

	while ((at = memmem(at, (size_t)(bytes + size - at), "lock_that_is_zero", 17)))
		memcpy(at, instead, 17);
	to = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	assert_int_equal(write(to, bytes, (size_t)size), size);
	mapped = mmap(NULL, (size_t)size + 65536, PROT_READ, MAP_PRIVATE, to, 0);
	assert_true(mapped != MAP_FAILED);
	(void)munmap(bytes, (size_t)size);
	(void)close(from);
	(void)close(to);
	return mapped;
}

/* As programs of two containers are that have one path, or one that was replaced and started again. */
TEST(two_files_of_one_path_are_told_apart)
{
	struct lock_names *names = lock_names_new(NULL);
	char folder[] = "/tmp/lock-names-XXXXXX", name[LOCK_NAME_SIZE], path[4096] = "";
	uint64_t offset = (uint64_t)(uintptr_t)&lock_that_is_zero - first_page(path, sizeof(path) - 1);
	const char *old, *new;

	assert_non_null(mkdtemp(folder));
	(void)snprintf(path, sizeof(path), "%s/program", folder);
	old = mapped_copy(path, "lock_that_was_old");
	assert_string_equal(name_of(names, old + offset, name), "lock_that_was_old");
	assert_int_equal(unlink(path), 0);
	new = mapped_copy(path, "lock_that_now_new");
	lock_names_turn(names);
	assert_string_equal(name_of(names, new + offset, name), "lock_that_now_new");
	(void)unlink(path);
	(void)rmdir(folder);
	lock_names_free(names);
}

TEST(a_turn_looks_up_so_many_and_the_next_one_goes_on)
{
	struct lock_names *names = lock_names_new(NULL);
	char name[LOCK_NAME_SIZE];

	for (int i = 0; i < 1000; i++)
		(void)name_of(names, &lock_that_is_zero, name);
	assert_string_equal(name, "");
	lock_names_turn(names);
	assert_string_equal(name_of(names, &lock_that_is_zero, name), "lock_that_is_zero");
	lock_names_free(names);
}

TEST(locks_of_the_kernel_have_a_kind_and_the_address_space_its_name)
{
	struct lock_names *names = lock_names_new(NULL);
	char name[LOCK_NAME_SIZE];

	lock_names_find(names, 0, 0xffff888000001000ull, 64 | 2, name);
	assert_string_equal(name, "mmap_lock");
	lock_names_find(names, 0, 0xffff888000001000ull, 32, name);
	assert_string_equal(name, "");
	assert_string_equal(lock_kind(0, 32), "kernel mutex");
	assert_string_equal(lock_kind(0, 4), "kernel rwsem");
	assert_string_equal(lock_kind(0, 16 | 2), "kernel percpu-rwsem");
	assert_string_equal(lock_kind(1234, 0), "futex");
	lock_names_free(names);
}
