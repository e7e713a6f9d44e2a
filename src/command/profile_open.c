/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names are given only where they are sure: a file whose build id is another than the recorded one names nothing; one
 * without a build id is believed only on the machine it was recorded on; and a kernel's names count only if it is the same
 * build and lies at the same address, since it moves at every start.
 */
#include "command/profile_open.h"

#include "base/cleanup.h"
#include "base/directory.h"
#include "base/error.h"
#include "base/memory.h"
#include "format/format.h"
#include "format/import.h"
#include "profile/profile.h"
#include "symbol/elf_file.h"
#include "symbol/generated.h"
#include "symbol/kallsyms.h"
#include "symbol/symbol.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* As long as a recorder waits for debug information; crosscut symbolize reads what was left of a capture. */
#define DEBUG_WALL_NS 5000000000ull
enum { NOTES_BYTES = 8192, GENERATED_PROCESSES = 4096 };

static bool is_this_host(const struct profile *profile)
{
	const char *recorded = profile_meta(profile, "host.name");
	char here[256] = "";

	return recorded && !gethostname(here, sizeof(here) - 1) && !strcmp(recorded, here);
}

/* --- The kernel ------------------------------------------------------------------------------------------------------- */

static const char *kernel_build_id(const struct profile *profile)
{
	for (size_t i = 1; i < profile_file_count(profile); i++) {
		const struct file *file = profile_file_at(profile, i);

		if (!strcmp(profile_text(profile, file->path), "[kernel]"))
			return profile_text(profile, file->build_id);
	}
	return "";
}

static bool is_this_build(const char *build_id)
{
	CLEANUP_FD int fd = open("/sys/kernel/notes", O_RDONLY | O_CLOEXEC);
	char notes[NOTES_BYTES], here[BUILD_ID_SIZE];
	ssize_t size = fd < 0 ? -1 : read(fd, notes, sizeof(notes));

	return size > 0 && !elf_build_id_of_notes(notes, (size_t)size, here) && !strcmp(here, build_id);
}

/* Is it where the recorded kernel's text began? kallsyms.h names functions, and these marks are none. */
static bool is_text_here(uint64_t text)
{
	FILE *file = fopen("/proc/kallsyms", "re");
	char line[512], name[64];
	unsigned long long address;
	bool found = false;

	while (file && !found && fgets(line, sizeof(line), file))
		found = sscanf(line, "%llx %*c %63s", &address, name) == 2 && address == text &&
			(!strcmp(name, "_text") || !strcmp(name, "_stext"));
	if (file)
		(void)fclose(file);
	return found;
}

static struct kallsyms *kernel_names(const struct profile *profile)
{
	const char *build_id = kernel_build_id(profile);
	uint64_t text = profile_meta_number(profile, "import.kernel_text", 0);
	struct error ignored;

	if (!text || (*build_id ? !is_this_build(build_id) : !is_this_host(profile)) || !is_text_here(text))
		return NULL;
	return kallsyms_load(&ignored);         /* without privilege there are none: frames then keep their addresses */
}

/* --- Generated code --------------------------------------------------------------------------------------------------- */

struct generated { struct generated_file *files; size_t count, room; };

static void generated_done(struct generated *generated)
{
	for (size_t i = 0; i < generated->count; i++)
		(void)close(generated->files[i].fd);
	free(generated->files);
}

/* "[anon:1234]" → /tmp/perf-1234.map, as runtimes name what they leave for perf. */
static void generated_find(struct generated *generated, const char *name)
{
	char path[64];
	struct stat status;
	unsigned pid;
	int fd;

	if (sscanf(name, "[anon:%u]", &pid) != 1 || generated->count == GENERATED_PROCESSES)
		return;
	(void)snprintf(path, sizeof(path), "/tmp/perf-%u.map", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd < 0)
		return;
	if (fstat(fd, &status) < 0 || !S_ISREG(status.st_mode)) {
		(void)close(fd);
		return;
	}
	grow(generated->files, generated->count, generated->room);
	generated->files[generated->count++] = (struct generated_file){
		.path = name, .kind = GENERATED_PERF_MAP, .fd = fd, .size = (uint64_t)status.st_size };
}

static struct generated generated_of(const struct profile *profile)
{
	struct generated generated = { 0 };

	for (size_t i = 1; i < profile_file_count(profile) && is_this_host(profile); i++)
		generated_find(&generated, profile_text(profile, profile_file_at(profile, i)->path));
	return generated;
}

/* --- All together ----------------------------------------------------------------------------------------------------- */

static int name_frames(struct profile *profile, struct error *err)
{
	CLEANUP(kallsyms) struct kallsyms *kernel = kernel_names(profile);
	CLEANUP_TEXT char *caches = directory_of_caches();
	struct generated generated = generated_of(profile);
	struct symbol_options options = { .debug_wall_ns = DEBUG_WALL_NS, .kernel = kernel, .strict = !is_this_host(profile),
					  .cache_directory = caches, .generated = generated.files,
					  .generated_count = generated.count };
	struct symbol_statistics statistics;
	int r = symbol_resolve(profile, &options, &statistics, err);

	generated_done(&generated);
	return r < 0 ? r : 0;
}

static int check_counts(const char *counts, struct error *err)
{
	if (!counts || import_counts_valid(counts))
		return 0;
	(void)fail(err, FAILURE_USAGE, -EINVAL, "'%.64s' is not what a file can count", counts);
	(void)error_because(err, "it is no unit that is known, nor a name and one");
	return error_try(err, "--counts off-cpu:us");
}

int profile_open(const char *path, struct profile **ret, struct error *err)
{
	return profile_open_told(path, NULL, ret, err);
}

int profile_open_told(const char *path, const char *counts, struct profile **ret, struct error *err)
{
	const struct format_reading reading = { .counts = counts, .name = name_frames };
	int r = check_counts(counts, err);

	return r < 0 ? r : format_read_told(path, &reading, ret, err);
}
