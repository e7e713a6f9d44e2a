/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * Rows that only grow in number, of which most are over one day: they lie in pages of 64, and a page goes once all of its
 * rows are over. A row's number is its own for ever; what went reads as the one row that was given for that.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"

struct pages;

struct pages *pages_new(size_t row_size, const void *gone);     /* gone: what a row reads as that went; copied */
void pages_free(struct pages *pages);                           /* NULL is fine */
DEFINE_CLEANUP(pages)

uint32_t pages_add(struct pages *pages, const void *row);       /* copied; returns its number */
size_t pages_count(const struct pages *pages);                  /* of all there ever were: numbers are 0 … count-1 */
/* Stays where it is for as long as it is there. What is written to one that went is lost. */
void *pages_at(const struct pages *pages, size_t row);
/* Nobody will ask for it; twice is as once. Returns whether its page went with it. */
bool pages_end(struct pages *pages, size_t row);
bool pages_is_over(const struct pages *pages, size_t row);
bool pages_is_gone(const struct pages *pages, size_t row);
size_t pages_next(const struct pages *pages, size_t row);       /* the first from this one on that is there, or the count */
size_t pages_bytes(const struct pages *pages);
