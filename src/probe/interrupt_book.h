/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * What interrupts took of each thread, until the on-CPU time that it is a part of is told: an interval of a thread that runs on is told
 * when it ends, perhaps slices later, and what interrupted it was told before. What is never told (a switch that was not
 * seen) stays here: it is lost with the time that it was a part of.
 */
#include <stdint.h>

enum interrupt_part { INTERRUPT_HANDLER, INTERRUPT_SOFTIRQ, INTERRUPT_PARTS };
struct interrupted { uint64_t count, ns, maximum_ns; };

struct interrupt_book;

struct interrupt_book *interrupt_book_new(void);
void interrupt_book_free(struct interrupt_book *book);          /* NULL is fine */

void interrupt_book_add(struct interrupt_book *book, uint32_t thread, enum interrupt_part part, struct interrupted more);
/* Takes out at most limit_ns, with what was counted once. */
struct interrupted interrupt_book_take(struct interrupt_book *book, uint32_t thread, enum interrupt_part part, uint64_t limit_ns);
/* It ended, and all that it did was told. */
void interrupt_book_forget(struct interrupt_book *book, uint32_t thread);
