/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * What a Java machine tells of itself in the file of counters that it maps and that jstat reads: /tmp/hsperfdata_USER/PID. Layout: HotSpot's
 * perfMemory.hpp and perfData.cpp, version 2, little-endian; each entry is a name and one value of a known type.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { JAVA_COUNTERS_LIMIT = 1 << 20 };         /* bytes; HotSpot's own default is 32 KiB */

/* A counter of 64 bits, "sun.gc.metaspace.capacity". False where the bytes have none of that name. */
bool java_counter(const unsigned char *bytes, size_t size, const char *name, uint64_t *ret);
/* The same of a file. */
bool java_counter_of_file(const char *path, const char *name, uint64_t *ret);
