/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `crosscut symbolize`: names a capture again, from binaries and debug files that lie elsewhere or came later. What it
 * finds replaces the symbol table of the file, which stands outside the digests: what happened stays as it was recorded.
 * A name that the capture has already is only given up for one that says more.
 */
#include "base/cleanup.h"
#include "base/directory.h"
#include "base/error.h"
#include "base/memory.h"
#include "command/answer.h"
#include "command/command.h"
#include "format/format.h"
#include "format/native.h"
#include "profile/profile.h"
#include "result/document.h"
#include "symbol/debuginfod.h"
#include "symbol/folder.h"
#include "symbol/symbol.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct symbolize_config {
	const char *debug_directory, *root;
	bool debuginfod, json;
};

enum { FILES_MOST = 20 };

#define AT(member) offsetof(struct symbolize_config, member)
static const struct option symbolize_options[] = {
	{ .name = "debug-dir",
	  .type = OPTION_TEXT,
	  .into = AT(debug_directory),
	  .value = "DIR",
	  .help = "a folder of binaries and debug files, found by build id",
	  .example = "--debug-dir ./symbols" },
	{ .name = "debuginfod",
	  .type = OPTION_FLAG,
	  .into = AT(debuginfod),
	  .help = "ask the servers of $DEBUGINFOD_URLS for debug files",
	  .example = "--debuginfod" },
	{ .name = "json",
	  .type = OPTION_FLAG,
	  .into = AT(json),
	  .help = "say as JSON what was named",
	  .example = "--json" },
	{ .name = "root",
	  .type = OPTION_TEXT,
	  .into = AT(root),
	  .value = "DIR",
	  .help = "look for the captured paths below this folder",
	  .example = "--root /mnt/image" },
	{ 0 },
};

/* --- Names before and after --------------------------------------------------------------------------------------- */

struct names { struct symbol *rows; size_t count; };

static struct names take_names(struct profile *profile)
{
	struct names names = { .count = profile_symbol_count(profile) };

	names.rows = xcalloc(names.count + 1, sizeof(*names.rows));
	for (size_t i = 0; i < names.count; i++)
		names.rows[i] = *profile_symbol_at(profile, i);
	profile_clear_symbols(profile);
	return names;
}

/* By frame: 0 no name, 1 a name, 2 a name and a line. */
static unsigned char *value_names(const struct names *names, size_t frame_count)
{
	unsigned char *values = xcalloc(frame_count, 1);

	for (size_t i = 0; i < names->count; i++) {
		unsigned char value = names->rows[i].line ? 2 : 1;

		if (value > values[names->rows[i].frame.index])
			values[names->rows[i].frame.index] = value;
	}
	return values;
}

/* The better of the two for each frame; of equals the new. */
static void join_names(struct profile *profile, const struct names *before, const struct names *after)
{
	size_t count = profile_frame_count(profile);
	CLEANUP_TEXT unsigned char *old = value_names(before, count), *new = value_names(after, count);

	for (size_t i = 0; i < after->count; i++)
		if (new[after->rows[i].frame.index] >= old[after->rows[i].frame.index])
			profile_add_symbol(profile, after->rows[i]);
	for (size_t i = 0; i < before->count; i++)
		if (old[before->rows[i].frame.index] > new[before->rows[i].frame.index])
			profile_add_symbol(profile, before->rows[i]);
}

static int name_again(struct profile *profile, const struct symbol_options *options, struct symbol_statistics *statistics,
		      struct error *err)
{
	struct names before = take_names(profile), after;
	int r = symbol_resolve(profile, options, statistics, err);

	after = take_names(profile);
	join_names(profile, &before, &after);
	free(before.rows);
	free(after.rows);
	profile_freeze(profile);                     /* shows the new names */
	return r;
}

/* --- What is said of it ------------------------------------------------------------------------------------------- */

struct tally { struct file_id file; uint64_t frames, named_before, named, lines; };

static bool *named_frames(const struct profile *profile)
{
	bool *named = xcalloc(profile_frame_count(profile), sizeof(*named));
	size_t count;

	for (uint32_t i = 1; i < profile_frame_count(profile); i++)
		named[i] = profile_frame_symbols(profile, (struct frame_id){ i }, &count) ||
			   profile_frame_at(profile, i)->name.index;
	return named;
}

static struct tally *tally_files(const struct profile *profile, const bool *named_before)
{
	struct tally *tallies = xcalloc(profile_file_count(profile), sizeof(*tallies));
	size_t count;

	for (uint32_t i = 1; i < profile_frame_count(profile); i++) {
		const struct frame *frame = profile_frame_at(profile, i);
		const struct symbol *symbols = profile_frame_symbols(profile, (struct frame_id){ i }, &count);
		struct tally *tally = &tallies[frame->file.index];

		tally->file = frame->file;
		tally->frames++;
		tally->named_before += named_before[i];
		tally->named += symbols || frame->name.index;
		tally->lines += symbols && symbols->line;
	}
	return tallies;
}

/* Most unnamed frames first. */
static int compare_tallies(const void *left, const void *right)
{
	const struct tally *a = left, *b = right;
	uint64_t a_open = a->frames - a->named, b_open = b->frames - b->named;

	if (a_open != b_open)
		return a_open > b_open ? -1 : 1;
	if (a->frames != b->frames)
		return a->frames > b->frames ? -1 : 1;
	return a->file.index < b->file.index ? -1 : a->file.index > b->file.index;
}

static const struct column file_columns[] = {
	{ "file", "file", "", 0 },
	{ "frames", "frames", "count", 0 },
	{ "named_before", "named before", "count", 0 },
	{ "named", "named now", "count", 0 },
	{ "lines", "with a line", "count", 0 },
	{ "build_id", "build id", "", 0 },
};

static struct table *table_of_files(const struct profile *profile, struct tally *tallies)
{
	struct table *table = table_new(file_columns, ARRAY_LENGTH(file_columns));
	size_t count = profile_file_count(profile);

	qsort(tallies, count, sizeof(*tallies), compare_tallies);
	for (size_t i = 0; i < count && i < FILES_MOST && tallies[i].frames; i++) {
		const struct tally *tally = &tallies[i];
		const struct file *file = profile_file_at(profile, tally->file.index);

		table_add(table, (struct value[]){
			value_text(tally->file.index ? profile_text(profile, file->path) : "no file"),
			value_integer((int64_t)tally->frames),
			value_integer((int64_t)tally->named_before),
			value_integer((int64_t)tally->named),
			value_integer((int64_t)tally->lines),
			value_text(profile_text(profile, file->build_id)),
		});
	}
	return table;
}

static struct record *record_of(const struct profile *profile, const struct tally *tallies,
				const struct symbol_statistics *statistics)
{
	struct record *record = record_new();
	uint64_t frames = 0, before = 0, named = 0, lines = 0;

	for (size_t i = 0; i < profile_file_count(profile); i++) {
		frames += tallies[i].frames;
		before += tallies[i].named_before;
		named += tallies[i].named;
		lines += tallies[i].lines;
	}
	record_add(record, "frames", "frames", "count", value_integer((int64_t)frames));
	record_add(record, "named_before", "named before", "count", value_integer((int64_t)before));
	record_add(record, "named", "named now", "count", value_integer((int64_t)named));
	record_add(record, "lines", "with a line", "count", value_integer((int64_t)lines));
	record_add(record, "inlined", "inlined calls found", "count", value_integer((int64_t)statistics->calls_inlined));
	record_add(record, "debug_files", "debug information read", "files",
		   value_integer((int64_t)(statistics->files_read + statistics->files_cached)));
	record_add(record, "debug_ns", "time to read it", "ns", value_integer((int64_t)statistics->debug_ns));
	return record;
}

static void say_files(const struct symbol_statistics *statistics, struct document *into)
{
	uint64_t unread = statistics->debug_crashed + statistics->debug_timed_out + statistics->debug_failed;

	if (statistics->files_missing)
		document_add_finding(into, SEVERITY_NOTE, "files that are not here: %llu, with %llu frames",
				     (unsigned long long)statistics->files_missing, (unsigned long long)statistics->frames_missing);
	if (statistics->files_refused)
		document_add_finding(into, SEVERITY_WARNING,
				     "files that are another build here, or of an unknown build: %llu, with %llu frames; they name nothing",
				     (unsigned long long)statistics->files_refused, (unsigned long long)statistics->frames_refused);
	if (unread)
		document_add_finding(into, SEVERITY_WARNING,
				     "files whose debug information could not be read: %llu (%llu crashed the reader, %llu took too "
				     "long); their frames have no lines",
				     (unsigned long long)unread, (unsigned long long)statistics->debug_crashed,
				     (unsigned long long)statistics->debug_timed_out);
	if (statistics->debug_partial)
		document_add_finding(into, SEVERITY_WARNING,
				     "files whose debug information was read up to a limit: %llu; some of their frames have no lines",
				     (unsigned long long)statistics->debug_partial);
}

static int check_asked(const struct symbolize_config *symbolize, const struct option_arguments *arguments, struct error *err)
{
	if (arguments->operand_count != 1) {
		(void)fail(err, FAILURE_USAGE, -EINVAL, "symbolize takes one file");
		(void)error_because(err, "%zu were named", arguments->operand_count);
		return error_try(err, "crosscut symbolize FILE --debug-dir DIR");
	}
	if (symbolize->debuginfod && !debuginfod_usable()) {
		(void)fail(err, FAILURE_CANNOT, -ENOENT, "cannot ask debuginfod");
		(void)error_because(err, "there is no debuginfod-find in $PATH, or $DEBUGINFOD_URLS names no server");
		return error_try(err, "apt-get install debuginfod; export DEBUGINFOD_URLS=https://debuginfod.debian.net");
	}
	return 0;
}

static int symbolize_file(const struct symbolize_config *symbolize, const char *path, const struct symbol_options *options,
			  struct error *err)
{
	CLEANUP(profile) struct profile *profile = NULL;
	CLEANUP(document) struct document *document = document_new("crosscut.symbolize/1", path);
	CLEANUP_TEXT bool *named_before = NULL;
	CLEANUP_TEXT struct tally *tallies = NULL;
	struct symbol_statistics statistics;
	int r = format_read(path, &profile, err);

	if (r < 0)
		return r;
	named_before = named_frames(profile);
	r = name_again(profile, options, &statistics, err);
	if (r < 0)
		return r;
	r = native_store_symbols(path, profile, err);
	if (r < 0)
		return r;
	tallies = tally_files(profile, named_before);
	(void)document_add_record(document, "names", "Names", record_of(profile, tallies, &statistics));
	(void)document_add_table(document, "files", "Files, those with most unnamed frames first", table_of_files(profile, tallies));
	say_files(&statistics, document);
	return answer_print(document, symbolize->json, err);
}

static int symbolize_run(void *config, const struct option_arguments *arguments, struct error *err)
{
	const struct symbolize_config *symbolize = config;
	CLEANUP(symbol_folder) struct symbol_folder *folder = NULL;
	CLEANUP_TEXT char *caches = directory_of_caches();
	struct symbol_options options = { .root = symbolize->root, .debuginfod = symbolize->debuginfod,
					  .cache_directory = caches, .strict = !symbolize->root };
	int r = check_asked(symbolize, arguments, err);

	if (r < 0)
		return r;
	if (symbolize->debug_directory) {
		folder = symbol_folder_scan(symbolize->debug_directory, err);
		if (!folder)
			return err->code;
	}
	options.folder = folder;
	return symbolize_file(symbolize, arguments->operands[0], &options, err);
}

extern const struct command cmd_symbolize;
const struct command cmd_symbolize = {
	.name = "symbolize",
	.summary = "name a capture again, from a folder of binaries and debug files",
	.synopsis = "crosscut symbolize [OPTIONS] FILE",
	.example = "crosscut symbolize capture.xcut --debug-dir ./symbols",
	.options = symbolize_options,
	.config_size = sizeof(struct symbolize_config),
	.run = symbolize_run,
};
