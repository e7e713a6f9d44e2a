/* SPDX-License-Identifier: Apache-2.0 */
/* The worker threads and the bounded queue of connections in front of them. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct cache;
struct pool;
struct store;

/* NULL with errno set on failure. */
struct pool *pool_new(size_t threads, size_t queue_limit, struct store *store, struct cache *cache);

/* Hands a connection over. False if the queue is full: the caller keeps it. */
bool         pool_offer(struct pool *pool, int fd);

/* Ends every connection after the answer that it is at, waits for the threads, frees everything. */
void         pool_stop(struct pool *pool);
