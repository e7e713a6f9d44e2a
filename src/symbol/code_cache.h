/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * What was read from debug information, kept on disk by build id: the next capture of the same program asks its debug
 * information only about code that no capture before it has seen. Files are our own (0600, in folders of 0700) and checked
 * all the same: one that was tampered with or damaged is as good as absent.
 */
#include <stddef.h>
#include <stdint.h>

struct code_map;

enum { CODE_CACHE_FILE_LIMIT = 64 << 20, CODE_CACHE_LIMIT = 512 << 20 };     /* bytes: of one file, of all */

/* name: a build id, with what else tells one table from another. NULL where there is none. */
struct code_map *code_cache_read(const char *directory, const char *name);
/* Best effort: what cannot be kept is read again next time. */
void code_cache_write(const char *directory, const char *name, const struct code_map *map);
