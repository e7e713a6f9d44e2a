/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/* The two halves of the pprof row that read. Private to the pprof*.c files. */
#include <stddef.h>

struct error;
struct input;
struct profile;

int pprof_read(struct input *input, struct profile *into, struct error *err);
/* 0 no … 100 certain: is this the head of one? */
int pprof_recognise(const void *head, size_t size);
