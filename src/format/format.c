/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The formats, and opening a file of any of them. Each reader says how sure it is of a file's head;
 * the surest reads it.
 */
#include "format/format.h"

#include "base/cleanup.h"
#include "base/error.h"
#include "classify/classify.h"
#include "format/input.h"
#include "profile/profile.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

extern const struct format bcc_format, bpftrace_format, callgrind_format, chrome_format, contentionz_format, coz_format;
extern const struct format cpuprofile_format, firefox_format, folded_format, ftrace_format;
extern const struct format gocount_format, heaptrack_format, heapz_format, jemalloc_format;
extern const struct format massif_format, native_format, otlp_format, otlp_json_format, perf_data_format;
extern const struct format perf_script_format, perf_stat_format, perfetto_format, pprof_format;
extern const struct format profilez_format, speedscope_format, strace_format, threadz_format;

const struct format *const formats[] = {
	&bcc_format,
	&bpftrace_format,
	&callgrind_format,
	&chrome_format,
	&contentionz_format,
	&coz_format,
	&cpuprofile_format,
	&firefox_format,
	&folded_format,
	&ftrace_format,
	&gocount_format,
	&heaptrack_format,
	&heapz_format,
	&jemalloc_format,
	&massif_format,
	&native_format,
	&otlp_format,
	&otlp_json_format,
	&perf_data_format,
	&perf_script_format,
	&perf_stat_format,
	&perfetto_format,
	&pprof_format,
	&profilez_format,
	&speedscope_format,
	&strace_format,
	&threadz_format,
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
		size_t suffix_size = formats[i]->suffix ? strlen(formats[i]->suffix) : 0;

		if (suffix_size && size > suffix_size && !strcmp(path + size - suffix_size, formats[i]->suffix))
			return formats[i];
	}
	return NULL;
}

/* --- What a file that nobody recognises looks like -------------------------------------------- */

struct lookalike { const char *mark; size_t size; const char *name; };
static const struct lookalike lookalikes[] = {
	{ "\x7f" "ELF", 4, "a program or library (ELF)" },
	{ "SQLite format 3", 16, "an SQLite database that is no capture" },
	{ "PK\x03\x04", 4, "a zip archive" },
	{ "FLR\0", 4, "a Java flight recording" },
	{ "{", 1, "JSON" },
	{ "[", 1, "JSON" },
	{ "<", 1, "HTML or XML" },
	{ "#!", 2, "a script" },
};

enum { LINE_LONG = 32 * 1024 };

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
	if (size > LINE_LONG && is_text(head, size) && !memchr(head, '\n', size))
		return "text whose first line is longer than any of a profile";
	return is_text(head, size) ? "text of another kind" : "data of another kind";
}

static int fail_foreign(const char *path, const char *looks, struct error *err)
{
	fail(err, FAILURE_WORK, -EBADMSG, "cannot read '%s'", path);
	error_because(err, "it is no profile but looks like %s", looks);
	return error_try(err, "a file of a format that can be read: crosscut list formats");
}

static int fail_unread(const char *path, const struct format *format, struct error *err)
{
	fail(err, FAILURE_WORK, -EBADMSG, "cannot read '%s'", path);
	error_because(err, "it is of the format %s, which is written and not read", format->name);
	return error_try(err, "%s", format->instead);
}

/* --- Opening ---------------------------------------------------------------------------------- */

static const struct format *format_recognise(const void *head, size_t size)
{
	const struct format *best = NULL;
	int sure = 0;

	for (size_t i = 0; formats[i]; i++) {
		int answer = formats[i]->recognise ? formats[i]->recognise(head, size) : 0;

		if (answer > sure) {
			sure = answer;
			best = formats[i];
		}
	}
	return best;
}

static int fail_empty(const char *name, struct error *err)
{
	fail(err, FAILURE_WORK, -ENODATA, "cannot read '%s'", name);
	error_because(err, "it is empty: nothing was ever stored in it");
	return error_try(err, "to record again");
}

/* Behind what its reader says. */
static void remark(struct profile *profile, const char *text)
{
	char key[40];
	unsigned number = 1;

	do
		(void)snprintf(key, sizeof(key), "import.remark.%u", number++);
	while (profile_meta(profile, key));
	profile_set_meta(profile, key, text);
}

static void remark_input(struct profile *profile, const struct input *input)
{
	if (input_counts(input) && !profile_meta(profile, "import.counts_as_told"))
		remark(profile, "what its numbers count was told in vain: the file says it itself");
	if (input_leaves(input))
		remark(profile, "bytes follow its compressed data that belong to none: they are not read");
}

static int read_by(const struct format *format, const struct format_reading *reading, struct input *input, struct profile **ret,
		   struct error *err)
{
	CLEANUP(profile) struct profile *profile = profile_new();
	int r = format->read(input, profile, err);

	if (r >= 0)
		r = input_error(input, err);
	if (r >= 0 && reading->name && profile_meta(profile, "import.addresses")) {
		r = reading->name(profile, err);
		profile_show_symbols(profile);
	}
	if (r < 0)
		return r;
	remark_input(profile, input);
	classify_profile(profile, false);
	profile_freeze(profile);
	*ret = take(profile);
	return 0;
}

int format_read_as(const struct format *format, struct input *input, struct profile **ret, struct error *err)
{
	return read_by(format, &(struct format_reading){ 0 }, input, ret, err);
}

static int recognise_and_read(const struct format_reading *reading, struct input *input, struct profile **ret, struct error *err)
{
	const struct format *format;
	const unsigned char *head;
	size_t size;
	int r;

	head = input_peek(input, HEAD_BYTES, &size);
	r = input_error(input, err);
	if (r < 0)
		return r;
	if (!size)
		return fail_empty(input_name(input), err);
	format = format_recognise(head, size);
	if (!format)
		return fail_foreign(input_name(input), looks_like(head, size), err);
	return format->read ? read_by(format, reading, input, ret, err) : fail_unread(input_name(input), format, err);
}

int format_read_input(struct input *input, struct profile **ret, struct error *err)
{
	return recognise_and_read(&(struct format_reading){ 0 }, input, ret, err);
}

int format_read_told(const char *path, const struct format_reading *reading, struct profile **ret, struct error *err)
{
	CLEANUP(input) struct input *input = NULL;
	int r = input_open(path, &input, err);

	if (r < 0)
		return r;
	input_tell_counts(input, reading->counts);
	return recognise_and_read(reading, input, ret, err);
}

int format_read(const char *path, struct profile **ret, struct error *err)
{
	return format_read_told(path, &(struct format_reading){ 0 }, ret, err);
}
