/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables in plain columns, as the processed form has them since version 60: stacks as a tree, frames, functions, their resources
 * (one for each library) and sources (one for each function), and the strings that all of the file refers to.
 */
#include "format/firefox_writer.h"

#include "base/intern.h"
#include "base/map.h"
#include "base/memory.h"
#include "base/output.h"
#include "format/json_write.h"
#include "profile/profile.h"

#include <inttypes.h>
#include <stdlib.h>

/* --- Tables ----------------------------------------------------------------------------------------- */

static uint32_t stack_put(struct firefox_writer *writer, uint32_t prefix, uint32_t frame)
{
	uint32_t key[2] = { prefix, frame }, *index;
	bool added;

	index = map_put(writer->stack_ids, key, &added);
	if (added) {
		*index = (uint32_t)writer->stack_count;
		grow(writer->stacks, writer->stack_count, writer->stack_room);
		writer->stacks[writer->stack_count++] = (struct firefox_stack){ frame, prefix };
	}
	return *index + 1;
}

static void stacks_make(struct firefox_writer *writer)
{
	const uint32_t *frames;

	writer->sample_stacks = xcalloc(writer->flat.weight_count + 1, sizeof(*writer->sample_stacks));
	for (size_t i = 0; i < writer->flat.weight_count; i++) {
		size_t count = flat_stack(&writer->flat, writer->flat.weights[i].stack, &frames);

		for (size_t j = 0; j < count; j++)
			writer->sample_stacks[i] = stack_put(writer, writer->sample_stacks[i], frames[j]);
	}
}

static const struct frame *frame_of(const struct firefox_writer *writer, size_t index)
{
	return profile_frame_at(writer->flat.choice.profile, writer->flat.frames[index].frame.index);
}

/* A frame's module, unless it may be but the source file that older imports have there. */
static uint32_t module_of(const struct firefox_writer *writer, size_t index)
{
	const struct frame *frame = frame_of(writer, index);
	const struct file *file = profile_file_at(writer->flat.choice.profile, frame->file.index);

	return frame->offset || file->build_id.index || frame->path.index ? frame->file.index : 0;
}

/* What stands for the source file is one, and not the module for lack of it. */
static bool has_source(const struct firefox_writer *writer, size_t index)
{
	const struct frame *frame = frame_of(writer, index);
	size_t symbols;

	(void)profile_frame_symbols(writer->flat.choice.profile, writer->flat.frames[index].frame, &symbols);
	return symbols || frame->path.index || !frame->file.index || !module_of(writer, index);
}

static void functions_make(struct firefox_writer *writer)
{
	writer->frame_functions = xcalloc(writer->flat.frame_count + 1, sizeof(*writer->frame_functions));
	for (size_t i = 0; i < writer->flat.frame_count; i++) {
		const struct flat_frame *frame = &writer->flat.frames[i];
		bool source = has_source(writer, i);
		uint32_t key[3] = { intern_put(writer->strings, frame->name),
				    intern_put(writer->strings, source ? frame->path : ""), module_of(writer, i) },
			 *index;
		bool added;

		index = map_put(writer->function_ids, key, &added);
		if (added) {
			*index = (uint32_t)writer->function_count;
			grow(writer->functions, writer->function_count, writer->function_room);
			writer->functions[writer->function_count++] = (struct firefox_function){ key[0], key[1] };
		}
		writer->frame_functions[i] = *index;
	}
}

void firefox_tables_make(struct firefox_writer *writer)
{
	writer->strings = intern_new();
	writer->function_ids = map_new(3 * sizeof(uint32_t));
	writer->stack_ids = map_new(2 * sizeof(uint32_t));
	stacks_make(writer);
	functions_make(writer);
}

void firefox_tables_free(struct firefox_writer *writer)
{
	intern_free(writer->strings);
	map_free(writer->function_ids);
	map_free(writer->stack_ids);
	free(writer->functions);
	free(writer->stacks);
	free(writer->sample_stacks);
	free(writer->frame_functions);
}

/* --- Columns ---------------------------------------------------------------------------------------- */

/* Prints the cell of a row. */
typedef void cell_write(struct firefox_writer *writer, size_t row);

static void column_write(struct firefox_writer *writer, const char *name, size_t rows, cell_write *cell)
{
	output_print(writer->to, "\"%s\":[", name);
	for (size_t i = 0; i < rows; i++) {
		if (i)
			output_puts(writer->to, ",");
		cell(writer, i);
	}
	output_puts(writer->to, "],");
}

static void number_write(struct firefox_writer *writer, uint64_t number)
{
	output_print(writer->to, "%" PRIu64, number);
}

static void null_cell(struct firefox_writer *writer, size_t row)
{
	(void)row;
	output_puts(writer->to, "null");
}

static void zero_cell(struct firefox_writer *writer, size_t row)
{
	(void)row;
	output_puts(writer->to, "0");
}

static void false_cell(struct firefox_writer *writer, size_t row)
{
	(void)row;
	output_puts(writer->to, "false");
}

static void none_or_number(struct firefox_writer *writer, uint64_t number)
{
	if (number)
		number_write(writer, number);
	else
		output_puts(writer->to, "null");
}

static void stack_frame_cell(struct firefox_writer *writer, size_t row)
{
	number_write(writer, writer->stacks[row].frame);
}

static void stack_prefix_cell(struct firefox_writer *writer, size_t row)
{
	if (writer->stacks[row].prefix)
		number_write(writer, writer->stacks[row].prefix - 1);
	else
		output_puts(writer->to, "null");
}

static void address_cell(struct firefox_writer *writer, size_t row)
{
	const struct frame *frame = frame_of(writer, row);

	/* inside the call, as a processed profile has it, and not behind it, where it returns to */
	if (module_of(writer, row))
		number_write(writer, frame->offset - (frame->offset && frame->method != METHOD_KERNEL && !frame_is_exact(frame->method)));
	else
		output_puts(writer->to, "-1");
}

static void inline_cell(struct firefox_writer *writer, size_t row)
{
	number_write(writer, writer->flat.frames[row].inlined);
}

static void frame_function_cell(struct firefox_writer *writer, size_t row)
{
	number_write(writer, writer->frame_functions[row]);
}

static void line_cell(struct firefox_writer *writer, size_t row)
{
	none_or_number(writer, writer->flat.frames[row].line);
}

static void column_cell(struct firefox_writer *writer, size_t row)
{
	none_or_number(writer, frame_of(writer, row)->column);
}

static void name_cell(struct firefox_writer *writer, size_t row)
{
	number_write(writer, writer->functions[row].name);
}

/* A source for each function that has a path, a resource for each whose frames have a module: one to one. */
static void source_cell(struct firefox_writer *writer, size_t row)
{
	if (writer->functions[row].path)
		number_write(writer, row);
	else
		output_puts(writer->to, "null");
}

static void path_cell(struct firefox_writer *writer, size_t row)
{
	number_write(writer, writer->functions[row].path);
}

/* --- Parts of the file ------------------------------------------------------------------------------ */

static void table_begin(struct firefox_writer *writer, const char *name)
{
	output_print(writer->to, "\"%s\":{", name);
}

static void table_end(struct firefox_writer *writer, size_t rows, const char *after)
{
	output_print(writer->to, "\"length\":%zu}%s\n", rows, after);
}

static uint32_t *function_modules(const struct firefox_writer *writer)
{
	uint32_t *modules = xcalloc(writer->function_count + 1, sizeof(*modules));

	for (size_t i = 0; i < writer->flat.frame_count; i++)
		if (!modules[writer->frame_functions[i]])
			modules[writer->frame_functions[i]] = module_of(writer, i);
	return modules;
}

/* Libraries are the profile's files, in their order; resources are the libraries, one to one. */
static void resources_write(struct firefox_writer *writer)
{
	size_t files = profile_file_count(writer->flat.choice.profile) - 1;

	table_begin(writer, "resourceTable");
	output_puts(writer->to, "\"lib\":[");
	for (size_t i = 0; i < files; i++)
		output_print(writer->to, "%s%zu", i ? "," : "", i);
	output_puts(writer->to, "],\"name\":[");
	for (uint32_t i = 1; i <= files; i++)
		output_print(writer->to, "%s%u", i > 1 ? "," : "",
			     intern_put(writer->strings,
					profile_text(writer->flat.choice.profile,
						     profile_file_at(writer->flat.choice.profile, i)->path)));
	output_puts(writer->to, "],");
	column_write(writer, "host", files, null_cell);
	output_puts(writer->to, "\"type\":[");
	for (size_t i = 0; i < files; i++)
		output_print(writer->to, "%s1", i ? "," : "");       /* a library */
	output_puts(writer->to, "],");
	table_end(writer, files, ",");
}

static void functions_write(struct firefox_writer *writer)
{
	uint32_t *modules = function_modules(writer);
	size_t count = writer->function_count;

	table_begin(writer, "funcTable");
	column_write(writer, "isJS", count, false_cell);
	column_write(writer, "relevantForJS", count, false_cell);
	column_write(writer, "name", count, name_cell);
	output_puts(writer->to, "\"resource\":[");
	for (size_t i = 0; i < count; i++)
		output_print(writer->to, "%s%d", i ? "," : "", (int)modules[i] - 1);
	output_puts(writer->to, "],");
	column_write(writer, "source", count, source_cell);
	column_write(writer, "lineNumber", count, null_cell);
	column_write(writer, "columnNumber", count, null_cell);
	table_end(writer, count, ",");
	free(modules);
}

static void strings_write(struct firefox_writer *writer)
{
	output_puts(writer->to, "\"stringArray\":[");
	for (uint32_t i = 0; i < intern_count(writer->strings); i++) {
		output_puts(writer->to, i ? ",\n" : "");
		json_write_string(writer->to, intern_text(writer->strings, i));
	}
	output_puts(writer->to, "]");
}

void firefox_tables_write(struct firefox_writer *writer)
{
	size_t frames = writer->flat.frame_count;

	output_puts(writer->to, "\"shared\":{");
	table_begin(writer, "stackTable");
	column_write(writer, "frame", writer->stack_count, stack_frame_cell);
	column_write(writer, "prefix", writer->stack_count, stack_prefix_cell);
	table_end(writer, writer->stack_count, ",");
	table_begin(writer, "frameTable");
	column_write(writer, "address", frames, address_cell);
	column_write(writer, "inlineDepth", frames, inline_cell);
	column_write(writer, "category", frames, zero_cell);
	column_write(writer, "subcategory", frames, zero_cell);
	column_write(writer, "func", frames, frame_function_cell);
	column_write(writer, "nativeSymbol", frames, null_cell);
	column_write(writer, "innerWindowID", frames, null_cell);
	column_write(writer, "line", frames, line_cell);
	column_write(writer, "column", frames, column_cell);
	table_end(writer, frames, ",");
	functions_write(writer);
	resources_write(writer);
	output_puts(writer->to, "\"nativeSymbols\":{\"libIndex\":[],\"address\":[],\"name\":[],\"functionSize\":[],\"length\":0},\n");
	table_begin(writer, "sources");
	column_write(writer, "uuid", writer->function_count, null_cell);
	column_write(writer, "filename", writer->function_count, path_cell);
	table_end(writer, writer->function_count, ",");
	strings_write(writer);
	output_puts(writer->to, "}");
}
