/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compilation units are walked one after the other and asked for their own ranges: .debug_aranges is not relied on, since
 * clang writes none. In a unit, a function or an inlined call is a scope; blocks, namespaces and classes are looked
 * through. Linkers leave the debug information of code that they dropped at addresses where no code is: those are left out.
 */
#include "symbol/dwarf_reader.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/intern.h"
#include "base/memory.h"
#include "symbol/code_builder.h"
#include "symbol/confined.h"

enum { NESTING_LIMIT = 256, TIME_CHECK_EACH = 1024, PATH_SIZE = 4096 };

struct stretch { uint64_t start, end; };

struct reading {
	const struct dwarf_question *question;
	struct code_builder *builder;
	Dwarf *debug;
	Dwarf_Files *files;                          /* of the unit being read */
	const char *folder;                          /* where it was compiled; NULL unknown */
	struct intern *paths;                        /* made absolute */
	const char *last_path, *last_absolute;       /* paths come in runs */
	struct stretch *stretches;                   /* of the unit being read: its code, by address */
	size_t stretch_count, stretch_room;
	uint64_t end_ns;
	unsigned steps;
	bool over;                                   /* out of time */
};

static bool is_over(struct reading *reading)
{
	if (!reading->over && ++reading->steps % TIME_CHECK_EACH == 0 && clock_now_ns() > reading->end_ns) {
		reading->over = true;
		code_builder_partial(reading->builder);
	}
	return reading->over;
}

static bool is_code(const struct dwarf_question *question, uint64_t address)
{
	for (size_t i = 0; i < question->code_count; i++)
		if (address >= question->code[i].start && address < question->code[i].end)
			return true;
	return false;
}

static bool is_asked(const struct dwarf_question *question, uint64_t start, uint64_t end)
{
	size_t low = 0, high = question->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (question->addresses[middle] < start)
			low = middle + 1;
		else
			high = middle;
	}
	return low < question->count && question->addresses[low] < end;
}

/* --- Scopes ----------------------------------------------------------------------------------------------------- */

static const char *name_of(Dwarf_Die *die)
{
	Dwarf_Attribute attribute;
	const char *name = dwarf_formstring(dwarf_attr_integrate(die, DW_AT_linkage_name, &attribute));

	if (!name)
		name = dwarf_formstring(dwarf_attr_integrate(die, DW_AT_MIPS_linkage_name, &attribute));
	return name ? name : dwarf_diename(die);
}

static uint64_t number_of(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attribute;
	Dwarf_Word number = 0;

	if (!dwarf_attr(die, name, &attribute) || dwarf_formudata(&attribute, &number) < 0)
		return 0;
	return number;
}

/* Paths are often relative to where the compiler ran. */
static const char *absolute(struct reading *reading, const char *path)
{
	char text[PATH_SIZE];

	if (!path || path[0] == '/' || !reading->folder)
		return path;
	if (path == reading->last_path)
		return reading->last_absolute;
	(void)snprintf(text, sizeof(text), "%s/%s", reading->folder, path);
	reading->last_path = path;
	reading->last_absolute = intern_text(reading->paths, intern_put(reading->paths, text));
	return reading->last_absolute;
}

static const char *path_of_call(struct reading *reading, Dwarf_Die *die)
{
	uint64_t file = number_of(die, DW_AT_call_file);
	const char *path = reading->files ? dwarf_filesrc(reading->files, file, NULL, NULL) : NULL;

	return path ? absolute(reading, path) : "";
}

/* The scope of a function or of an inlined call; `parent` where it has no code of its own. */
static uint32_t add_scope(struct reading *reading, Dwarf_Die *die, bool inlined, uint32_t parent)
{
	Dwarf_Addr base, start, end;
	ptrdiff_t at = 0;
	uint32_t scope = 0;

	while (!is_over(reading) && (at = dwarf_ranges(die, at, &base, &start, &end)) > 0) {
		if (end <= start || !is_code(reading->question, start))
			continue;
		if (!scope)
			scope = code_builder_scope(reading->builder, inlined ? parent : 0, name_of(die),
						   inlined ? path_of_call(reading, die) : "",
						   inlined ? (uint32_t)number_of(die, DW_AT_call_line) : 0);
		code_builder_range(reading->builder, start, end, scope);
	}
	return scope ? scope : parent;
}

static bool is_looked_through(int tag)
{
	switch (tag) {
	case DW_TAG_lexical_block:
	case DW_TAG_namespace:
	case DW_TAG_class_type:
	case DW_TAG_structure_type:
	case DW_TAG_union_type:
	case DW_TAG_enumeration_type:                /* Rust gives enums their functions */
	case DW_TAG_module:
	case DW_TAG_try_block:
	case DW_TAG_catch_block:
	case DW_TAG_with_stmt:
		return true;
	default:
		return false;
	}
}

static void walk(struct reading *reading, Dwarf_Die *parent_die, uint32_t parent, unsigned nesting)
{
	Dwarf_Die die;

	if (nesting > NESTING_LIMIT || dwarf_child(parent_die, &die) != 0)
		return;
	do {
		int tag = dwarf_tag(&die);

		if (tag == DW_TAG_inlined_subroutine)
			walk(reading, &die, add_scope(reading, &die, true, parent), nesting + 1);
		else if (tag == DW_TAG_subprogram)
			walk(reading, &die, add_scope(reading, &die, false, 0), nesting + 1);
		else if (is_looked_through(tag))
			walk(reading, &die, parent, nesting + 1);
	} while (!is_over(reading) && dwarf_siblingof(&die, &die) == 0);
}

/* --- Lines ------------------------------------------------------------------------------------------------------ */

static bool is_of_unit(const struct reading *reading, uint64_t address)
{
	size_t low = 0, high = reading->stretch_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (reading->stretches[middle].end <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low < reading->stretch_count && reading->stretches[low].start <= address;
}

/*
 * Compilers leave a row for no code at all where a sequence ends. libdw sorts it behind that end, as if it began another
 * sequence; it would then hold for whatever foreign code follows, so it is told by the unit's own ranges.
 */
static void add_lines(struct reading *reading, Dwarf_Die *unit)
{
	Dwarf_Addr ended = 0;
	Dwarf_Lines *lines;
	size_t count;

	if (dwarf_getsrclines(unit, &lines, &count) != 0)
		return;
	for (size_t i = 0; i < count && !is_over(reading); i++) {
		Dwarf_Line *row = dwarf_onesrcline(lines, i);
		Dwarf_Addr address;
		bool ends = false;
		const char *path = absolute(reading, dwarf_linesrc(row, NULL, NULL));
		int line = 0;

		if (dwarf_lineaddr(row, &address) != 0 || dwarf_lineno(row, &line) != 0 || dwarf_lineendsequence(row, &ends) != 0)
			continue;
		if (ends)
			ended = address;
		else if (address == ended && !is_of_unit(reading, address))
			continue;
		if (is_code(reading->question, ends ? address - 1 : address))
			code_builder_line(reading->builder, address, ends ? NULL : path, line > 0 ? (uint32_t)line : 0);
	}
}

/* --- Units ------------------------------------------------------------------------------------------------------ */

static bool holds_asked(struct reading *reading, Dwarf_Die *unit)
{
	Dwarf_Addr base, start, end;
	ptrdiff_t at = 0;

	while (!is_over(reading) && (at = dwarf_ranges(unit, at, &base, &start, &end)) > 0)
		if (is_code(reading->question, start) && is_asked(reading->question, start, end))
			return true;
	return false;
}

static int compare_stretches(const void *left, const void *right)
{
	const struct stretch *a = left, *b = right;

	return a->start < b->start ? -1 : a->start > b->start;
}

static void find_stretches(struct reading *reading, Dwarf_Die *unit)
{
	Dwarf_Addr base, start, end;
	ptrdiff_t at = 0;

	reading->stretch_count = 0;
	while (!is_over(reading) && (at = dwarf_ranges(unit, at, &base, &start, &end)) > 0) {
		if (end <= start || !is_code(reading->question, start))
			continue;
		grow(reading->stretches, reading->stretch_count, reading->stretch_room);
		reading->stretches[reading->stretch_count++] = (struct stretch){ start, end };
	}
	if (reading->stretch_count)
		qsort(reading->stretches, reading->stretch_count, sizeof(*reading->stretches), compare_stretches);
}

static void read_unit(struct reading *reading, Dwarf_Die *unit)
{
	Dwarf_Attribute attribute;
	size_t count;

	reading->files = NULL;
	reading->last_path = NULL;
	reading->folder = dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir, &attribute));
	(void)dwarf_getsrcfiles(unit, &reading->files, &count);
	find_stretches(reading, unit);
	walk(reading, unit, 0, 0);
	add_lines(reading, unit);
	for (size_t i = 0; i < reading->stretch_count; i++)
		code_builder_covered(reading->builder, reading->stretches[i].start, reading->stretches[i].end);
}

static void read_units(struct reading *reading)
{
	Dwarf_Off at = 0, next;
	size_t head;
	Dwarf_Die unit;

	while (!reading->over && dwarf_nextcu(reading->debug, at, &next, &head, NULL, NULL, NULL) == 0) {
		if (dwarf_offdie(reading->debug, at + head, &unit) && holds_asked(reading, &unit))
			read_unit(reading, &unit);
		at = next;
	}
	/* All units were seen: an address in none of them is known to have nothing. */
	for (size_t i = 0; i < reading->question->count && !reading->over; i++)
		code_builder_covered(reading->builder, reading->question->addresses[i], reading->question->addresses[i] + 1);
}

void *dwarf_read_open(Dwarf *debug, const struct dwarf_question *question, size_t *ret_size)
{
	CLEANUP(code_builder) struct code_builder *builder = code_builder_new();
	CLEANUP(intern) struct intern *paths = intern_new();
	struct reading reading = { .question = question, .builder = builder, .debug = debug, .paths = paths,
				   .end_ns = clock_now_ns() + question->time_ns };

	if (question->known)
		code_builder_add_map(builder, question->known);
	read_units(&reading);
	free(reading.stretches);
	return code_builder_pack(builder, ret_size);
}

void *dwarf_read(void *context, size_t *ret_size)
{
	const struct dwarf_question *question = context;
	void *packed;
	Dwarf *debug;

	(void)unsetenv("DEBUGINFOD_URLS");           /* no server is asked here */
	debug = dwarf_begin(question->fd, DWARF_C_READ);
	if (!debug)
		return NULL;
	(void)dwarf_getalt(debug);                   /* what dwz moved to a common file: opened while we still may */
	confined_close_door();
	packed = dwarf_read_open(debug, question, ret_size);
	(void)dwarf_end(debug);
	return packed;
}
