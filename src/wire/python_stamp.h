/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
#pragma once
/*
 * Tells a code object from another one that took its place in memory. A name is read a moment after its frame was seen, and
 * by then a module that was imported has dropped its code, and the next function lies there. So the kernel half notes, in
 * the sixteen bits that an address leaves free, what the code's four texts were: file, name, qualified name and lines.
 */
#ifndef __bpf__
#include <linux/types.h>
#endif

enum { PYTHON_STAMP_SHIFT = 48, PYTHON_STAMP_WORDS = 4 };

static inline __u64 python_stamp(const __u64 texts[PYTHON_STAMP_WORDS])
{
	__u64 hash = 0xcbf29ce484222325ull;

	for (int i = 0; i < PYTHON_STAMP_WORDS; i++)
		hash = (hash ^ texts[i]) * 0x9e3779b97f4a7c15ull;
	hash ^= hash >> 32;
	return (hash >> 8 & 0xffff) ? (hash >> 8 & 0xffff) << PYTHON_STAMP_SHIFT : 1ull << PYTHON_STAMP_SHIFT;
}
