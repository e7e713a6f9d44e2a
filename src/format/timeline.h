/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * What trace formats write of a profile: who its threads are, by numbers that tell them apart, and how an interval is
 * drawn. States and slices lie in lanes of threads; what may overlap there is written as asynchronous.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profile/id.h"

struct error;
struct interval;
struct profile;

enum timeline_kind { TIMELINE_STATE, TIMELINE_SLICE, TIMELINE_ASYNCHRONOUS };

/* Fails where there is nothing to draw: a capture without --timeline. */
int timeline_check(const struct profile *profile, struct error *err);
uint32_t timeline_pid(const struct profile *profile, struct process_id id);
uint32_t timeline_tid(const struct profile *profile, struct thread_id id);
enum timeline_kind timeline_kind(const struct profile *profile, const struct interval *interval);
/* "disk/read" for a state, the innermost frame's name, whole, for all else; in text where it is made up. */
const char *timeline_name(const struct profile *profile, const struct interval *interval, char *text, size_t size);
/* What the profile counted in a slice, by dimension; for counters. NULL where it has none that are amounts or levels. The
 * weighting is that of its least exact cell. */
struct timeline_count { uint64_t value, count; int weighting; };
struct timeline_count *timeline_counts(const struct profile *profile, uint32_t slice, size_t *ret_count);
/* The intervals' numbers by thread, those of thread t from starts[t] to starts[t + 1]. The caller frees both. */
uint32_t *timeline_by_thread(const struct profile *profile, size_t **ret_starts);
