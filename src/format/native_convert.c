/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A profile that is whole already, as a capture file: what was imported can then be kept, compared and
 * asked like a capture. SQLite needs a file with a name, so it is made beside the temporary ones, sealed,
 * and its bytes go where the output goes.
 */
#include "base/cleanup.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/output.h"
#include "format/format.h"
#include "format/native.h"
#include "format/native_file.h"
#include "profile/profile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

enum { CHUNK_BYTES = 256 * 1024 };

/* All slices at once: each fact names its own. */
static int file_fill(struct native *native, const char *path, const struct profile *profile, struct error *err)
{
	uint32_t last = (uint32_t)profile_slice_count(profile) - 1;
	int r = native_create(native, path, true, 0, err);

	if (r >= 0 && last)
		r = native_slice(native, profile, (struct slice_id){ last }, err);
	return r < 0 ? r : native_seal(native, profile, err);
}

static int file_pour(const char *path, struct output *to, struct error *err)
{
	CLEANUP_FD int fd = open(path, O_RDONLY | O_CLOEXEC);
	char *bytes = xmalloc(CHUNK_BYTES);
	ssize_t got = fd < 0 ? -1 : 1;

	while (got > 0) {
		got = read(fd, bytes, CHUNK_BYTES);
		if (got > 0)
			output_write(to, bytes, (size_t)got);
	}
	free(bytes);
	return got < 0 ? fail(err, FAILURE_WORK, -errno, "cannot read '%s'", path) : 0;
}

int native_write(const struct profile *profile, const struct format_options *options, struct output *to, struct error *err)
{
	CLEANUP(native) struct native *native = native_new();
	const char *named = getenv("TMPDIR");
	CLEANUP_TEXT char *path = xasprintf("%s/crosscut-XXXXXX", named && *named ? named : "/tmp");
	int fd = mkostemp(path, O_CLOEXEC), r;

	(void)options;
	if (fd < 0)
		return fail(err, FAILURE_WORK, -errno, "cannot make a file like '%s'", path);
	(void)close(fd);
	r = file_fill(native, path, profile, err);
	if (r >= 0)
		r = file_pour(path, to, err);
	(void)unlink(path);
	return r;
}
