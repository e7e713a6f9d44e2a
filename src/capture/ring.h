/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * Reads a BPF ring buffer. libbpf maps the ring twice in a row, so that no record seems to wrap; both count as the reader's resident
 * memory, from the start and in full. Here it is mapped once, and the record that wraps is put together in a buffer.
 */
#include <stddef.h>

#include "base/cleanup.h"

struct error;
struct ring;

/* The record is valid for the call. */
typedef void ring_function(void *context, const void *record, size_t size);

int ring_open(struct ring **ret, int map_fd, struct error *err);
int ring_map(struct ring **ret, int map_fd, size_t size, struct error *err);    /* the same, of a known size: a power of two */
void ring_free(struct ring *ring);                              /* NULL is fine */
DEFINE_CLEANUP(ring)

/* Hands over what is there now, oldest first, and gives its room back. */
void ring_read(struct ring *ring, ring_function *call, void *context);
