/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
#pragma once
/*
 * The contract between the kernel half and the user half. Two compilers read this file, so it holds fixed-width types
 * and asserted sizes only; kinds and fields are append-only.
 *
 * Records travel in one stream of { struct wire_head, body }, padded to 8 bytes. The kernel writes some to the ring;
 * the drain transcribes the rest from maps, iterators and /proc, so that decoding is pure: bytes in, profile out.
 *
 *	head.h      what every record begins with, and the kinds
 *	evidence.h  what both sides of a wait left behind
 *	sums.h      what is added up in maps between two slices
 *	this file   the records
 */
#include "wire/evidence.h"
#include "wire/head.h"
#include "wire/sums.h"

/* Who leads whom into the population; also the start of WIRE_THREAD. */
struct wire_thread {
	struct wire_head head;
	__u64 start_ns;         /* birth, or 0: it lived before it was seen */
	__u32 thread;           /* serial number: tids are used again within minutes */
	__u32 tid, process, parent;     /* process: the thread group id */
	__u32 namespace_tid, namespace_process;
	char comm[WIRE_COMM];
};

struct wire_rename {
	struct wire_head head;
	__u32 thread, tid;
	char comm[WIRE_COMM];
};

struct wire_exit {
	struct wire_head head;
	__u64 runtime_ns;       /* se.sum_exec_runtime gained in the window */
	__u32 thread, reserved;
};

/* Addresses leaf first. A stack's id is a hash of its addresses and its process: equal stacks have equal ids. An address
 * of user space has 56 bits; above them stands how its frame was found (enum unwind_method). */
struct wire_stack {
	struct wire_head head;
	__u64 id;
	__u32 process;          /* 0: a kernel stack */
	__u16 depth;            /* so many __u64 addresses follow */
	__u8 status;            /* enum unwind_status; 0: walked by the kernel's own frame pointers */
	__u8 interpreted;       /* so many frames of an interpreter follow the addresses, innermost first */
};
enum { WIRE_METHOD_SHIFT = 56, WIRE_FROM_COPY = 1 /* in head.reserved: no second stack has its id */, WIRE_INTERPRETED_LIMIT = 240, WIRE_STACK_WORDS = WIRE_STACK_DEPTH_LIMIT + 2 * WIRE_INTERPRETED_LIMIT };

/* Two words: the code, and the instruction in it, whose highest bit says that the evaluator was entered anew for it. */
struct wire_interpreted { __u64 code, instruction; };
#define WIRE_INTERPRETED_ENTRY (1ull << 63)

/* Where CPython keeps what, of one process: offsets in bytes, and places in the first nine words of a frame. */
struct wire_python {
	__u32 thread_frame, cframe_frame;
	__u8 has_cframe;
	__u8 code, previous, instruction;       /* words */
	__u8 entry_shift;                       /* in word 8: of the flag that says "entry" (3.11) */
	__u8 owner_shift;                       /* in word 8: of the owner; 3 there: no frame, but an entry of the one before */
	__u8 has_entry_flag, reserved;
	__u32 code_texts;                       /* of its four texts, one after the other */
	__u32 reserved_too;
};
struct wire_python_thread { __u64 state; __u32 process, reserved; };

struct wire_evaluator {
	struct wire_head head;
	__u64 start, end;
	__u32 process, reserved;
};

struct wire_code_name {         /* texts: function, file; both empty where the code was gone */
	struct wire_head head;
	__u64 code, instruction;
	__u32 process, line;
};

/* The registers, in DWARF's order and rip last, and the stack from rsp on, as far as it was in memory. */
struct wire_stack_copy {
	struct wire_head head;
	__u64 id;
	__u32 process, bytes;   /* so many bytes of stack follow */
	__u64 registers[17];
};

/* What the walk in the kernel looks up by process: mappings [first, first + count), sorted by start. */
struct wire_unwind_process { __u32 first, count; };
struct wire_unwind_mapping {
	__u64 start, end;
	__u64 bias;             /* the address that pc 0 of its table stands for */
	__u32 chunk, first;     /* where its rows lie */
	__u32 count;            /* 0: it has none */
	__u32 generated : 1;    /* rows made from what a runtime tells of its code */
	__u32 file : 31;        /* whose code it is: other code at the same addresses makes another stack */
};
struct wire_unwind_cost { __u64 count, ns, frames; };
enum { WIRE_UNWIND_CHUNKS = 64, WIRE_UNWIND_COST_BUCKETS = 128 };       /* four buckets to each power of two of ns */

struct wire_ledger {
	struct wire_head head;
	__u64 start_ns;         /* of the thread inside the window */
	__u64 runtime_ns;       /* as in wire_exit */
	__u32 thread, reserved;
};

/* head.time_ns is an interval's end. */
enum wire_interval_state {
	WIRE_INTERVAL_ONCPU = 1, WIRE_INTERVAL_PREEMPTED, WIRE_INTERVAL_THROTTLED, WIRE_INTERVAL_WOKEN, WIRE_INTERVAL_LOST,
};
struct wire_interval {
	struct wire_head head;
	__u64 start_ns;
	__u32 thread, state;
};
struct wire_wait_interval {
	struct wire_head head;
	__u64 start_ns;
	__u32 thread;
	__u32 waker;            /* tid; 0 where the wake came from an interrupt or was not seen */
	__u64 user_stack;       /* id; 0 where none was taken */
	struct wire_evidence evidence;
	__u64 waker_stack;      /* id; 0 where none was taken */
};

/* A lock's address means something with its process; 0: the kernel's. */
struct wire_link {              /* head.time_ns: when the wait that it is a part of ended */
	struct wire_head head;
	__u64 start_ns, end_ns, lock, stack;
	__u32 thread, lock_process;
	__u32 holder;           /* tid; 0 unknown */
	__u32 contention;       /* as in the evidence of its wait */
};

struct wire_lock_name {         /* texts: kind, name */
	struct wire_head head;
	__u64 lock;
	__u32 process, reserved;
};

/* In head.reserved of both: the interval belongs to a thread with a decomposed request, and it is kept for that alone. */
enum { WIRE_OF_REQUEST = 1, WIRE_NOT_KEPT = 2 };

/* Of a decomposed request. head.time_ns is when it opened; what came last before it was read was there at arrived_ns, 0 where
 * that was not seen. */
enum { WIRE_REQUEST_PREFIX_BYTES = 1024 };
struct wire_request_open {      /* texts: class, trace id */
	struct wire_head head;
	__u64 arrived_ns;
	__u32 request, thread, one_in, bytes;   /* bytes: of the prefix */
};
/* Bytes is WIRE_REQUEST_ELSEWHERE where the class is a text that was not in memory: the prefix says where it is to be read. */
#define WIRE_REQUEST_ELSEWHERE 0xffffffffu
struct wire_request_place { __u64 address; __u32 process, reserved; };
struct wire_request_prefix {
	struct wire_request_open open;
	union {
		char prefix[WIRE_REQUEST_PREFIX_BYTES];
		struct wire_request_place place;
	};
};

enum wire_request_event_kind {
	WIRE_REQUEST_CLOSED = 1,        /* thread sent its response; it runs since since_ns */
	WIRE_REQUEST_ABANDONED,         /* its connection was closed without a response */
	WIRE_REQUEST_TOUCHED,           /* thread, which has such open, works on this one from now on; 0: on none of them */
	WIRE_REQUEST_HANDED,            /* from, which works on it and runs since since_ns, made thread runnable */
};
struct wire_request_event {
	struct wire_head head;
	__u64 since_ns;
	__u32 request, thread, from, event;
	__u32 status, overlap;          /* of a closed one; overlap: its thread had others open meanwhile */
	__u32 outcome, reserved;        /* set by the drain */
};

/* Counters of the kernel half, per CPU: what each source saw and what it had to drop. */
enum wire_counter {
	COUNT_SWITCHES, COUNT_WAKES, COUNT_WAITS, COUNT_WAITS_LOST, COUNT_SPLITS, COUNT_SPLITS_LOST,
	COUNT_SAMPLES, COUNT_SAMPLES_LOST, COUNT_STACKS, COUNT_STACKS_FAILED, COUNT_STACKS_TRUNCATED, COUNT_RECORDS,
	COUNT_RECORDS_LOST, COUNT_NO_STORAGE, COUNT_BLOCK, COUNT_CONTENTION, COUNT_RECLAIM, COUNT_SENDS, COUNT_COMPLETIONS_LOST,
	COUNT_SENDS_UNREAD, COUNT_SENDS_OTHER, COUNT_SWITCHES_MISSED, COUNT_INTERVALS, COUNT_INTERVALS_LOST,
	COUNT_REQUESTS, COUNT_REQUEST_RECORDS, COUNT_REQUEST_RECORDS_LOST, COUNT_RESPONSES_ORPHANED, COUNT_REQUESTS_ABANDONED,
	COUNT_SEGMENTS, COUNT_SEGMENTS_LOST,
	COUNT_IOS, COUNT_IOS_LOST,
	COUNT_CALLS, COUNT_CALLS_LOST,
	COUNT_CONNECTION_EVENTS, COUNT_CONNECTION_EVENTS_MERGED, COUNT_SOCKET_WAITS, COUNT_SOCKET_WAITS_LOST,
	COUNT_COUNTER_EVENTS, COUNT_COUNTER_EVENTS_LOST,
	COUNT_READIES, COUNT_READIES_LOST,
	COUNT_FILE_IOS, COUNT_FILE_IOS_LOST, COUNT_DIRTIED,
	COUNT_INTERRUPTS, COUNT_INTERRUPTS_LOST, COUNT_CACHE_READS, COUNT_CACHE_READS_LOST,
	COUNT_HEAP_ASKED, COUNT_HEAP_FREED, COUNT_HEAP_SAMPLES, COUNT_HEAP_SAMPLES_LOST,
	COUNTERS,
};

struct wire_wait { struct wire_head head; struct wire_wait_key key; struct wire_wait_value value; };
struct wire_split { struct wire_head head; struct wire_split_key key; struct wire_split_value value; };
struct wire_segment { struct wire_head head; struct wire_segment_key key; struct wire_segment_value value; };
struct wire_sample { struct wire_head head; struct wire_sample_key key; struct wire_sample_value value; };
struct wire_delays { struct wire_head head; __u32 preempted, reserved; struct wire_delay buckets[WIRE_DELAY_BUCKETS]; };
struct wire_io { struct wire_head head; struct wire_io_key key; struct wire_io_value value; };    /* text: the device's name */
struct wire_ready { struct wire_head head; struct wire_ready_key key; __u32 reserved; struct wire_ready_value value; };
struct wire_file_io { struct wire_head head; struct wire_file_key key; struct wire_file_value value; };
struct wire_call { struct wire_head head; struct wire_call_key key; struct wire_call_value value; };
struct wire_connection { struct wire_head head; struct wire_connection_key key; struct wire_connection_value value; };
struct wire_interrupt { struct wire_head head; struct wire_interrupt_key key; struct wire_interrupt_value value; };
struct wire_slice { struct wire_head head; __u64 start_ns, end_ns; };

/* From here on: made by the drain only. Texts follow the struct, each ending in a zero byte. */
struct wire_completion {                /* texts: source, class */
	struct wire_head head;
	__u64 count;
	__u32 process, port, outcome, reserved;
};
struct wire_loss { struct wire_head head; __u64 seen, lost; };                 /* text: source */
struct wire_cost { struct wire_head head; __u64 ns, events; };                 /* text: source */
struct wire_process {                   /* texts: comm, cgroup, executable, runtime, pid namespace, arguments */
	struct wire_head head;
	__u32 process, parent, namespace_process, reserved;
};
struct wire_space { struct wire_head head; __u32 process, parent; };
struct wire_mapping {                   /* texts: path, build id */
	struct wire_head head;
	__u64 start, end, offset;
	__u32 process, reserved;
};
struct wire_kernel_name { struct wire_head head; __u64 address, start; };      /* text: name */
struct wire_outsider { struct wire_head head; __u32 tid, process; };           /* text: comm */

struct wire_heap_sample {
	struct wire_head head;
	__u64 id, size, mean_bytes, stack;
	__u32 process, thread;          /* as the process itself sees them: pid, tid */
};
struct wire_heap_freed { struct wire_head head; __u64 id; __u32 process, reserved; };
/* What a probe in a library for TLS hands its program. */
enum wire_tls_call { WIRE_TLS_HANDSHAKE = 1, WIRE_TLS_READ, WIRE_TLS_WRITE };
/* What a probe at an allocator's function hands its program, to know how it is called. */
enum wire_heap_call {
	WIRE_HEAP_MALLOC = 1,           /* (size) */
	WIRE_HEAP_CALLOC,               /* (count, size) */
	WIRE_HEAP_REALLOC,              /* (old, size) */
	WIRE_HEAP_ALIGNED,              /* (alignment, size) */
	WIRE_HEAP_POSIX,                /* (where to put it, alignment, size); returns 0 */
};
enum { WIRE_HEAP_BEGAN = 1, WIRE_HEAP_REFUSED, WIRE_HEAP_ENDED };
struct wire_heap_process { struct wire_head head; __u32 process, event; };
struct wire_heap_end { struct wire_head head; __u64 unsampled; };

/* Resident bytes of a process by what is mapped there: they sum to all of them. */
enum wire_resident_part {
	WIRE_RESIDENT_HEAP,             /* the break and anonymous mappings that can be written: allocators have theirs there */
	WIRE_RESIDENT_FILES, WIRE_RESIDENT_SHARED, WIRE_RESIDENT_STACKS, WIRE_RESIDENT_CODE, WIRE_RESIDENT_OTHER, WIRE_RESIDENT_CLASSES,
	WIRE_RESIDENT_PARTS,
};
struct wire_resident {
	struct wire_head head;
	__u64 bytes[WIRE_RESIDENT_PARTS];
	__u64 page_tables, swapped;     /* beside them */
	__u32 process, reserved;
};

_Static_assert(sizeof(struct wire_thread) == 64, "wire layout");
_Static_assert(sizeof(struct wire_rename) == 40, "wire layout");
_Static_assert(sizeof(struct wire_exit) == 32, "wire layout");
_Static_assert(sizeof(struct wire_stack) == 32, "wire layout");
_Static_assert(sizeof(struct wire_stack_copy) == 168, "wire layout");
_Static_assert(sizeof(struct wire_python) == 24, "wire layout");
_Static_assert(sizeof(struct wire_evaluator) == 40, "wire layout");
_Static_assert(sizeof(struct wire_code_name) == 40, "wire layout");
_Static_assert(sizeof(struct wire_unwind_mapping) == 40, "wire layout");
_Static_assert(sizeof(struct wire_ledger) == 40, "wire layout");
_Static_assert(sizeof(struct wire_interval) == 32, "wire layout");
_Static_assert(sizeof(struct wire_request_prefix) == 1064, "wire layout");
_Static_assert(sizeof(struct wire_request_open) == 40, "wire layout");
_Static_assert(sizeof(struct wire_request_event) == 56, "wire layout");
_Static_assert(sizeof(struct wire_wait_interval) == 88, "wire layout");
_Static_assert(sizeof(struct wire_io) == 136, "wire layout");
_Static_assert(sizeof(struct wire_ready) == 72, "wire layout");
_Static_assert(sizeof(struct wire_file_io) == 80, "wire layout");
_Static_assert(sizeof(struct wire_interrupt) == 48, "wire layout");
_Static_assert(sizeof(struct wire_connection) == 464, "wire layout");
_Static_assert(sizeof(struct wire_link) == 64, "wire layout");
_Static_assert(sizeof(struct wire_lock_name) == 32, "wire layout");
_Static_assert(sizeof(struct wire_heap_sample) == 56, "wire layout");
_Static_assert(sizeof(struct wire_resident) == 96, "wire layout");
