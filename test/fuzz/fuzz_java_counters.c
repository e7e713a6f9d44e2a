/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as the file of counters that a Java machine maps. */
#include "interpreter/java_counters.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint64_t value;

	(void)java_counter(data, size, "sun.gc.metaspace.capacity", &value);
	return 0;
}
