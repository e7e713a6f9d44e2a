/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The shared cache of records: a fixed number of slots behind one mutex, second chance replacement.
 * Every worker thread looks here before it asks the store.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../common/record.h"

struct cache;

struct cache *cache_new(size_t slots, uint32_t items);
void          cache_free(struct cache *cache);

/* Copies the record out if the cache has it. */
bool          cache_get(struct cache *cache, uint32_t id, struct record *ret);

/* Takes a copy of the record. */
void          cache_put(struct cache *cache, const struct record *record);

/* For who fills a slot in place, which spares a copy: takes the lock and returns the slot that
 * this item should have. It is aligned for direct I/O. cache_release gives the lock back; if the
 * slot was not filled, it is empty again. */
struct record *cache_hold(struct cache *cache, uint32_t id);
void           cache_release(struct cache *cache, uint32_t id, bool filled);
