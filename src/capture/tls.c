/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/tls.h"

#include "base/error.h"
#include "base/memory.h"
#include "profile/profile.h"
#include "wire/wire.h"
#include "work/elf_place.h"

#include <bpf/libbpf.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "crosscut.skel.h"

enum { LIBRARY_LIMIT = 16, LINKS_OF_LIBRARY = 8 };

struct library { dev_t device; ino_t inode; struct bpf_link *links[LINKS_OF_LIBRARY]; size_t link_count; };

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

/* Of a function, or of the one that it hands its arguments on to: SSL_read_ex() and SSL_read() are two ways to one reader, whose
 * name no table holds. */
static bool find_place(const unsigned char *bytes, size_t size, const char *function, bool callee, struct elf_place *place)
{
	return elf_place_function(bytes, size, function, place) && (!callee || elf_place_callee(bytes, size, place)) &&
	       elf_place_is_cheap(bytes, size, place);
}

static void put(struct library *library, const struct bpf_program *program, const char *path, const struct elf_place *place, bool at_return,
		uint64_t cookie)
{
	LIBBPF_OPTS(bpf_uprobe_opts, options, .retprobe = at_return, .bpf_cookie = cookie);
	struct bpf_link *link = bpf_program__attach_uprobe_opts(program, -1, path, place->offset, &options);

	if (link)
		library->links[library->link_count++] = link;
}

/* The return is caught where the function begins: there its address is on top of the stack. */
static bool put_handshake(struct tls *tls, struct library *library, const char *path, const unsigned char *bytes, size_t size)
{
	struct elf_place place;

	if (!find_place(bytes, size, "SSL_do_handshake", false, &place))
		return false;
	put(library, tls->bpf->progs.tls_begun, path, &place, false, 0);
	put(library, tls->bpf->progs.tls_ended, path, &place, true, 0);
	return library->link_count == 2;
}

/* Handshakes that are left to the first read or write. */
static bool put_late(struct tls *tls, struct library *library, const char *path, const unsigned char *bytes, size_t size)
{
	static const struct { const char *function; enum wire_tls_call call; } functions[] = {
		{ "SSL_read_ex", WIRE_TLS_READ }, { "SSL_write_ex", WIRE_TLS_WRITE },
	};
	struct elf_place made, places[ARRAY_LENGTH(functions)];
	size_t before = library->link_count;

	if (!find_place(bytes, size, "SSL_new", false, &made))
		return false;
	for (size_t i = 0; i < ARRAY_LENGTH(functions); i++)
		if (!find_place(bytes, size, functions[i].function, true, &places[i]))
			return false;
	put(library, tls->bpf->progs.tls_made, path, &made, true, 0);
	for (size_t i = 0; i < ARRAY_LENGTH(functions); i++) {
		put(library, tls->bpf->progs.tls_used, path, &places[i], false, functions[i].call);
		put(library, tls->bpf->progs.tls_ended, path, &places[i], true, 0);
	}
	return library->link_count - before == 1 + 2 * ARRAY_LENGTH(functions);
}

static void add_library(struct tls *tls, const char *path)
{
	struct library *library = &tls->libraries[tls->count];
	bool handshakes = false, late = false;
	const unsigned char *bytes;
	struct error ignored;
	struct stat status;
	size_t size;

	if (tls->count == LIBRARY_LIMIT || stat(path, &status) || is_known(tls, &status))
		return;
	*library = (struct library){ .device = status.st_dev, .inode = status.st_ino };
	tls->count++;
	if (!elf_place_open(path, &bytes, &size, &ignored)) {
		handshakes = put_handshake(tls, library, path, bytes, size);
		late = handshakes && put_late(tls, library, path, bytes, size);
		(void)munmap((void *)(uintptr_t)bytes, size);
	}
	if (!handshakes)
		profile_set_meta(tls->profile, "probe.missing.tls", "in one libssl no probe could be put cheaply: its handshakes are not seen");
	else if (!late)
		profile_set_meta(tls->profile, "probe.missing.tls", "in one libssl handshakes that are left to the first read or write are not seen");
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
	for (size_t i = 0; tls && i < tls->count; i++)
		for (size_t link = 0; link < tls->libraries[i].link_count; link++)
			(void)bpf_link__destroy(tls->libraries[i].links[link]);
	free(tls);
}
