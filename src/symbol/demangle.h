/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * Names as their programmers wrote them: C++, Rust (both manglings) and D. A symbol version ("read@@GLIBC_2.2.5") is
 * cut off, so that the same function has the same name in every build.
 */
#include <stddef.h>

enum { DEMANGLE_SIZE = 4096 };                       /* of a name, both ways; a longer one stays or is cut */

/* Writes the name into text and returns text. What is not mangled is copied. */
const char *demangle(const char *name, char text[DEMANGLE_SIZE]);
