/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * What processes' memory consists of, from /proc/PID/smaps. The kernel holds the process' memory map while it writes that, so
 * a look is taken after 1, 2, 4 … 16 seconds and at the end, and the last one of each process counts.
 */
#include <stdint.h>

#include "base/cleanup.h"

struct batch;
struct profile;
struct resident;

struct resident *resident_new(void);
void resident_free(struct resident *resident);
DEFINE_CLEANUP(resident)

/* Of those processes of the profile that live; does nothing until it is due, unless it is the last time. */
void resident_look(struct resident *resident, const struct profile *profile, uint64_t now_ns, int last);
void resident_put(const struct resident *resident, uint64_t at_ns, struct batch *into);
