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
