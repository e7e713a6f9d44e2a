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

enum { NAME_LIMIT = IMPORT_NAME_LIMIT, LIBRARY_LIMIT = 1 << 20 };
#define ADDRESS_LIMIT 9007199254740992.0             /* 2^53: as far as a double counts by one */

struct string_id firefox_text(const struct firefox_tables *tables, size_t index)
{
	struct firefox_strings *strings = tables->strings;

	if (index >= strings->table.count)
		return (struct string_id){ 0 };
	if (!strings->texts[index])
		strings->texts[index] = 1 + import_text(tables->import, import_name_whole(tables->import,
			json_decoded(string_table_at(&strings->table, index), &tables->common->scratch)), 0).index;
	return (struct string_id){ strings->texts[index] - 1 };
}

static struct firefox_strings strings_read(struct json_value array)
{
	struct firefox_strings strings = { .table = string_table_read(array) };

	strings.texts = xcalloc(strings.table.count + 1, sizeof(*strings.texts));
	return strings;
}

static void strings_done(struct firefox_strings *strings)
{
	string_table_done(&strings->table);
	free(strings->texts);
	strings->texts = NULL;
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
	return json_get(tables->common->has_tables ? tables->common->shared : tables->thread, name);
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

static struct firefox_library library_read(struct firefox_common *common, struct json_value library)
{
	struct profile *into = import_profile(common->import);
	static const char *const keys[] = { "path", "debugPath", "name", "debugName", "pdbName" };
	struct firefox_library row = { 0 };
	char build_id[48];

	build_id_of(library, &common->scratch, build_id);
	for (size_t i = 0; i < ARRAY_LENGTH(keys); i++) {
		const char *path = json_decoded(json_get(library, keys[i]), &common->scratch);

		if (!*path)
			continue;
		row.path = profile_string(into, path);
		row.build_id = profile_string(into, build_id);
		break;
	}
	row.start = (uint64_t)json_whole(json_get(library, "start"), 0);
	row.end = (uint64_t)json_whole(json_get(library, "end"), 0);
	row.offset = (uint64_t)json_whole(json_get(library, "offset"), 0);
	return row;
}

static bool libraries_read(struct firefox_common *common, struct json_value array, struct firefox_libraries *into)
{
	struct json_items items;

	if (array.kind != JSON_ARRAY || json_count(array) > LIBRARY_LIMIT)
		return false;
	into->rows = xcalloc(json_count(array) + 1, sizeof(*into->rows));
	for (items = json_items(array); json_next(&items); into->count++) {
		struct firefox_library row = library_read(common, items.value);

		stretches_put(&into->mapped, (struct stretch){ row.start, row.end, (uint32_t)into->count });
		into->rows[into->count] = row;
	}
	return true;
}

static void libraries_done(struct firefox_libraries *libraries)
{
	free(libraries->rows);
	stretches_done(&libraries->mapped);
}

static struct file_id library_file(const struct firefox_tables *tables, struct firefox_library *library)
{
	if (!library->is_file)
		library->file = import_file(tables->import, profile_text(tables->into, library->path),
					    profile_text(tables->into, library->build_id));
	library->is_file = true;
	return library->file;
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
	uint32_t number = address && !*end ? stretches_find(&tables->libraries->mapped, address) : UINT32_MAX;
	CLEANUP_TEXT char *path = location.path_size ? xstrndup(location.path, location.path_size) : NULL;

	if (number != UINT32_MAX) {
		struct firefox_library *library = &tables->libraries->rows[number];

		name.file_id = library_file(tables, library);
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

static struct frame_id string_frame(struct firefox_tables *tables, size_t string)
{
	return location_frame(tables, json_decoded(string_table_at(&tables->strings->table, string),
						   &tables->common->scratch));
}

/* Any number of frames may be one string, which is taken apart once. */
static void gecko_frames_read(struct firefox_tables *tables)
{
	struct column location = column_read(table_of(tables, "frameTable"), "location");
	size_t strings = tables->strings->table.count;
	struct frame_id *known = xcalloc(strings + 1, sizeof(*known));

	tables->frames = xcalloc(location.count + 1, sizeof(*tables->frames));
	for (tables->frame_count = 0; tables->frame_count < location.count; tables->frame_count++) {
		size_t string = column_index(&location, tables->frame_count);
		struct frame_id *frame = &known[string < strings ? string : strings];

		if (!frame->index)
			*frame = string_frame(tables, string);
		tables->frames[tables->frame_count] = *frame;
	}
	free(known);
	column_done(&location);
}

/* --- Frames of the processed form --------------------------------------------------------------- */

struct frame_columns {
	struct column function, address, line, column, library;              /* frameTable */
	struct column name, resource, path, source, function_line;           /* funcTable */
	struct column resource_library, source_path;                         /* resourceTable, sources of its own */
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
		.source_path = column_read(json_get(tables->thread, "sources"), "filename"),
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

static struct string_id source_path(const struct firefox_tables *tables, const struct frame_columns *columns, size_t function)
{
	const struct column *paths = tables->common->has_sources ? &tables->common->source_path : &columns->source_path;

	return firefox_text(tables, columns->source.count ? column_index(paths, column_index(&columns->source, function))
							  : column_index(&columns->path, function));
}

static uint32_t number_at(const struct column *column, size_t row)
{
	size_t number = column_index(column, row);

	return number == SIZE_MAX ? 0 : (uint32_t)number;
}

static struct frame_id frame_read(struct firefox_tables *tables, const struct frame_columns *columns, size_t row)
{
	size_t function = column_index(&columns->function, row);
	double address = column_at(&columns->address, row);
	size_t index = library_index(columns, row, function);
	struct import_name name = { .function_id = firefox_text(tables, column_index(&columns->name, function)),
				    .path_id = source_path(tables, columns, function),
				    .line = number_at(&columns->line, row),
				    .column = number_at(&columns->column, row) };

	if (!name.line)
		name.line = number_at(&columns->function_line, function);
	if (index < tables->libraries->count) {
		name.file_id = library_file(tables, &tables->libraries->rows[index]);
		name.address = address > 0 && address < ADDRESS_LIMIT ? (uint64_t)address : 0;
	}
	if (name.address && !strncmp(profile_text(tables->into, name.function_id), "0x", 2))
		name.function_id = (struct string_id){ 0 };     /* an address as name says nothing */
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

/* --- All tables --------------------------------------------------------------------------------- */

void firefox_pid(struct json_value value, struct text *scratch, uint32_t *pid, uint32_t *generation)
{
	char *end;

	*pid = (uint32_t)strtoul(json_decoded(value, scratch), &end, 10);
	*generation = *pid && *end == '.' ? (uint32_t)strtoul(end + 1, NULL, 10) : 0;
}

struct firefox_common firefox_common_read(struct import *import, struct json_value root)
{
	struct json_value shared = json_get(root, "shared"), sources = json_get(shared, "sources");
	struct json_value strings = json_get(shared, "stringArray");
	struct firefox_common common = { .import = import, .meta = json_get(root, "meta"), .shared = shared,
					 .scratch = TEXT(NAME_LIMIT) };

	firefox_pid(json_get(common.meta, "pid"), &common.scratch, &common.pid, &common.generation);
	common.has_tables = json_get(shared, "stackTable").kind == JSON_OBJECT;
	common.has_strings = strings.kind != JSON_ABSENT;
	common.strings = strings_read(strings);
	common.has_sources = sources.kind != JSON_ABSENT;
	common.source_path = column_read(sources, "filename");
	common.has_libraries = libraries_read(&common, json_get(root, "libs"), &common.libraries);
	return common;
}

void firefox_common_done(struct firefox_common *common)
{
	strings_done(&common->strings);
	column_done(&common->source_path);
	libraries_done(&common->libraries);
	text_done(&common->scratch);
}

static void own_read(struct firefox_tables *tables, struct firefox_common *common)
{
	tables->gecko = json_get(tables->thread, "stringTable").kind == JSON_ARRAY;
	if (tables->gecko || !common->has_strings) {
		tables->own_strings = strings_read(json_get(tables->thread, tables->gecko ? "stringTable" : "stringArray"));
		tables->strings = &tables->own_strings;
	}
	if (!common->has_libraries) {
		(void)libraries_read(common, json_get(tables->thread, "libs"), &tables->own_libraries);
		tables->libraries = &tables->own_libraries;
	}
}

void firefox_tables_read(struct firefox_tables *tables, struct firefox_common *common, struct json_value thread)
{
	*tables = (struct firefox_tables){ .common = common, .import = common->import, .thread = thread,
					   .into = import_profile(common->import), .strings = &common->strings,
					   .libraries = &common->libraries };
	own_read(tables, common);
	if (tables->gecko)
		gecko_frames_read(tables);
	else
		frames_read(tables);
	stacks_read(tables);
}

void firefox_tables_done(struct firefox_tables *tables)
{
	strings_done(&tables->own_strings);
	libraries_done(&tables->own_libraries);
	free(tables->frames);
	free(tables->stacks);
}
