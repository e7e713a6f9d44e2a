/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * Where a loaded file's exported symbols are, read from the memory of the process that loaded it: so that no file is
 * opened, and a deleted one, or a container's, is no different from any other.
 */
#include <stddef.h>
#include <stdint.h>

#include "unwind/step.h"

/* The address at which the beginning of a file is mapped, by the text of /proc/PID/maps. Its base name begins as given, and
 * is followed by no other letter: "python" is met by "python3.11", not by "pythonista". 0 where there is none. */
uint64_t exported_base(const char *maps, const char *name);

struct exported_symbol { uint64_t address, size; };

/* So many symbols of the file mapped at base; all 0 for each that it does not export. A negative errno where its dynamic
 * section cannot be read. */
int exported_find(const struct unwind_memory *memory, uint64_t base, const char *const *names, struct exported_symbol *ret,
		  size_t count);
