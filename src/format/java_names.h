/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * The names at the end of the profiles that Google's Java agent writes, in place of a map:
 *
 *	0x0000006 com.example.function (source.java:6)
 *	0x0000007 memcpy (/lib/libc.so.6)
 *	0x0000008 VM
 */
#include <stddef.h>

struct addresses;

void java_names_read(struct addresses *addresses, const char *text, size_t size);
