/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * The vocabulary in which rules are written: what the raw numbers of the evidence mean, and the
 * questions that many rules ask. Numbers of system calls are x86-64's whatever machine this is
 * compiled for, since a capture from one architecture is classified on another.
 *
 * A name in a list of kernel functions that ends in '*' is a prefix. Functions are found anywhere
 * in the stack: a capture may hold the frames of its own probe above the sleeper's, so no rule
 * counts frames from the leaf. A list names what kernels from 6.1 on call the function; what a
 * compiler adds to a name (".constprop.0") is ignored.
 */
#include <stdint.h>

#include "classify/classify.h"
#include "profile/evidence.h"

/* Bits of task_struct.__state, the same since 6.1. */
enum {
	STATE_INTERRUPTIBLE = 0x1, STATE_UNINTERRUPTIBLE = 0x2, STATE_STOPPED = 0x4, STATE_TRACED =
	0x8, STATE_PARKED = 0x40, STATE_KILLABLE = 0x100, STATE_NOLOAD = 0x400, STATE_FROZEN =
	0x8000,
};

enum {
	CALL_READ = 0, CALL_WRITE = 1, CALL_POLL = 7, CALL_PREAD = 17, CALL_PWRITE = 18, CALL_READV
	= 19, CALL_WRITEV = 20, CALL_SELECT = 23, CALL_MSYNC = 26, CALL_PAUSE = 34, CALL_NANOSLEEP =
	35, CALL_SENDFILE = 40, CALL_CONNECT = 42, CALL_ACCEPT = 43, CALL_SENDTO = 44, CALL_RECVFROM
	= 45, CALL_SENDMSG = 46, CALL_RECVMSG = 47, CALL_CLONE = 56, CALL_FORK = 57, CALL_VFORK =
	58, CALL_WAIT4 = 61, CALL_SEMOP = 65, CALL_MSGSND = 69, CALL_MSGRCV = 70, CALL_FCNTL = 72,
	CALL_FLOCK = 73, CALL_FSYNC = 74, CALL_FDATASYNC = 75, CALL_SIGTIMEDWAIT = 128,
	CALL_SIGSUSPEND = 130, CALL_SYNC = 162, CALL_FUTEX = 202, CALL_IO_GETEVENTS = 208,
	CALL_SEMTIMEDOP = 220, CALL_CLOCK_NANOSLEEP = 230, CALL_EPOLL_WAIT = 232, CALL_MQ_TIMEDSEND
	= 242, CALL_MQ_TIMEDRECEIVE = 243, CALL_WAITID = 247, CALL_PSELECT = 270, CALL_PPOLL = 271,
	CALL_SYNC_FILE_RANGE = 277, CALL_EPOLL_PWAIT = 281, CALL_ACCEPT4 = 288, CALL_PREADV = 295,
	CALL_PWRITEV = 296, CALL_RECVMMSG = 299, CALL_SYNCFS = 306, CALL_SENDMMSG = 307,
	CALL_PREADV2 = 327, CALL_PWRITEV2 = 328, CALL_IO_PGETEVENTS = 333, CALL_IO_URING_ENTER =
	426, CALL_CLONE3 = 435, CALL_EPOLL_PWAIT2 = 441,
};

bool wait_has(const struct wait_seen *seen, uint32_t flags);            /* any of them */
/* Sleeps so that a signal would wake it, in a system call: its number says what it waits for. */
bool wait_sleeps(const struct wait_seen *seen);
bool wait_has_stack(const struct wait_seen *seen);

/* Is it in one of the calls (SYSCALL_NONE ends them)? Does it call a function (NULL ends them)? */
bool wait_in_list(const struct wait_seen *seen, const int16_t *calls);
bool wait_calls_list(const struct wait_seen *seen, const char *const *names);
#define wait_in(seen, ...) wait_in_list(seen, (const int16_t[]){ __VA_ARGS__, SYSCALL_NONE })
#define wait_calls_any(seen, ...) wait_calls_list(seen, (const char *const[]){ __VA_ARGS__, NULL })

/* The direction of a call on a descriptor, for any kind of file. */
bool wait_reads(const struct wait_seen *seen);
bool wait_writes(const struct wait_seen *seen);
bool wait_polls(const struct wait_seen *seen);  /* poll and select: their descriptors can be none */

/* Files are told by the function that releases them: an anonymous inode's type varies by kernel. */
bool wait_on(const struct wait_seen *seen, const char *release);
bool wait_on_pipe(const struct wait_seen *seen);
bool wait_on_storage(const struct wait_seen *seen);     /* a file, directory or block device */

/* In the handling of a page fault, be it user code's or the kernel's on the thread's behalf. */
bool wait_in_fault(const struct wait_seen *seen);
