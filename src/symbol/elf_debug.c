/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stripped files leave their functions in a debug file, installed beside them: found by build id, or by the name in
 * .gnu_debuglink. One found by its build id is believed if it bears it. One found by the link must have the checksum that
 * the link tells, which reads the whole file, and no other build id. A server is asked last, and only if a person said so.
 */
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdbool.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/memory.h"
#include "symbol/answer.h"
#include "symbol/debuginfod.h"
#include "symbol/elf_file.h"
#include "symbol/folder.h"
#include "symbol/symbol.h"

/* Of two failures the one that says more: that a file was there, and refused. */
static int telling(int first, int second)
{
	return first == -EBADMSG || first == -ESTALE ? first : second;
}

static int open_by_build_id(const char *directory, const char *build_id, struct elf_file **ret)
{
	CLEANUP(elf_file) struct elf_file *debug = NULL;
	CLEANUP_TEXT char *path = xasprintf("%s/.build-id/%.2s/%s.debug", directory, build_id, strlen(build_id) < 4 ? "" : build_id + 2);
	int r = strlen(build_id) < 4 ? -ENOENT : elf_file_open_path(path, &debug);

	if (r < 0)
		return r;
	if (strcmp(elf_file_build_id(debug), build_id) != 0)
		return -ESTALE;
	*ret = take(debug);
	return 0;
}

static int open_linked(const char *path, const char *build_id, uint32_t checksum, struct elf_file **ret)
{
	CLEANUP(elf_file) struct elf_file *debug = NULL;
	int r = elf_file_open_path(path, &debug);

	if (r < 0)
		return r;
	if (build_id[0] && elf_file_build_id(debug)[0] && strcmp(elf_file_build_id(debug), build_id) != 0)
		return -ESTALE;
	if (elf_file_checksum(elf_file_descriptor(debug)) != checksum)
		return -EBADMSG;
	*ret = take(debug);
	return 0;
}

static const char *root_of(const struct symbol_module *module)
{
	return module->options->root ? module->options->root : "";
}

/* The places that gdb's manual names: beside the file, in .debug/ there, and below the debug directory. */
static int open_by_link(const struct symbol_module *module, const char *directory, struct elf_file **ret)
{
	const char *build_id = elf_file_build_id(module->elf), *folder;
	CLEANUP_TEXT char *own = xstrdup(module->path);
	char name[256];
	uint32_t checksum;
	int r = -ENOENT;

	if (!elf_file_debug_link(module->elf, name, &checksum))
		return -ENOENT;
	folder = dirname(own);
	for (int place = 0; place < 3; place++) {
		CLEANUP_TEXT char *path = xasprintf("%s%s%s/%s", place < 2 ? root_of(module) : directory, folder,
						    place == 1 ? "/.debug" : "", name);

		int opened = open_linked(path, build_id, checksum, ret);

		if (opened == 0)
			return 0;
		r = telling(r, opened);
	}
	return r;
}

static int open_below(const struct symbol_module *module, const char *directory, struct elf_file **ret)
{
	int by_build_id = open_by_build_id(directory, elf_file_build_id(module->elf), ret);
	int by_link = by_build_id == 0 ? 0 : open_by_link(module, directory, ret);

	return by_link == 0 ? 0 : telling(by_build_id, by_link);
}

static int open_in_folder(const struct symbol_module *module, struct elf_file **ret)
{
	int fd = module->options->folder ? symbol_folder_debug(module->options->folder, elf_file_build_id(module->elf)) : -ENOENT;

	return fd < 0 ? fd : elf_file_open(fd, ret);
}

static int open_asked(const struct symbol_module *module, struct elf_file **ret)
{
	CLEANUP(elf_file) struct elf_file *debug = NULL;
	const char *build_id = elf_file_build_id(module->elf);
	int fd = module->options->debuginfod ? debuginfod_open(build_id) : -ENOENT;
	int r = fd < 0 ? fd : elf_file_open(fd, &debug);

	if (r < 0)
		return r;
	if (strcmp(elf_file_build_id(debug), build_id) != 0)
		return -ESTALE;
	*ret = take(debug);
	return 0;
}

static int open_debug(const struct symbol_module *module, struct elf_file **ret)
{
	const char *directory = module->options->debug_directory ? module->options->debug_directory : "/usr/lib/debug";
	CLEANUP_TEXT char *inside = xasprintf("%s/usr/lib/debug", root_of(module));

	int r = open_in_folder(module, ret), asked;

	if (r < 0)
		r = open_below(module, directory, ret);
	if (r < 0 && root_of(module)[0])
		r = open_below(module, inside, ret);
	if (r == 0)
		return 0;
	asked = open_asked(module, ret);
	return asked == 0 ? 0 : telling(r, asked);
}

struct elf_file *symbol_module_debug(struct symbol_module *module)
{
	if (!module->debug_looked && module->elf)
		module->debug_error = open_debug(module, &module->debug);
	module->debug_looked = true;
	return module->debug;
}

static void resolve(struct symbol_module *module, struct symbol_query *queries, size_t count)
{
	struct elf_file *debug = symbol_module_debug(module);

	if (debug)
		symbol_answer_from(module, debug, module->elf, queries, count);
}

const struct symbol_source symbol_source_debug = {
	.name = "debug",
	.summary = "functions in a separate debug file (build id, .gnu_debuglink)",
	.resolve = resolve,
};
