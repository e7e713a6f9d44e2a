/* SPDX-License-Identifier: Apache-2.0 */
/*
 * /proc/PID/maps, line by line:
 *
 *	7f97eb0a1000-7f97eb1f7000 r-xp 00026000 fe:00 332835          /usr/lib/x86_64-linux-gnu/libc.so.6
 *
 * Most lines are not executable and are passed over at their fourth letter.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "base/memory.h"
#include "capture/harvest_file.h"

enum { LINE_SIZE = 4 * HARVEST_PATH + 256, BUFFER_SIZE = 32 << 10 };

/* A line feed in a path is written as \012. */
static void copy_path(const char *from, char path[HARVEST_PATH])
{
	char *to = path;

	while (*from && *from != '\n' && to < path + HARVEST_PATH - 1) {
		if (strncmp(from, "\\012", 4) == 0) {
			*to++ = '\n';
			from += 4;
		} else {
			*to++ = *from++;
		}
	}
	*to = '\0';
}

static bool parse_mapping(const char *line, struct harvested_mapping *mapping)
{
	unsigned int major_number, minor_number;
	int path = 0;

	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*4s %" SCNx64 " %x:%x %" SCNu64 " %n", &mapping->start, &mapping->end,
		   &mapping->offset, &major_number, &minor_number, &mapping->inode, &path) != 6)
		return false;
	mapping->device = makedev(major_number, minor_number);
	mapping->deleted = false;
	mapping->build_id[0] = '\0';
	copy_path(line + path, mapping->path);
	harvest_normalize(mapping);
	return mapping->end > mapping->start;
}

static bool ends_with(const char *text, const char *end)
{
	size_t length = strlen(text), size = strlen(end);

	return length > size && strcmp(text + length - size, end) == 0;
}

static bool is_anonymous(const char *path)
{
	return !path[0] || strcmp(path, "//anon") == 0 || strcmp(path, "[heap]") == 0 || strcmp(path, "[anon]") == 0 ||
	       strncmp(path, "[stack", 6) == 0 || strncmp(path, "[anon:", 6) == 0 || strncmp(path, "[anon_shmem:", 12) == 0;
}

void harvest_normalize(struct harvested_mapping *mapping)
{
	static const char mark[] = " (deleted)";

	if (ends_with(mapping->path, mark)) {
		mapping->path[strlen(mapping->path) - (sizeof(mark) - 1)] = '\0';
		mapping->deleted = true;
	}
	if (is_anonymous(mapping->path)) {
		(void)snprintf(mapping->path, sizeof(mapping->path), "[anon]");
		mapping->offset = mapping->start;
		mapping->device = mapping->inode = 0;
	} else if (mapping->path[0] == '[') {
		mapping->offset = 0;
	}
}

/* A line longer than the buffer is no mapping we could name: its rest is read away. */
static bool read_line(FILE *file, char line[LINE_SIZE])
{
	if (!fgets(line, LINE_SIZE, file))
		return false;
	while (!strchr(line, '\n')) {
		char rest[256];

		if (!fgets(rest, sizeof(rest), file) || strchr(rest, '\n'))
			break;
	}
	return true;
}

static bool is_executable(const char *line)
{
	const char *space = strchr(line, ' ');

	return space && strnlen(space, 5) == 5 && space[3] == 'x';
}

struct walk {
	char line[LINE_SIZE], buffer[BUFFER_SIZE];
	struct harvested_mapping mapping;
};

/* The memory is the walk's own: a callback may begin another. */
int mappings_walk(pid_t pid, harvest_mapping_function *call, void *context)
{
	CLEANUP_TEXT struct walk *walk = NULL;
	char name[64];
	int count = 0;
	FILE *file;

	(void)snprintf(name, sizeof(name), "/proc/%d/maps", (int)pid);
	file = fopen(name, "re");
	if (!file)
		return errno == ENOENT ? -ESRCH : -errno;
	walk = xmalloc(sizeof(*walk));
	(void)setvbuf(file, walk->buffer, _IOFBF, sizeof(walk->buffer));
	while (count < HARVEST_MAPPING_LIMIT && read_line(file, walk->line))
		if (is_executable(walk->line) && parse_mapping(walk->line, &walk->mapping)) {
			call(context, &walk->mapping);
			count++;
		}
	(void)fclose(file);
	return count;
}
