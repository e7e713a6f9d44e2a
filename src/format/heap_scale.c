/* SPDX-License-Identifier: Apache-2.0 */
/* The estimate that pprof and jeprof both make (scaleHeapSample in google/pprof). */
#include "format/heap_scale.h"

#include <math.h>

static int64_t cut_to_int(double value)
{
	if (value >= 9223372036854775807.0)
		return INT64_MAX;
	return value <= -9223372036854775808.0 ? INT64_MIN : (int64_t)value;
}

void heap_scale(int64_t *objects, int64_t *bytes, int64_t rate)
{
	double scale;

	if (!*objects || !*bytes) {
		*objects = *bytes = 0;
		return;
	}
	if (rate <= 1)
		return;
	scale = 1 / (1 - exp(-((double)*bytes / (double)*objects) / (double)rate));
	*objects = cut_to_int((double)*objects * scale);
	*bytes = cut_to_int((double)*bytes * scale);
}
