/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * Runs one capture, in phases that may each fail and are each visible:
 *
 *	capture_new → capture_prepare (load) → capture_start (attach, open the window) → capture_step … → capture_finish
 *
 * Every second the capture cuts a slice and hands the profile on; the facts are then dropped, so memory does not grow with
 * what happens again. It does with what is new: some 60 bytes for a frame of a stack that was not seen before, 200 for a process
 * with one thread (test/unit/probe/test_growth.c). The target is never blocked: buffers drop and count.
 */
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/cleanup.h"
#include "capture/guard.h"
#include "capture/population.h"
#include "profile/id.h"

struct capture;
struct error;
struct harvest;
struct heap;
struct profile;
struct work;

enum { CAPTURE_PROBE_LIMIT = 32 };
#define REQUESTS_BY_RATE UINT32_MAX          /* so many that about a thousand a second are decomposed */

struct capture_config {
	struct population population;
	double sample_rate_hz;                       /* on-CPU samples per CPU; 0: none */
	bool wait_stacks;                            /* stacks of waits, sampled by expected length */
	uint32_t stack_depth;                        /* frames of a user stack at most; 0: WIRE_USER_STACK_DEPTH */
	bool with_arguments;                         /* keep the arguments of commands */
	bool jvm_attach;                             /* ask Java machines for their perf maps when the window has closed */
	const char *work;                            /* --work SPEC; NULL: none */
	const char *correct;                         /* --correct LIST */
	uint32_t requests;                           /* one in so many is decomposed; 0: none are followed, or REQUESTS_BY_RATE */
	const char *with[CAPTURE_PROBE_LIMIT];       /* names of optional probes beyond those that are on by default */
	const char *without[CAPTURE_PROBE_LIMIT];    /* and of those to leave out */
	unsigned with_count, without_count;
	struct heap *heap;                           /* of the shim in the command; borrowed, NULL: none */
	uint64_t heap_mean_bytes;                    /* with heap-running: a sample per so many bytes */
	double cost_budget;                          /* of the CPU that pays most; above it the guard acts. 0: no guard */
	double cost_abort;                           /* above it, with only the ledger left, the capture ends. 0: never */
	double outside_ns;                           /* per switch or wake-up, beside the programs' run time, as calibrated; 0: unknown */
	struct guard_stages stages;                  /* of the sampler's rate; none: sample_rate_hz from the start */
	uint64_t slice_ns;
	uint32_t kept_slices;                        /* so many that were handed over may still be stored; 0: each is at once */
	/* Called once per slice, with all that was learnt so far and the facts of that slice. */
	int (*slice)(void *to, const struct profile *profile, struct slice_id slice, struct error *err);
	void *to;
};

struct capture_status {
	uint64_t elapsed_ns, events, lost, threads;
	double own_cost;                             /* of the CPU that pays most, as last judged */
	bool target_gone, given_up;                  /* given_up: the guard ended it */
	bool requests_given_up;                      /* the guard has none taken apart any more */
};

struct capture *capture_new(const struct capture_config *config);    /* copies config; its texts stay the caller's */
void capture_free(struct capture *capture);                          /* detaches and unloads whatever is left */
DEFINE_CLEANUP(capture)

/* Can this be done here, and what would be missing? Loads the kernel half. */
int capture_prepare(struct capture *capture, struct error *err);
/* Attaches, reads the state of every thread, switches the sampler on last, opens the window. */
int capture_start(struct capture *capture, struct error *err);
/* Drains for about a tenth of a second, cuts a slice when one is due. */
int capture_step(struct capture *capture, struct error *err);
void capture_status(const struct capture *capture, struct capture_status *ret);
/* Closes the window, for all threads at one time. Completions that somebody else counted can be added after it. */
void capture_close(struct capture *capture);
void capture_count(struct capture *capture, const char *source, const char *class, int outcome, uint64_t count);
/* Closes if need be, reads what is open, cuts the last slice, detaches. */
int capture_finish(struct capture *capture, struct error *err);
/* The capture's profile: complete after capture_finish(), for resolving and sealing. */
struct profile *capture_profile(struct capture *capture);
/* Files that only processes now gone led to; for resolving. */
struct harvest *capture_harvest(struct capture *capture);

/* What `record --dry-run` and `doctor` say: probes, their tracepoints, whether this kernel has them. */
struct capture_probe_fact {
	const char *probe, *program, *tracepoint, *without;
	double cost_ns;
	bool required, present, chosen;
};
size_t capture_probe_facts(const struct capture_config *config, struct capture_probe_fact *facts, size_t room);
