/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * Which primitive a wait for a lock, a condition or a peer belongs to: "mutex", "rwlock (read)", "allocator". The kernel
 * saw a futex' operation and value; the frames above it, found by the C library's own call-frame rows, say who called it.
 * So it holds for any build of any C library whose exported functions have names, and for the runtimes that are known.
 */
#include <stddef.h>

struct wait_evidence;

/* names: of the stack, innermost first; count 0 where none was taken: then the evidence alone says what it can. NULL for a
 * wait that is for none of these. */
const char *primitive_of(const struct wait_evidence *seen, const char *const *names, size_t count);
