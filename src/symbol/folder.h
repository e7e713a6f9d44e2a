/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * A folder of binaries and debug files, in whatever order a person has put them there: looked through once, and from then
 * on asked by build id. Names and paths mean nothing, so that nothing is mis-named by them.
 */
#include <stddef.h>

#include "base/cleanup.h"

struct error;
struct symbol_folder;

enum { SYMBOL_FOLDER_FILE_LIMIT = 100000, SYMBOL_FOLDER_DEPTH_LIMIT = 16 };

/* NULL where it cannot be opened; err says why. */
struct symbol_folder *symbol_folder_scan(const char *path, struct error *err);
void symbol_folder_free(struct symbol_folder *folder);               /* NULL is fine */
DEFINE_CLEANUP(symbol_folder)

size_t symbol_folder_count(const struct symbol_folder *folder);      /* ELF files with a build id */
/* A descriptor of the file that holds the code, or of one that holds symbols or debug information; a negative errno. */
int symbol_folder_binary(const struct symbol_folder *folder, const char *build_id);
int symbol_folder_debug(const struct symbol_folder *folder, const char *build_id);
