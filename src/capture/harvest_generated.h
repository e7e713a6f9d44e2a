/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * What runtimes write about the code they generate: perf maps (/tmp/perf-PID.map, by the innermost number of the process)
 * and jitdumps (found by the process mapping jit-PID.dump). Both are opened through the process' own root while it lives,
 * and kept open, so that they can be read after it, or its container, is gone: first when it is first seen, then once a
 * second, when it ends, and when the capture ends.
 *
 * A file is believed only if it is a regular one, belongs to the user of the process or to root, and was written since
 * the process began: in /tmp anyone may leave a map for somebody else's number, and numbers are used again. What is not
 * believed is handed out without a descriptor, with the reason.
 */
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/cleanup.h"

struct generated_file;
struct harvest_generated;
struct harvested_mapping;
struct harvested_process;

enum { HARVEST_GENERATED_LIMIT = 512 };              /* files, and roots of containers, kept open */

struct harvest_generated *harvest_generated_new(void);
void harvest_generated_free(struct harvest_generated *harvest);      /* NULL is fine */
DEFINE_CLEANUP(harvest_generated)

/* A process appeared, or has a new image since. */
void harvest_generated_process(struct harvest_generated *harvest, const struct harvested_process *process);
/* It mapped something executable: perhaps a jitdump. */
void harvest_generated_mapping(struct harvest_generated *harvest, pid_t pid, const struct harvested_mapping *mapping);
void harvest_generated_exit(struct harvest_generated *harvest, pid_t pid);
void harvest_generated_look(struct harvest_generated *harvest);      /* for maps that appeared or were replaced */

/* The window's end has come: sizes are fixed, and the files handed out. Borrowed; descriptors stay the harvest's. */
const struct generated_file *harvest_generated_files(struct harvest_generated *harvest, uint64_t start_ns, uint64_t end_ns,
						     size_t *ret_count);
