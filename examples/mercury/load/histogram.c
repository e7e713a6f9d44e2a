/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Buckets by the leading bit and the seven bits behind it. Values below 256 have a bucket each. A
 * quantile is answered with the middle of its bucket, never above the maximum, which is exact.
 */
#include "histogram.h"

#include <math.h>
#include <string.h>

static uint32_t bucket_of(uint64_t value)
{
	uint32_t shift;

	if (value >> HISTOGRAM_VALUE_BITS)
		return HISTOGRAM_BUCKETS - 1;
	if (value < 2u << HISTOGRAM_FINE_BITS)
		return (uint32_t)value;
	shift = 63 - (uint32_t)__builtin_clzll(value) - HISTOGRAM_FINE_BITS;
	return (shift << HISTOGRAM_FINE_BITS) + (uint32_t)(value >> shift);
}

static uint64_t bucket_middle(uint32_t bucket)
{
	uint32_t shift;
	uint64_t low;

	if (bucket < 2u << HISTOGRAM_FINE_BITS)
		return bucket;
	shift = (bucket >> HISTOGRAM_FINE_BITS) - 1;
	low = (uint64_t)(bucket - (shift << HISTOGRAM_FINE_BITS)) << shift;
	return low + ((uint64_t)1 << shift) / 2;
}

void histogram_clear(struct histogram *histogram)
{
	memset(histogram, 0, sizeof(*histogram));
}

void histogram_add(struct histogram *histogram, uint64_t value)
{
	histogram->count++;
	histogram->sum += value;
	if (value > histogram->maximum)
		histogram->maximum = value;
	histogram->buckets[bucket_of(value)]++;
}

uint64_t histogram_quantile(const struct histogram *histogram, double share)
{
	uint64_t wanted = (uint64_t)ceil(share * (double)histogram->count), seen = 0;

	for (uint32_t bucket = 0; bucket < HISTOGRAM_BUCKETS && histogram->count; bucket++) {
		uint64_t middle = bucket_middle(bucket);

		seen += histogram->buckets[bucket];
		if (seen >= wanted && seen)
			return middle < histogram->maximum ? middle : histogram->maximum;
	}
	return 0;
}

double histogram_mean(const struct histogram *histogram)
{
	return histogram->count ? (double)histogram->sum / (double)histogram->count : 0;
}
