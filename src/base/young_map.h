/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * A map that forgets what was neither put nor asked for lately, where keys come and go without end and can be told again: when
 * the younger half is full, the older one is dropped. What was asked for moves to the younger.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"

struct young_map;

/* limit: keys of one half; so many of the last ones are never forgotten. */
struct young_map *young_map_new(size_t key_size, size_t limit);
void young_map_free(struct young_map *map);                         /* NULL is fine */
DEFINE_CLEANUP(young_map)

/* Whether it is there; value may be NULL. */
bool young_map_find(struct young_map *map, const void *key, uint32_t *ret_value);
void young_map_put(struct young_map *map, const void *key, uint32_t value);
size_t young_map_count(const struct young_map *map);                /* of both halves; one that moved counts twice */
