/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One walk over the tree of cgroups, of one hierarchy or of many: a directory whose name ends in a long hexadecimal word is
 * a container's. The monitors that stand beside a container (conmon) carry its id too, but are no part of it.
 */
#include "capture/container.h"

#include "base/cleanup.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ID_LEAST = 32, DEPTH_LIMIT = 16, FOUND_LIMIT = 256, NAMED_LIMIT = 4 };

struct found { char *path, id[CONTAINER_ID_LIMIT + 1]; };

struct search {
	const char *prefix;
	struct found found[FOUND_LIMIT];
	size_t count;
};

static size_t hex_length(const char *text)
{
	size_t length = 0;

	while (isdigit((unsigned char)text[length]) || (text[length] >= 'a' && text[length] <= 'f'))
		length++;
	return length;
}

int container_check(const char *id, struct error *err)
{
	size_t length = hex_length(id);

	if (!id[length] && length >= CONTAINER_PREFIX_LEAST && length <= CONTAINER_ID_LIMIT)
		return 0;
	fail(err, FAILURE_USAGE, -EINVAL, "'%s' is no container's id", id);
	error_because(err, "an id is %d hexadecimal digits, or its first %d or more", CONTAINER_ID_LIMIT, CONTAINER_PREFIX_LEAST);
	return error_try(err, "docker ps --no-trunc, podman ps --no-trunc or crictl ps -v shows it; a name is not enough");
}

/* "docker-2f0c….scope" → "2f0c…"; "" where the name holds no id. */
static void id_of(const char *name, char ret[CONTAINER_ID_LIMIT + 1])
{
	size_t length = strlen(name);
	const char *at, *end;

	*ret = '\0';
	if (length > 6 && !strcmp(name + length - 6, ".scope"))
		length -= 6;
	at = end = name + length;
	while (at > name && at[-1] != '-' && at[-1] != ':')
		at--;
	length = hex_length(at);
	if (at + length == end && length >= ID_LEAST && length <= CONTAINER_ID_LIMIT && !strstr(name, "conmon"))
		(void)snprintf(ret, CONTAINER_ID_LIMIT + 1, "%.*s", (int)length, at);
}

static void walk(const char *path, int depth, struct search *search)
{
	DIR *directory = opendir(path);
	struct dirent *entry;

	while (directory && (entry = readdir(directory))) {
		char id[CONTAINER_ID_LIMIT + 1];
		CLEANUP_TEXT char *below = NULL;

		if (entry->d_type != DT_DIR || entry->d_name[0] == '.')
			continue;
		below = xasprintf("%s/%s", path, entry->d_name);
		id_of(entry->d_name, id);
		if (*id && !strncmp(id, search->prefix, strlen(search->prefix)) && search->count < FOUND_LIMIT) {
			search->found[search->count].path = xstrdup(below);
			memcpy(search->found[search->count++].id, id, sizeof(id));
		} else if (depth < DEPTH_LIMIT) {
			walk(below, depth + 1, search);
		}
	}
	if (directory)
		(void)closedir(directory);
}

/* A container's processes may all be in a cgroup below its own. */
static bool has_members(const char *path, int depth)
{
	CLEANUP_TEXT char *file = xasprintf("%s/cgroup.procs", path);
	FILE *members = fopen(file, "re");
	bool any = members && fgetc(members) != EOF;
	struct dirent *entry;
	DIR *directory;

	if (members)
		(void)fclose(members);
	directory = any || depth >= DEPTH_LIMIT ? NULL : opendir(path);
	while (directory && !any && (entry = readdir(directory))) {
		CLEANUP_TEXT char *below = xasprintf("%s/%s", path, entry->d_name);

		any = entry->d_type == DT_DIR && entry->d_name[0] != '.' && has_members(below, depth + 1);
	}
	if (directory)
		(void)closedir(directory);
	return any;
}

static bool is_another(const struct search *search, size_t index)
{
	for (size_t i = 0; i < index; i++)
		if (!strcmp(search->found[i].id, search->found[index].id))
			return false;
	return true;
}

static int fail_ambiguous(const struct search *search, struct error *err)
{
	struct text names = TEXT(512);
	size_t distinct = 0;

	for (size_t i = 0; i < search->count; i++)
		if (is_another(search, i) && distinct++ < NAMED_LIMIT)
			text_print(&names, "%s%.20s", distinct > 1 ? ", " : "", search->found[i].id);
	fail(err, FAILURE_USAGE, -EINVAL, "more than one container begins with '%s'", search->prefix);
	error_because(err, "%s%s", text_string(&names), distinct > NAMED_LIMIT ? " …" : "");
	text_done(&names);
	return error_try(err, "more digits of the id");
}

static int choose(struct search *search, char **ret_path, struct error *err)
{
	size_t chosen = 0;

	if (!search->count) {
		fail(err, FAILURE_CANNOT, -ESRCH, "cannot capture container %s", search->prefix);
		error_because(err, "no cgroup here is named after it");
		return error_try(err, "docker ps, podman ps or crictl ps shows what runs; --cgroup PATH takes any cgroup");
	}
	for (size_t i = 1; i < search->count; i++)
		if (is_another(search, i))
			return fail_ambiguous(search, err);
	while (chosen < search->count && !has_members(search->found[chosen].path, 0))
		chosen++;
	*ret_path = xstrdup(search->found[chosen < search->count ? chosen : 0].path);
	return 0;
}

int container_find(const char *root, const char *id, char **ret_path, struct error *err)
{
	struct search *search;
	int r = container_check(id, err);

	if (r < 0)
		return r;
	search = xcalloc(1, sizeof(*search));
	search->prefix = id;
	walk(root, 0, search);
	r = choose(search, ret_path, err);
	for (size_t i = 0; i < search->count; i++)
		free(search->found[i].path);
	free(search);
	return r;
}
