/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * The flight recorder: the facts of the last slices, in memory, until something makes them worth a file. Nothing is written
 * before; what is older than was asked for, or more than there is room for, is forgotten, oldest first.
 *
 * So are the threads and processes that ended before it; what does not belong to one (frames, stacks, names) stays, and grows with
 * what is new.
 *
 * A file of a part of a capture: every thread's account begins with the interval that was open when the kept time began, so
 * that its states still add up to its lifetime.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "profile/id.h"

struct error;
struct flight;
struct native;
struct profile;

enum { FLIGHT_SLICES_MOST = 3600 };

struct flight_state { uint64_t slices, bytes, kept_ns, forgotten_for_room; };

struct flight *flight_new(uint64_t keep_ns, uint64_t bytes_most);
void flight_free(struct flight *flight);
DEFINE_CLEANUP(flight)
/* Copies the facts of this slice out of the profile, which drops them next. */
void flight_keep(struct flight *flight, const struct profile *profile, struct slice_id slice);
void flight_state(const struct flight *flight, struct flight_state *ret);
/* Everything that is kept into a file that was just created; the profile's window becomes that of what is kept. */
int flight_write(struct flight *flight, struct profile *profile, struct native *native, struct error *err);
