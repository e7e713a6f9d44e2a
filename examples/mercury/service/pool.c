/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Thread per connection from a fixed pool. A connection waits in the queue until a thread is free;
 * the queue is bounded, and who does not fit is told so at once instead of being kept waiting.
 */
#define _GNU_SOURCE 1
#include "pool.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "connection.h"

struct worker {
	struct pool *pool;
	struct connection *connection;
	pthread_t thread;
	int fd;                              /* being served, or -1; guarded by the pool's lock */
};

struct pool {
	pthread_mutex_t lock;
	pthread_cond_t offered;
	bool stopping;
	int *queue;                          /* a ring */
	size_t queue_limit, queue_count, queue_first;
	struct worker *workers;
	size_t worker_count;                 /* that were started */
};

/* The next connection, or -1 when the pool stops. */
static int worker_take(struct worker *worker)
{
	struct pool *pool = worker->pool;

	pthread_mutex_lock(&pool->lock);
	while (!pool->stopping && !pool->queue_count)
		pthread_cond_wait(&pool->offered, &pool->lock);
	worker->fd = -1;
	if (!pool->stopping) {
		worker->fd = pool->queue[pool->queue_first];
		pool->queue_first = (pool->queue_first + 1) % pool->queue_limit;
		pool->queue_count--;
	}
	pthread_mutex_unlock(&pool->lock);
	return worker->fd;
}

static void *worker_run(void *argument)
{
	struct worker *worker = argument;
	int fd;

	while ((fd = worker_take(worker)) >= 0) {
		connection_serve(worker->connection, fd);
		pthread_mutex_lock(&worker->pool->lock);
		worker->fd = -1;             /* before its number can be used again */
		pthread_mutex_unlock(&worker->pool->lock);
		close(fd);
	}
	return NULL;
}

static int worker_start(struct worker *worker, struct pool *pool, struct store *store,
			struct cache *cache, size_t number)
{
	char name[16];
	int r;

	*worker = (struct worker){ .pool = pool, .fd = -1 };
	worker->connection = connection_new(store, cache);
	if (!worker->connection)
		return -ENOMEM;
	r = pthread_create(&worker->thread, NULL, worker_run, worker);
	if (r) {
		connection_free(worker->connection);
		return -r;
	}
	snprintf(name, sizeof(name), "worker-%zu", number % 10000);
	pthread_setname_np(worker->thread, name);
	return 0;
}

struct pool *pool_new(size_t threads, size_t queue_limit, struct store *store, struct cache *cache)
{
	struct pool *pool = calloc(1, sizeof(*pool));
	int r = 0;

	if (!pool)
		return NULL;
	pthread_mutex_init(&pool->lock, NULL);
	pthread_cond_init(&pool->offered, NULL);
	pool->queue_limit = queue_limit;
	pool->queue = calloc(queue_limit, sizeof(*pool->queue));
	pool->workers = calloc(threads, sizeof(*pool->workers));
	if (!pool->queue || !pool->workers)
		r = -ENOMEM;
	for (size_t i = 0; i < threads && r == 0; i++) {
		r = worker_start(&pool->workers[i], pool, store, cache, i);
		pool->worker_count += r == 0;
	}
	if (r == 0)
		return pool;
	pool_stop(pool);
	errno = -r;
	return NULL;
}

bool pool_offer(struct pool *pool, int fd)
{
	bool room;

	pthread_mutex_lock(&pool->lock);
	room = pool->queue_count < pool->queue_limit;
	if (room) {
		pool->queue[(pool->queue_first + pool->queue_count++) % pool->queue_limit] = fd;
		pthread_cond_signal(&pool->offered);
	}
	pthread_mutex_unlock(&pool->lock);
	return room;
}

void pool_stop(struct pool *pool)
{
	pthread_mutex_lock(&pool->lock);
	pool->stopping = true;
	pthread_cond_broadcast(&pool->offered);
	for (size_t i = 0; i < pool->worker_count; i++)
		if (pool->workers[i].fd >= 0)
			shutdown(pool->workers[i].fd, SHUT_RD);
	for (; pool->queue_count; pool->queue_count--) {
		close(pool->queue[pool->queue_first]);
		pool->queue_first = (pool->queue_first + 1) % pool->queue_limit;
	}
	pthread_mutex_unlock(&pool->lock);
	for (size_t i = 0; i < pool->worker_count; i++) {
		pthread_join(pool->workers[i].thread, NULL);
		connection_free(pool->workers[i].connection);
	}
	pthread_cond_destroy(&pool->offered);
	pthread_mutex_destroy(&pool->lock);
	free(pool->workers);
	free(pool->queue);
	free(pool);
}
