/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The formats, and opening a file of any of them. Each reader says how sure it is of a file's head;
 * the surest reads it.
 */
#include "format/format.h"

#include "base/cleanup.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "classify/classify.h"
#include "profile/profile.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

extern const struct format folded_format, native_format, pprof_format;

const struct format *const formats[] = {
	&folded_format,
	&native_format,
	&pprof_format,
	NULL,
};

enum { HEAD_BYTES = 64 * 1024 };

const struct format *format_find(const char *name)
{
	for (size_t i = 0; formats[i]; i++)
		if (!strcmp(formats[i]->name, name))
			return formats[i];
	return NULL;
}

const struct format *format_of_suffix(const char *path)
{
	size_t size = strlen(path);

	for (size_t i = 0; formats[i]; i++) {
		size_t suffix_size = strlen(formats[i]->suffix);

		if (size > suffix_size && !strcmp(path + size - suffix_size, formats[i]->suffix))
			return formats[i];
	}
	return NULL;
}

/* --- What a file that nobody recognises looks like -------------------------------------------- */

struct lookalike { const char *mark; size_t size; const char *name; };
static const struct lookalike lookalikes[] = {
	{ "\x1f\x8b", 2, "gzip data (a pprof profile?)" },
	{ "\x28\xb5\x2f\xfd", 4, "zstd data" },
	{ "PERFILE2", 8, "a perf.data file" },
	{ "\x7f" "ELF", 4, "a program or library (ELF)" },
	{ "SQLite format 3", 16, "an SQLite database that is no capture" },
	{ "PK\x03\x04", 4, "a zip archive" },
	{ "FLR\0", 4, "a Java flight recording" },
	{ "{", 1, "JSON" },
	{ "[", 1, "JSON" },
	{ "<", 1, "HTML or XML" },
	{ "#!", 2, "a script" },
};

static bool is_text(const unsigned char *head, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (head[i] < ' ' && !memchr("\t\n\r\f\033", head[i], 5))
			return false;
	return true;
}

static const char *looks_like(const unsigned char *head, size_t size)
{
	for (size_t i = 0; i < ARRAY_LENGTH(lookalikes); i++)
		if (size >= lookalikes[i].size &&
		    !memcmp(head, lookalikes[i].mark, lookalikes[i].size))
			return lookalikes[i].name;
	return is_text(head, size) ? "text of another kind" : "data of another kind";
}

static int fail_foreign(const char *path, const char *looks, struct error *err)
{
	struct text readable = TEXT(256);

	for (size_t i = 0; formats[i]; i++)
		if (formats[i]->read)
			text_print(&readable, "%s%s (%s)", readable.size ? ", " : "",
				   formats[i]->name, formats[i]->suffix);
	fail(err, FAILURE_WORK, -EBADMSG, "cannot read '%s'", path);
	error_because(err, "it is no profile but looks like %s", looks);
	error_try(err, "a file of a format that can be read: %s", text_string(&readable));
	text_done(&readable);
	return err->code;
}

/* --- Opening ---------------------------------------------------------------------------------- */

static int fail_open(const char *path, struct error *err)
{
	int r = fail(err, FAILURE_WORK, -errno, "cannot read '%s'", path);

	return error_try(err, r == -ENOENT ? "the name of a file that exists"
					   : "the user who recorded it, or root");
}

static ssize_t head_read(const char *path, void *head, struct error *err)
{
	CLEANUP_FD int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat status;
	ssize_t size;

	if (fd < 0 || fstat(fd, &status) < 0)
		return fail_open(path, err);
	if (!S_ISREG(status.st_mode)) {
		fail(err, FAILURE_WORK, S_ISDIR(status.st_mode) ? -EISDIR : -EINVAL,
		     "cannot read '%s'", path);
		if (!S_ISDIR(status.st_mode))
			error_because(err, "it is no regular file");
		return error_try(err, "a file made by crosscut record");
	}
	size = read(fd, head, HEAD_BYTES);
	if (size < 0)
		return fail(err, FAILURE_WORK, -errno, "cannot read '%s'", path);
	if (!size) {
		fail(err, FAILURE_WORK, -ENODATA, "cannot read '%s'", path);
		error_because(err, "it is empty: nothing was ever stored in it");
		return error_try(err, "to record again");
	}
	return size;
}

static const struct format *format_recognise(const void *head, size_t size)
{
	const struct format *best = NULL;
	int sure = 0;

	for (size_t i = 0; formats[i]; i++) {
		int answer = formats[i]->recognise && formats[i]->read
				     ? formats[i]->recognise(head, size)
				     : 0;

		if (answer > sure) {
			sure = answer;
			best = formats[i];
		}
	}
	return best;
}

int format_read(const char *path, struct profile **ret, struct error *err)
{
	CLEANUP(profile) struct profile *profile = profile_new();
	CLEANUP_TEXT char *head = xmalloc(HEAD_BYTES);
	ssize_t size = head_read(path, head, err);
	const struct format *format;
	int r;

	if (size < 0)
		return (int)size;
	format = format_recognise(head, (size_t)size);
	if (!format)
		return fail_foreign(path, looks_like((const unsigned char *)head, (size_t)size),
				    err);
	r = format->read(path, profile, err);
	if (r < 0)
		return r;
	classify_profile(profile, false);
	profile_freeze(profile);
	*ret = take(profile);
	return 0;
}
