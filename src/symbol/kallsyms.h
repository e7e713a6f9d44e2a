/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * The running kernel's functions: its text, its modules and its BPF programs, from /proc/kallsyms. These names die with
 * the kernel, so they are asked for while capturing.
 *
 * A name covers the addresses up to the next symbol. At the end of a module or of the kernel's text that is cut short,
 * so that an address in a gap has no name. Of aliases the global one is preferred, then the shortest.
 */
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"

struct error;
struct kallsyms;

struct kallsyms *kallsyms_load(struct error *err);                   /* NULL: err says what to try */
struct kallsyms *kallsyms_load_from(const char *path, struct error *err);
void kallsyms_free(struct kallsyms *kernel);                         /* NULL is fine */
DEFINE_CLEANUP(kallsyms)

/* NULL where no function holds the address. ret_start may be NULL. */
const char *kallsyms_name(const struct kallsyms *kernel, uint64_t address, uint64_t *ret_start);
const char *kallsyms_module(const struct kallsyms *kernel, uint64_t address);    /* "" the kernel itself; NULL as above */
uint64_t kallsyms_address(const struct kallsyms *kernel, const char *name);      /* 0 where there is none; walks all */
size_t kallsyms_count(const struct kallsyms *kernel);
