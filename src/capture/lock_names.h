/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * What a lock is called: the variable that its address lies in, by the symbols of the file that is mapped there, or else the
 * region ("[heap]"). Asked once for each lock, while its process lives, or else of the file that it had there; a lock on a heap or a
 * stack has no name but the call sites that wait for it.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/cleanup.h"

struct kallsyms;
struct lock_names;

enum { LOCK_NAME_SIZE = 256 };

struct lock_names *lock_names_new(const struct kallsyms *kernel);       /* borrowed; may be NULL */
void lock_names_free(struct lock_names *names);
DEFINE_CLEANUP(lock_names)

/* process 0: the kernel's. "" where nothing is known, or once a turn has looked up its most. */
void lock_names_find(struct lock_names *names, uint32_t process, uint64_t address, uint32_t contention, char name[LOCK_NAME_SIZE]);
/* Of a process that has ended: offset is the distance from where that file's first page lay. "" where no variable of that very build is there. */
void lock_names_find_gone(struct lock_names *names, const char *path, const char *build_id, uint64_t offset, char name[LOCK_NAME_SIZE]);
bool lock_names_may_look(const struct lock_names *names);       /* false: once a turn has looked up its most */
/* A new turn: what is mapped may have changed. */
void lock_names_turn(struct lock_names *names);
/* What kind of lock it is, as far as its evidence tells: "futex", "kernel mutex" … */
const char *lock_kind(uint32_t process, uint32_t contention);
