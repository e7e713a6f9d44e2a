/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * Names of code that a runtime generated, as the runtime itself wrote them down: a perf map (text, no times) or a jitdump
 * (records with times). The bytes come from the captured process, so nothing in them is believed: sizes are checked,
 * numbers are limited, names are cut and cleaned.
 *
 * Runtimes use addresses again. A frame has an address and no time, so it gets the name of the newest code that lay there
 * before the capture ended, and it is counted where another name lay there earlier in the capture.
 */
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"

struct symbol_module;
struct symbol_query;

enum {
	GENERATED_CODE_LIMIT = 1 << 20,              /* rows of one process; what is beyond is dropped and counted */
	GENERATED_NAME_LIMIT = 1000,                 /* bytes of a name that are kept */
	GENERATED_FILE_LIMIT = 256 << 20,            /* bytes of one jitdump that are read */
	GENERATED_MAP_LIMIT = 64 << 20,              /* bytes of one perf map that are read: the last, since those are the newest */
	GENERATED_LINE_LIMIT = 4 << 20,              /* line entries of one process; likewise */
};

struct generated_line {
	uint64_t offset;                             /* in its code: from here on */
	const char *path;                            /* borrowed, as names are */
	uint32_t path_size, line;
};

struct generated_code {
	uint64_t start, end;
	uint64_t since_ns;                           /* CLOCK_MONOTONIC; 0 where the file tells no time */
	const char *name;                            /* borrowed from the file's bytes; no zero byte at its end */
	uint32_t name_size;
	uint32_t first_line, line_count;             /* of codes->lines, by offset; 0 where the file tells none */
};

struct generated_codes {
	struct generated_code *rows;                 /* in the order of the file: later ones are newer */
	size_t count, room;
	struct generated_line *lines;
	size_t line_count, line_room;
	uint64_t dropped, malformed;                 /* rows beyond a limit; lines or records that are none */
	/* What will be asked, by offset: rows that hold none of it are not kept. NULL: all are. */
	const struct symbol_query *asked;
	size_t asked_count;
	uint64_t unasked;                            /* rows that were not kept */
};

struct generated_codes *generated_codes_new(void);
void generated_codes_free(struct generated_codes *codes);            /* NULL is fine */
DEFINE_CLEANUP(generated_codes)
void generated_codes_add(struct generated_codes *codes, const struct generated_code *code);
/* The line that holds an address of the code; NULL where none is told. */
const struct generated_line *generated_line_of(const struct generated_codes *codes, const struct generated_code *code,
					       uint64_t address);

/* 0, or a negative errno where the bytes are no such file; what was read so far stands. */
typedef int generated_parse_function(const void *bytes, size_t size, struct generated_codes *into);
/* "7f3c0a1000 40 Function:add /srv/a.js:3": start and size in hexadecimal, with or without 0x, then the name. */
generated_parse_function perf_map_parse;
/* -ENOEXEC where this is no jitdump, -ENOTSUP where it is one of another byte order. */
generated_parse_function jitdump_parse;

enum generated_kind { GENERATED_PERF_MAP = 1, GENERATED_JITDUMP };

/* What the capture took from a process, by the path of the file its frames lie in: "[anon:1234]". */
struct generated_file {
	const char *path;
	enum generated_kind kind;
	int fd;                                      /* open for reading; -1 where it is refused */
	const char *refused;                         /* why it is not read: "it is a symbolic link"; NULL: it is read */
	uint64_t size;                               /* when the capture ended: what came later is not read */
	uint64_t start_ns, end_ns;                   /* of the capture; 0 unknown */
};

/* Answers the queries (sorted by offset, which is an address here) that lie in some code. */
void generated_answer(struct symbol_module *module, const struct generated_codes *codes, uint64_t start_ns, uint64_t end_ns,
		      struct symbol_query *queries, size_t count);
/* The same, from the module's files of a kind. */
void generated_resolve(struct symbol_module *module, int kind, generated_parse_function *parse, struct symbol_query *queries,
		       size_t count);
