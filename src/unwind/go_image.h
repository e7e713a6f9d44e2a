/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * Where a program's .gopclntab is, and where the code that it describes: by its section; or, where a file has none, by its
 * first bytes, as the table lies in memory that is not written.
 */
#include "unwind/gopclntab.h"
#include "unwind/image.h"

/* 0; -ENOENT: no Go program; else what gopclntab_open() says. The table is good as long as the image is open. ret_address
 * receives where it lies; it may be NULL. */
int go_image_table(struct image *image, struct gopclntab *ret, uint64_t *ret_address);

/* What functions' data count from (go:func.*), up to the end of its segment: found by the program's own list of its parts
 * (moduledata), which begins with where the table is. NULL where that is not found, and before Go 1.18, which has none. */
const uint8_t *go_image_data(struct image *image, const struct gopclntab *table, uint64_t table_address, size_t *ret_size);
