/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * Which language runtime a process runs, as its mapped files show: "java 17.0.15", "python 3.11", "node 20.19.0",
 * "go 1.21.5", "rust 1.75.0" … The version where it is cheap. It is what a reader of a profile wants to know first, and
 * tells interpreters from programs; nothing is decided by it.
 */
#include <stddef.h>
#include <sys/types.h>

struct elf_file;

enum { RUNTIME_SIZE = 48, RUNTIME_NONE = 1000 };

/* The rank of the runtime a mapped file belongs to, the strongest lowest; RUNTIME_NONE where it belongs to none. */
int runtime_rank(const char *path);
/* Writes "name version" for the file with that rank. */
void runtime_describe(pid_t pid, const char *path, int rank, char text[RUNTIME_SIZE]);
/* What the compiler left in the executable itself (Go, Rust); "" where nothing. */
void runtime_of_executable(struct elf_file *elf, char text[RUNTIME_SIZE]);
