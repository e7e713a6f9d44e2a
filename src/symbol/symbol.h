/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * From (file, offset) to names: after the capture, before the freeze. A row is one source of names; the driver walks
 * the files that have frames, and asks each source for what those before it left open.
 *
 * A file that is not the one which ran is refused: where its build id is known and another lies at its path now, its
 * frames keep module+0xoffset and are counted, never mis-named. A missing file is no failure either.
 */
#include <stddef.h>
#include <stdint.h>

#include "profile/id.h"

struct elf_file;
struct error;
struct generated_file;
struct kallsyms;
struct profile;

enum { SYMBOL_SOURCE_LIMIT = 16 };

struct symbol_options {
	const char *root;                            /* put before each path, e.g. "/proc/123/root"; NULL: nothing */
	/* Asked before the path: an open descriptor of the very file, or a negative errno. May be NULL. */
	int (*open)(void *context, const char *path, const char *build_id);
	void *open_context;
	const struct kallsyms *kernel;               /* of the kernel that was captured, while it runs; NULL elsewhere */
	const char *debug_directory;                 /* NULL: /usr/lib/debug */
	const struct generated_file *generated;      /* what runtimes wrote of their code (symbol/generated.h) */
	size_t generated_count;
};

struct symbol_statistics {
	uint64_t frames;                             /* that lie in a file */
	uint64_t named_before;                       /* had symbols, or a name given while capturing */
	uint64_t resolved[SYMBOL_SOURCE_LIMIT];      /* now, by row of symbol_sources */
	uint64_t unresolved;                         /* the rest, the refused among them */
	uint64_t files;                              /* with frames that had no name */
	uint64_t files_missing, frames_missing;      /* not there, not readable or no ELF file any more */
	uint64_t files_refused, frames_refused;      /* another build lies there now */
	uint64_t files_unchecked;                    /* no build id to compare: the path was taken at its word */
	uint64_t frames_used_again;                  /* at least these: their address held other generated code earlier */
	uint64_t functions, functions_dropped;       /* in the tables built; beyond a table's limit */
	uint64_t table_ns, read_bytes, table_bytes;  /* of the tables: time to build, bytes read, memory of the largest */
};

struct symbol_query {
	uint64_t offset;                             /* already moved into the call, where it was a return address */
	struct frame_id frame;
	struct string_id name;                       /* the answer; none yet */
};

/* One file that has frames, as the sources see it. */
struct symbol_module {
	const char *path;                            /* "[kernel]" and "[vdso]" too */
	const char *build_id;                        /* of the file that ran; "" unknown */
	struct elf_file *elf;                        /* open and checked; NULL where there is none */
	const struct symbol_options *options;
	struct symbol_statistics *statistics;
	struct profile *profile;
};

struct symbol_source {
	const char *name;                            /* "symtab": shown as the origin of a symbol */
	const char *summary;                         /* below 72 columns, for `list` */
	/* Answers what it can, with symbol_answer(); the queries are sorted by offset and all still open. */
	void (*resolve)(struct symbol_module *module, struct symbol_query *queries, size_t count);
};

extern const struct symbol_source *const symbol_sources[];           /* in the order in which they are asked */
extern const size_t symbol_source_count;

/* Adds symbols for every frame that has a file, no name and no symbols. *ret may be NULL. */
int symbol_resolve(struct profile *profile, const struct symbol_options *options, struct symbol_statistics *ret,
		   struct error *err);
