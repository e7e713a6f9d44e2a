/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
#pragma once
/*
 * What the kernel half adds up between two slices: keys and values of its maps. The drain makes a record of each pair (wire.h).
 * A key holds its thread wherever one thread alone adds to it.
 */
#include "wire/evidence.h"
#include "wire/head.h"

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
enum wire_sample_mode { WIRE_SAMPLE_USER, WIRE_SAMPLE_KERNEL, WIRE_SAMPLE_SOFTIRQ, WIRE_SAMPLE_MODES };
struct wire_sample_key {
	__u64 user_stack, kernel_stack;
	__u32 thread;
	__u32 mode;                     /* enum wire_sample_mode */
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

_Static_assert(sizeof(struct wire_ready_key) == 12, "wire layout");
_Static_assert(sizeof(struct wire_file_name) == 120, "wire layout");
_Static_assert(sizeof(struct wire_call_key) == 24, "wire layout");
_Static_assert(sizeof(struct wire_connection_key) == 40, "wire layout");
_Static_assert(sizeof(struct wire_wait_key) == 48, "wire layout");
_Static_assert(sizeof(struct wire_wait_value) == 120, "wire layout");
_Static_assert(sizeof(struct wire_split_key) == 72, "wire layout");
_Static_assert(sizeof(struct wire_segment_key) == 88, "wire layout");
_Static_assert(sizeof(struct wire_segment_value) == 120, "wire layout");
_Static_assert(sizeof(struct wire_sample_key) == 24, "wire layout");
_Static_assert(sizeof(struct wire_completion_key) == 8, "wire layout");
