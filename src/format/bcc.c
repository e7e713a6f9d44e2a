/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads what offcputime and profile of bcc print (github.com/iovisor/bcc, tools/offcputime.py and
 * tools/profile.py; the same of libbpf-tools): the kernel's stack above the user's, both leaf first.
 *
 *	Tracing off-CPU time (us) of all threads by user + kernel stack for 5 secs.
 *
 *	    schedule
 *	    entry_SYSCALL_64_after_hwframe
 *	    --                                 only where -d asked for it
 *	    read
 *	    -                vim (1234)
 *	        5012
 *
 * The first line is what says the unit: microseconds, or samples. Without it a number could be either,
 * so that a file without it is not read. Folded (-f) they have no such line: those are folded stacks,
 * whose unit the user tells.
 */
#include "format/format.h"
#include "format/import.h"
#include "format/input.h"
#include "format/lines.h"
#include "format/stack_lines.h"

#include <stdio.h>
#include <string.h>

extern const struct format bcc_format;

enum { COMM_BYTES = 64 };

enum tool { TOOL_NONE, TOOL_OFFCPUTIME, TOOL_PROFILE };

static enum tool tool_of(const char *line, size_t size)
{
	if (line_starts(line, size, "Tracing off-CPU time (us)"))
		return TOOL_OFFCPUTIME;
	if (line_starts(line, size, "Sampling at ") && memmem(line, size, " stack", 6))
		return TOOL_PROFILE;
	return TOOL_NONE;
}

struct printed {
	struct import *import;
	enum tool tool;
	struct import_measure measure;
	struct stack_lines stack;
	char comm[COMM_BYTES];
	uint32_t number;                         /* offcputime prints a thread's, profile a process' */
	bool named;                              /* who it is was read, its value comes next */
};

static void tool_begin(struct printed *printed, enum tool tool, const char *line, size_t size)
{
	CLEANUP_TEXT char *meaning = NULL;
	struct text text = TEXT(160);
	struct import_event event = { .name = "off-cpu", .unit = "us", .weighting = WEIGHTING_EXACT,
				      .source = "bcc offcputime",
				      .meaning = "time not on a processor, by who left it and where" };

	if (tool == TOOL_PROFILE) {
		text_print(&text, "%.*s", (int)(size < 120 ? size : 120), line);
		event = (struct import_event){ .name = "samples", .source = "bcc profile",
					       .meaning = meaning = text_take(&text) };
	}
	text_done(&text);
	printed->tool = tool;
	printed->measure = import_measure(printed->import, &event);
	import_source(printed->import, event.source);
}

/* "    -                vim (1234)" */
static bool who_read(struct printed *printed, const char *line, size_t size)
{
	const char *end = line + size, *open, *at;
	int64_t number;

	if (!line_starts(line, size, "    - ") || !size || end[-1] != ')')
		return false;
	open = memrchr(line, '(', size);
	at = open ? open + 1 : end;
	if (!open || open - line < 7 || !line_number(&at, end, &number) || at != end - 1 || number < 0 ||
	    number > UINT32_MAX)
		return false;
	line += 5;
	while (line < open && *line == ' ')
		line++;
	(void)snprintf(printed->comm, sizeof(printed->comm), "%.*s",
		       (int)(open > line ? open - line - 1 : 0), line);
	printed->number = (uint32_t)number;
	printed->named = true;
	return true;
}

static void value_add(struct printed *printed, const char *line, size_t size, uint64_t place)
{
	struct stack_id stack = stack_lines_end(&printed->stack, printed->import, true);
	const char *at = line, *end = line + size;
	int64_t value;

	printed->named = false;
	if (!line_number(&at, end, &value) || at != end || value < 0) {
		import_skipped(printed->import, "a stack has no number below it", "line", place);
		return;
	}
	import_sample(printed->import, &(struct import_sample){
		.measure = printed->measure, .stack = stack, .value = (uint64_t)value,
		.count = printed->tool == TOOL_PROFILE ? (uint64_t)value : 1,
		.thread = import_thread(printed->import, printed->number, printed->number, printed->comm) });
}

/* "WARNING: 3 stack traces lost and could not be displayed." */
static void lost_read(struct printed *printed, const char *line, size_t size)
{
	const char *at = line + 9;
	int64_t lost;

	if (line_starts(line, size, "WARNING: ") && line_number(&at, line + size, &lost) && lost > 0 &&
	    line_starts(at, (size_t)(line + size - at), " stack traces"))
		import_lost(printed->import, "bcc stacks", 0, (uint64_t)lost);
}

static void line_take(struct printed *printed, const char *line, size_t size, uint64_t place)
{
	enum tool tool = tool_of(line, size);

	if (tool && !printed->tool)
		tool_begin(printed, tool, line, size);
	else if (!printed->tool)
		return;
	else if (tool && tool != printed->tool)
		import_skipped(printed->import, "the output of another tool follows", "line", place);
	else if (printed->named)
		value_add(printed, line, size, place);
	else if (!line_starts(line, size, "    "))
		lost_read(printed, line, size);
	else if (size == 6 && !memcmp(line, "    --", 6))
		stack_lines_part(&printed->stack);
	else if (memmem(line, size, "[Missed ", 8))
		import_warn(printed->import, "stacks that the tool could not keep stand without their frames", "line", place);
	else if (!who_read(printed, line, size))
		stack_lines_add(&printed->stack, line, size);
}

static int bcc_read(struct input *input, struct profile *into, struct error *err)
{
	CLEANUP(import) struct import *import = import_new(into, input, &bcc_format);
	struct printed printed = { .import = import };
	const char *line;
	size_t size;

	stack_lines_init(&printed.stack);
	while ((line = input_line(input, &size)))
		line_take(&printed, line, size, input_line_number(input));
	if (printed.named || printed.stack.count)
		import_skipped(import, "a stack has no number below it", "line", input_line_number(input));
	stack_lines_done(&printed.stack);
	return import_finish(import, err);
}

static int bcc_recognise(const void *head, size_t size)
{
	const char *at = head, *end = at + size, *line;

	for (unsigned lines = 0; lines < 8 && line_next(&at, end, &line, &size); lines++)
		if (tool_of(line, size))
			return 90;
	return 0;
}

const struct format bcc_format = {
	.name = "bcc",
	.summary = "what offcputime and profile of bcc print",
	.recognise = bcc_recognise,
	.read = bcc_read,
};
