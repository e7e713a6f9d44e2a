/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * The two things of a program file that a walk needs beside its rows: which build it is, and where its segments lie. Not
 * symbol/elf_file.h, which stands in a layer beside this one.
 */
#include <stddef.h>
#include <stdint.h>

enum { PERF_ELF_SEGMENTS = 16, PERF_ELF_BUILD_ID = 41 };

struct perf_elf {
	struct perf_elf_segment { uint64_t address, offset, size; } segments[PERF_ELF_SEGMENTS];
	size_t count;
	char build_id[PERF_ELF_BUILD_ID];        /* lower-case hex; "" where it has none */
};

/* 0, or -ENOEXEC: no ELF file of 64 bits and our byte order. */
int perf_elf_read(int fd, struct perf_elf *ret);
/* The address, as the file's segments count, of what lies at an offset; the offset itself where no segment holds it. */
uint64_t perf_elf_address(const struct perf_elf *elf, uint64_t offset);
