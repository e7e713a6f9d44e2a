/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * The records that perf record --compression-level packed: one zstd stream runs through all of them, and a record may begin
 * in one and end in the next.
 */
#include <stddef.h>
#include <stdint.h>

struct perf_inflate;

typedef int perf_inflate_give(void *context, const uint8_t *record, size_t size);

struct perf_inflate *perf_inflate_new(void);
void perf_inflate_free(struct perf_inflate *inflate);                /* NULL is fine */
/* Hands on every record that is whole now. -EBADMSG where the stream is damaged. */
int perf_inflate_put(struct perf_inflate *inflate, const uint8_t *bytes, size_t size, int swapped, perf_inflate_give *give,
		     void *context);
