/* SPDX-License-Identifier: Apache-2.0 */
/* Reads this very program, which the build makes with frame pointers, symbols and debug information. */
#include "command/doctor.h"

#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "test.h"

static int memory_file(const void *bytes, size_t size)
{
	int fd = memfd_create("elf", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, size), (ssize_t)size);
	return fd;
}

static unsigned char *read_self(size_t *ret_size)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	struct stat status;
	unsigned char *bytes;

	assert_int_equal(fstat(fd, &status), 0);
	bytes = xmalloc((size_t)status.st_size);
	*ret_size = 0;
	for (ssize_t n; (n = read(fd, bytes + *ret_size, (size_t)status.st_size - *ret_size)) > 0;)
		*ret_size += (size_t)n;
	close(fd);
	return bytes;
}

TEST(a_build_with_frame_pointers_symbols_and_debug_information_is_known)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	struct doctor_elf elf;

	assert_int_equal(doctor_elf_read(fd, &elf), 0);
	close(fd);
	assert_string_equal(doctor_elf_frame_pointers(&elf), "yes");
	assert_string_equal(doctor_elf_symbols(&elf), "full");
	assert_string_equal(doctor_elf_optimised(&elf), "yes");
	assert_true(elf.unwind_tables);
	assert_true(elf.debug_info);
	assert_false(elf.foreign);
	assert_string_equal(elf.kind, "position-independent executable");
	assert_int_equal(strlen(elf.build_id), 40);
}

TEST(what_is_no_elf_file_is_refused)
{
	static const char script[] = "#!/bin/sh\nexit 0\n";
	struct doctor_elf elf = { .symbols = 7 };
	int fd = memory_file(script, sizeof(script));

	assert_int_equal(doctor_elf_read(fd, &elf), -ENOEXEC);
	assert_int_equal(elf.symbols, 7);
	close(fd);
	fd = memory_file("", 0);
	assert_int_equal(doctor_elf_read(fd, &elf), -ENOEXEC);
	close(fd);
}

TEST(a_file_cut_anywhere_is_survived)
{
	size_t size;
	unsigned char *bytes = read_self(&size);
	struct doctor_elf elf;

	for (size_t cut = 1; cut < size; cut += cut < 256 ? 7 : size / 40) {
		int fd = memory_file(bytes, cut);

		(void)doctor_elf_read(fd, &elf);
		close(fd);
	}
	free(bytes);
}

/* Overwrites headers and tables with noise from a fixed seed: any answer is right, a crash is not. */
TEST(noise_in_headers_is_survived)
{
	size_t size;
	unsigned char *bytes = read_self(&size), *copy = xmalloc(size);
	unsigned seed = 20250101;
	struct doctor_elf elf;

	for (int round = 0; round < 60; round++) {
		int fd;

		memcpy(copy, bytes, size);
		for (int i = 0; i < 40; i++) {
			size_t at = (size_t)rand_r(&seed);

			at = i % 2 ? at % 1024 : size - 1 - at % 4096;
			if (at > 5)
				copy[at] = (unsigned char)rand_r(&seed);
		}
		fd = memory_file(copy, size);
		(void)doctor_elf_read(fd, &elf);
		close(fd);
	}
	free(copy);
	free(bytes);
}

TEST(few_functions_say_nothing_about_frame_pointers)
{
	struct doctor_elf elf = { .functions = 7, .functions_with_frame = 7 };

	assert_string_equal(doctor_elf_frame_pointers(&elf), "unknown");
	elf.functions = 1000;
	elf.functions_with_frame = 0;
	assert_string_equal(doctor_elf_frame_pointers(&elf), "no");
	elf.functions_with_frame = 200;
	assert_string_equal(doctor_elf_frame_pointers(&elf), "partly");
	elf.functions_with_frame = 500;
	assert_string_equal(doctor_elf_frame_pointers(&elf), "yes");
}

TEST(a_stripped_file_says_so)
{
	struct doctor_elf elf = { 0 };

	assert_string_equal(doctor_elf_symbols(&elf), "stripped");
	elf.dynamic_symbols = 20;
	assert_string_equal(doctor_elf_symbols(&elf), "exported only");
	elf.symbols = 20;
	assert_string_equal(doctor_elf_symbols(&elf), "full");
}

TEST(optimisation_is_unknown_without_a_compiler_that_tells)
{
	struct doctor_elf elf = { 0 };

	assert_string_equal(doctor_elf_optimised(&elf), "unknown");
	elf.producers = 2;
	assert_string_equal(doctor_elf_optimised(&elf), "yes");
	elf.producers_unoptimised = 1;
	assert_string_equal(doctor_elf_optimised(&elf), "partly");
	elf.producers_unoptimised = 2;
	assert_string_equal(doctor_elf_optimised(&elf), "no");
}
