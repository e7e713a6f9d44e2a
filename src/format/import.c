/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From what a foreign file names to rows of the profile: frames, stacks, threads, samples. Which
 * events there are stands in import_measure.c, what was missing in import_loss.c.
 */
#include "format/import.h"

#include "base/map.h"
#include "base/memory.h"
#include "format/import_state.h"
#include "format/input.h"

#include <stdlib.h>
#include <string.h>

enum { SECOND_NS = 1000000000 };

struct import *import_new(struct profile *into, struct input *input, const struct format *format)
{
	struct import *import = xcalloc(1, sizeof(*import));

	import->profile = into;
	import->input = input;
	import->format = format;
	import->threads = map_new(3 * sizeof(uint32_t));
	import->slices = map_new(sizeof(uint64_t));
	import->lacks = IMPORT_LACKS_STACKS | IMPORT_LACKS_LINES | IMPORT_LACKS_TIME |
			IMPORT_LACKS_THREADS | IMPORT_LACKS_ADDRESSES;
	import->bias.limit = 256;
	return import;
}

void import_free(struct import *import)
{
	if (!import)
		return;
	map_free(import->threads);
	map_free(import->slices);
	text_done(&import->bias);
	free(import);
}

struct profile *import_profile(struct import *import)
{
	return import->profile;
}

/* --- Names ------------------------------------------------------------------------------------ */

/* What tools write where they know no name: it stays unresolved, so that gates count it. */
static bool is_no_name(const char *text, size_t size)
{
	static const char *const words[] = { "[unknown]", "??", "(unknown)", "<unknown>" };

	for (size_t i = 0; i < ARRAY_LENGTH(words); i++)
		if (size == strlen(words[i]) && !memcmp(text, words[i], size))
			return true;
	return false;
}

const char *import_name_whole(struct import *import, const char *name)
{
	if (strnlen(name, IMPORT_NAME_LIMIT) >= IMPORT_NAME_LIMIT)
		import_warn(import, "names longer than a mebibyte were cut", NULL, 0);
	return name;
}

struct string_id import_text(struct import *import, const char *text, size_t size)
{
	if (text && !size)
		size = strlen(text);
	if (!text || is_no_name(text, size))
		return (struct string_id){ 0 };
	return profile_string_size(import->profile, text, size);
}

static struct string_id name_put(struct import *import, struct string_id known, const char *text, size_t size)
{
	return known.index ? known : import_text(import, text, size);
}

struct file_id import_file(struct import *import, const char *module, const char *build_id)
{
	return profile_file(import->profile, module && is_no_name(module, strlen(module)) ? NULL : module, build_id);
}

static struct file_id module_put(struct import *import, const struct import_name *name)
{
	CLEANUP_TEXT char *copy = NULL;
	const char *module = name->module;

	if (name->file_id.index)
		return name->file_id;
	if (module && is_no_name(module, name->module_size ? name->module_size : strlen(module)))
		module = NULL;
	if (module && name->module_size)
		module = copy = xstrndup(module, name->module_size);
	return profile_file(import->profile, module, name->build_id);
}

struct frame_id import_frame(struct import *import, const struct import_name *name)
{
	struct frame frame = {
		.file = module_put(import, name),
		.offset = name->address,
		.name = name_put(import, name->function_id, name->function, name->function_size),
		.line = name->line,
		.column = name->column,
		.path = name_put(import, name->path_id, name->path, 0),
		.method = name->kernel ? METHOD_KERNEL : METHOD_IMPORTED,
	};

	if (frame.line)
		import->lacks &= ~IMPORT_LACKS_LINES;
	if (frame.offset)
		import->lacks &= ~IMPORT_LACKS_ADDRESSES;
	return profile_frame(import->profile, frame);
}

void import_inlined(struct import *import, struct frame_id frame, const struct import_name *names,
		    size_t count)
{
	struct profile *profile = import->profile;
	struct string_id origin = profile_string(profile, "import");

	for (uint32_t depth = 0; depth < count && frame.index; depth++) {
		struct symbol symbol = { .frame = frame,
					 .depth = depth,
					 .name = name_put(import, names[depth].function_id, names[depth].function,
							  names[depth].function_size),
					 .path = name_put(import, names[depth].path_id, names[depth].path, 0),
					 .line = names[depth].line,
					 .origin = origin };

		if (symbol.line)
			import->lacks &= ~IMPORT_LACKS_LINES;
		profile_add_symbol(profile, symbol);
	}
}

struct stack_id import_stack(struct import *import, struct stack_id parent, struct frame_id frame)
{
	return profile_stack(import->profile, parent, frame, STACK_UNVERIFIED);
}

struct stack_id import_stack_leaf_first(struct import *import, const struct frame_id *frames,
					size_t count)
{
	struct stack_id stack = { 0 };

	while (count-- > 0)
		stack = import_stack(import, stack, frames[count]);
	return stack;
}

/* --- Whose it is ------------------------------------------------------------------------------ */

struct process_id import_process(struct import *import, uint32_t pid, const char *comm)
{
	struct process_id id = profile_process(import->profile, (struct process){ .pid = pid });

	if (id.index && comm && *comm && !profile_process_at(import->profile, id.index)->comm.index)
		profile_process_edit(import->profile, id)->comm = profile_string(import->profile, comm);
	return id;
}

struct thread_id import_thread(struct import *import, uint32_t pid, uint32_t tid, const char *comm)
{
	struct string_id name = profile_string(import->profile, comm);
	uint32_t key[3] = { pid, tid, name.index }, *known;
	struct thread thread = { .tid = tid, .comm = name };
	bool added;

	if (tid || name.index)
		import->lacks &= ~IMPORT_LACKS_THREADS;
	known = map_put(import->threads, key, &added);
	if (added) {
		thread.process = import_process(import, pid, comm);
		*known = profile_thread(import->profile, thread).index;
	}
	return (struct thread_id){ *known };
}

/* --- Samples ---------------------------------------------------------------------------------- */

struct slice_id import_slice_of(struct import *import, uint64_t time_ns)
{
	uint64_t phase = import->began_ns % SECOND_NS;
	uint64_t start_ns = time_ns < phase ? 0 : time_ns - (time_ns - phase) % SECOND_NS, end_ns = start_ns;
	uint32_t *known;
	bool added;

	known = map_put(import->slices, &start_ns, &added);
	if (added) {
		if (time_ns && start_ns < UINT64_MAX - SECOND_NS)
			end_ns = time_ns < phase ? phase : start_ns + SECOND_NS;
		*known = profile_slice(import->profile, start_ns, end_ns).index;
	}
	return (struct slice_id){ *known };
}

void import_began(struct import *import, uint64_t time_ns)
{
	if (!import->began_ns)
		import->began_ns = time_ns;
}

struct slice_id import_slice(struct import *import, uint64_t time_ns)
{
	struct slice_id slice = import_slice_of(import, time_ns);

	if (!time_ns)
		return slice;
	import->lacks &= ~IMPORT_LACKS_TIME;
	if (!import->first_ns || time_ns < import->first_ns)
		import->first_ns = time_ns;
	if (time_ns > import->last_ns)
		import->last_ns = time_ns;
	return slice;
}

void import_interval(struct import *import, struct interval interval, const char *source)
{
	uint64_t length_ns = interval.end_ns - interval.start_ns;
	struct measure measure = { .dimension = interval.dimension, .role = ROLE_TOTAL, .weighting = WEIGHTING_EXACT,
				   .source = profile_string(import->profile, source) };

	profile_add_interval(import->profile, interval);
	profile_add_cell(import->profile, (struct cell){ .slice = import_slice(import, interval.end_ns), .thread = interval.thread,
							 .measure = profile_measure(import->profile, measure), .count = 1,
							 .value = length_ns, .maximum = length_ns });
}

/* Rounded, and cut at what the profile can hold. */
static uint64_t value_scaled(uint64_t value, const struct import_measure *measure)
{
	unsigned __int128 scaled = (unsigned __int128)value * measure->multiply;

	scaled = (scaled + measure->divide / 2) / measure->divide;
	return scaled > INT64_MAX ? INT64_MAX : (uint64_t)scaled;
}

void import_sample(struct import *import, const struct import_sample *sample)
{
	struct cell cell = {
		.slice = import_slice(import, sample->time_ns),
		.thread = sample->thread,
		.measure = sample->measure.total,
		.object = sample->object,
		.count = sample->count,
	};

	if (!cell.measure.index) {
		import_skipped(import, "more than 256 kinds of events", NULL, 0);
		return;
	}
	import->samples += !sample->more;
	cell.value = value_scaled(sample->value, &sample->measure);
	profile_add_cell(import->profile, cell);
	if (!sample->stack.index && !sample->stackless)
		return;
	if (sample->stack.index)
		import->lacks &= ~IMPORT_LACKS_STACKS;
	cell.measure = sample->measure.split;
	cell.stack = sample->stack;
	profile_add_cell(import->profile, cell);
}
