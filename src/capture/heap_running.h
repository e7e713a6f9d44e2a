/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * Puts the probes of --with heap into processes that run already: at the entry of each of their allocator's functions, on an instruction
 * that the kernel emulates, and at their return. The allocator is the program's own if it defines malloc(), else that of a
 * library that is no C library, else the C library's. Only the named processes stop there; a child begins without.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/cleanup.h"

struct crosscut_bpf;
struct error;
struct heap_running;

/* What an allocation and what its end take longer by a probe that does nothing, measured on ourselves. */
struct heap_running_cost { double asked_ns, freed_ns; };

/* Could it be done? FAILURE_CANNOT says which function of which file has no such instruction, and what a probe there would cost. */
int heap_running_check(const pid_t *pids, size_t count, struct error *err);
int heap_running_open(struct heap_running **ret, struct crosscut_bpf *bpf, const pid_t *pids, size_t count, struct error *err);
void heap_running_free(struct heap_running *running);           /* takes all probes out; NULL is fine */
DEFINE_CLEANUP(heap_running)

struct heap_running_cost heap_running_cost(const struct heap_running *running);
/* Functions that had to be left without a probe, by commas; "" where there are none. */
const char *heap_running_missing(const struct heap_running *running);
