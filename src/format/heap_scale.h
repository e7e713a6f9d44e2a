/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * What a sampled heap stands for. An allocator that takes a sample every `rate` bytes on average
 * sees an allocation of S bytes with the probability 1 - exp(-S/rate); a row of a profile holds only
 * sums, so that its mean size stands for S. The mean of the estimates is not the estimate of the
 * mean: rows of mixed sizes come out too low (jemalloc pull request 1902).
 */
#include <stdint.h>

void heap_scale(int64_t *objects, int64_t *bytes, int64_t rate);
