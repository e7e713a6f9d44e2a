/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * What Go's linker leaves in every program for its own tracebacks, the stripped ones too: of each function its name, its
 * file and lines, what was inlined into it, and how far the stack pointer is from its place at entry. Pure: bytes in,
 * facts out. The bytes are hostile; nothing is believed that does not lie inside them.
 *
 *	header   magic, 0 0 quantum pointer-size, counts, the text's start, offsets of the parts
 *	names, units (file numbers per package → offsets of paths), files (paths), values (coded by address), functions
 *
 * Versions are told by the magic: of Go 1.16 and 1.17, 1.18 and 1.19, 1.20 and later. Older ones are refused.
 * Source: Go's src/debug/gosym/pclntab.go, src/runtime/symtab.go and runtime2.go (_func); golang.org/s/go12symtab.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "unwind/cursor.h"

enum { GOPCLNTAB_HEADER_BYTES = 16, GOPCLNTAB_FUNCTION_LIMIT = 8 << 20 };
enum gopclntab_version { GOPCLNTAB_1_16, GOPCLNTAB_1_18, GOPCLNTAB_1_20 };
enum go_flag { GO_TOP_FRAME = 1, GO_WRITES_RSP = 2, GO_ASSEMBLY = 4 };

struct gopclntab_part {
	const uint8_t *bytes;
	size_t size;
};

struct gopclntab {
	enum gopclntab_version version;
	uint64_t text;                  /* where the first function's code is, as the header has it; 0: it does not say */
	size_t count;                   /* of functions */
	struct gopclntab_part names, units, files, values, functions;
};

struct go_function {
	uint64_t start, end;            /* end: where the next one starts; padding is included */
	const char *name;               /* as Go writes it: "main.(*T).Method"; ends inside the table */
	uint8_t flags;                  /* enum go_flag */
	uint32_t rsp, file, line;       /* offsets into values: of the stack pointer's distance, of file numbers, of lines */
	uint32_t unit;                  /* index into units */
	const uint8_t *more;            /* offsets of further values, then of further data: 4 bytes each */
	uint32_t value_count, data_count;
};

/* Whether a table may begin with these bytes, of any version. */
bool gopclntab_begins(const uint8_t bytes[GOPCLNTAB_HEADER_BYTES]);
/* 0; -ENOTSUP: of a version that is not known; -EBADMSG: damaged, or no such table. ret borrows the bytes. */
int gopclntab_open(const void *bytes, size_t size, struct gopclntab *ret);
/* False where that function is damaged. */
bool gopclntab_function(const struct gopclntab *table, size_t index, struct go_function *ret);
/* The function whose code an address is; false where there is none. */
bool gopclntab_find(const struct gopclntab *table, uint64_t address, struct go_function *ret);
/* The path of a file number; NULL where there is none. */
const char *gopclntab_path(const struct gopclntab *table, const struct go_function *function, int32_t file);
/* The name at an offset of the names; NULL where none begins there. */
const char *gopclntab_name(const struct gopclntab *table, uint64_t offset);

/* Values of a function, stretch by stretch:
 *	go_values_begin(&values, table, function.rsp, &function);
 *	while (go_values_next(&values))
 *		values.value holds from values.from on, and before values.to
 */
struct go_values {
	struct cursor cursor;
	uint64_t from, to, end;
	int32_t value;
};
void go_values_begin(struct go_values *values, const struct gopclntab *table, uint32_t offset, const struct go_function *function);
bool go_values_next(struct go_values *values);          /* false at the end; cursor.bad where that is damage */
/* The value at an address; false where there is none. */
bool go_value_at(const struct gopclntab *table, uint32_t offset, const struct go_function *function, uint64_t address, int32_t *ret);
