/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/* What the halves of the harvest share: the walk over mappings, and the memory of files. */
#include <sys/types.h>

#include "capture/harvest.h"

/* Executable mappings, not identified: no build ids. A count, or a negative errno. */
int mappings_walk(pid_t pid, harvest_mapping_function *call, void *context);
/* By the file itself, remembered with it; "" where it tells nothing. */
void harvest_executable_runtime(struct harvest *harvest, pid_t pid, char text[48]);
