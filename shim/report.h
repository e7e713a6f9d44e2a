/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/* Tells the recorder over the shared file (wire/heap_channel.h). Nothing here waits, allocates or fails. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The caller of malloc(), as its registers were: those that a call keeps, where its stack begins, and where it is. */
struct report_caller { uint64_t rbx, rbp, r12, r13, r14, r15, sp, pc; };

void report_open(bool refused);                         /* maps the file that the environment names */
void report_forked(void);
uint64_t report_mean(void);                             /* 0: nothing is sampled, yet or any more */
bool report_is_over(void);                              /* and will not be */
uint64_t report_seed(void);
uint64_t report_sample(size_t size, const struct report_caller *caller);        /* the object's id; 0: there was no room */
void report_freed(uint64_t id);
void report_unsampled(void);
