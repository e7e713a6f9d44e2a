/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * Puts records in the order in which things happened. perf writes each processor's buffer in turn; after each round
 * (FINISHED_ROUND) nothing older than the newest record of the round before can come any more, so that much is handed on.
 * The queue has a limit in bytes: beyond it the older half goes out early, and what then comes too late is counted.
 *
 * Source of the rule: tools/perf/util/ordered-events.c of Linux.
 */
#include <stddef.h>
#include <stdint.h>

struct perf_queue;

enum { PERF_QUEUE_BYTES = 256 << 20 };

typedef int perf_queue_give(void *context, const uint8_t *record, size_t size, uint64_t time_ns);

struct perf_queue *perf_queue_new(perf_queue_give *give, void *context);
void perf_queue_free(struct perf_queue *queue);                      /* NULL is fine */
/* The record is copied. Whatever giving returns that is negative ends the call and is returned; so below. */
int perf_queue_put(struct perf_queue *queue, const uint8_t *record, size_t size, uint64_t time_ns);
int perf_queue_round(struct perf_queue *queue);
int perf_queue_flush(struct perf_queue *queue);
uint64_t perf_queue_late(const struct perf_queue *queue);            /* given after one that happened later */
