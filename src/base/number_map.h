/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * From numbers of 64 bits to numbers of 32, where there are hundreds of thousands: keys and values lie apart, and growing adds
 * a half, so that an entry takes 15 to 23 bytes where a map's takes 24 to 48. The number 0 is no key.
 */
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"

struct number_map;

struct number_map *number_map_new(void);
void number_map_free(struct number_map *map);                              /* NULL is fine */
DEFINE_CLEANUP(number_map)

const uint32_t *number_map_find(const struct number_map *map, uint64_t key);     /* NULL where it is absent; valid until the next put */
void number_map_put(struct number_map *map, uint64_t key, uint32_t value);       /* replaces */
size_t number_map_count(const struct number_map *map);
void number_map_clear(struct number_map *map);
size_t number_map_bytes(const struct number_map *map);
