/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * The maps that the walk in the kernel reads: rows in chunks that are made when they are needed, and runs of mappings.
 * What is given back is used again only after a while, so that no walk under way reads what was written for another.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "unwind/row.h"
#include "wire/wire.h"

struct error;
struct unwind_store;

enum { UNWIND_STORE_ROWS = 8 << 20 };           /* 64 MiB, for all files of a machine */

struct unwind_place { uint32_t chunk, first, count; };

/* Descriptors of the outer map of chunks, and of the array of so many mappings; both stay the caller's. */
int unwind_store_open(struct unwind_store **ret, int chunks_fd, int mappings_fd, uint32_t mappings, struct error *err);
void unwind_store_free(struct unwind_store *store);
DEFINE_CLEANUP(unwind_store)

/* False where there is no room. */
bool unwind_store_put_rows(struct unwind_store *store, const struct unwind_row *rows, size_t count, struct unwind_place *ret);
bool unwind_store_put_run(struct unwind_store *store, const struct wire_unwind_mapping *mappings, size_t count, uint32_t *ret_first);
void unwind_store_give_rows(struct unwind_store *store, struct unwind_place place);
void unwind_store_give_run(struct unwind_store *store, uint32_t first, uint32_t count);
void unwind_store_collect(struct unwind_store *store, uint64_t now_ns);        /* what was given back long enough ago is free */

/* The rows at a place, to read; valid until unwind_store_unmap(). NULL where they cannot be mapped. */
const struct unwind_row *unwind_store_rows(struct unwind_store *store, struct unwind_place place);
void unwind_store_unmap(struct unwind_store *store, size_t keep_bytes);         /* all, where they are more than that */
uint64_t unwind_store_row_count(const struct unwind_store *store);             /* in use */
uint64_t unwind_store_bytes(const struct unwind_store *store);                 /* of kernel memory, for chunks and runs */
