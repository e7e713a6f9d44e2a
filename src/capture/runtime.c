/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Interpreters and virtual machines are known by the name of their library or executable. Where several are mapped
 * (an editor may link Python and Perl), the first row that fits wins. Compiled languages leave a note in the executable.
 */
#include "capture/runtime.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "capture/proc.h"
#include "symbol/elf_file.h"

/* The version in a text such as "3.11.so.1.0", "-3.1.so" or ".so.5.36": the first numbers. */
static void version_in_name(const char *rest, char *version, size_t size)
{
	size_t length;

	rest += strcspn(rest, "0123456789");
	length = strspn(rest, "0123456789.");
	while (length && rest[length - 1] == '.')
		length--;
	(void)snprintf(version, size, "%.*s", (int)length, rest);
}

static void version_by_name(pid_t pid, const char *path, const char *rest, char *version, size_t size)
{
	(void)pid;
	(void)path;
	version_in_name(rest, version, size);
}

/* "/jdk/lib/server/libjvm.so" → "/jdk/": cuts so many parts off the end, false where there are not so many. */
static bool folder_above(const char *path, int parts, char *folder, size_t size)
{
	char *slash = NULL;

	if (snprintf(folder, size, "%s", path) >= (int)size)
		return false;
	while (parts-- && (slash = strrchr(folder, '/')))
		*slash = '\0';
	return slash != NULL;
}

/* A JDK says its version in the file "release": JAVA_VERSION="17.0.15". */
static void version_of_java(pid_t pid, const char *path, const char *rest, char *version, size_t size)
{
	char folder[1024], file[1100], text[4096];
	const char *at;

	(void)rest;
	version[0] = '\0';
	if (!folder_above(path, 3, folder, sizeof(folder)))
		return;
	(void)snprintf(file, sizeof(file), "%s/release", folder);
	if (proc_read_inside(pid, file, text, sizeof(text)) > 0 && (at = strstr(text, "JAVA_VERSION=\"")))
		(void)snprintf(version, size, "%.*s", (int)strcspn(at + 14, "\""), at + 14);
}

static int number_after(const char *text, const char *word)
{
	const char *at = strstr(text, word);
	int number = -1;

	return at && sscanf(at + strlen(word), " %d", &number) == 1 ? number : -1;
}

/* Node is installed with its headers: bin/node beside include/node/node_version.h. */
static void version_of_node(pid_t pid, const char *path, const char *rest, char *version, size_t size)
{
	char folder[1024], file[1100], text[8192];
	int major, minor, patch;

	(void)rest;
	version[0] = '\0';
	if (!folder_above(path, 2, folder, sizeof(folder)))
		return;
	(void)snprintf(file, sizeof(file), "%s/include/node/node_version.h", folder);
	if (proc_read_inside(pid, file, text, sizeof(text)) <= 0)
		return;
	major = number_after(text, "#define NODE_MAJOR_VERSION");
	minor = number_after(text, "#define NODE_MINOR_VERSION");
	patch = number_after(text, "#define NODE_PATCH_VERSION");
	if (major >= 0 && minor >= 0 && patch >= 0)
		(void)snprintf(version, size, "%d.%d.%d", major, minor, patch);
}

static void version_unknown(pid_t pid, const char *path, const char *rest, char *version, size_t size)
{
	(void)pid;
	(void)path;
	(void)rest;
	(void)size;
	version[0] = '\0';
}

static const struct runtime_row {
	const char *start;           /* of the file's name */
	const char *name;
	void (*version)(pid_t pid, const char *path, const char *rest, char *version, size_t size);
} rows[] = {
	{ "libjvm.so", "java", version_of_java },
	{ "libcoreclr.so", "dotnet", version_unknown },
	{ "node", "node", version_of_node },
	{ "libnode.so", "node", version_unknown },
	{ "beam.smp", "erlang", version_unknown },
	{ "libpython", "python", version_by_name },
	{ "python", "python", version_by_name },
	{ "libruby", "ruby", version_by_name },
	{ "ruby", "ruby", version_by_name },
	{ "php", "php", version_by_name },
	{ "php-fpm", "php", version_by_name },
	{ "libphp", "php", version_by_name },
	{ "libluajit", "lua", version_by_name },
	{ "libperl.so", "perl", version_by_name },
	{ "perl", "perl", version_by_name },
};

/* Behind the row's start: nothing, a version or a suffix; "node-exporter" is no Node. */
static const char *rest_of(const char *path, const struct runtime_row *row)
{
	const char *slash = strrchr(path, '/'), *rest = slash ? slash + 1 : path;
	size_t length = strlen(row->start);

	if (strncmp(rest, row->start, length) != 0)
		return NULL;
	rest += length;
	return !*rest || *rest == '.' || isdigit((unsigned char)rest[*rest == '-']) ? rest : NULL;
}

int runtime_rank(const char *path)
{
	for (size_t i = 0; i < ARRAY_LENGTH(rows); i++)
		if (rest_of(path, &rows[i]))
			return (int)i;
	return RUNTIME_NONE;
}

void runtime_describe(pid_t pid, const char *path, int rank, char text[RUNTIME_SIZE])
{
	const struct runtime_row *row = &rows[rank];
	const char *rest = rest_of(path, row);
	char version[32] = "";

	if (rest)
		row->version(pid, path, rest, version, sizeof(version));
	(void)snprintf(text, RUNTIME_SIZE, "%s%s%s", row->name, version[0] ? " " : "", version);
}

/*
 * .go.buildinfo: 14 bytes of magic, the size of a pointer, flags; with flag 2 (since Go 1.18) a length and "go1.21.5"
 * follow at byte 32.
 */
static bool find_go(struct elf_file *elf, char text[RUNTIME_SIZE])
{
	unsigned char bytes[32 + 1 + 64];
	size_t size = elf_file_section(elf, ".go.buildinfo", bytes, sizeof(bytes)), length;

	if (size < 32 || memcmp(bytes, "\xff Go buildinf:", 14) != 0)
		return false;
	length = size > 33 ? bytes[32] : 0;
	if ((bytes[15] & 2) && length > 2 && length < 64 && length <= size - 33 && memcmp(bytes + 33, "go", 2) == 0)
		(void)snprintf(text, RUNTIME_SIZE, "go %.*s", (int)(length - 2 > 32 ? 32 : length - 2), bytes + 35);
	else
		(void)snprintf(text, RUNTIME_SIZE, "go");
	return true;
}

/* .comment: texts with zero bytes between them, each compiler's own; "rustc version 1.75.0 (…)". */
static bool find_rust(struct elf_file *elf, char text[RUNTIME_SIZE])
{
	static const char mark[] = "rustc version ";
	char bytes[4097];
	size_t size = elf_file_section(elf, ".comment", bytes, sizeof(bytes) - 1);
	const char *at;

	bytes[size] = '\0';
	at = memmem(bytes, size, mark, sizeof(mark) - 1);
	if (!at)
		return false;
	at += sizeof(mark) - 1;
	(void)snprintf(text, RUNTIME_SIZE, "rust %.*s", (int)(strcspn(at, " (") < 32 ? strcspn(at, " (") : 32), at);
	return true;
}

void runtime_of_executable(struct elf_file *elf, char text[RUNTIME_SIZE])
{
	text[0] = '\0';
	if (!find_go(elf, text))
		(void)find_rust(elf, text);
}
