/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * From a program file to the rows that unwind its code:
 *
 *	file ─▶ image (bounds) ─▶ frame_set (descriptions of functions) ─▶ frame_program (their rules) ─▶ row
 *
 * .eh_frame and .debug_frame are read and merged, since a program built without asynchronous unwind tables still has a
 * small .eh_frame, of its start-up code, beside the .debug_frame that describes all else. Where both describe a function
 * .eh_frame's is taken. A file without section headers is read by way of PT_GNU_EH_FRAME. A Go program has neither once it is
 * stripped, but its .gopclntab, which stands between the two (go_frame.h).
 *
 * Files are hostile: whatever they hold, reading ends, in time that grows with the size of the sections, and the tables
 * are sorted. A rule that does not fit a row becomes one of kind UNWIND_UNSUPPORTED; none is guessed.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "unwind/row.h"

struct unwind_table {
	struct unwind_row *rows;        /* sorted by pc, which counts from base; neighbours differ in their rules */
	size_t count;
	uint64_t base;                  /* the address, as the file's segments count them, that pc 0 stands for */
	struct unwind_table_statistics {        /* of the whole file; in its first table, 0 in the others */
		uint64_t descriptions;          /* of functions, that rows were made of */
		uint64_t rows_before_merge;
		uint64_t unsupported;           /* rows before merging whose rule does not fit a row */
		uint64_t covered_bytes, text_bytes;
		uint64_t dropped;               /* descriptions of no code (discarded by the linker), twice there, or damaged */
		bool from_debug_frame;          /* some row comes from .debug_frame */
	} statistics;
};

/* One file needs several tables where it has more than UNWIND_ROW_LIMIT rows, or where they span more than 4 GiB. They
 * are in order, and a table's last row reaches to the next table's base. */
struct unwind_tables {
	struct unwind_table *tables;
	size_t count;
};

/* All three return 0; -ENOEXEC: no ELF file for x86-64; -ENODATA: no call-frame information of code. */
int unwind_tables_read(const void *image, size_t size, struct unwind_tables *ret);
/* The same of an open file, of which it reads no more than the sections it needs: nothing is mapped, since a file that is
 * cut short under a mapping would kill us. The descriptor stays the caller's, as does its position. */
int unwind_tables_read_file(int fd, struct unwind_tables *ret);
/* An image as it lies in memory, from its ELF header on: the vdso. Its sections may be missing. */
int unwind_tables_read_memory(const void *image, size_t size, struct unwind_tables *ret);

void unwind_tables_free(struct unwind_tables *tables);                  /* what it holds; it is empty afterwards */

/* The row that holds at an address as the file counts it; NULL below the first. */
const struct unwind_row *unwind_table_row(const struct unwind_table *table, uint64_t address);
