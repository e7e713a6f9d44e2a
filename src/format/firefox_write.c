/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes one dimension for profiler.firefox.com, in the processed form of version 60: the newest that has all its tables in
 * plain columns; the application brings older ones up to date. A sample is one stack of one thread with all its weight in a
 * slice. The model keeps no time of single samples, so they are spread evenly over it; intervals become markers.
 */
#include "format/firefox.h"

#include "base/intern.h"
#include "base/map.h"
#include "base/memory.h"
#include "base/output.h"
#include "format/flat.h"
#include "format/format.h"
#include "format/json_write.h"
#include "format/timeline.h"
#include "profile/profile.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { PROCESSED_VERSION = 60, GECKO_VERSION = 32, NAME_LIMIT = 4096, NS_PER_MS = 1000000 };

struct firefox_function { uint32_t name, path; };    /* of strings; path 0: none */
struct firefox_stack { uint32_t frame, prefix; };    /* prefix + 1 */

struct firefox_writer {
	struct flat flat;
	struct output *to;
	struct intern *strings;
	struct map *function_ids, *stack_ids;
	struct firefox_function *functions;
	struct firefox_stack *stacks;
	uint32_t *sample_stacks;                     /* of each weight, + 1 */
	uint32_t *frame_functions;
	uint32_t *intervals;                         /* by thread, from starts[thread] on */
	size_t *starts;
	size_t function_count, function_room, stack_count, stack_room;
};

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
	uint32_t frames[FLAT_DEPTH_LIMIT];

	writer->sample_stacks = xcalloc(writer->flat.weight_count + 1, sizeof(*writer->sample_stacks));
	for (size_t i = 0; i < writer->flat.weight_count; i++) {
		size_t count = flat_stack(&writer->flat, writer->flat.weights[i].stack, frames);

		for (size_t j = 0; j < count; j++)
			writer->sample_stacks[i] = stack_put(writer, writer->sample_stacks[i], frames[j]);
	}
}

static const struct frame *frame_of(const struct firefox_writer *writer, size_t index)
{
	return profile_frame_at(writer->flat.choice.profile, writer->flat.frames[index].frame.index);
}

/* A frame's module, unless it is but the source file that older imports have there. */
static uint32_t module_of(const struct firefox_writer *writer, size_t index)
{
	const struct frame *frame = frame_of(writer, index);
	const struct file *file = profile_file_at(writer->flat.choice.profile, frame->file.index);

	return frame->offset || file->build_id.index ? frame->file.index : 0;
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

static void shared_write(struct firefox_writer *writer)
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

static void libraries_write(struct firefox_writer *writer)
{
	const struct profile *profile = writer->flat.choice.profile;

	output_puts(writer->to, "\"libs\":[");
	for (uint32_t i = 1; i < profile_file_count(profile); i++) {
		const struct file *file = profile_file_at(profile, i);
		const char *path = profile_text(profile, file->path), *slash = strrchr(path, '/');
		const char *const values[][2] = { { "name", slash ? slash + 1 : path }, { "path", path },
						  { "debugName", slash ? slash + 1 : path }, { "debugPath", path },
						  { "breakpadId", "" } };

		output_puts(writer->to, i > 1 ? ",\n{\"arch\":\"\"" : "{\"arch\":\"\"");
		for (size_t j = 0; j < ARRAY_LENGTH(values); j++) {
			output_print(writer->to, ",\"%s\":", values[j][0]);
			json_write_string(writer->to, values[j][1]);
		}
		output_puts(writer->to, ",\"codeId\":");
		if (file->build_id.index)
			json_write_string(writer->to, profile_text(profile, file->build_id));
		else
			output_puts(writer->to, "null");
		output_puts(writer->to, "}");
	}
	output_puts(writer->to, "],\n");
}

/* --- Threads ---------------------------------------------------------------------------------------- */

/* A length of time in milliseconds, exactly. */
static void ms_write(struct firefox_writer *writer, uint64_t ns)
{
	output_print(writer->to, "%" PRIu64 ".%06" PRIu64, ns / NS_PER_MS, ns % NS_PER_MS);
}

static uint64_t start_ns(const struct profile *profile)
{
	return profile_slice_count(profile) > 1 ? profile_slice_at(profile, 1)->start_ns : 0;
}

/* Evenly over their slice; a millisecond apart where no time is known. */
static void times_write(struct firefox_writer *writer, size_t from, size_t end)
{
	const struct profile *profile = writer->flat.choice.profile;
	uint64_t first = start_ns(profile), at = 0;
	size_t in = from;

	for (size_t i = from; i < end; i++) {
		const struct slice *slice = profile_slice_at(profile, writer->flat.weights[i].slice.index);

		if (i == in) {
			while (in < end && writer->flat.weights[in].slice.index == writer->flat.weights[i].slice.index)
				in++;
			at = slice->start_ns > at ? slice->start_ns : at;
			at = at > first ? at : first;
		} else {
			at += slice->end_ns > slice->start_ns ? (slice->end_ns - slice->start_ns) / (in - from + 1) : NS_PER_MS;
		}
		output_puts(writer->to, i > from ? "," : "");
		ms_write(writer, at);
	}
}

static void samples_write(struct firefox_writer *writer, size_t from, size_t end)
{
	const char *unit = choice_unit(&writer->flat.choice);
	bool time = !strcmp(unit, "ns"), bytes = !strcmp(unit, "bytes");

	output_puts(writer->to, "\"samples\":{\"stack\":[");
	for (size_t i = from; i < end; i++) {
		output_puts(writer->to, i > from ? "," : "");
		if (writer->sample_stacks[i])
			number_write(writer, writer->sample_stacks[i] - 1);
		else
			output_puts(writer->to, "null");
	}
	output_puts(writer->to, "],\"time\":[");
	times_write(writer, from, end);
	output_puts(writer->to, "],\"weight\":[");
	for (size_t i = from; i < end; i++) {
		output_puts(writer->to, i > from ? "," : "");
		if (time)
			ms_write(writer, writer->flat.weights[i].weight);
		else
			number_write(writer, writer->flat.weights[i].weight);
	}
	output_print(writer->to, "],\"weightType\":\"%s\",\"length\":%zu}",
		     time ? "tracing-ms" : bytes ? "bytes" : "samples", end - from);
}

static void marker_times_write(struct firefox_writer *writer, const char *name, struct thread_id thread, bool ends)
{
	size_t first = writer->starts[thread.index], end = writer->starts[thread.index + 1];

	output_print(writer->to, ",\"%s\":[", name);
	for (size_t i = first; i < end; i++) {
		const struct interval *interval = profile_interval_at(writer->flat.choice.profile, writer->intervals[i]);

		output_puts(writer->to, i > first ? "," : "");
		ms_write(writer, ends ? interval->end_ns : interval->start_ns);
	}
	output_puts(writer->to, "]");
}

static void constants_write(struct firefox_writer *writer, const char *name, const char *value, size_t count)
{
	output_print(writer->to, ",\"%s\":[", name);
	for (size_t i = 0; i < count; i++)
		output_print(writer->to, "%s%s", i ? "," : "", value);
	output_puts(writer->to, "]");
}

static void markers_write(struct firefox_writer *writer, struct thread_id thread)
{
	const struct profile *profile = writer->flat.choice.profile;
	size_t first = writer->starts[thread.index], end = writer->starts[thread.index + 1];
	char text[NAME_LIMIT];

	output_puts(writer->to, ",\"markers\":{\"name\":[");
	for (size_t i = first; i < end; i++) {
		const struct interval *interval = profile_interval_at(profile, writer->intervals[i]);

		output_print(writer->to, "%s%u", i > first ? "," : "",
			     intern_put(writer->strings, timeline_name(profile, interval, text, sizeof(text))));
	}
	output_puts(writer->to, "]");
	marker_times_write(writer, "startTime", thread, false);
	marker_times_write(writer, "endTime", thread, true);
	constants_write(writer, "data", "null", end - first);
	constants_write(writer, "phase", "1", end - first);          /* an interval */
	constants_write(writer, "category", "0", end - first);
	output_print(writer->to, ",\"length\":%zu}}", end - first);
}

static void thread_write(struct firefox_writer *writer, struct thread_id id, size_t from, size_t end)
{
	const struct profile *profile = writer->flat.choice.profile;
	const struct thread *thread = profile_thread_at(profile, id.index);
	const struct process *process = profile_process_at(profile, thread->process.index);

	output_puts(writer->to, "{\"processType\":\"default\",\"processStartupTime\":0,\"processShutdownTime\":null,"
				"\"registerTime\":0,\"unregisterTime\":null,\"pausedRanges\":[],\"isMainThread\":");
	output_puts(writer->to, process->pid && process->pid == thread->tid ? "true,\"name\":" : "false,\"name\":");
	json_write_string(writer->to, choice_comm(profile, id));
	output_puts(writer->to, ",\"processName\":");
	json_write_string(writer->to, profile_text(profile, process->comm));
	output_print(writer->to, ",\"pid\":\"%u\",\"tid\":%u,", process->pid, thread->tid);
	samples_write(writer, from, end);
	markers_write(writer, id);
}

/* Every thread with weight or intervals. */
static void threads_write(struct firefox_writer *writer)
{
	const struct profile *profile = writer->flat.choice.profile;
	size_t from = 0, end;
	bool first = true;

	output_puts(writer->to, "\"threads\":[");
	for (uint32_t i = 0; i < profile_thread_count(profile); i++) {
		struct thread_id id = { i };

		end = from < writer->flat.weight_count && thread_is(writer->flat.weights[from].thread, id)
			      ? flat_thread_end(&writer->flat, from) : from;
		if (end == from && writer->starts[i] == writer->starts[i + 1])
			continue;
		output_puts(writer->to, first ? "" : ",\n");
		thread_write(writer, id, from, end);
		first = false;
		from = end;
	}
	output_puts(writer->to, "],\n");
}

static void meta_write(struct firefox_writer *writer)
{
	CLEANUP_TEXT char *name = choice_name(writer->flat.choice.profile, writer->flat.choice.dimension);

	output_print(writer->to,
		     "{\"meta\":{\"version\":%d,\"preprocessedProfileVersion\":%d,\"processType\":0,\"stackwalk\":1,"
		     "\"debug\":false,\"interval\":1,\"symbolicated\":true,\"importedFrom\":\"crosscut@" CROSSCUT_VERSION
		     "\",\"markerSchema\":[],\"categories\":[{\"name\":\"Other\",\"color\":\"grey\","
		     "\"subcategories\":[\"Other\"]}],\"startTime\":",
		     GECKO_VERSION, PROCESSED_VERSION);
	ms_write(writer, profile_meta_number(writer->flat.choice.profile, "capture.start_wall_ns", 0));
	output_puts(writer->to, ",\"product\":");
	json_write_string(writer->to, name);
	output_puts(writer->to, "},\n");
}

int firefox_write(const struct profile *profile, const struct format_options *options, struct output *to,
		  struct error *err)
{
	struct firefox_writer writer = { .to = to };
	int r = flat_make(profile, options, FLAT_PLACES, &writer.flat, err);

	if (r < 0)
		return r;
	writer.strings = intern_new();
	writer.function_ids = map_new(3 * sizeof(uint32_t));
	writer.stack_ids = map_new(2 * sizeof(uint32_t));
	writer.intervals = timeline_by_thread(profile, &writer.starts);
	stacks_make(&writer);
	functions_make(&writer);
	meta_write(&writer);
	libraries_write(&writer);
	output_puts(to, "\"pages\":[],\"counters\":[],\"profilerOverhead\":[],\n");
	threads_write(&writer);
	shared_write(&writer);
	output_puts(to, "}\n");
	intern_free(writer.strings);
	map_free(writer.function_ids);
	map_free(writer.stack_ids);
	free(writer.functions);
	free(writer.stacks);
	free(writer.sample_stacks);
	free(writer.frame_functions);
	free(writer.intervals);
	free(writer.starts);
	flat_done(&writer.flat);
	return 0;
}
