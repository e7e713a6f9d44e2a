/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * What /proc shows too late: processes that live for milliseconds, and mappings made between two looks. The kernel
 * tells of every fork, exec, executable mapping and exit of the whole system through one small ring per processor,
 * filled by an event that counts nothing. Build ids come with the mappings from kernel 5.12 on.
 *
 * Nothing here is time-critical for the target: a full ring drops and counts.
 */
#include <stdint.h>

#include "base/cleanup.h"
#include "capture/harvest.h"

struct error;
struct sideband;

enum sideband_kind {
	SIDEBAND_FORK = 1,                           /* pid, tid were born to parent_pid; a thread where pid is parent_pid */
	SIDEBAND_EXEC,                               /* pid got a new image: its mappings are gone; comm */
	SIDEBAND_COMM,                               /* the thread changed its name; comm */
	SIDEBAND_MAPPING,                            /* pid mapped something executable */
	SIDEBAND_EXIT,                               /* pid, tid ended */
};

struct sideband_record {
	enum sideband_kind kind;
	uint64_t time_ns;                            /* CLOCK_MONOTONIC */
	uint32_t pid, tid, parent_pid, parent_tid;
	char comm[16];
	const struct harvested_mapping *mapping;     /* normalized; its build id may be "": harvest_identify() while it lives */
};

struct sideband_statistics {
	uint64_t records, lost;
	uint64_t lost_rings;                         /* times a ring had to drop */
	uint64_t skipped;                            /* processors that could not be watched */
	uint64_t ring_bytes;                         /* of all rings */
};

enum { SIDEBAND_RING_BYTES = 512 << 10 };

struct sideband *sideband_open(struct error *err);                   /* NULL: err says why */
void sideband_close(struct sideband *sideband);                      /* NULL is fine */
static inline void sideband_free(struct sideband *sideband)
{
	sideband_close(sideband);
}
DEFINE_CLEANUP(sideband)

/* Calls for every record so far, in the order of their time. A count, or a negative errno. */
int sideband_read(struct sideband *sideband, void (*call)(void *context, const struct sideband_record *record), void *context);
void sideband_statistics(const struct sideband *sideband, struct sideband_statistics *ret);

/* One raw record without its ring, for tests and fuzzers: 0 where it is none of ours or damaged. */
int sideband_decode(const void *bytes, size_t size, struct sideband_record *ret, struct harvested_mapping *mapping);
