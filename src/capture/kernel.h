/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * Loads and attaches the kernel half: chooses the programs that this kernel has the tracepoints for, sets the constants,
 * and says in words what is missing.
 */
#include <stdbool.h>
#include <stddef.h>

#include "base/cleanup.h"

struct bpf_link;
struct capture_config;
struct capture_probe_fact;
struct crosscut_bpf;
struct error;
struct profile;
struct text;

struct kernel;

/* Opens, chooses and loads. What is missing and optional goes into the profile's meta as "probe.missing.NAME". */
int kernel_load(struct kernel **ret, const struct capture_config *config, struct profile *profile, struct error *err);
/* Attaches every tracepoint program; not the iterators, not the sampler. */
int kernel_attach(struct kernel *kernel, struct error *err);
/* Detaches what only adds detail: programs of optional probes, but for those that end what others began, and the work's own.
 * Appends their names. */
void kernel_narrow(struct kernel *kernel, struct text *names);
void kernel_free(struct kernel *kernel);
DEFINE_CLEANUP(kernel)

struct crosscut_bpf *kernel_bpf(struct kernel *kernel);
/* Runs a task iterator to its end; what it wrote is appended to *bytes (may be NULL). */
int kernel_iterate(struct kernel *kernel, bool end, struct text *bytes, struct error *err);
size_t kernel_probe_facts(const struct capture_config *config, struct capture_probe_fact *facts, size_t room);

struct kernel_cost { unsigned long long run_ns, runs, misses; };
/* Run time of all programs while statistics were on, by the programs' descriptors. */
void kernel_cost(const struct kernel *kernel, struct kernel_cost *ret);
/* The same of each program that ran, as the profile's meta "program.NAME.runs" and "program.NAME.run_ns". */
void kernel_note_costs(const struct kernel *kernel, struct profile *profile);
