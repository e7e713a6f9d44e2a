/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * Debug files from servers, by build id. It tells a server what was run here and may take long, so it is asked only where
 * a person said so. elfutils' own program does it, with its cache and its limits, and is looked for in $PATH.
 */
#include <stdbool.h>

bool debuginfod_usable(void);                        /* the program is there, and $DEBUGINFOD_URLS names a server */
/* A descriptor of the debug file, or a negative errno. */
int debuginfod_open(const char *build_id);
