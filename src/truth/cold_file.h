/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * A file that is on the disk and nowhere else: written, synced, dropped from memory. It has no
 * name, so it is gone with its last descriptor. Pages are visited in an order in which no kernel
 * reads ahead.
 */
#include <stddef.h>
#include <stdint.h>

#include "truth/truth.h"

enum { COLD_FILE_PAGE = 4096, COLD_FILE_PAGES = TRUTH_FILE_BYTES / COLD_FILE_PAGE };

/* Whether the directory is on a disk. */
int cold_file_possible(const struct truth_context *context, struct error *err);
/* Makes context->files[0], of TRUTH_FILE_BYTES. */
int cold_file_prepare(struct truth_context *context, struct error *err);

int cold_file_open(int directory);      /* an empty one; a descriptor, or negative errno */

/* Opens context->files[0] once more, with flags of its own (O_DIRECT, O_SYNC); negative errno. */
int cold_file_reopen(const struct truth_context *context, int flags);

/* The n-th page to visit; each page comes once in COLD_FILE_PAGES. */
static inline size_t cold_file_page(uint64_t n)
{
	return (size_t)(n * 7919 % COLD_FILE_PAGES);    /* a prime: coprime to any power of two */
}
