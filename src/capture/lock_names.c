/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An address of a variable becomes one of its file by the distance between where the file's first page is mapped and where
 * the file says it should be. Zeroed variables lie behind the file's own pages, in memory without a file that follows them
 * directly: they belong to the file before.
 *
 *	55d0c2a4b000-55d0c2a4c000 rw-p 00003000 fe:00 1234   /usr/bin/service   .data
 *	55d0c2a4c000-55d0c2a50000 rw-p 00000000 00:00 0                         .bss
 */
#include "capture/lock_names.h"

#include "base/cleanup.h"
#include "base/memory.h"
#include "symbol/elf_file.h"
#include "symbol/kallsyms.h"
#include "symbol/table.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MODULES = 64, MODULE_BYTES = 2 << 20, TURN_LIMIT = 256, REGION_LIMIT = 65536, PATH_SIZE = 4096, LINE_SIZE = PATH_SIZE + 256 };
enum { LOCK_READS = 2, LOCK_WRITES = 4, LOCK_REALTIME = 8, LOCK_PER_CPU = 16, LOCK_MUTEX = 32, LOCK_MMAP = 64 };

/* The variables of one file. The file itself is not kept: all of its symbols' names would stay with it. */
struct module {
	char *path, *file;                      /* file: which of those that have lain there or do so elsewhere */
	bool is_placed;
	uint64_t first;                         /* where the file says that its first page should be, if it does */
	struct symbol_table *table;
};

/* base: where the file's first page lies; path "" where none; file: its device and inode. */
struct region { uint64_t start, end, base; char *path; char file[40]; };

struct lock_names {
	const struct kallsyms *kernel;
	struct module modules[MODULES];         /* oldest first */
	size_t module_count, module_bytes;
	uint32_t process;                       /* whose regions these are; 0: nobody's */
	struct region *regions;
	size_t region_count, region_room;
	unsigned looked;                        /* in this turn */
};

struct lock_names *lock_names_new(const struct kallsyms *kernel)
{
	struct lock_names *names = xcalloc(1, sizeof(*names));

	names->kernel = kernel;
	return names;
}

static void forget_regions(struct lock_names *names)
{
	for (size_t i = 0; i < names->region_count; i++)
		free(names->regions[i].path);
	names->region_count = 0;
	names->process = 0;
}

static void module_done(struct module *module)
{
	symbol_table_free(module->table);
	free(module->path);
	free(module->file);
	*module = (struct module){ 0 };
}

void lock_names_free(struct lock_names *names)
{
	if (!names)
		return;
	forget_regions(names);
	for (size_t i = 0; i < names->module_count; i++)
		module_done(&names->modules[i]);
	free(names->regions);
	free(names);
}

void lock_names_turn(struct lock_names *names)
{
	forget_regions(names);
	names->looked = 0;
}

/* --- Regions of a process --------------------------------------------------------------------------------------- */

static void add_region(struct lock_names *names, const char *line)
{
	const struct region *before = names->region_count ? &names->regions[names->region_count - 1] : NULL;
	struct region region = { 0 };
	uint64_t offset, inode;
	char path[PATH_SIZE] = "", device[16];

	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*4s %" SCNx64 " %15s %" SCNu64 " %4095[^\n]", &region.start, &region.end, &offset,
		   device, &inode, path) < 5)
		return;
	(void)snprintf(region.file, sizeof(region.file), "%s %" PRIu64, device, inode);
	if (inode && offset == 0) {
		region.base = region.start;
	} else if (before && before->end == region.start && (!inode || !strcmp(before->path, path))) {
		region.base = *path && !inode ? 0 : before->base;
	}
	if (!inode && !*path && before && region.base)
		memcpy(region.file, before->file, sizeof(region.file));
	region.path = xstrdup(!inode && !*path && before && region.base ? before->path : path);
	grow(names->regions, names->region_count, names->region_room);
	names->regions[names->region_count++] = region;
}

static void read_regions(struct lock_names *names, uint32_t process)
{
	char name[64], line[LINE_SIZE];
	FILE *file;

	forget_regions(names);
	names->process = process;
	(void)snprintf(name, sizeof(name), "/proc/%" PRIu32 "/maps", process);
	file = fopen(name, "re");
	while (file && names->region_count < REGION_LIMIT && fgets(line, sizeof(line), file))
		add_region(names, line);
	if (file)
		(void)fclose(file);
}

static const struct region *region_at(const struct lock_names *names, uint64_t address)
{
	for (size_t i = 0; i < names->region_count; i++)
		if (address >= names->regions[i].start && address < names->regions[i].end)
			return &names->regions[i];
	return NULL;
}

/* --- Variables of a file ---------------------------------------------------------------------------------------- */

/* Of no process: file is a build id, which the file must have. */
static void module_open(struct module *module, uint32_t process, const char *path, const char *file)
{
	CLEANUP_TEXT char *inside = process ? xasprintf("/proc/%" PRIu32 "/root%s", process, path) : xstrdup(path);
	CLEANUP(elf_file) struct elf_file *elf = NULL;

	*module = (struct module){ .path = xstrdup(path), .file = xstrdup(file), .table = symbol_table_new() };
	if (elf_file_open_path(inside, &elf) >= 0 && (process || !strcmp(elf_file_build_id(elf), file))) {
		module->is_placed = elf_file_address(elf, 0, &module->first);
		(void)elf_file_add_variables(elf, module->table);
	}
	symbol_table_build(module->table);
	symbol_table_own_names(module->table, LOCK_NAME_SIZE);
}

static void drop_oldest(struct lock_names *names)
{
	names->module_bytes -= symbol_table_bytes(names->modules[0].table);
	module_done(&names->modules[0]);
	memmove(&names->modules[0], &names->modules[1], --names->module_count * sizeof(names->modules[0]));
}

/* Whose turn has come again is read again: a machine runs more programs than it is worth to remember. */
static const struct module *module_of(struct lock_names *names, uint32_t process, const char *path, const char *file)
{
	for (size_t i = 0; i < names->module_count; i++)
		if (!strcmp(names->modules[i].path, path) && !strcmp(names->modules[i].file, file))
			return &names->modules[i];
	if (names->module_count == MODULES)
		drop_oldest(names);
	module_open(&names->modules[names->module_count], process, path, file);
	names->module_bytes += symbol_table_bytes(names->modules[names->module_count++].table);
	while (names->module_count > 1 && names->module_bytes > MODULE_BYTES)
		drop_oldest(names);
	return &names->modules[names->module_count - 1];
}

static void name_variable(const struct module *module, uint64_t offset, char name[LOCK_NAME_SIZE])
{
	const char *file = strrchr(module->path, '/');
	uint64_t address = module->first + offset, start = 0, end;
	const char *variable = module->is_placed ? symbol_table_name(module->table, address) : NULL;

	if (variable)
		(void)symbol_table_stretch(module->table, address, &start, &end);
	if (variable && address > start)
		(void)snprintf(name, LOCK_NAME_SIZE, "%.200s+0x%" PRIx64, variable, address - start);
	else if (variable)
		(void)snprintf(name, LOCK_NAME_SIZE, "%.240s", variable);
	else
		(void)snprintf(name, LOCK_NAME_SIZE, "%.200s+0x%" PRIx64, file ? file + 1 : module->path, address);
}

static void name_of_program(struct lock_names *names, uint32_t process, uint64_t address, char name[LOCK_NAME_SIZE])
{
	const struct region *region;

	if (names->looked++ >= TURN_LIMIT)
		return;
	if (names->process != process)
		read_regions(names, process);
	region = region_at(names, address);
	if (!region)
		return;
	if (region->base && region->path[0] == '/')
		name_variable(module_of(names, process, region->path, region->file), address - region->base, name);
	else
		(void)snprintf(name, LOCK_NAME_SIZE, "%.240s", region->path[0] == '/' || !*region->path ? "[anon]" : region->path);
}

bool lock_names_may_look(const struct lock_names *names)
{
	return names->looked < TURN_LIMIT;
}

void lock_names_find_gone(struct lock_names *names, const char *path, const char *build_id, uint64_t offset, char name[LOCK_NAME_SIZE])
{
	const struct module *module;

	name[0] = '\0';
	if (path[0] != '/' || !*build_id || names->looked++ >= TURN_LIMIT)
		return;
	module = module_of(names, 0, path, build_id);
	if (module->is_placed && symbol_table_name(module->table, module->first + offset))
		name_variable(module, offset, name);
}

void lock_names_find(struct lock_names *names, uint32_t process, uint64_t address, uint32_t contention, char name[LOCK_NAME_SIZE])
{
	const char *known;
	uint64_t start;

	name[0] = '\0';
	if (process) {
		name_of_program(names, process, address, name);
	} else if (contention & LOCK_MMAP) {
		(void)snprintf(name, LOCK_NAME_SIZE, "mmap_lock");
	} else if (names->kernel) {
		known = kallsyms_name(names->kernel, address, &start);
		(void)snprintf(name, LOCK_NAME_SIZE, "%.240s", known ? known : "");
	}
}

const char *lock_kind(uint32_t process, uint32_t contention)
{
	if (process)
		return "futex";
	if (contention & LOCK_MUTEX)
		return "kernel mutex";
	if (contention & LOCK_REALTIME)
		return "kernel rtmutex";
	if (contention & LOCK_PER_CPU)
		return "kernel percpu-rwsem";
	return contention & (LOCK_READS | LOCK_WRITES) ? "kernel rwsem" : "kernel semaphore";
}
