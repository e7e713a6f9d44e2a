/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/tls.h"

#include "base/error.h"
#include "base/memory.h"
#include "profile/profile.h"
#include "work/elf_place.h"

#include <bpf/libbpf.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "crosscut.skel.h"

enum { LIBRARY_LIMIT = 16 };

struct library { dev_t device; ino_t inode; struct bpf_link *links[2]; };

struct tls {
	struct crosscut_bpf *bpf;
	struct profile *profile;
	struct library libraries[LIBRARY_LIMIT];
	size_t count;
};

static bool is_known(const struct tls *tls, const struct stat *status)
{
	for (size_t i = 0; i < tls->count; i++)
		if (tls->libraries[i].device == status->st_dev && tls->libraries[i].inode == status->st_ino)
			return true;
	return false;
}

/* The return is caught where the function begins: there its address is on top of the stack. */
static bool find_place(const char *path, struct elf_place *place)
{
	const unsigned char *bytes;
	struct error ignored;
	size_t size;
	bool found;

	if (elf_place_open(path, &bytes, &size, &ignored) < 0)
		return false;
	found = elf_place_function(bytes, size, "SSL_do_handshake", place) && elf_place_is_cheap(bytes, size, place);
	(void)munmap((void *)(uintptr_t)bytes, size);
	return found;
}

static void add_library(struct tls *tls, const char *path)
{
	struct library *library = &tls->libraries[tls->count];
	struct elf_place place;
	struct stat status;

	if (tls->count == LIBRARY_LIMIT || stat(path, &status) || is_known(tls, &status))
		return;
	*library = (struct library){ .device = status.st_dev, .inode = status.st_ino };
	tls->count++;
	if (find_place(path, &place)) {
		LIBBPF_OPTS(bpf_uprobe_opts, entry);
		LIBBPF_OPTS(bpf_uprobe_opts, leave, .retprobe = true);

		library->links[0] = bpf_program__attach_uprobe_opts(tls->bpf->progs.tls_begun, -1, path, place.offset, &entry);
		library->links[1] = bpf_program__attach_uprobe_opts(tls->bpf->progs.tls_ended, -1, path, place.offset, &leave);
	}
	if (!library->links[0] || !library->links[1])
		profile_set_meta(tls->profile, "probe.missing.tls", "in one libssl no probe could be put cheaply: its handshakes are not seen");
}

static bool is_library(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && !strncmp(slash + 1, "libssl.so", 9) && !strstr(slash, "(deleted)");
}

void tls_map(struct tls *tls, uint32_t pid, const char *path)
{
	char seen[4200];

	if (!tls || !is_library(path))
		return;
	(void)snprintf(seen, sizeof(seen), "/proc/%u/root%.4096s", pid, path);
	add_library(tls, seen);
}

static void look_at(struct tls *tls, uint32_t pid)
{
	char name[64], line[4352], *path;
	FILE *file;

	(void)snprintf(name, sizeof(name), "/proc/%u/maps", pid);
	file = fopen(name, "re");
	while (file && fgets(line, sizeof(line), file)) {
		line[strcspn(line, "\n")] = '\0';
		path = strchr(line, '/');
		if (path)
			tls_map(tls, pid, path);
	}
	if (file)
		(void)fclose(file);
}

struct tls *tls_new(struct crosscut_bpf *bpf, struct profile *profile)
{
	static const char *const own[] = {
		"/usr/lib/x86_64-linux-gnu/libssl.so.3", "/usr/lib/x86_64-linux-gnu/libssl.so.1.1", "/usr/lib64/libssl.so.3",
		"/usr/lib/libssl.so.3",
	};
	struct tls *tls = xcalloc(1, sizeof(*tls));
	DIR *processes = opendir("/proc");
	struct dirent *entry;

	tls->bpf = bpf;
	tls->profile = profile;
	for (size_t i = 0; i < ARRAY_LENGTH(own); i++)
		add_library(tls, own[i]);
	while (processes && (entry = readdir(processes)) != NULL)
		if (atoi(entry->d_name) > 0)
			look_at(tls, (uint32_t)atoi(entry->d_name));
	if (processes)
		(void)closedir(processes);
	return tls;
}

void tls_free(struct tls *tls)
{
	for (size_t i = 0; tls && i < tls->count; i++) {
		(void)bpf_link__destroy(tls->libraries[i].links[0]);
		(void)bpf_link__destroy(tls->libraries[i].links[1]);
	}
	free(tls);
}
