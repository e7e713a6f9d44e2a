/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
#pragma once
/* What both sides of a wait left behind, and what its numbers mean. Flags and values are append-only. */
#ifndef __bpf__
#include <linux/types.h>
#endif

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
	WIRE_PEER_WOKE = 1 << 19,
	WIRE_SERVES = 1 << 24, WIRE_IN_REQUEST = 1 << 25,
};
enum { WIRE_CONTENTION_MMAP = 64 };     /* beside the kernel's own flags: the lock of the process' own address space */
enum { WIRE_WAKE_UNSEEN, WIRE_WAKE_TASK, WIRE_WAKE_SOFTIRQ, WIRE_WAKE_HARDIRQ };
enum { WIRE_WORD_UNREAD, WIRE_WORD_ZERO, WIRE_WORD_ONE, WIRE_WORD_TWO, WIRE_WORD_THREE, WIRE_WORD_THREAD, WIRE_WORD_OTHER };
enum { WIRE_OWNER_UNREAD, WIRE_OWNER_NONE, WIRE_OWNER_THREAD, WIRE_OWNER_OTHER };

_Static_assert(sizeof(struct wire_evidence) == 40, "wire layout");
