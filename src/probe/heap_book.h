/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * Sampled objects while they live, and what they stand for. An object of s bytes was included with probability
 * p = 1 - exp(-s / mean), so it stands for 1 / p objects and s / p bytes (Horvitz and Thompson, 1952), whose variance
 * (1 - p) / p^2 and s^2 (1 - p) / p^2 add up over objects.
 *
 * What is asked for goes into alloc_space and alloc_objects at once. What is freed leaves; what is left when its process ends
 * or gets a new image, or when the window closes, goes into inuse_space and inuse_objects with its age.
 */
#include <stdint.h>

#include "base/cleanup.h"
#include "profile/profile.h"

struct heap_book;

struct heap_object {
	uint64_t id, size, born_ns;
	uint32_t process;
	struct thread_id thread;
	struct stack_id stack;
};

struct heap_book *heap_book_new(struct profile *into);           /* borrows the profile */
void heap_book_free(struct heap_book *book);
DEFINE_CLEANUP(heap_book)

void heap_book_add(struct heap_book *book, struct slice_id slice, const struct heap_object *object, uint64_t mean_bytes);
/* Of a child that was forked with a copy of the object, and of an object that is not known: nothing happens. */
void heap_book_freed(struct heap_book *book, struct slice_id slice, uint64_t id, uint32_t process, uint64_t at_ns);
void heap_book_ended(struct heap_book *book, struct slice_id slice, uint32_t process, uint64_t at_ns);
void heap_book_close(struct heap_book *book, struct slice_id slice, uint64_t at_ns);
