/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rows, and the driver: frames are sorted by file and offset, so that each file is opened once, its tables are
 * built once, and frames of one function meet it together. A return address points behind the call, perhaps into the
 * next function; so it is looked up one byte before, and only the frame where a thread really stood as it is.
 */
#include "symbol/symbol.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/memory.h"
#include "profile/profile.h"
#include "symbol/elf_file.h"
#include "symbol/folder.h"

extern const struct symbol_source symbol_source_symtab, symbol_source_plt, symbol_source_debug, symbol_source_debugdata,
	symbol_source_vdso, symbol_source_kallsyms, symbol_source_jitdump, symbol_source_perf_map, symbol_source_gopclntab, symbol_source_dwarf;

const struct symbol_source *const symbol_sources[] = {
	&symbol_source_symtab,
	&symbol_source_plt,
	&symbol_source_debug,
	&symbol_source_debugdata,
	&symbol_source_vdso,
	&symbol_source_kallsyms,
	&symbol_source_jitdump,
	&symbol_source_perf_map,
	&symbol_source_gopclntab,
	&symbol_source_dwarf,
};
const size_t symbol_source_count = ARRAY_LENGTH(symbol_sources);
_Static_assert(ARRAY_LENGTH(symbol_sources) <= SYMBOL_SOURCE_LIMIT, "statistics have a place for each source");

/* Which frames have symbols already: the index by frame exists only after the freeze. */
static bool *frames_with_symbols(const struct profile *profile)
{
	bool *has = xcalloc(profile_frame_count(profile), sizeof(*has));

	for (size_t i = 0; i < profile_symbol_count(profile); i++)
		has[profile_symbol_at(profile, i)->frame.index] = true;
	return has;
}

/* Of a return address, an address in the call. */
static uint64_t asked_offset(const struct frame *frame)
{
	return frame->offset - (!frame_is_exact(frame->method) && frame->offset > 0);
}

static int compare_frames(const void *left, const void *right, void *context)
{
	const struct profile *profile = context;
	const struct frame *a = profile_frame_at(profile, *(const uint32_t *)left);
	const struct frame *b = profile_frame_at(profile, *(const uint32_t *)right);

	if (a->file.index != b->file.index)
		return a->file.index < b->file.index ? -1 : 1;
	if (asked_offset(a) != asked_offset(b))
		return asked_offset(a) < asked_offset(b) ? -1 : 1;
	return 0;
}

/* The frames that are to be named, by file and offset. Their numbers only: a long capture has hundreds of thousands. */
static uint32_t *collect_frames(struct profile *profile, struct symbol_statistics *statistics, size_t *ret_count)
{
	CLEANUP_TEXT bool *has = frames_with_symbols(profile);
	uint32_t *frames = NULL;
	size_t count = 0, room = 0;

	for (size_t i = 1; i < profile_frame_count(profile); i++) {
		const struct frame *frame = profile_frame_at(profile, i);

		if (!frame->file.index)
			continue;
		statistics->frames++;
		if (frame->name.index || has[i]) {
			statistics->named_before++;
			continue;
		}
		grow(frames, count, room);
		frames[count++] = (uint32_t)i;
	}
	if (count)
		qsort_r(frames, count, sizeof(*frames), compare_frames, profile);
	*ret_count = count;
	return frames;
}

static int open_file(const struct symbol_module *module)
{
	const struct symbol_options *options = module->options;
	CLEANUP_TEXT char *path = xasprintf("%s%s", options->root ? options->root : "", module->path);
	int fd = options->folder ? symbol_folder_binary(options->folder, module->build_id) : -ENOENT;

	if (fd < 0 && options->open)
		fd = options->open(options->open_context, module->path, module->build_id);
	if (fd < 0)
		fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	return fd < 0 ? -errno : fd;
}

static void open_module(struct symbol_module *module, size_t frames)
{
	CLEANUP(elf_file) struct elf_file *elf = NULL;
	int fd, r;

	if (module->path[0] != '/')
		return;
	fd = open_file(module);
	r = fd < 0 ? fd : elf_file_open(fd, &elf);
	if (r < 0) {
		module->statistics->files_missing++;
		module->statistics->frames_missing += frames;
		return;
	}
	if (!module->build_id[0] && !module->options->strict) {
		module->statistics->files_unchecked++;
	} else if (!module->build_id[0] || strcmp(elf_file_build_id(elf), module->build_id) != 0) {
		module->statistics->files_refused++;
		module->statistics->frames_refused += frames;
		return;
	}
	module->elf = take(elf);
}

/* Asks one source about the queries that are still open, which stand first, and moves them to the front again. */
static size_t ask(struct symbol_module *module, size_t source, struct symbol_query *queries, size_t open)
{
	struct symbol_query *answered = xcalloc(open + 1, sizeof(*answered));
	size_t left = 0, count = 0;

	symbol_sources[source]->resolve(module, queries, open);
	for (size_t i = 0; i < open; i++) {
		if (queries[i].name.index) {
			queries[i].source = (uint16_t)source;
			answered[count++] = queries[i];
		} else {
			queries[left++] = queries[i];
		}
	}
	memcpy(queries + left, answered, count * sizeof(*answered));
	free(answered);
	return left;
}

static int compare_queries(const void *left, const void *right)
{
	const struct symbol_query *a = left, *b = right;

	return a->offset < b->offset ? -1 : a->offset > b->offset;
}

/* Asks about all, the named ones too. What it names beyond that is its own, and its calls are taken before earlier ones. */
static void ask_details(struct symbol_module *module, size_t source, struct symbol_query *queries, size_t count)
{
	struct symbol_query *before = xcalloc(count + 1, sizeof(*before));

	if (count)
		qsort(queries, count, sizeof(*queries), compare_queries);
	for (size_t i = 0; i < count; i++) {
		before[i] = queries[i];
		queries[i].calls = NULL;
		queries[i].call_count = 0;
	}
	symbol_sources[source]->resolve(module, queries, count);
	for (size_t i = 0; i < count; i++) {
		if (!before[i].name.index)
			queries[i].source = (uint16_t)source;
		if (queries[i].call_count) {
			queries[i].details = (uint16_t)source;
			free(before[i].calls);
		} else {
			queries[i].calls = before[i].calls;
			queries[i].call_count = before[i].call_count;
		}
	}
	free(before);
}

static void keep_calls(struct symbol_module *module, const struct symbol_query *query, struct string_id origins[])
{
	for (size_t i = 0; i < query->call_count; i++) {
		bool is_inlined = i + 1 < query->call_count;

		profile_add_symbol(module->profile, (struct symbol){
			.frame = query->frame,
			.depth = (uint32_t)i,
			.name = is_inlined ? query->calls[i].name : query->name,
			.path = query->calls[i].path,
			.line = query->calls[i].line,
			.origin = is_inlined ? origins[query->details] : origins[query->source],
		});
	}
	module->statistics->calls_inlined += query->call_count - 1;
	module->statistics->frames_lines += query->calls[0].line > 0;
}

static void keep_answers(struct symbol_module *module, struct symbol_query *queries, size_t count)
{
	struct string_id origins[SYMBOL_SOURCE_LIMIT];

	for (size_t i = 0; i < symbol_source_count; i++)
		origins[i] = profile_string(module->profile, symbol_sources[i]->name);
	for (size_t i = 0; i < count; i++) {
		struct symbol_query *query = &queries[i];

		if (!query->name.index)
			module->statistics->unresolved++;
		else
			module->statistics->resolved[query->source]++;
		if (query->name.index && query->call_count)
			keep_calls(module, query, origins);
		else if (query->name.index)
			profile_add_symbol(module->profile, (struct symbol){
				.frame = query->frame, .name = query->name, .origin = origins[query->source] });
		free(query->calls);
	}
}

static void resolve_file(struct symbol_module *module, struct symbol_query *queries, size_t count)
{
	size_t open = count;

	module->statistics->files++;
	open_module(module, count);
	for (size_t i = 0; i < symbol_source_count; i++)
		if (symbol_sources[i]->details)
			ask_details(module, i, queries, count);
		else if (open)
			open = ask(module, i, queries, open);
	keep_answers(module, queries, count);
	elf_file_free(module->debug);
	elf_file_free(module->elf);
}

/* All of one file. */
static void resolve_frames(const struct symbol_module *common, const uint32_t *frames, size_t count)
{
	CLEANUP_TEXT struct symbol_query *queries = xcalloc(count, sizeof(*queries));
	const struct file *file = profile_file_at(common->profile, profile_frame_at(common->profile, frames[0])->file.index);
	struct symbol_module module = *common;

	module.path = profile_text(common->profile, file->path);
	module.build_id = profile_text(common->profile, file->build_id);
	for (size_t i = 0; i < count; i++)
		queries[i] = (struct symbol_query){ .offset = asked_offset(profile_frame_at(common->profile, frames[i])),
						    .frame = { frames[i] } };
	resolve_file(&module, queries, count);
}

int symbol_resolve(struct profile *profile, const struct symbol_options *options, struct symbol_statistics *ret,
		   struct error *err __attribute__((unused)))
{
	struct symbol_statistics statistics = { 0 };
	struct symbol_module module = { .options = options, .statistics = &statistics, .profile = profile };
	size_t count = 0, next;
	CLEANUP_TEXT uint32_t *frames = collect_frames(profile, &statistics, &count);

	for (size_t i = 0; i < count; i = next) {
		for (next = i + 1; next < count && profile_frame_at(profile, frames[next])->file.index ==
							 profile_frame_at(profile, frames[i])->file.index;)
			next++;
		resolve_frames(&module, frames + i, next - i);
	}
	if (ret)
		*ret = statistics;
	return 0;
}
