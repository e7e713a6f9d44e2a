/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * From (file, offset) to names: after the capture, before the freeze. A row is one source of names; the driver walks
 * the files that have frames, and asks each source for what those before it left open.
 *
 * A file that is not the one which ran is refused: where its build id is known and another lies at its path now, its
 * frames keep module+0xoffset and are counted, never mis-named. A missing file is no failure either.
 *
 * A stub of the procedure linkage table is "read@plt", after what it leads to.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profile/id.h"

struct elf_file;
struct error;
struct generated_file;
struct kallsyms;
struct profile;
struct symbol_folder;

enum { SYMBOL_SOURCE_LIMIT = 16, SYMBOL_DEBUG_WALL_S = 60 };

struct symbol_options {
	uint64_t debug_wall_ns;                      /* for the debug information of all files; 0: SYMBOL_DEBUG_WALL_S */
	const char *root;                            /* put before each path, e.g. "/proc/123/root"; NULL: nothing */
	/* Asked before the path: an open descriptor of the very file, or a negative errno. May be NULL. */
	int (*open)(void *context, const char *path, const char *build_id);
	void *open_context;
	const struct kallsyms *kernel;               /* of the kernel that was captured, while it runs; NULL elsewhere */
	bool strict;                                 /* refuse files of which the capture has no build id: elsewhere, later */
	const char *debug_directory;                 /* NULL: /usr/lib/debug */
	const struct generated_file *generated;      /* what runtimes wrote of their code (symbol/generated.h) */
	size_t generated_count;
	const struct symbol_folder *folder;          /* of binaries and debug files, searched first; may be NULL */
	bool debuginfod;                             /* ask $DEBUGINFOD_URLS for debug files that are not here */
	const char *cache_directory;                 /* for what was read from debug information; NULL: kept nowhere */
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
	/* Debug information: files read, or found in the cache; frames with a line; calls inlined into them. */
	uint64_t files_read, files_cached, frames_lines, calls_inlined;
	/* Files whose debug information was not read, since reading it crashed, took too long, or failed otherwise. */
	uint64_t debug_crashed, debug_timed_out, debug_failed;
	uint64_t debug_partial;                      /* read up to a limit */
	uint64_t debug_ns, debug_bytes;              /* time to read all of it; bytes of the tables */
	uint64_t table_ns, read_bytes, table_bytes;  /* of the tables: time to build, bytes read, memory of the largest */
};

/* One call of a chain, innermost first: a name, and the line in it that was reached. */
struct symbol_call {
	struct string_id name, path;
	uint32_t line;
};

struct symbol_query {
	uint64_t offset;                             /* already moved into the call, where it was a return address */
	struct frame_id frame;
	struct string_id name;                       /* the answer: of the function whose code it is; none yet */
	struct symbol_call *calls;                   /* what was inlined into that function, and the function last; or NULL */
	uint32_t call_count;
	uint16_t source, details;                    /* rows of symbol_sources: that named it, and that gave the calls */
};

/* One file that has frames, as the sources see it. */
struct symbol_module {
	const char *path;                            /* "[kernel]" and "[vdso]" too */
	const char *build_id;                        /* of the file that ran; "" unknown */
	struct elf_file *elf;                        /* open and checked; NULL where there is none */
	struct elf_file *debug;                      /* its debug file, once looked for: symbol_module_debug() */
	bool debug_looked;
	int debug_error;                             /* 0, or why there is none: -ESTALE of another build, -EBADMSG another checksum */
	const struct symbol_options *options;
	struct symbol_statistics *statistics;
	struct profile *profile;
};

struct symbol_source {
	const char *name;                            /* "symtab": shown as the origin of a symbol */
	const char *summary;                         /* below 72 columns, for `list` */
	/* Answers what it can, with symbol_answer(); the queries are sorted by offset and all still open. */
	void (*resolve)(struct symbol_module *module, struct symbol_query *queries, size_t count);
	bool details;                                /* asked at last, about the named ones too: adds calls */
};

extern const struct symbol_source *const symbol_sources[];           /* in the order in which they are asked */
extern const size_t symbol_source_count;

/* The debug file that belongs to module->elf, opened once; NULL where none is found. */
struct elf_file *symbol_module_debug(struct symbol_module *module);

/* Adds symbols for every frame that has a file, no name and no symbols. *ret may be NULL. */
int symbol_resolve(struct profile *profile, const struct symbol_options *options, struct symbol_statistics *ret,
		   struct error *err);
