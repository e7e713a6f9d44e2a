/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * Wire records collected from several streams before they are decoded in the order in which they happened. Also the one
 * place that writes records for what the kernel half did not: struct, then texts, padded to 8 bytes.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/wire.h"

enum { BATCH_BYTES_LIMIT = 256 << 20, BATCH_BYTES_KEPT = 1 << 20, BATCH_TEXTS = 6 };

struct batch {
	unsigned char *bytes;
	size_t size, room;
	struct batch_entry { uint64_t time_ns; size_t at; } *entries;
	size_t count, entry_room;
	uint64_t dropped;               /* beyond the limit */
};

void batch_add(struct batch *batch, const void *record, size_t size);        /* a whole record, as it came */
/* Adds a record of kind: struct_size bytes of record (its head is filled in here), then the texts up to a NULL. */
void batch_put(struct batch *batch, unsigned kind, uint64_t time_ns, void *record, size_t struct_size, const char *const *texts);
void batch_sort(struct batch *batch);                                        /* by time; equal times stay in order */
const struct wire_head *batch_at(const struct batch *batch, size_t index);   /* valid until the next add */
void batch_clear(struct batch *batch);
void batch_done(struct batch *batch);
