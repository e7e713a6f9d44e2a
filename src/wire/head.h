/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
#pragma once
/* What every record begins with, and what kinds there are. */
#ifndef __bpf__
#include <linux/types.h>
#endif

enum wire_kind {
	/* written by the kernel half to the ring */
	WIRE_THREAD = 1,        /* a thread of the population was seen for the first time */
	WIRE_RENAME,            /* its comm changed (exec, prctl) */
	WIRE_EXIT,              /* it left the processor for the last time */
	WIRE_STACK,             /* a stack that was not sent before */
	/* written by the kernel half to an iterator's file */
	WIRE_LEDGER,            /* a living thread at the window's end */
	/* transcribed from maps */
	WIRE_WAIT,              /* aggregated waits of one thread with one evidence */
	WIRE_SPLIT,             /* the same by user stack, sampled */
	WIRE_SAMPLE,            /* on-CPU samples by stack */
	WIRE_DELAY,             /* runnable delays of the population by power of two */
	WIRE_COMPLETION,        /* completions by process, port and class */
	WIRE_LOSS,              /* seen and lost per source */
	WIRE_COST,              /* what the capture itself cost */
	/* harvested from /proc and side-band events */
	WIRE_PROCESS,           /* what is known of a process */
	WIRE_SPACE_EXEC,        /* a process got a new image: its mappings are gone */
	WIRE_SPACE_FORK,        /* a process was born with its parent's mappings */
	WIRE_SPACE_END,         /* a process is gone for good, and nothing more will ask for its mappings */
	WIRE_MAPPING,           /* an executable mapping */
	WIRE_KERNEL_NAME,       /* the name of a kernel address */
	WIRE_OUTSIDER,          /* the comm of a thread that is not of the population */
	WIRE_SLICE,             /* the facts that follow belong to this slice */
	/* written by the kernel half to the ring of intervals, where they are asked for */
	WIRE_INTERVAL,          /* one that a thread ran, was ready, or was lost sight of */
	WIRE_WAIT_INTERVAL,     /* one that it waited */
	WIRE_STACK_COPY,        /* kernel half: a stack nobody could walk there, copied; the drain makes a WIRE_STACK of it */
	WIRE_EVALUATOR,         /* where an interpreter's evaluator lies in a process */
	WIRE_CODE_NAME,         /* what a frame of an interpreter is called */
	WIRE_REQUEST_PREFIX,    /* kernel half: a request opened, and how it begins; the drain makes a WIRE_REQUEST_OPEN of it */
	WIRE_REQUEST_OPEN,      /* a request opened: its class, and no byte of it */
	WIRE_REQUEST_EVENT,     /* what happened to one that is open */
	WIRE_SEGMENT,           /* from a map: parts of waits for one lock that one holder ended */
	WIRE_LOCK_NAME,         /* what lies at a lock's address: made by the drain */
	WIRE_LINK,              /* to the ring of intervals: one part of one wait for a lock */
	WIRE_IO,                /* what a device did, by operation; text: its name */
	WIRE_CALL,              /* from a map: system calls of one thread, by call, error and power of two of their length */
	WIRE_CALL_SPLIT,        /* from a map: the same by user stack, sampled */
	WIRE_CONNECTION,        /* from a map: what happened on connections of one endpoint */
	/* made by the drain of what the heap shim tells (wire/heap_channel.h) */
	WIRE_HEAP_SAMPLE,       /* an allocation that was sampled; its stack went before it */
	WIRE_HEAP_FREED,        /* and its end */
	WIRE_HEAP_PROCESS,      /* the shim began in a process, or the process ended */
	WIRE_HEAP_END,          /* the window's end: what lives is retained */
	WIRE_RESIDENT,          /* what a process' memory consists of */
	WIRE_COUNTER,           /* from a map: how often a counter went round, by stack */
	WIRE_READY,             /* from a map: long delays of one thread that could run, by reason and by who had the processor */
	WIRE_FILE_NAME,         /* kernel half: the end of a file's path */
	WIRE_FILE_IO,           /* from a map: block requests by file and by who submitted them */
	WIRE_DIRTIED,           /* from a map: pages of a file that a thread made dirty */
	WIRE_INTERRUPT,         /* from a map: interrupts that a running thread handled */
	WIRE_CACHE_READ,        /* from a map: looks of a thread into the page cache, by file; operation: 0 found, 1 had to be read */
	WIRE_KIND_COUNT,
};

struct wire_head {
	__u32 size;             /* of the whole record, head and padding included: a reader skips what it does not know */
	__u16 kind;             /* enum wire_kind */
	__u16 reserved;
	__u64 time_ns;          /* when it happened: the drain merges streams by it */
};

/* Of a kernel's stack perf takes 127 frames. Of a user's twice as many are the rule: importing in Python alone is deeper than 127. */
enum { WIRE_COMM = 16, WIRE_STACK_DEPTH = 127, WIRE_USER_STACK_DEPTH = 255, WIRE_STACK_DEPTH_LIMIT = 512, WIRE_STACK_COPY_BYTES = 28672, WIRE_DELAY_BUCKETS = 48, WIRE_TEXT = 4096 };

_Static_assert(sizeof(struct wire_head) == 16, "wire layout");
