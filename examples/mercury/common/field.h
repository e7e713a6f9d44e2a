/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The fields of an item: eight measures at each of sixteen warehouses, warehouse by warehouse. A
 * document names each field in full; a client may ask for one warehouse.
 */
#pragma once

enum { WAREHOUSE_COUNT = 16, WAREHOUSE_FIELDS = 8 };
enum { FIELD_COUNT = WAREHOUSE_COUNT * WAREHOUSE_FIELDS };

extern const char *const warehouse_names[WAREHOUSE_COUNT];
extern const char *const field_names[FIELD_COUNT];
