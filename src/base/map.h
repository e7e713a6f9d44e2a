/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * A hash map from a fixed-size key to a 32-bit number: open addressing, linear probing. Keys are compared
 * as bytes, so a struct used as one must be zeroed before it is filled (padding counts).
 *
 *	struct map *map = map_new(sizeof(struct key));
 *	uint32_t *value = map_put(map, &key, &added);     added: whether the key was new; *value is then 0
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"

struct map;

struct map *map_new(size_t key_size);
void map_free(struct map *map);                                     /* NULL is fine */
DEFINE_CLEANUP(map)

uint32_t *map_find(const struct map *map, const void *key);         /* NULL where the key is absent */
uint32_t *map_put(struct map *map, const void *key, bool *added);   /* valid until the next put; added may be NULL */
size_t map_count(const struct map *map);
bool map_remove(struct map *map, const void *key);                  /* whether it was there; values move, as on a put */
void map_clear(struct map *map);

uint64_t hash_bytes(const void *bytes, size_t size);                /* not for adversaries with write access to time */
bool bytes_equal(const void *one, const void *other, size_t size);  /* of keys, which are short: faster than memcmp() there */
