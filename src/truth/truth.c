/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of the truth set: one declaration and one place in the list each, sorted by name. */
#include "truth/truth.h"

#include <stddef.h>
#include <string.h>

#define ROWS(row)            \
	row(barrier)         \
	row(burst_100)       \
	row(burst_99)        \
	row(condition_handoff) \
	row(condition_pool)  \
	row(dirty)           \
	row(epoll)           \
	row(eventfd)         \
	row(fault_in_call)   \
	row(fault_major)     \
	row(fault_minor)     \
	row(fdatasync)       \
	row(flock)           \
	row(frozen)          \
	row(frozen_one)      \
	row(futex_ping_pong) \
	row(getppid)         \
	row(holder)          \
	row(join)            \
	row(leak)            \
	row(mmap_cold)       \
	row(mutex)           \
	row(mutex_pi)        \
	row(mutex_robust)    \
	row(mutex_timed)     \
	row(nanosleep)       \
	row(oversubscribed)  \
	row(pipe_read)       \
	row(pipe_write)      \
	row(poll)            \
	row(quota)           \
	row(read_cold)       \
	row(read_direct)     \
	row(rwlock_read)     \
	row(rwlock_write)    \
	row(select)          \
	row(semaphore)       \
	row(spin)            \
	row(stopped)         \
	row(swap)            \
	row(tcp_accept)      \
	row(tcp_connect)     \
	row(tcp_receive)     \
	row(tcp_send)        \
	row(tcp_serve)       \
	row(timerfd)         \
	row(traced)          \
	row(unix_accept)     \
	row(unix_connect)    \
	row(unix_receive)    \
	row(unix_send)       \
	row(unix_serve)      \
	row(vfork)           \
	row(wait4)           \
	row(write_sync)

#define DECLARE(row) extern const struct truth truth_##row;
ROWS(DECLARE)

#define POINT(row) &truth_##row,
const struct truth *const truths[] = { ROWS(POINT) NULL };

const struct truth *truth_find(const char *name)
{
	for (const struct truth *const *row = truths; *row; row++)
		if (strcmp((*row)->name, name) == 0)
			return *row;
	return NULL;
}

bool truth_is_amount(const struct truth *row)
{
	return row->measure == TRUTH_HOLDERS || row->measure == TRUTH_FAULTS ||
	       row->measure == TRUTH_RETAINED;
}

uint64_t truth_expected_ns(const struct truth *row, const struct truth_thread *thread)
{
	switch (row->measure) {
	case TRUTH_WAITED:
		return thread->waited_ns;
	case TRUTH_RAN:
		return thread->cpu_ns - thread->wait_cpu_ns;
	case TRUTH_QUEUED:
		/*
		 * The kernel's sum has what the thread cannot see: its way to its first statement.
		 */
		return thread->ready_known ? thread->ready_ns
					   : thread->end_ns - thread->start_ns - thread->cpu_ns;
	case TRUTH_RATE:
	case TRUTH_HOLDERS:
	case TRUTH_FAULTS:
	case TRUTH_RETAINED:
		break;
	}
	return 0;
}
