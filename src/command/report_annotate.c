/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The weights are the analysis'; the text beside them is read here, if it can be had: source files from where the
 * compiler saw them, instructions from objdump. A source file that was changed after the capture began is shown, and
 * said to be younger.
 *
 *	    self   share    total  line  source
 *	       -       -        -  14    unsigned sum = 0;
 *	 10.1 ms   3.3 %  10.1 ms  15    for (int i = 0; i < count; i++)
 *	    0 ns   0.0 %   293 ms  16        sum ^= price(items[i]);
 */
#include "command/report_annotate.h"

#include "analysis/analysis.h"
#include "analysis/annotation.h"
#include "analysis/figure.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "command/disassembly.h"
#include "profile/profile.h"
#include "result/document.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { AROUND = 2, SOURCE_LIMIT = 16 << 20, TEXT_SIZE = 512 };

/* --- Source --------------------------------------------------------------------------------------------------------- */

struct source { char *bytes, **lines; size_t count, room; bool is_younger; };

static void source_done(struct source *source)
{
	free(source->bytes);
	free(source->lines);
	*source = (struct source){ 0 };
}

/* O_NONBLOCK: at a path from a file there may be anything. */
static char *read_file(const char *path, struct stat *status)
{
	CLEANUP_FD int fd = *path == '/' ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY) : -1;
	size_t at = 0;
	ssize_t more;
	char *bytes;

	if (fd < 0 || fstat(fd, status) < 0 || !S_ISREG(status->st_mode) || status->st_size > SOURCE_LIMIT)
		return NULL;
	bytes = xcalloc(1, (size_t)status->st_size + 1);
	while (at < (size_t)status->st_size && (more = read(fd, bytes + at, (size_t)status->st_size - at)) > 0)
		at += (size_t)more;
	return bytes;
}

static void read_source(struct source *source, const struct profile *profile, const char *path)
{
	uint64_t start_s = profile_meta_number(profile, "capture.start_wall_ns", 0) / 1000000000;
	struct stat status;
	char *rest;

	source_done(source);
	source->bytes = read_file(path, &status);
	if (!source->bytes)
		return;
	source->is_younger = start_s && (uint64_t)status.st_mtim.tv_sec > start_s;
	rest = source->bytes;
	while (rest) {
		grow(source->lines, source->count, source->room);
		source->lines[source->count++] = strsep(&rest, "\n");
	}
}

/* Tabs as blanks and control characters not at all, since it goes to a terminal. */
static const char *line_text(const struct source *source, uint32_t line, char text[TEXT_SIZE])
{
	const char *from = line && line <= source->count ? source->lines[line - 1] : "";
	size_t at = 0;

	for (; *from && at < TEXT_SIZE - 5; from++) {
		if (*from == '\t')
			do
				text[at++] = ' ';
			while (at % 4);
		else if ((unsigned char)*from >= ' ' && *from != 127)
			text[at++] = *from;
	}
	text[at] = '\0';
	return text;
}

/* Blanks in front of all lines of a file that are shown say nothing. */
static size_t indent_of(const struct source *source, uint32_t line)
{
	char text[TEXT_SIZE];
	const char *shown = line_text(source, line, text);

	return *shown ? strspn(shown, " ") : TEXT_SIZE;
}

static size_t common_indent(const struct source *source, const struct annotated_line *rows, size_t count)
{
	size_t least = TEXT_SIZE;

	for (size_t i = 0; i < count; i++)
		for (uint32_t line = rows[i].line > AROUND ? rows[i].line - AROUND : 1; line <= rows[i].line + AROUND; line++) {
			size_t indent = indent_of(source, line);

			least = indent < least ? indent : least;
		}
	return least;
}

/* --- Lines ---------------------------------------------------------------------------------------------------------- */

static const struct column line_columns[] = {
	{ "unit", "unit", "", COLUMN_MACHINE },
	{ "self", "self", "", 0 },
	{ "share", "share", "fraction", COLUMN_HUMAN },
	{ "total", "total", "", 0 },
	{ "samples", "samples", "count", COLUMN_MACHINE },
	{ "file", "file", "", COLUMN_MACHINE },
	{ "line", "line", "", COLUMN_LEFT },
	{ "source", "source", "", COLUMN_CODE },
};

static void add_line(struct table *table, const struct annotation *annotation, const char *path, uint32_t line,
		     const struct annotated_line *row, const char *text, size_t indent)
{
	table_add(table, (struct value[]){
		value_text(annotation->unit),
		row ? figure(row->self) : value_none(),
		row ? figure(row->self / annotation->total) : value_none(),
		row ? figure(row->total) : value_none(),
		row ? value_integer((int64_t)row->samples) : value_none(),
		value_text(path),
		line ? value_integer(line) : value_none(),
		value_text(strlen(text) > indent ? text + indent : ""),
	});
}

/* Lines around those with weight, of one file whose source is there; else those with weight alone. */
static void add_lines_of_file(struct table *table, const struct annotation *annotation, const char *path,
			      const struct source *source, const struct annotated_line *rows, size_t count)
{
	size_t indent = common_indent(source, rows, count);
	char text[TEXT_SIZE];
	uint32_t next = 0;

	for (size_t i = 0; i < count; i++) {
		uint32_t line = rows[i].line;
		uint32_t from = !source->count || !line ? line : line > AROUND + next ? line - AROUND : next;
		uint32_t limit = i + 1 < count ? rows[i + 1].line : UINT32_MAX;

		for (uint32_t before = from ? from : 1; before < line; before++)
			add_line(table, annotation, path, before, NULL, line_text(source, before, text), indent);
		add_line(table, annotation, path, line, &rows[i], line_text(source, line, text), indent);
		for (next = line + 1; source->count && line && next <= line + AROUND && next < limit && next <= source->count; next++)
			add_line(table, annotation, path, next, NULL, line_text(source, next, text), indent);
	}
}

static void add_lines(const struct profile *profile, const struct annotation *annotation, struct document *into)
{
	struct table *table = table_new(line_columns, ARRAY_LENGTH(line_columns));
	struct source source = { 0 };
	size_t next;

	for (size_t i = 0; i < annotation->line_count; i = next) {
		const char *path = profile_text(profile, annotation->lines[i].path);

		for (next = i; next < annotation->line_count && annotation->lines[next].path.index == annotation->lines[i].path.index;)
			next++;
		read_source(&source, profile, path);
		add_lines_of_file(table, annotation, path, &source, &annotation->lines[i], next - i);
		if (*path && !source.count)
			document_add_finding(into, SEVERITY_NOTE, "the source '%s' is not here: its lines stand without text", path);
		if (!*path)
			document_add_finding(into, SEVERITY_NOTE, "some of it has no lines: the program has no debug information for it");
		if (source.is_younger)
			document_add_finding(into, SEVERITY_WARNING, "the source '%s' was changed after the capture began", path);
	}
	source_done(&source);
	(void)document_add_table(into, "lines", "Source lines", table);
}

/* --- Instructions --------------------------------------------------------------------------------------------------- */

static const struct column instruction_columns[] = {
	{ "unit", "unit", "", COLUMN_MACHINE },
	{ "self", "self", "", 0 },
	{ "share", "share", "fraction", COLUMN_HUMAN },
	{ "samples", "samples", "count", COLUMN_MACHINE },
	{ "file", "file", "", COLUMN_MACHINE },
	{ "offset", "offset", "", COLUMN_CODE },
	{ "line", "line", "", COLUMN_LEFT },
	{ "inlined", "inlined", "", 0 },
	{ "instruction", "instruction", "", COLUMN_CODE },
};

static void add_instruction(struct table *table, const struct profile *profile, const struct annotation *annotation,
			    const char *path, uint64_t offset, const struct annotated_address *row, const char *text)
{
	table_add(table, (struct value[]){
		value_text(annotation->unit),
		row ? figure(row->self) : value_none(),
		row ? figure(row->self / annotation->total) : value_none(),
		row ? value_integer((int64_t)row->samples) : value_none(),
		value_text(path),
		value_print("0x%" PRIx64, offset),
		row && row->line ? value_integer(row->line) : value_none(),
		row && row->inlined.index ? value_text(profile_text(profile, row->inlined)) : value_none(),
		text ? value_text(text) : value_none(),
	});
}

/* Which instructions stand near one with weight. */
static bool *near_weight(const struct disassembly *disassembly, const struct annotated_address *rows, size_t count)
{
	bool *near = xcalloc(disassembly->count + 1, sizeof(*near));
	size_t at = 0;

	for (size_t i = 0; i < disassembly->count; i++) {
		while (at < count && rows[at].offset < disassembly->rows[i].offset)
			at++;
		if (at == count || rows[at].offset != disassembly->rows[i].offset)
			continue;
		for (size_t j = i > AROUND ? i - AROUND : 0; j <= i + AROUND && j < disassembly->count; j++)
			near[j] = true;
	}
	return near;
}

static void add_instructions_of_file(struct table *table, const struct profile *profile, const struct annotation *annotation,
				     const char *path, const struct disassembly *disassembly,
				     const struct annotated_address *rows, size_t count)
{
	CLEANUP_TEXT bool *near = near_weight(disassembly, rows, count);
	size_t at = 0;

	for (size_t i = 0; i < disassembly->count; i++) {
		const struct instruction *instruction = &disassembly->rows[i];
		const struct annotated_address *row;

		for (; at < count && rows[at].offset < instruction->offset; at++)
			add_instruction(table, profile, annotation, path, rows[at].offset, &rows[at], NULL);
		row = at < count && rows[at].offset == instruction->offset ? &rows[at++] : NULL;
		if (near[i])
			add_instruction(table, profile, annotation, path, instruction->offset, row, instruction->text);
	}
	for (; at < count; at++)
		add_instruction(table, profile, annotation, path, rows[at].offset, &rows[at], NULL);
}

static void add_file(struct table *table, const struct profile *profile, const struct annotation *annotation,
		     const struct annotated_address *rows, size_t count, struct document *into)
{
	const struct file *file = profile_file_at(profile, rows->file.index);
	const char *path = profile_text(profile, file->path), *why;
	uint64_t *offsets = xcalloc(count, sizeof(*offsets));
	CLEANUP(disassembly) struct disassembly *disassembly = NULL;

	for (size_t i = 0; i < count; i++)
		offsets[i] = rows[i].offset;
	disassembly = disassembly_read(path, profile_text(profile, file->build_id), offsets, count, &why);
	free(offsets);
	if (why)
		document_add_finding(into, SEVERITY_NOTE, "no instructions of '%s': %s", path, why);
	add_instructions_of_file(table, profile, annotation, path, disassembly, rows, count);
}

static void add_instructions(const struct profile *profile, const struct annotation *annotation, struct document *into)
{
	struct table *table = table_new(instruction_columns, ARRAY_LENGTH(instruction_columns));
	size_t next;

	for (size_t i = 0; i < annotation->address_count; i = next) {
		const struct annotated_address *rows = &annotation->addresses[i];

		for (next = i; next < annotation->address_count && annotation->addresses[next].file.index == rows->file.index;)
			next++;
		add_file(table, profile, annotation, rows, next - i, into);
	}
	(void)document_add_table(into, "instructions", "Instructions at which threads stood", table);
}

/* --- The whole ------------------------------------------------------------------------------------------------------ */

static char *names_of(const struct profile *profile, const struct annotation *annotation)
{
	struct text names = TEXT(4096);

	for (size_t i = 0; i < annotation->name_count; i++)
		text_print(&names, "%s%s", i ? "; " : "", profile_text(profile, annotation->names[i]));
	return text_take(&names);
}

int report_annotate(const struct question *question, const char *function, struct document *into, struct error *err)
{
	CLEANUP(annotation) struct annotation *annotation = annotation_new(question, function, err);
	CLEANUP_TEXT char *names = NULL;
	struct record *record;

	if (!annotation)
		return err->code;
	names = names_of(question->profile, annotation);
	record = record_new();
	record_add_hinted(record, "function", "function", "", COLUMN_CODE, value_text(names));
	record_add(record, "self", "self", annotation->unit, figure(annotation->self));
	record_add(record, "total", "total", annotation->unit, figure(annotation->total));
	record_add(record, "all", "all that ran", annotation->unit, figure(annotation->all));
	record_add(record, "samples", "samples", "count", value_integer((int64_t)annotation->samples));
	record_add(record, "period", "one sample per", annotation->unit,
		   annotation->period ? value_integer((int64_t)annotation->period) : value_none());
	(void)document_add_record(into, "annotation", "Function", record);
	add_lines(question->profile, annotation, into);
	add_instructions(question->profile, annotation, into);
	return 0;
}
