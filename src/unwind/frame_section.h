/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * The entries of .eh_frame or .debug_frame: descriptions of functions (FDE), each of which names the entry (CIE) that
 * holds what it has in common with others. The two sections differ in how an entry is told from the other kind, and in
 * how pointers are written. DWARF 5, section 6.4.1; Linux Standard Base Core 5.0, section 10.6.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "unwind/cursor.h"

struct frame_section {
	const uint8_t *bytes;
	size_t size;
	uint64_t address;               /* of the first byte */
	uint64_t text, data;            /* what pointers may count from */
	bool is_debug;
};

/* A CIE. */
struct frame_common {
	const struct frame_section *section;
	uint64_t code_alignment;
	int64_t data_alignment;
	uint64_t return_column;
	struct cursor instructions;
	uint8_t encoding;               /* of pointers in descriptions */
	bool has_data;                  /* descriptions have augmentation data */
	bool is_signal;                 /* describes a signal frame */
};

/* An FDE. */
struct frame_description {
	uint64_t start, size;
	const uint8_t *instructions;
	uint32_t instructions_size;
	uint32_t common;                /* index, given by whoever asked */
};

/* One entry of either kind. */
struct frame_entry {
	struct cursor body;             /* after its id */
	const uint8_t *common;          /* of a description: where its common entry begins; NULL where it is outside */
	const uint8_t *next;
	bool is_common, is_terminator;
};

/* False where no whole entry begins there. */
bool frame_entry_read(const struct frame_section *section, const uint8_t *at, struct frame_entry *ret);

/* False where it is damaged, or holds what nobody writes for this processor. */
bool frame_common_read(const struct frame_section *section, const struct frame_entry *entry, struct frame_common *ret);

/* False where it is damaged, where its start cannot be known from the file, or where it is 0. */
bool frame_description_read(const struct frame_common *common, const struct frame_entry *entry, struct frame_description *ret);

/* A pointer, as DW_EH_PE_* encodes it. The cursor is in the section. What is 0 in the file is 0, whatever it counts from;
 * one that lies elsewhere (indirect) is written there by the dynamic linker only, and reads as bad. */
uint64_t frame_pointer(const struct frame_section *section, struct cursor *cursor, uint8_t encoding);
