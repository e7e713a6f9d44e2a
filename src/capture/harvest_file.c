/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which build of which file a mapping shows. The way to the very file, whatever lies at its path by now, is
 * /proc/PID/map_files/START-END; it takes CAP_SYS_ADMIN or CAP_CHECKPOINT_RESTORE. Without, the path is tried in the
 * process' own root, and believed only if the inode is the mapped one.
 */
#include "capture/harvest_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>

#include "base/map.h"
#include "base/memory.h"
#include "capture/harvest_generated.h"
#include "capture/runtime.h"
#include "symbol/elf_file.h"
#include "symbol/vdso.h"

enum { VDSO_LIMIT = 256 << 10 };

struct file_key {
	uint64_t device, inode, size;
	int64_t changed_s, changed_ns;
};

struct identity {
	bool looked, runtime_looked;
	char build_id[HARVEST_BUILD_ID];
	char runtime[RUNTIME_SIZE];
};

struct kept {
	int fd;
	char build_id[HARVEST_BUILD_ID];
	char *path;
};

struct harvest {
	struct map *files;                           /* file_key → index of its identity */
	struct identity *identities;                 /* the first is for files beyond the limit */
	size_t identity_count, identity_room;
	struct kept kept[HARVEST_OPEN_LIMIT];
	size_t kept_count;
	struct harvest_generated *generated;
	struct harvest_statistics statistics;
};

struct harvest *harvest_new(void)
{
	struct harvest *harvest = xcalloc(1, sizeof(*harvest));

	harvest->files = map_new(sizeof(struct file_key));
	harvest->generated = harvest_generated_new();
	grow(harvest->identities, harvest->identity_count, harvest->identity_room);
	harvest->identities[harvest->identity_count++] = (struct identity){ 0 };
	return harvest;
}

void harvest_free(struct harvest *harvest)
{
	if (!harvest)
		return;
	for (size_t i = 0; i < harvest->kept_count; i++) {
		(void)close(harvest->kept[i].fd);
		free(harvest->kept[i].path);
	}
	harvest_generated_free(harvest->generated);
	map_free(harvest->files);
	free(harvest->identities);
	free(harvest);
}

struct harvest_generated *harvest_generated(struct harvest *harvest)
{
	return harvest->generated;
}

/* What is remembered of a file. Valid until the next call. */
static struct identity *identity_of(struct harvest *harvest, const struct stat *status)
{
	struct file_key key = { .device = status->st_dev, .inode = status->st_ino, .size = (uint64_t)status->st_size,
				.changed_s = status->st_mtim.tv_sec, .changed_ns = status->st_mtim.tv_nsec };
	uint32_t *index = map_find(harvest->files, &key);

	harvest->statistics.files_seen++;
	if (index)
		return &harvest->identities[*index];
	if (harvest->identity_count >= HARVEST_FILE_LIMIT) {
		harvest->identities[0] = (struct identity){ 0 };
		return &harvest->identities[0];
	}
	grow(harvest->identities, harvest->identity_count, harvest->identity_room);
	*map_put(harvest->files, &key, NULL) = (uint32_t)harvest->identity_count;
	harvest->identities[harvest->identity_count] = (struct identity){ 0 };
	return &harvest->identities[harvest->identity_count++];
}

static int reach_by_map_files(pid_t pid, const struct harvested_mapping *mapping, char name[PATH_MAX], struct stat *status)
{
	(void)snprintf(name, PATH_MAX, "/proc/%d/map_files/%" PRIx64 "-%" PRIx64, (int)pid, mapping->start, mapping->end);
	return stat(name, status) < 0 ? -errno : 0;
}

static int reach_by_path(pid_t pid, const struct harvested_mapping *mapping, char name[PATH_MAX], struct stat *status)
{
	if (mapping->deleted || snprintf(name, PATH_MAX, "/proc/%d/root%s", (int)pid, mapping->path) >= PATH_MAX)
		return -ENOENT;
	if (stat(name, status) < 0)
		return -errno;
	return mapping->inode && status->st_ino != mapping->inode ? -ESTALE : 0;
}

static int reach(pid_t pid, const struct harvested_mapping *mapping, char name[PATH_MAX], struct stat *status)
{
	int r = reach_by_map_files(pid, mapping, name, status);

	if (r < 0)
		r = reach_by_path(pid, mapping, name, status);
	return r < 0 ? r : S_ISREG(status->st_mode) ? 0 : -ENOEXEC;
}

static bool own_path_leads_to(const char *path, const struct stat *file)
{
	struct stat own;

	return stat(path, &own) == 0 && own.st_dev == file->st_dev && own.st_ino == file->st_ino;
}

/* Takes the descriptor. */
static void keep_file(struct harvest *harvest, int fd, const char *path, const char *build_id)
{
	struct kept *kept = &harvest->kept[harvest->kept_count];

	if (harvest->kept_count >= HARVEST_OPEN_LIMIT) {
		(void)close(fd);
		return;
	}
	*kept = (struct kept){ .fd = fd, .path = xstrdup(path) };
	memcpy(kept->build_id, build_id, sizeof(kept->build_id));
	harvest->kept_count++;
}

static void look_into(struct harvest *harvest, const char *name, const struct harvested_mapping *mapping,
		      const struct stat *status, struct identity *identity)
{
	int fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	identity->looked = true;
	harvest->statistics.files_opened++;
	if (fd < 0) {
		harvest->statistics.files_unreadable++;
		return;
	}
	if (elf_build_id_of_fd(fd, identity->build_id) == 0 && !own_path_leads_to(mapping->path, status))
		keep_file(harvest, fd, mapping->path, identity->build_id);
	else
		(void)close(fd);
}

/* Every 64-bit process has the image that we have ourselves; comparing is cheaper than reading notes. */
static void identify_vdso(pid_t pid, struct harvested_mapping *mapping)
{
	size_t own_size = 0, size = mapping->end - mapping->start;
	const void *own = vdso_image(&own_size);
	CLEANUP_TEXT char *image = size <= VDSO_LIMIT ? xmalloc(size) : NULL;
	struct iovec here = { .iov_base = image, .iov_len = size };
	struct iovec there = { .iov_base = (void *)(uintptr_t)mapping->start, .iov_len = size };
	static char own_build_id[HARVEST_BUILD_ID];

	if (!image || process_vm_readv(pid, &here, 1, &there, 1, 0) != (ssize_t)size)
		return;
	if (!own || size != own_size || memcmp(own, image, size) != 0) {
		(void)elf_build_id_of_image(image, size, mapping->build_id);
		return;
	}
	if (!own_build_id[0])
		(void)elf_build_id_of_image(image, size, own_build_id);
	memcpy(mapping->build_id, own_build_id, sizeof(own_build_id));
}

void harvest_identify(struct harvest *harvest, pid_t pid, struct harvested_mapping *mapping)
{
	char name[PATH_MAX];
	struct stat status;
	struct identity *identity;

	_Static_assert((int)HARVEST_BUILD_ID == (int)BUILD_ID_SIZE, "one size for a build id");
	if (strcmp(mapping->path, "[vdso]") == 0)
		identify_vdso(pid, mapping);
	if (mapping->path[0] != '/')
		return;
	if (reach(pid, mapping, name, &status) < 0) {
		harvest->statistics.files_unreadable++;
		return;
	}
	identity = identity_of(harvest, &status);
	if (!identity->looked)
		look_into(harvest, name, mapping, &status, identity);
	mapping->inode = status.st_ino;
	mapping->device = status.st_dev;
	memcpy(mapping->build_id, identity->build_id, sizeof(identity->build_id));
}

void harvest_executable_runtime(struct harvest *harvest, pid_t pid, char text[RUNTIME_SIZE])
{
	CLEANUP(elf_file) struct elf_file *elf = NULL;
	struct identity *identity;
	struct stat status;
	char name[64];

	(void)snprintf(name, sizeof(name), "/proc/%d/exe", (int)pid);
	if (stat(name, &status) < 0 || !S_ISREG(status.st_mode))
		return;
	identity = identity_of(harvest, &status);
	if (!identity->runtime_looked && elf_file_open_path(name, &elf) == 0)
		runtime_of_executable(elf, identity->runtime);
	identity->runtime_looked = true;
	memcpy(text, identity->runtime, sizeof(identity->runtime));
}

struct identifying {
	struct harvest *harvest;
	pid_t pid;
	harvest_mapping_function *call;
	void *context;
};

static void identify_and_call(void *context, const struct harvested_mapping *mapping)
{
	struct identifying *identifying = context;
	CLEANUP_TEXT struct harvested_mapping *copy = xmalloc(sizeof(*copy));

	*copy = *mapping;
	harvest_identify(identifying->harvest, identifying->pid, copy);
	identifying->call(identifying->context, copy);
}

int harvest_mappings(struct harvest *harvest, pid_t pid, harvest_mapping_function *call, void *context)
{
	struct identifying identifying = { .harvest = harvest, .pid = pid, .call = call, .context = context };

	return mappings_walk(pid, identify_and_call, &identifying);
}

int harvest_open(void *context, const char *path, const char *build_id)
{
	const struct harvest *harvest = context;

	for (size_t i = 0; i < harvest->kept_count; i++) {
		const struct kept *kept = &harvest->kept[i];

		if (build_id[0] ? strcmp(kept->build_id, build_id) == 0 : strcmp(kept->path, path) == 0) {
			int fd = fcntl(kept->fd, F_DUPFD_CLOEXEC, 0);

			return fd < 0 ? -errno : fd;
		}
	}
	return -ENOENT;
}

void harvest_statistics(const struct harvest *harvest, struct harvest_statistics *ret)
{
	*ret = harvest->statistics;
	ret->files_kept = harvest->kept_count;
}
