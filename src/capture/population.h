/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/* Whom a capture is about: processes, threads, a name, a cgroup, a command, or everybody. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct error;

enum population_kind { POPULATION_NONE, POPULATION_ALL, POPULATION_PROCESSES, POPULATION_THREADS, POPULATION_COMM,
		       POPULATION_CGROUP, POPULATION_COMMAND };
enum { POPULATION_LIMIT = 65536 };

struct population {
	enum population_kind kind;
	const pid_t *ids;            /* borrowed: processes, threads, or the command's child */
	size_t id_count;
	const char *name;            /* borrowed: the comm, the cgroup's path, or the command for display */
};

/* Exists each of them? A missing one is FAILURE_CANNOT and named. A cgroup must be a directory with cgroup.procs. */
int population_check(const struct population *population, struct error *err);
/* The processes that are in the cgroup or below it now. *ret is the caller's to free. */
int population_cgroup_processes(const char *path, pid_t **ret, size_t *ret_count, struct error *err);
/* Are all its processes or threads gone? A name, a cgroup or everybody never are. */
bool population_is_gone(const struct population *population);
/* "pid 12,13", "comm nginx" …; for the capture's provenance. The caller frees it. */
char *population_text(const struct population *population);
