/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
#pragma once
/*
 * The contract between the kernel half and the user half. Two compilers read this file, so it holds fixed-width types
 * and asserted sizes only; kinds and fields are append-only.
 *
 * Records travel in one stream of { struct wire_head, body }, padded to 8 bytes. The kernel writes some to the ring;
 * the drain transcribes the rest from maps, iterators and /proc, so that decoding is pure: bytes in, profile out.
 */
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
	__u32 generated;        /* rows made from what a runtime tells of its code */
};
struct wire_unwind_cost { __u64 count, ns, frames; };
enum { WIRE_UNWIND_CHUNKS = 64, WIRE_UNWIND_COST_BUCKETS = 128 };       /* four buckets to each power of two of ns */

struct wire_ledger {
	struct wire_head head;
	__u64 start_ns;         /* of the thread inside the window */
	__u64 runtime_ns;       /* as in wire_exit */
	__u32 thread, reserved;
};

/* The bounded inputs of the rules in classify/, as the kernel has them; see profile/evidence.h for the meanings. */
struct wire_evidence {
	__u64 kernel_stack;     /* id; 0 none */
	__u64 file_release;     /* kernel address of f_op->release; 0 unread */
	__u32 flags;            /* enum wire_evidence_flag */
	__u32 futex_operation;
	__u16 task_state;
	__s16 syscall;
	__u16 file_type, socket_family;
	__u8 socket_type, socket_state, futex_word, futex_owner;
	__u8 wake_context, contention;
	__u8 bucket;            /* the wait's length lies in [2^bucket, 2^(bucket+1)) ns */
	__u8 reserved;
};

enum wire_evidence_flag {
	WIRE_IOWAIT = 1 << 0, WIRE_KERNEL_THREAD = 1 << 1, WIRE_FAULT = 1 << 2, WIRE_CONTENDED = 1 << 3,
	WIRE_RECLAIM = 1 << 4, WIRE_COMPACTION = 1 << 5, WIRE_OWN_BIO = 1 << 6, WIRE_OWN_BIO_DONE = 1 << 7,
	WIRE_CUT_START = 1 << 8, WIRE_CUT_END = 1 << 9, WIRE_NO_WAKER = 1 << 10, WIRE_OWNER_WOKE = 1 << 11,
	WIRE_SAME_PROCESS_WOKE = 1 << 12, WIRE_ACCEPTED = 1 << 13, WIRE_TIMEOUT = 1 << 14, WIRE_LOST = 1 << 15,
	WIRE_ITERATED = 1 << 16, WIRE_NO_DESCRIPTORS = 1 << 17, WIRE_FROZEN = 1 << 18,
	WIRE_SERVES = 1 << 24, WIRE_IN_REQUEST = 1 << 25,
};
enum { WIRE_CONTENTION_MMAP = 64 };     /* beside the kernel's own flags: the lock of the process' own address space */
enum { WIRE_WAKE_UNSEEN, WIRE_WAKE_TASK, WIRE_WAKE_SOFTIRQ, WIRE_WAKE_HARDIRQ };
enum { WIRE_WORD_UNREAD, WIRE_WORD_ZERO, WIRE_WORD_ONE, WIRE_WORD_TWO, WIRE_WORD_THREE, WIRE_WORD_THREAD, WIRE_WORD_OTHER };
enum { WIRE_OWNER_UNREAD, WIRE_OWNER_NONE, WIRE_OWNER_THREAD, WIRE_OWNER_OTHER };

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
	COUNTERS,
};

/* Map keys and values: what the kernel adds up between two slices. */
struct wire_wait_key {
	__u32 thread, reserved;
	struct wire_evidence evidence;
};

struct wire_wait_value {
	__u64 count, wait_ns, wait_maximum_ns;
	__u64 woken_ns, woken_maximum_ns, woken_count;
	__u64 oncpu_ns, oncpu_count;
	__u64 preempted_ns, preempted_count;
	__u64 throttled_ns, throttled_count;
	__u64 lost_ns, lost_count;      /* waits that found no room under their own key */
	__u64 migrations;
};

struct wire_split_key {
	struct wire_wait_key wait;
	__u64 user_stack;
	__u32 waker;                    /* tid; 0 where the wake came from an interrupt or was not seen */
	__u32 p_log2;
	__u64 waker_stack;
};

struct wire_split_value { __u64 count, wait_ns, maximum_ns; };

/* What a thread did, as far as one switch shows it without a rule: of holders, while others wait for them. */
enum wire_doing {
	WIRE_DOING_UNKNOWN, WIRE_DOING_ONCPU, WIRE_DOING_RUNNABLE, WIRE_DOING_LOCK, WIRE_DOING_DISK, WIRE_DOING_NETWORK, WIRE_DOING_PAGING,
	WIRE_DOING_IPC, WIRE_DOING_TIMER, WIRE_DOING_CHILD, WIRE_DOINGS,
};

/* Waits for locks, cut at every release: exact, and of sampled waits again with stacks. The evidence is the wait's. */
struct wire_segment_key {
	struct wire_wait_key wait;
	__u64 lock, user_stack, holder_stack;
	__u32 lock_process;
	__u32 holder;                   /* tid; 0: no thread let go (a timeout, a signal), or who did was not seen */
	__u32 sampled, p_log2;
};
struct wire_segment_value {
	__u64 count, ns, maximum_ns;
	__u64 hand_offs, hand_off_ns;   /* those that the wait ended with: of one lock they do not overlap */
	__u64 doing_ns[WIRE_DOINGS];    /* of the holder, during hand_off_ns */
};

/* SOFTIRQ is told apart from KERNEL where interrupts are watched. */
enum wire_sample_mode { WIRE_SAMPLE_USER, WIRE_SAMPLE_KERNEL, WIRE_SAMPLE_SOFTIRQ };
struct wire_sample_key {
	__u64 user_stack, kernel_stack;
	__u32 thread;
	__u32 kernel;                   /* enum wire_sample_mode */
};

/* A file is an inode of a file system; inode 0: nobody can say which file. */
struct wire_file { __u64 inode; __u32 device, reserved; };
enum { WIRE_FILE_TEXT = 40 };
struct wire_file_name {
	struct wire_head head;
	struct wire_file file;
	__u32 mode, reserved;           /* of the inode: a block device's own pages are a file system's metadata */
	char name[WIRE_FILE_TEXT], folder[WIRE_FILE_TEXT];      /* the last two parts of its path, each cut to size */
};
struct wire_file_key {
	struct wire_file file;
	__u32 thread;                   /* that submitted it; 0: of nobody in the population, as write-back's workers are */
	__u32 operation;
};
struct wire_file_value { __u64 count, bytes, queue_ns, device_ns, device_maximum_ns; };    /* dirtied: count is pages */

/* Why a thread that could run did not. Append-only. */
enum wire_ready_reason {
	WIRE_READY_UNSEEN,      /* it was cut by the window, or its switches were not all seen */
	WIRE_READY_PREEMPTED,   /* another was switched in for it, while it had work: by is that one */
	WIRE_READY_YIELDED,     /* it gave way itself (sched_yield) */
	WIRE_READY_THROTTLED,   /* its cgroup has used up its quota */
	WIRE_READY_QUEUED,      /* woken, while another ran there: by is who ran last before it */
	WIRE_READY_IDLE,        /* woken, while its processor had nothing to do: the way out of idling */
	WIRE_READY_REASONS,
};
enum { WIRE_READY_TOLD_NS = 20000 };            /* shorter ones are in the ledger's sums alone */
struct wire_ready_key {
	__u32 thread, by;               /* by: tid; 0: nobody */
	__u8 reason;
	__u8 moved;                     /* it went on on another processor */
	__u16 reserved;
};
struct wire_ready_value { __u64 count, ns, maximum_ns; char comm[WIRE_COMM]; };      /* comm: of by, who may be gone soon */

/* WIRE_CALL_COMPATIBLE beside the number: of a 32-bit program. Of a call that had not ended the count is 0. */
#define WIRE_CALL_COMPATIBLE (1u << 30)
struct wire_call_key {
	__u32 thread, call;
	__u16 error;                    /* 0: none */
	__u8 bucket;                    /* as of waits; 0 where stacks are kept */
	__u8 p_log2;
	__u32 reserved;
	__u64 user_stack;               /* id; 0 in exact ones */
};
struct wire_call_value { __u64 count, ns, oncpu_ns, maximum_ns, returned; };

struct wire_io_key { __u32 major, minor, operation, reserved; };
struct wire_io_value {
	__u64 count, bytes, queue_ns, device_ns, device_maximum_ns, errors, retries, merges;
	__u64 waits, wait_queue_ns, wait_device_ns, wait_wake_ns, wait_runnable_ns;     /* that ended with the thread's own request */
};

/* An endpoint: of connections that a program makes, the program and the peer; of those that it is given, the local port. */
enum wire_direction { WIRE_OUTGOING = 1, WIRE_INCOMING, WIRE_DIRECTION_OTHER /* no room under their own key */ };
struct wire_connection_key {
	char comm[WIRE_COMM];           /* of the process that makes the connection; empty of incoming ones */
	__u8 address[16];               /* of the peer, IPv4 in the first four; zero of incoming ones */
	__u16 port;                     /* host order: the peer's, or one's own */
	__u8 family, protocol;          /* AF_INET, AF_INET6; IPPROTO_TCP, IPPROTO_UDP */
	__u8 direction, reserved[3];
};

/* What has a length. Of waits, whose reason is one of the first four, SOFTIRQ is the part in which this host already had what
 * they waited for, WINDOW the part in which the peer took nothing, RECOVERY those that ended while the connection repaired a loss. */
enum wire_connection_part {
	CONNECTION_WAIT_CONNECT, CONNECTION_WAIT_RECEIVE, CONNECTION_WAIT_SEND, CONNECTION_WAIT_ACCEPT,
	CONNECTION_SOFTIRQ, CONNECTION_WINDOW, CONNECTION_RECOVERY,
	CONNECTION_QUEUE,               /* what had arrived lay unread */
	CONNECTION_CONNECT, CONNECTION_LOOKUP, CONNECTION_HANDSHAKE, CONNECTION_FIRST_BYTE,     /* phases, whether waited for or not */
	CONNECTION_ROUND_TRIP,          /* the kernel's smoothed estimate, sampled */
	CONNECTION_PARTS,
};
enum wire_connection_count {
	CONNECTION_OPENED, CONNECTION_SENT_BYTES, CONNECTION_RECEIVED_BYTES, CONNECTION_SENDS, CONNECTION_RECEIVES,
	CONNECTION_RETRANSMITS, CONNECTION_TIMEOUTS, CONNECTION_RESETS_RECEIVED, CONNECTION_RESETS_SENT, CONNECTION_FAILED,
	CONNECTION_ANSWERED /* lookups */, CONNECTION_ZERO_WINDOWS,
	CONNECTION_COUNTS,
};
struct wire_connection_part_value { __u64 count, ns, maximum_ns; };
struct wire_connection_value {
	struct wire_connection_part_value parts[CONNECTION_PARTS];
	__u64 counts[CONNECTION_COUNTS];
};
struct wire_counter_key { __u64 user_stack, kernel_stack; __u32 thread, event; };        /* event: index of counter_events */
#define WIRE_COUNTER_KERNEL 0x80000000u         /* beside it: the processor was in kernel mode */
struct wire_counter_value { __u64 count, events; };
/* Enabled and running: of the counter on all processors, ns; where it shared a register it ran for a part of the time. */
struct wire_counter_sum { struct wire_head head; struct wire_counter_key key; struct wire_counter_value value; __u64 enabled_ns, running_ns, period; };

/* What a thread that ran was interrupted by. Time of a handler inside a softirq is the handler's. */
struct wire_interrupt_key { __u32 thread, softirq; };          /* softirq: 1, a handler: 0 */
struct wire_interrupt_value { __u64 count, ns, maximum_ns; };

struct wire_delay { __u64 count, ns; };
/* Of one CPU: since when it is with whom, and how long it was idle or with somebody whom no switch led to. */
struct wire_cpu_time { __u64 since_ns, idle_ns, unseen_ns; __u32 pid, seen; };
struct wire_sample_value { __u64 count, ns; };       /* ns: what the ticks stood for */

struct wire_completion_key {
	__u32 process;
	__u16 port, class;              /* HTTP: the status */
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
enum { WIRE_HEAP_BEGAN = 1, WIRE_HEAP_REFUSED, WIRE_HEAP_ENDED };
struct wire_heap_process { struct wire_head head; __u32 process, event; };
struct wire_heap_end { struct wire_head head; __u64 unsampled; };

/* Resident bytes of a process by what is mapped there: they sum to all of them. */
enum wire_resident_part {
	WIRE_RESIDENT_HEAP,             /* the break and anonymous mappings that can be written: allocators have theirs there */
	WIRE_RESIDENT_FILES, WIRE_RESIDENT_SHARED, WIRE_RESIDENT_STACKS, WIRE_RESIDENT_CODE, WIRE_RESIDENT_OTHER, WIRE_RESIDENT_PARTS,
};
struct wire_resident {
	struct wire_head head;
	__u64 bytes[WIRE_RESIDENT_PARTS];
	__u64 page_tables, swapped;     /* beside them */
	__u32 process, reserved;
};

_Static_assert(sizeof(struct wire_head) == 16, "wire layout");
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
_Static_assert(sizeof(struct wire_evidence) == 40, "wire layout");
_Static_assert(sizeof(struct wire_interval) == 32, "wire layout");
_Static_assert(sizeof(struct wire_request_prefix) == 1064, "wire layout");
_Static_assert(sizeof(struct wire_request_open) == 40, "wire layout");
_Static_assert(sizeof(struct wire_request_event) == 56, "wire layout");
_Static_assert(sizeof(struct wire_wait_interval) == 88, "wire layout");
_Static_assert(sizeof(struct wire_io) == 136, "wire layout");
_Static_assert(sizeof(struct wire_ready_key) == 12, "wire layout");
_Static_assert(sizeof(struct wire_ready) == 72, "wire layout");
_Static_assert(sizeof(struct wire_file_name) == 120, "wire layout");
_Static_assert(sizeof(struct wire_file_io) == 80, "wire layout");
_Static_assert(sizeof(struct wire_interrupt) == 48, "wire layout");
_Static_assert(sizeof(struct wire_call_key) == 24, "wire layout");
_Static_assert(sizeof(struct wire_connection_key) == 40, "wire layout");
_Static_assert(sizeof(struct wire_connection) == 464, "wire layout");
_Static_assert(sizeof(struct wire_wait_key) == 48, "wire layout");
_Static_assert(sizeof(struct wire_wait_value) == 120, "wire layout");
_Static_assert(sizeof(struct wire_split_key) == 72, "wire layout");
_Static_assert(sizeof(struct wire_segment_key) == 88, "wire layout");
_Static_assert(sizeof(struct wire_segment_value) == 120, "wire layout");
_Static_assert(sizeof(struct wire_link) == 64, "wire layout");
_Static_assert(sizeof(struct wire_lock_name) == 32, "wire layout");
_Static_assert(sizeof(struct wire_sample_key) == 24, "wire layout");
_Static_assert(sizeof(struct wire_completion_key) == 8, "wire layout");
_Static_assert(sizeof(struct wire_heap_sample) == 56, "wire layout");
_Static_assert(sizeof(struct wire_resident) == 88, "wire layout");
