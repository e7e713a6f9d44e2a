/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * What a frame is called whatever build it comes from: the demangled function without the suffixes that compilers add to its
 * parts, and the module without its version. The program itself has no module: builds of one program have different files.
 *
 *	parse_request.isra.0                     parse_request
 *	memcpy@plt  in libc.so.6, libc-2.36.so   memcpy@plt in libc.so
 */
#include <stddef.h>

/* Both write into text and return it. */
const char *canonical_function(const char *name, char *text, size_t size);
const char *canonical_module(const char *path, char *text, size_t size);
