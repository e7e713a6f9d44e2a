/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * What both sides of a wait left behind: the bounded inputs of the rules in classify/. Kept with every capture, so that
 * an old one can be classified again by a better rule. Kernel pointers are already names here.
 */
#include <stdint.h>

#include "profile/id.h"

enum evidence_flag {
	EVIDENCE_IOWAIT = 1 << 0,            /* the task was in io_schedule() */
	EVIDENCE_KERNEL_THREAD = 1 << 1,     /* a kernel or io_uring worker thread: it has no system call */
	EVIDENCE_FAULT = 1 << 2,             /* left user mode by an exception, not by a system call */
	EVIDENCE_CONTENDED = 1 << 3,         /* between contention_begin and contention_end */
	EVIDENCE_RECLAIM = 1 << 4,           /* inside direct or cgroup reclaim */
	EVIDENCE_COMPACTION = 1 << 5,
	EVIDENCE_OWN_BIO = 1 << 6,           /* the thread itself queued block I/O since it last waited */
	EVIDENCE_OWN_BIO_DONE = 1 << 7,      /* and that very request completed just before the wake */
	EVIDENCE_CUT_START = 1 << 8,         /* began before the window opened */
	EVIDENCE_CUT_END = 1 << 9,           /* went on after the window: no waking side */
	EVIDENCE_NO_WAKER = 1 << 10,         /* no wake-up was seen although it ended inside the window */
	EVIDENCE_OWNER_WOKE = 1 << 11,       /* futex: the thread named by the lock's owner word made it runnable */
	EVIDENCE_SAME_PROCESS_WOKE = 1 << 12,/* the waker belongs to the same process */
	EVIDENCE_ACCEPTED = 1 << 13,         /* socket: the local port is one that listens, so the peer connected to us */
	EVIDENCE_TIMEOUT = 1 << 14,          /* the call was given a timeout */
	EVIDENCE_LOST = 1 << 15,             /* the record of this wait was lost: only its length is known */
	EVIDENCE_ITERATED = 1 << 16,         /* the sleeping side was read by the task iterator, not at the switch */
	EVIDENCE_NO_DESCRIPTORS = 1 << 17,   /* poll or select with none: a sleep */
	EVIDENCE_PEER_WOKE = 1 << 19,        /* woken in a softirq, by what the waker was sending to it through the loopback device */
	/* Where requests are followed: the thread had served some before, and had one open when it began to wait. */
	EVIDENCE_SERVES = 1 << 24,
	EVIDENCE_IN_REQUEST = 1 << 25,
	EVIDENCE_FROZEN = 1 << 18,           /* task->frozen: parked by the second version of control groups */
};

enum wake_context { WAKE_UNSEEN, WAKE_TASK, WAKE_SOFTIRQ, WAKE_HARDIRQ };

/* The futex word as the sleeper saw it, and the word eight bytes on, where glibc keeps a mutex's owner. */
enum futex_word { FUTEX_WORD_UNREAD, FUTEX_WORD_ZERO, FUTEX_WORD_ONE, FUTEX_WORD_TWO, FUTEX_WORD_THREE,
		  FUTEX_WORD_THREAD, FUTEX_WORD_OTHER };   /* THREAD: the id of a thread of this process, flags aside */
enum futex_owner { FUTEX_OWNER_UNREAD, FUTEX_OWNER_NONE, FUTEX_OWNER_THREAD, FUTEX_OWNER_OTHER };

enum { SYSCALL_NONE = -1 };

struct wait_evidence {
	uint16_t task_state;                 /* raw state bits at switch-out: 1 interruptible, 2 uninterruptible … */
	int16_t syscall;                     /* x86-64 number, SYSCALL_NONE for a fault or a kernel thread */
	uint32_t flags;                      /* enum evidence_flag */
	uint8_t wake_context;                /* enum wake_context */
	uint8_t contention;                  /* LCB_F_* of contention_begin: 1 spin, 2 read, 4 write, 8 rt, 16 percpu, 32 mutex;
						64: the lock of the process' own address space */
	uint8_t futex_word;                  /* enum futex_word: the value the call expects */
	uint8_t futex_owner;                 /* enum futex_owner */
	uint32_t futex_operation;            /* the operation argument: command | 128 private | 256 realtime */
	uint16_t file_type;                  /* S_IFMT bits of the file behind the descriptor */
	uint16_t socket_family;
	uint8_t socket_type, socket_state;   /* SOCK_*, TCP_* */
	uint16_t reserved;                   /* 0: the struct is compared as bytes */
	struct string_id file_release;       /* name of f_op->release: "sock_close", "pipe_release"; none where unread */
	struct stack_id kernel_stack;        /* none where it was not needed or not taken */
};
_Static_assert(sizeof(struct wait_evidence) == 32, "compared as bytes: no padding");
