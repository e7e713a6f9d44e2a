/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * A probe watches one kind of kernel event. Each is a pair: name.bpf.c runs in the kernel; name.c says which programs it
 * has, what it costs and what is missing without it, and decodes its records. Only `sched` writes states; the others leave
 * evidence. An optional probe whose tracepoint the kernel lacks costs what `without` says, not the capture.
 */
#include <stdbool.h>

#include "probe/decoder.h"

enum { PROBE_PROGRAMS = 16 };

struct probe_program {
	const char *program;                 /* in the kernel half */
	const char *tracepoint;              /* NULL: no tracepoint (iterator, perf event) */
	double cost_ns;                      /* expected, per event: said as that; doc/overhead.md has what was measured */
};

struct probe {
	const char *name;                    /* "block", as in --without block */
	const char *summary;
	const char *fills;                   /* the dimensions it adds to, for help: "disk, paging" */
	const char *without;                 /* what is lost where it is missing */
	const char *paid;                    /* by whom, where it is not who waits or is switched; said before it begins. NULL */
	const char *exposes;                 /* what it reads of the user's, for --dry-run; NULL: nothing */
	bool required;                       /* no capture without it */
	bool by_default;                     /* an optional one that is on unless --without names it */
	struct probe_program programs[PROBE_PROGRAMS];
	const struct wire_decoder *decoders; /* ends with kind 0; NULL: it writes no records */
};

extern const struct probe *const probes[];           /* NULL-terminated, sorted by name */
const struct probe *probe_find(const char *name);
const struct wire_decoder *probe_decoder_of(unsigned kind);
