/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * Where sampled objects live: one reserved range of addresses, carved into powers of two that are used again. Each object
 * has a header before it. Every function returns at once: where the range is full, or another thread is at it for too long,
 * there is no room.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Of the range; size 0 until it is reserved. Here so that the test is one comparison. */
extern uintptr_t arena_start, arena_bytes __attribute__((visibility("hidden")));

void arena_open(void);
void arena_forked(void);                                /* in the child: whoever held the lock is not there */
static inline bool arena_has(const void *pointer)
{
	return (uintptr_t)pointer - arena_start < arena_bytes;
}
void *arena_take(size_t size, size_t alignment, bool zero);     /* NULL: no room */
void arena_give(void *pointer);
uint64_t arena_id(const void *pointer);                 /* as it was told to the recorder; 0: it was not */
size_t arena_size(const void *pointer);                 /* as asked for */
bool arena_fits(const void *pointer, size_t size);      /* where it is */
void arena_resize(void *pointer, size_t size, uint64_t id);
