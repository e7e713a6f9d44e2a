/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One writer for files, stdout and memory. The first failure is kept: callers print freely and ask once at the end.
 */
#include "base/output.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BUFFER_BYTES = 256 * 1024 };          /* a profile can be written by the hundred megabytes */

int output_spare(const char *path, const char *input, struct error *err)
{
	struct stat to, from;

	if (!input || !strcmp(input, "-") || !strcmp(path, "-") || stat(path, &to) < 0 || stat(input, &from) < 0 ||
	    to.st_dev != from.st_dev || to.st_ino != from.st_ino || !S_ISREG(to.st_mode))
		return 0;
	fail(err, FAILURE_USAGE, -EEXIST, "cannot write '%s'", path);
	error_because(err, "it is the file that is read, which would be lost");
	return error_try(err, "another name");
}

int output_open(struct output *output, const char *path, int flags, struct error *err)
{
	int how = O_WRONLY | O_CREAT | O_CLOEXEC | (flags & OUTPUT_REPLACE ? O_TRUNC : O_EXCL);
	int fd = open(path, how, 0600), r;

	if (fd < 0) {
		r = fail(err, FAILURE_WORK, -errno, "cannot write '%s'", path);
		if (r == -EEXIST)
			error_try(err, "another name, or --force to overwrite it");
		else if (r == -EISDIR)
			error_try(err, "the name of a file in it");
		return r;
	}
	*output = (struct output){ .file = fdopen(fd, "w"), .path = xstrdup(path), .owned = true,
				   .buffer = xmalloc(BUFFER_BYTES) };
	(void)setvbuf(output->file, output->buffer, _IOFBF, BUFFER_BYTES);
	return 0;
}

void output_to_file(struct output *output, FILE *file)
{
	*output = (struct output){ .file = file };
}

void output_to_text(struct output *output, struct text *text)
{
	*output = (struct output){ .text = text };
}

void output_write(struct output *output, const void *bytes, size_t size)
{
	if (output->text)
		text_append(output->text, bytes, size);
	else if (!output->code && fwrite(bytes, 1, size, output->file) != size)
		output->code = errno ? -errno : -EIO;
}

void output_puts(struct output *output, const char *text)
{
	output_write(output, text, strlen(text));
}

void output_print(struct output *output, const char *format, ...)
{
	char *text = NULL;
	va_list arguments;
	int length;

	va_start(arguments, format);
	length = vasprintf(&text, format, arguments);
	va_end(arguments);
	if (length >= 0)
		output_write(output, text, (size_t)length);
	else
		output->code = output->code ? output->code : -ENOMEM;
	free(text);
}

/* A device that refuses bytes (/dev/full) is no file of ours, and must survive us. */
static bool is_regular(const char *path)
{
	struct stat status;

	return !lstat(path, &status) && S_ISREG(status.st_mode);
}

int output_finish(struct output *output, struct error *err)
{
	int r;

	if (output->file && fflush(output->file) && !output->code)
		output->code = -errno;
	if (output->owned && fclose(output->file) && !output->code)
		output->code = -errno;
	if (output->text && output->text->cut && !output->code)
		output->code = -EFBIG;
	r = output->code;
	if (r < 0) {
		fail(err, FAILURE_WORK, r, "cannot write '%s'", output->path ? output->path : "the result");
		if (r == -ENOSPC)
			error_try(err, "a file system with free space");
		if (output->path && is_regular(output->path))
			(void)unlink(output->path);   /* half a result is worse than none */
	}
	free(output->path);
	free(output->buffer);
	*output = (struct output){ 0 };
	return r;
}
