/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * Which lanes a timeline has: the threads that did most in the window, by time that was not idle, and the rows into which the
 * requests are packed so that no two of a row overlap.
 */
#include <stddef.h>
#include <stdint.h>

struct profile;
struct selection;

enum { TIMELINE_THREADS_MOST = 64, TIMELINE_ROWS_MOST = 8, TIMELINE_REQUESTS_MOST = 20000 };

/* From the first interval to the last, as far as the selection reaches; start = end where there is none. */
void timeline_window(const struct profile *profile, const struct selection *selection, uint64_t *ret_start, uint64_t *ret_end);
/* At most `most` threads, those of a process together, the earliest born first; how many there are. */
size_t timeline_choose_threads(const struct profile *profile, const struct selection *selection, size_t most,
			       uint32_t threads[TIMELINE_THREADS_MOST], size_t *ret_left_out);

struct timeline_row { uint32_t request, row; };
struct timeline_rows { struct timeline_row *requests; size_t count; uint32_t row_count; uint64_t left_out; };
struct timeline_rows *timeline_pack_requests(const struct profile *profile, const struct selection *selection);
void timeline_rows_free(struct timeline_rows *rows);
