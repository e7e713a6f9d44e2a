/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The way to the very file that is mapped, whatever its path leads to by now, is /proc/PID/map_files; where that is
 * closed, or the process gone, the path is believed only where the build id is the mapped one.
 */
#include "capture/unwind_catalogue.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/intern.h"
#include "base/map.h"
#include "base/memory.h"
#include "capture/harvest.h"
#include "symbol/elf_file.h"
#include "symbol/vdso.h"
#include "wire/wire.h"

#define TRY_AGAIN_NS 10000000000ull
#define BUILD_AT_ONCE_NS 2000000000ull          /* the files of a machine that runs much take a third of this */
enum { BUILD_SHARE = 10, WAITING_LIMIT = 4096, FILES_AT_ONCE = 128 };

/* A file that is to be read later, and the mapping that leads to it. */
struct waiting {
	uint32_t file, pid;
	uint64_t not_before_ns;
	struct wire_mapping mapping;
	char *path, *build_id;
};

struct unwind_catalogue {
	struct unwind_catalogue_options options;
	struct intern *keys;
	struct unwind_catalogue_file *files;    /* by key */
	size_t file_count, file_room;
	struct waiting *waiting;
	size_t waiting_count, waiting_room;
	struct map *loads;                      /* pid → files that were read for it */
	uint64_t began_ns;
	struct unwind_catalogue_statistics statistics;
};

struct unwind_catalogue *unwind_catalogue_new(const struct unwind_catalogue_options *options)
{
	struct unwind_catalogue *catalogue = xcalloc(1, sizeof(*catalogue));

	catalogue->options = *options;
	catalogue->keys = intern_new();
	catalogue->loads = map_new(sizeof(uint32_t));
	catalogue->began_ns = clock_now_ns();
	return catalogue;
}

static void waiting_done(struct waiting *waiting)
{
	free(waiting->path);
	free(waiting->build_id);
}

void unwind_catalogue_free(struct unwind_catalogue *catalogue)
{
	if (!catalogue)
		return;
	for (size_t i = 0; i < catalogue->file_count; i++) {
		free(catalogue->files[i].tables);
		free(catalogue->files[i].segments);
	}
	for (size_t i = 0; i < catalogue->waiting_count; i++)
		waiting_done(&catalogue->waiting[i]);
	free(catalogue->waiting);
	free(catalogue->files);
	intern_free(catalogue->keys);
	map_free(catalogue->loads);
	free(catalogue);
}

static int open_checked(const char *name, const char *build_id)
{
	char found[BUILD_ID_SIZE];
	struct stat status;
	int fd;

	if (stat(name, &status) < 0)            /* what else may be mapped is not to be opened: devices */
		return -errno;
	if (!S_ISREG(status.st_mode))
		return -ENOEXEC;
	fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return -errno;
	if (!*build_id || (elf_build_id_of_fd(fd, found) == 0 && !strcmp(found, build_id)))
		return fd;
	(void)close(fd);
	return -ESTALE;                         /* another build lies there now */
}

/* The very file that is mapped, whatever its path leads to by now; else the path, in the process' root and in ours. */
static int open_file(struct unwind_catalogue *catalogue, uint32_t pid, const struct wire_mapping *mapping, const char *path,
		     const char *build_id)
{
	char name[PATH_MAX + 64];
	int fd;

	(void)snprintf(name, sizeof(name), "/proc/%u/map_files/%llx-%llx", pid, (unsigned long long)mapping->start,
		       (unsigned long long)mapping->end);
	fd = open_checked(name, build_id);
	if (fd >= 0)
		return fd;
	(void)snprintf(name, sizeof(name), "/proc/%u/root%s", pid, path);
	fd = open_checked(name, build_id);
	if (fd < 0)
		fd = harvest_open(catalogue->options.harvest, path, build_id);
	return fd < 0 && *build_id ? open_checked(path, build_id) : fd;
}

/* Takes the descriptor, -1 for the vdso. */
static int read_file(const char *path, int fd, struct unwind_file *ret)
{
	int r;

	*ret = (struct unwind_file){ 0 };
	if (!strcmp(path, "[vdso]")) {
		size_t size = 0;
		const void *image = vdso_image(&size);

		return image ? unwind_file_read_memory(image, size, ret) : -ENODATA;
	}
	if (fd < 0)
		return -ENODATA;
	r = unwind_file_read(fd, ret);
	(void)close(fd);
	return r;
}

static void drop_tables(struct unwind_catalogue *catalogue, struct unwind_catalogue_file *file)
{
	for (size_t i = 0; i < file->table_count; i++)
		unwind_store_give_rows(catalogue->options.store, file->tables[i].place);
	free(take(file->tables));
	file->table_count = 0;
}

static bool put_tables(struct unwind_catalogue *catalogue, struct unwind_catalogue_file *file, const struct unwind_tables *tables)
{
	file->tables = xcalloc(tables->count ? tables->count : 1, sizeof(*file->tables));
	for (size_t i = 0; i < tables->count; i++) {
		const struct unwind_table *table = &tables->tables[i];
		struct unwind_catalogue_table *to = &file->tables[file->table_count];

		if (!unwind_store_put_rows(catalogue->options.store, table->rows, table->count, &to->place)) {
			drop_tables(catalogue, file);
			return false;
		}
		to->base = table->base;
		file->table_count++;
	}
	return true;
}

/* Files that nobody alive has mapped give their rows back; they are read again if somebody maps them. */
static void evict(struct unwind_catalogue *catalogue)
{
	bool *used = xcalloc(catalogue->file_count ? catalogue->file_count : 1, sizeof(*used));

	catalogue->options.mark(catalogue->options.context, used);
	for (size_t i = 0; i < catalogue->file_count; i++)
		if (!used[i] && catalogue->files[i].table_count) {
			drop_tables(catalogue, &catalogue->files[i]);
			catalogue->files[i].tried = false;
		}
	free(used);
}

/* Takes the descriptor. */
static void load_file(struct unwind_catalogue *catalogue, struct unwind_catalogue_file *file, uint32_t pid, const char *path, int fd)
{
	uint32_t *loads = map_put(catalogue->loads, &pid, NULL);
	struct unwind_file read;
	int r = read_file(path, fd, &read);

	*loads += 1;
	file->tried = true;
	file->refused_ns = 0;
	catalogue->statistics.build_ns += read.build_ns;
	if (r < 0) {
		catalogue->statistics.files_without++;
	} else if (put_tables(catalogue, file, &read.tables)) {
		catalogue->statistics.files++;
	} else {
		catalogue->statistics.files_refused++;
		file->refused_ns = clock_now_ns();
		evict(catalogue);                       /* too late for this mapping: what is given back takes its time */
	}
	free(file->segments);
	file->segment_count = read.segment_count;
	file->segments = xcalloc(read.segment_count ? read.segment_count : 1, sizeof(*file->segments));
	memcpy(file->segments, read.segments, read.segment_count * sizeof(*file->segments));
	unwind_file_done(&read);
}

static struct unwind_catalogue_file *file_get(struct unwind_catalogue *catalogue, const char *key, uint32_t *ret)
{
	*ret = intern_put(catalogue->keys, key);
	while (catalogue->file_count <= *ret) {
		grow(catalogue->files, catalogue->file_count, catalogue->file_room);
		catalogue->files[catalogue->file_count++] = (struct unwind_catalogue_file){ 0 };
	}
	return &catalogue->files[*ret];
}

/* By its build id; without one, two containers may have different files of one path. */
static const char *key_of(int fd, const char *path, char found[BUILD_ID_SIZE], char key[PATH_MAX + 128])
{
	struct stat status = { 0 };

	if (elf_build_id_of_fd(fd, found) == 0 && *found)
		return found;
	(void)fstat(fd, &status);
	(void)snprintf(key, PATH_MAX + 128, "%s %llx:%llx %llx %llx.%lx", path, (unsigned long long)status.st_dev,
		       (unsigned long long)status.st_ino, (unsigned long long)status.st_size,
		       (unsigned long long)status.st_mtim.tv_sec, status.st_mtim.tv_nsec);
	return key;
}

static bool is_settled(const struct unwind_catalogue_file *file)
{
	return file->tried && (!file->refused_ns || file->refused_ns + TRY_AGAIN_NS > clock_now_ns());
}

static bool has_time(const struct unwind_catalogue *catalogue)
{
	uint64_t passed_ns = clock_now_ns() - catalogue->began_ns;

	return catalogue->statistics.build_ns < BUILD_AT_ONCE_NS + passed_ns / BUILD_SHARE;
}

static uint32_t loads_of(const struct unwind_catalogue *catalogue, uint32_t pid)
{
	const uint32_t *loads = map_find(catalogue->loads, &pid);

	return loads ? *loads : 0;
}

/* Where more wait than that, the file is read when somebody maps it again. */
static void put_off(struct unwind_catalogue *catalogue, uint32_t index, uint32_t pid, const struct wire_mapping *mapping,
		    const char *path, const char *build_id)
{
	struct unwind_catalogue_file *file = &catalogue->files[index];

	if (file->waits || catalogue->waiting_count == WAITING_LIMIT)
		return;
	file->waits = true;
	catalogue->statistics.files_put_off++;
	grow(catalogue->waiting, catalogue->waiting_count, catalogue->waiting_room);
	catalogue->waiting[catalogue->waiting_count++] = (struct waiting){
		.file = index, .pid = pid, .mapping = *mapping, .path = xstrdup(path), .build_id = xstrdup(build_id),
		.not_before_ns = file->refused_ns ? file->refused_ns + TRY_AGAIN_NS : 0 };
}

/* Takes the descriptor; reads now or puts off. */
static void load_in_turn(struct unwind_catalogue *catalogue, uint32_t index, int fd, uint32_t pid, const struct wire_mapping *mapping,
			 const char *path, const char *build_id)
{
	struct unwind_catalogue_file *file = &catalogue->files[index];

	if (has_time(catalogue) && loads_of(catalogue, pid) < FILES_AT_ONCE)
		load_file(catalogue, file, pid, path, fd);
	else
		(void)close(fd);
	if (!file->tried || file->refused_ns)
		put_off(catalogue, index, pid, mapping, path, build_id);
}

/* Whether it goes on waiting: there was no room again. */
static bool load_waiting(struct unwind_catalogue *catalogue, struct waiting *waiting)
{
	struct unwind_catalogue_file *file = &catalogue->files[waiting->file];
	int fd;

	file->waits = false;
	if (is_settled(file))                   /* another mapping led to it meanwhile */
		return false;
	fd = open_file(catalogue, waiting->pid, &waiting->mapping, waiting->path, waiting->build_id);
	if (fd < 0)
		return false;
	load_file(catalogue, file, waiting->pid, waiting->path, fd);
	if (file->table_count)
		catalogue->options.loaded(catalogue->options.context, waiting->file);
	waiting->not_before_ns = file->refused_ns + TRY_AGAIN_NS;
	file->waits = file->refused_ns != 0;
	return file->waits;
}

/* Whose turn it is; waiting_count where nobody's. */
static size_t next_waiting(const struct unwind_catalogue *catalogue)
{
	uint64_t now_ns = clock_now_ns();
	size_t next = catalogue->waiting_count;
	uint32_t fewest = UINT32_MAX;

	for (size_t i = 0; i < catalogue->waiting_count; i++) {
		const struct waiting *waiting = &catalogue->waiting[i];
		uint32_t loads = loads_of(catalogue, waiting->pid);

		if (waiting->not_before_ns > now_ns || loads >= fewest)
			continue;
		fewest = loads;
		next = i;
	}
	return next;
}

void unwind_catalogue_go_on(struct unwind_catalogue *catalogue)
{
	while (has_time(catalogue)) {
		size_t next = next_waiting(catalogue);

		if (next == catalogue->waiting_count)
			return;
		if (load_waiting(catalogue, &catalogue->waiting[next]))
			continue;
		waiting_done(&catalogue->waiting[next]);
		catalogue->waiting[next] = catalogue->waiting[--catalogue->waiting_count];
	}
}

/* A file that cannot be opened is tried again the next time somebody maps it: this process may have been gone already. */
uint32_t unwind_catalogue_find(struct unwind_catalogue *catalogue, uint32_t pid, const struct wire_mapping *mapping,
			       const char *path, const char *build_id)
{
	char found[BUILD_ID_SIZE] = "", key[PATH_MAX + 128];
	struct unwind_catalogue_file *file;
	uint32_t index;
	int fd = -1;

	if (*path != '/') {
		file = file_get(catalogue, path, &index);
		if (!file->tried)
			load_file(catalogue, file, pid, path, -1);
		return index;
	}
	file = file_get(catalogue, *build_id ? build_id : path, &index);
	if (*build_id && is_settled(file))
		return index;
	fd = open_file(catalogue, pid, mapping, path, build_id);
	if (fd < 0)
		return index;
	if (!*build_id)                         /* none, or the kernel could not read it when it was mapped */
		file = file_get(catalogue, key_of(fd, path, found, key), &index);
	if (is_settled(file))
		(void)close(fd);
	else
		load_in_turn(catalogue, index, fd, pid, mapping, path, build_id);
	return index;
}

const struct unwind_catalogue_file *unwind_catalogue_at(const struct unwind_catalogue *catalogue, uint32_t file)
{
	return &catalogue->files[file];
}

void unwind_catalogue_statistics(const struct unwind_catalogue *catalogue, struct unwind_catalogue_statistics *ret)
{
	*ret = catalogue->statistics;
}
