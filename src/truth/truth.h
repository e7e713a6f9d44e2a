/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * The open set of programs whose waits are known. A row stages one kind of wait and lets its
 * threads time themselves, with the clock read just before and just after each waiting call;
 * `crosscut calibrate` captures the same threads and compares. Nothing here knows the profiler:
 * what a row reports is true whether or not it is watched.
 *
 * truth/staging.h runs a row: in a process of its own, between two handshakes, with a watchdog.
 *
 * To add a kind: write one file that ends in its row, and name the row in truth.c. Its judged
 * threads must be blocked nowhere else, so that what the ledger shows of them beside the row's
 * state is an error of the ledger.
 */
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"

enum {
	TRUTH_THREADS = 64,             /* judged threads of one run, at most */
	TRUTH_FILES = 4,
	TRUTH_AMOUNTS = 16,
	TRUTH_VARIABLES = 2,
	TRUTH_FILE_BYTES = 64 << 20,    /* no row makes a larger file */
};

/* What of a thread is compared with the row's state. */
enum truth_measure {
	TRUTH_WAITED,   /* time in waiting calls: blocked, ready after it, in the call itself */
	TRUTH_RAN,      /* CPU time outside waiting calls */
	TRUTH_QUEUED,   /* ready, but not running, all its life: of threads that never wait */
	TRUTH_RATE,     /* nothing: how many operations per second, watched and unwatched */
	/* Amounts that the row knows (truth_report.amounts): */
	TRUTH_HOLDERS,  /* how often who got a lock from whom */
	TRUTH_FAULTS,   /* page faults of a thread */
	TRUTH_RETAINED, /* bytes that a function asked for and nobody gave back */
};

/*
 * What a thread knows of itself. It fills this by its own clocks: CLOCK_MONOTONIC,
 * CLOCK_THREAD_CPUTIME_ID.
 */
struct truth_thread {
	char name[16];
	pid_t pid, tid;
	uint64_t start_ns, end_ns;      /* its first and last statement, shortly within its life */
	uint64_t waited_ns;             /* from before to after each waiting call, summed */
	uint64_t wait_count;
	uint64_t wait_longest_ns;
	/*
	 * CPU time inside the waiting calls, and from birth to end; time on the run queue, where
	 * the kernel keeps it (schedstat). These are the kernel's sums, and exact only for threads
	 * that do not wait: at a wake-up from idle the way to the first instruction is charged as
	 * CPU time in part, as waiting in part.
	 */
	uint64_t wait_cpu_ns;
	uint64_t cpu_ns;
	uint64_t ready_ns;
	bool ready_known;
	uint64_t began_ns, began_cpu_ns;        /* of the wait in progress */
};

/* What a row knows to have happened: to whom, or where. */
struct truth_amount {
	char name[24];                  /* of a function; empty where a thread is meant */
	pid_t tid, other;               /* TRUTH_HOLDERS: other let go, tid got it */
	uint64_t value;
};

struct truth_report {
	atomic_uint thread_count;
	struct truth_thread threads[TRUTH_THREADS];
	uint64_t operations, elapsed_ns;        /* of rows that measure a rate */
	unsigned amount_count;
	struct truth_amount amounts[TRUTH_AMOUNTS];
	struct error error;                     /* why stage() failed; code 0 when it did not */
};

/*
 * One run of one row. It lies in shared memory: the caller, the process that stages, its children
 * and the guard that outlives them all see one copy. Descriptors are inherited, since prepare()
 * runs before the fork.
 */
struct truth_context {
	const struct truth *row;
	int directory;                  /* open, on a real disk */
	uint64_t duration_ns;

	int files[TRUTH_FILES];         /* closed by staging_free(); -1 = none; without a name */
	char group[512];                /* a control group's folder, empty = none … */
	bool group_two;                 /* … and whether it is in the unified hierarchy */
	unsigned kept;                  /* a row's own: what its cleanup() must undo; 0 = nothing */
	int guard;                      /* a pipe's end: when its holders are gone, cleanup() */
	pid_t guard_pid;

	uint64_t end_ns;                /* when the performance ends, on CLOCK_MONOTONIC */
	atomic_bool over;               /* set then: judged threads leave at their next wake-up */
	atomic_uint acting;             /* judged threads that are not yet through */
	atomic_uint signal;             /* a row's own: handshakes between its processes */
	char environment[TRUTH_VARIABLES][512];         /* staging_environment(): "NAME=VALUE" */

	struct truth_report report;
};

struct truth {
	const char *name;               /* "pipe-read", as in: crosscut calibrate pipe-read */
	const char *summary;            /* one line, under 72 columns */
	const char *why;                /* why this state, where it could be argued; may be NULL */
	const char *state;              /* the ledger's, which must hold the waits; NULL = rate */
	const char *part;               /* its part, where the ledger has one; may be NULL */
	const char *thread;             /* the name of the threads that are judged */
	const char *operation;          /* "round trip": what a rate counts; NULL elsewhere */
	const char *unit;               /* of its amounts: "faults"; NULL elsewhere */
	const char *with;               /* the probe without which it cannot be seen; NULL: any */
	enum truth_measure measure;
	unsigned default_ms;

	/*
	 * Asked first; prepare() may still find out that it cannot, and fails then with
	 * FAILURE_CANNOT as well: the kind is "not run", with err->why. May be NULL. Files and
	 * groups are made by prepare(), in the caller's process, so that nothing of it is in the
	 * judged threads' time. stage() runs in the process that is watched.
	 */
	int (*possible)(const struct truth_context *context, struct error *err);
	int (*prepare)(struct truth_context *context, struct error *err);
	int (*stage)(struct truth_context *context, struct error *err);
	/*
	 * Undoes what outlives a process; run by the guard (staging_guard), with or without a whole
	 * prepare().
	 */
	void (*cleanup)(struct truth_context *context);
};

extern const struct truth *const truths[];      /* sorted by name, NULL-terminated */

const struct truth *truth_find(const char *name);       /* NULL when there is none of that name */

bool truth_is_amount(const struct truth *row);

/* What the row's state must hold for this thread; 0 where a rate or an amount is measured. */
uint64_t truth_expected_ns(const struct truth *row, const struct truth_thread *thread);
