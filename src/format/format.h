/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * Reads and writes profiles, one file per format. Readers recognise a file by its content, decompressed, and answer with
 * a confidence; they check every length and id they read, and a limit stands at whatever the file can make large.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct dimension;
struct error;
struct input;
struct output;
struct profile;

struct format_options {
	const char *schema;          /* "1.7": for formats that changed; NULL: the newest */
	const char *dimension;       /* a state or "state/part"; formats that hold one dimension need it */
	/* folded, as stackcollapse-perf.pl has them: numbers behind the comm, marks behind names, addresses where no name is */
	bool pid, tid, kernel, jit, addresses;
};

struct format {
	const char *name;            /* "folded", as in --to folded */
	const char *summary;
	const char *suffix;          /* ".folded"; NULL where files of the format have none of their own */
	int (*recognise)(const void *head, size_t size);                     /* 0 no … 100 certain; NULL: nobody can tell */
	int (*read)(struct input *input, struct profile *into, struct error *err);           /* NULL: write only */
	const char *instead;         /* of a file that is recognised and not read: what to bring instead */
	int (*write)(const struct profile *profile, const struct format_options *options, struct output *to,
		     struct error *err);                                     /* NULL: read only */
	uint32_t keeps;              /* KEEPS(STACKS) | …: what of a profile a written file still holds (format/content.h) */
};

extern const struct format *const formats[];     /* NULL-terminated, sorted by name */
const struct format *format_find(const char *name);
const struct format *format_of_suffix(const char *path);
/* Opens any readable file, or standard input where the path is "-": recognises it, reads it, classifies what has no class,
 * freezes. The caller frees *ret. */
int format_read(const char *path, struct profile **ret, struct error *err);
struct format_reading {
	const char *counts;          /* what the user says of its numbers, where the file is silent: "off-cpu:us"; NULL: nothing */
	/* Names the frames of a file that holds addresses alone, before its waits are classified; NULL: nobody. */
	int (*name)(struct profile *profile, struct error *err);
};
int format_read_told(const char *path, const struct format_reading *reading, struct profile **ret, struct error *err);
int format_read_input(struct input *input, struct profile **ret, struct error *err);
/* By one row, whatever the others say of the bytes. */
int format_read_as(const struct format *format, struct input *input, struct profile **ret, struct error *err);
