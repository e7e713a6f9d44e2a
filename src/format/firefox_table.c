/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Frames and stacks of a Firefox profile. A frame keeps its address in its library, so that it can still be named, and
 * its name, source file and line where the profile has them.
 */
#include "format/firefox.h"

#include "base/memory.h"
#include "format/import.h"
#include "profile/profile.h"

#include <stdlib.h>
#include <string.h>

enum { NAME_LIMIT = 64 * 1024, LIBRARY_LIMIT = 1 << 20 };

const char *firefox_string(struct firefox_tables *tables, size_t index)
{
	return json_decoded(string_table_at(&tables->strings, index), &tables->scratch);
}

struct stack_id firefox_stack(struct firefox_tables *tables, size_t index)
{
	if (index < tables->stack_count)
		return tables->stacks[index];
	if (index != SIZE_MAX)
		import_skipped(tables->import, "a sample's stack does not exist", "stack", index);
	return (struct stack_id){ 0 };
}

/* A table lies in the thread up to version 59, in "shared" from then on. */
static struct json_value table_of(const struct firefox_tables *tables, const char *name)
{
	struct json_value shared = json_path(tables->root, "shared", name, NULL);

	return shared.kind == JSON_ABSENT ? json_get(tables->thread, name) : shared;
}

/* --- Libraries -------------------------------------------------------------------------------- */

/* A breakpad id is the build id's first 16 bytes with three integers swapped, and an age; codeId is the build id itself. */
static void build_id_of(struct json_value library, struct text *text, char build_id[48])
{
	static const unsigned char order[16] = { 3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15 };
	const char *code = json_decoded(json_get(library, "codeId"), text);
	size_t size = strlen(code);

	build_id[0] = '\0';
	if (size >= 16 && size < 48) {
		memcpy(build_id, code, size + 1);
	} else {
		const char *breakpad = json_decoded(json_get(library, "breakpadId"), text);

		if (strlen(breakpad) < 32)
			return;
		for (size_t i = 0; i < 16; i++)
			memcpy(build_id + 2 * i, breakpad + (size_t)2 * order[i], 2);
		build_id[32] = '\0';
	}
	for (char *at = build_id; *at; at++)
		*at = *at >= 'A' && *at <= 'F' ? (char)(*at - 'A' + 'a') : *at;
}

static struct firefox_library library_read(struct firefox_tables *tables, struct json_value library)
{
	static const char *const keys[] = { "path", "debugPath", "name", "debugName", "pdbName" };
	struct firefox_library row = { 0 };
	char build_id[48];

	build_id_of(library, &tables->scratch, build_id);
	for (size_t i = 0; i < ARRAY_LENGTH(keys); i++) {
		const char *path = json_decoded(json_get(library, keys[i]), &tables->scratch);

		if (!*path)
			continue;
		row.path = profile_string(tables->into, path);
		row.build_id = profile_string(tables->into, build_id);
		break;
	}
	row.start = (uint64_t)json_whole(json_get(library, "start"), 0);
	row.end = (uint64_t)json_whole(json_get(library, "end"), 0);
	row.offset = (uint64_t)json_whole(json_get(library, "offset"), 0);
	return row;
}

static void libraries_read(struct firefox_tables *tables)
{
	struct json_value array = json_get(tables->root, "libs");
	struct json_items items;

	if (array.kind != JSON_ARRAY)
		array = json_get(tables->thread, "libs");
	if (array.kind != JSON_ARRAY || json_count(array) > LIBRARY_LIMIT)
		return;
	tables->libraries = xcalloc(json_count(array) + 1, sizeof(*tables->libraries));
	for (items = json_items(array); json_next(&items);)
		tables->libraries[tables->library_count++] = library_read(tables, items.value);
}

static const struct firefox_library *library_of_address(const struct firefox_tables *tables, uint64_t address)
{
	for (size_t i = 0; i < tables->library_count; i++)
		if (address >= tables->libraries[i].start && address < tables->libraries[i].end)
			return &tables->libraries[i];
	return NULL;
}

/* --- Frames of the Gecko form: one string says it all ------------------------------------------ */

struct location { const char *name, *path; size_t name_size, path_size; uint32_t line, column; };

/* Takes ":12" off the end of text. */
static bool number_strip(const char *text, size_t *size, uint32_t *number)
{
	size_t at = *size;

	while (at && text[at - 1] >= '0' && text[at - 1] <= '9')
		at--;
	if (!at || at == *size || text[at - 1] != ':' || *size - at > 9)
		return false;
	*number = (uint32_t)strtoul(text + at, NULL, 10);
	*size = at - 1;
	return true;
}

/* "name (path:line:column)", "name (path:line)", "path:line"; all else is a name. */
static struct location location_of(const char *text)
{
	size_t size = strlen(text), open = 0;
	struct location location = { .name = text, .name_size = size };
	const char *source = text;
	uint32_t first, second;

	if (size && text[size - 1] == ']' && strrchr(text, '[') > text)
		size = (size_t)(strrchr(text, '[') - text);     /* the index of a source, since version 30 */
	if (size && text[size - 1] == ')') {
		for (open = --size; open && (text[open] != '(' || text[open - 1] != ' '); open--)
			;
		if (!open)
			return location;
		source = text + open + 1;
		size -= open + 1;
	}
	if (!number_strip(source, &size, &first))
		return location;
	location.line = first;
	if (number_strip(source, &size, &second)) {
		location.line = second;
		location.column = first;
	}
	location.path = source;
	location.path_size = size;
	if (open)
		location.name_size = open - 1;
	return location;
}

static struct frame_id location_frame(struct firefox_tables *tables, const char *text)
{
	struct import_name name = { 0 };
	struct location location = location_of(text);
	char *end;
	uint64_t address = strncmp(text, "0x", 2) ? 0 : strtoull(text, &end, 16);
	const struct firefox_library *library = address && !*end ? library_of_address(tables, address) : NULL;
	CLEANUP_TEXT char *path = location.path_size ? xstrndup(location.path, location.path_size) : NULL;

	if (library) {
		name.module = profile_text(tables->into, library->path);
		name.build_id = profile_text(tables->into, library->build_id);
		name.address = address - library->start + library->offset;
		return import_frame(tables->import, &name);
	}
	name.function = location.name_size ? location.name : "(root scope)";
	name.function_size = location.name_size;
	name.path = path;
	name.line = location.line;
	name.column = location.column;
	return import_frame(tables->import, &name);
}

static void gecko_frames_read(struct firefox_tables *tables)
{
	struct column location = column_read(table_of(tables, "frameTable"), "location");

	tables->frames = xcalloc(location.count + 1, sizeof(*tables->frames));
	for (tables->frame_count = 0; tables->frame_count < location.count; tables->frame_count++)
		tables->frames[tables->frame_count] = location_frame(
			tables, firefox_string(tables, column_index(&location, tables->frame_count)));
	column_done(&location);
}

/* --- Frames of the processed form --------------------------------------------------------------- */

struct frame_columns {
	struct column function, address, line, column, library;              /* frameTable */
	struct column name, resource, path, source, function_line;           /* funcTable */
	struct column resource_library, source_path;                         /* resourceTable, sources */
};

static struct frame_columns frame_columns_read(const struct firefox_tables *tables)
{
	struct json_value frame = table_of(tables, "frameTable"), function = table_of(tables, "funcTable");

	return (struct frame_columns){
		.function = column_read(frame, "func"),
		.address = column_read(frame, "address"),
		.line = column_read(frame, "line"),
		.column = column_read(frame, "column"),
		.library = column_read(frame, "lib"),
		.name = column_read(function, "name"),
		.resource = column_read(function, "resource"),
		.path = column_read(function, "fileName"),
		.source = column_read(function, "source"),
		.function_line = column_read(function, "lineNumber"),
		.resource_library = column_read(table_of(tables, "resourceTable"), "lib"),
		.source_path = column_read(table_of(tables, "sources"), "filename"),
	};
}

static void frame_columns_done(struct frame_columns *columns)
{
	struct column *all = (struct column *)columns;

	for (size_t i = 0; i < sizeof(*columns) / sizeof(*all); i++)
		column_done(&all[i]);
}

static size_t library_index(const struct frame_columns *columns, size_t frame, size_t function)
{
	if (columns->library.count)
		return column_index(&columns->library, frame);
	return column_index(&columns->resource_library, column_index(&columns->resource, function));
}

/* Valid until the next path is asked for. */
static const char *source_path(struct firefox_tables *tables, const struct frame_columns *columns, size_t function)
{
	size_t string = columns->source.count ? column_index(&columns->source_path,
							      column_index(&columns->source, function))
					      : column_index(&columns->path, function);

	return json_decoded(string_table_at(&tables->strings, string), &tables->other);
}

static uint32_t number_at(const struct column *column, size_t row)
{
	size_t number = column_index(column, row);

	return number == SIZE_MAX ? 0 : (uint32_t)number;
}

static struct frame_id frame_read(struct firefox_tables *tables, const struct frame_columns *columns, size_t row)
{
	size_t function = column_index(&columns->function, row), address = column_index(&columns->address, row);
	size_t index = library_index(columns, row, function);
	const struct firefox_library *library = index < tables->library_count ? &tables->libraries[index] : NULL;
	struct import_name name = { .function = firefox_string(tables, column_index(&columns->name, function)),
				    .path = source_path(tables, columns, function),
				    .line = number_at(&columns->line, row),
				    .column = number_at(&columns->column, row) };

	if (!name.line)
		name.line = number_at(&columns->function_line, function);
	if (library) {
		name.module = profile_text(tables->into, library->path);
		name.build_id = profile_text(tables->into, library->build_id);
	}
	if (library && address != SIZE_MAX)
		name.address = address;
	if (name.address && !strncmp(name.function, "0x", 2))
		name.function = NULL;                /* an address as name says nothing */
	else if (!*name.function)
		name.function = "(unknown)";
	return import_frame(tables->import, &name);
}

static void frames_read(struct firefox_tables *tables)
{
	struct frame_columns columns = frame_columns_read(tables);
	size_t count = columns.function.count;

	tables->frames = xcalloc(count + 1, sizeof(*tables->frames));
	for (tables->frame_count = 0; tables->frame_count < count; tables->frame_count++)
		tables->frames[tables->frame_count] = frame_read(tables, &columns, tables->frame_count);
	frame_columns_done(&columns);
}

/* --- Stacks ------------------------------------------------------------------------------------- */

/* The row of a stack's caller, SIZE_MAX at the root; *broken where it is none that came before. */
static size_t prefix_of(const struct column *prefix, const struct column *offset, size_t row, bool *broken)
{
	size_t value = offset->count ? column_index(offset, row) : column_index(prefix, row);

	*broken = false;
	if (value == SIZE_MAX || (offset->count && !value))
		return SIZE_MAX;
	*broken = offset->count ? value > row : value >= row;
	if (*broken)
		return SIZE_MAX;
	return offset->count ? row - value : value;
}

static void stacks_read(struct firefox_tables *tables)
{
	struct json_value table = table_of(tables, "stackTable");
	struct column frame = column_read(table, "frame"), prefix = column_read(table, "prefix"),
		      offset = column_read(table, "prefixOffset");

	tables->stacks = xcalloc(frame.count + 1, sizeof(*tables->stacks));
	for (size_t i = 0; i < frame.count; i++) {
		size_t index = column_index(&frame, i);
		bool broken;
		size_t parent = prefix_of(&prefix, &offset, i, &broken);
		struct stack_id above = parent == SIZE_MAX ? (struct stack_id){ 0 } : tables->stacks[parent];

		if (broken)
			import_warn(tables->import, "a stack's caller does not come before it", "stack", i);
		if (index >= tables->frame_count)
			import_warn(tables->import, "a stack's frame does not exist", "stack", i);
		tables->stacks[i] = index >= tables->frame_count
					    ? above
					    : import_stack(tables->import, above, tables->frames[index]);
	}
	tables->stack_count = frame.count;
	column_done(&frame);
	column_done(&prefix);
	column_done(&offset);
}

struct firefox_tables firefox_tables_read(struct import *import, struct json_value root, struct json_value thread)
{
	struct firefox_tables tables = { .import = import, .into = import_profile(import), .root = root, .thread = thread,
					 .scratch = TEXT(NAME_LIMIT), .other = TEXT(NAME_LIMIT) };
	struct json_value strings;

	tables.gecko = json_get(thread, "stringTable").kind == JSON_ARRAY;
	strings = tables.gecko ? json_get(thread, "stringTable") : table_of(&tables, "stringArray");
	tables.strings = string_table_read(strings);
	libraries_read(&tables);
	if (tables.gecko)
		gecko_frames_read(&tables);
	else
		frames_read(&tables);
	stacks_read(&tables);
	return tables;
}

void firefox_tables_done(struct firefox_tables *tables)
{
	string_table_done(&tables->strings);
	free(tables->libraries);
	free(tables->frames);
	free(tables->stacks);
	text_done(&tables->scratch);
	text_done(&tables->other);
}
