/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * Runs a function on hostile input in a child process and takes over the bytes that it makes. Whatever the input does to
 * the child (a crash, an endless loop, all memory) costs the answer and nothing else. The child keeps no descriptor but
 * the one it is told to, no rights, and may make no system calls but those that reading and computing take.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum confined_end {
	CONFINED_DONE,
	CONFINED_FAILED,             /* the function said so */
	CONFINED_CRASHED,            /* a signal ended it */
	CONFINED_TIMED_OUT,
	CONFINED_TOO_LARGE,          /* more bytes than the limit */
	CONFINED_NOT_RUN,            /* no process or no pipe could be made */
};

struct confined_limits {
	uint64_t processor_s, wall_ns;               /* time */
	uint64_t memory_bytes;                       /* beyond what we ourselves have mapped */
	size_t answer_bytes;
};

/* The answer, from malloc, in *ret_bytes; NULL where there is none: the child says that it failed. */
typedef void *confined_function(void *context, size_t *ret_size);

/* To be called by the function once it has opened all it will open: from then on the system call filter is on. */
void confined_close_door(void);

/* keep: the only descriptor the child keeps. On CONFINED_DONE the caller frees *ret_bytes. */
enum confined_end confined_run(confined_function *function, void *context, int keep, const struct confined_limits *limits,
			       void **ret_bytes, size_t *ret_size);
