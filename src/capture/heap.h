/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * The recorder's end of the heap shim (shim/heap.c): a shared file that the command and its children find by their environment,
 * and the shim's place beside this program. It lies in memory (/dev/shm), belongs to whoever runs the command, and is removed
 * when the capture ends.
 */
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/cleanup.h"

struct batch;
struct error;
struct heap;

enum { HEAP_MEAN_BYTES = 512 << 10 };

/* FAILURE_CANNOT where there is no shim or no memory to share. owner: of the file. */
int heap_open(struct heap **ret, uint64_t mean_bytes, uid_t owner, struct error *err);
void heap_free(struct heap *heap);                      /* the shim samples no more; the file goes */
DEFINE_CLEANUP(heap)

/* What the command's environment needs, "NAME=VALUE", NULL-terminated; stays the heap's. */
const char *const *heap_environment(const struct heap *heap);
/* Puts what happened until end_ns into the batch; 0: whatever happened. */
void heap_read(struct heap *heap, uint64_t end_ns, struct batch *into);
/* A process ended: told by a later heap_read(), when all that was claimed in the rings by now has been read. */
void heap_ended(struct heap *heap, uint32_t process, uint64_t time_ns);
bool heap_is_busy(const struct heap *heap);             /* so much that the next reading should come soon */
struct heap_counts { uint64_t seen, lost, unsampled; };         /* since the start */
void heap_counts(const struct heap *heap, struct heap_counts *ret);
