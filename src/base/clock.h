/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/* The capture's clock is CLOCK_MONOTONIC: it is what the kernel half reads. */
#include <stdint.h>

uint64_t clock_now_ns(void);
uint64_t clock_thread_cpu_ns(void);     /* what the calling thread has run */
uint64_t clock_wall_ns(void);           /* CLOCK_REALTIME, for dates only */
