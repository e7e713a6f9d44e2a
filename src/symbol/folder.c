/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Links are not followed, so that a loop harms nobody and the folder is what a person sees in it. What a file is for
 * shows in its sections: a debug file has its code only by name, without bytes.
 */
#include "symbol/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "symbol/elf_file.h"

struct entry {
	char build_id[BUILD_ID_SIZE];
	char *path;
	bool code, debug;                            /* debug: of use beyond the code, the best of it first */
	unsigned rank;
};

struct symbol_folder {
	struct entry *entries;
	size_t count, room;
};

static void look_at(struct symbol_folder *folder, const char *path)
{
	CLEANUP(elf_file) struct elf_file *elf = NULL;
	struct entry entry = { 0 };

	if (elf_file_open_path(path, &elf) < 0 || !*elf_file_build_id(elf))
		return;
	memcpy(entry.build_id, elf_file_build_id(elf), strlen(elf_file_build_id(elf)) + 1);
	entry.code = elf_file_has_section(elf, ".text");
	entry.rank = elf_file_has_section(elf, ".debug_info") || elf_file_has_section(elf, ".zdebug_info") ? 2
		     : elf_file_has_section(elf, ".symtab")						  ? 1
													  : 0;
	entry.debug = entry.rank > 0;
	entry.path = xstrdup(path);
	grow(folder->entries, folder->count, folder->room);
	folder->entries[folder->count++] = entry;
}

static int compare_entries(const void *left, const void *right)
{
	const struct entry *a = left, *b = right;
	int order = strcmp(a->build_id, b->build_id);

	if (order)
		return order;
	if (a->rank != b->rank)
		return a->rank > b->rank ? -1 : 1;
	return strcmp(a->path, b->path);
}

struct symbol_folder *symbol_folder_scan(const char *path, struct error *err)
{
	char *paths[] = { (char *)(uintptr_t)path, NULL };
	FTS *walk = fts_open(paths, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
	struct symbol_folder *folder = xcalloc(1, sizeof(*folder));
	size_t seen = 0;
	FTSENT *entry;

	while (walk && (entry = fts_read(walk)) && seen < SYMBOL_FOLDER_FILE_LIMIT) {
		if (entry->fts_level == FTS_ROOTLEVEL && entry->fts_info != FTS_D && entry->fts_info != FTS_DP) {
			(void)fail(err, FAILURE_WORK, entry->fts_errno ? -entry->fts_errno : -ENOTDIR,
				   "cannot look through '%s'", path);
			(void)fts_close(walk);
			symbol_folder_free(folder);
			return NULL;
		}
		if (entry->fts_info == FTS_D && entry->fts_level >= SYMBOL_FOLDER_DEPTH_LIMIT)
			(void)fts_set(walk, entry, FTS_SKIP);
		if (entry->fts_info == FTS_F) {
			seen++;
			look_at(folder, entry->fts_path);
		}
	}
	if (walk)
		(void)fts_close(walk);
	if (folder->count)
		qsort(folder->entries, folder->count, sizeof(*folder->entries), compare_entries);
	return folder;
}

void symbol_folder_free(struct symbol_folder *folder)
{
	if (!folder)
		return;
	for (size_t i = 0; i < folder->count; i++)
		free(folder->entries[i].path);
	free(folder->entries);
	free(folder);
}

size_t symbol_folder_count(const struct symbol_folder *folder)
{
	return folder->count;
}

static int open_entry(const struct entry *entry)
{
	int fd = open(entry->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	return fd < 0 ? -errno : fd;
}

static int open_first(const struct symbol_folder *folder, const char *build_id, bool code)
{
	size_t low = 0, high = folder->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (strcmp(folder->entries[middle].build_id, build_id) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	for (; *build_id && low < folder->count && strcmp(folder->entries[low].build_id, build_id) == 0; low++)
		if (code ? folder->entries[low].code : folder->entries[low].debug)
			return open_entry(&folder->entries[low]);
	return -ENOENT;
}

int symbol_folder_binary(const struct symbol_folder *folder, const char *build_id)
{
	return open_first(folder, build_id, true);
}

int symbol_folder_debug(const struct symbol_folder *folder, const char *build_id)
{
	return open_first(folder, build_id, false);
}
