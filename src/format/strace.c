/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What strace prints: one line a call (-f, -ttt and -T say whose, when and how long), or the table of
 * -c. Calls and, where it is known, their time are two amounts; the stack is the call's name, and
 * below it the error it ended with. A call that another thread's line interrupts comes in two parts:
 *
 *	1000 1700000052.321000 futex(0x7f, FUTEX_WAIT, 2, NULL <unfinished ...>
 *	1000 1700000052.321500 <... futex resumed> ) = 0 <0.000480>
 *
 * Times are since the epoch (-ttt) or since the line before (-r). Of stacks (-k) the call is the leaf.
 *
 * strace stops its target twice per call: the times hold that, too, which is said as the bias "ptrace".
 */
#include "base/map.h"
#include "base/memory.h"
#include "format/format.h"
#include "format/import.h"
#include "format/input.h"

#include <stdlib.h>
#include <string.h>

extern const struct format strace_format;

enum { LINES_JUDGED = 20, NAME_MOST = 64, FRAMES_MOST = 512, STACK_MARK = 3 };

struct strace_line {
	uint32_t tid;
	bool has_tid, has_time, of_day, unfinished, resumed, timed, backwards, failed;
	uint64_t time_ns, duration_ns;
	const char *name, *errno_name;
	size_t name_size, errno_size;
};

/* --- One line --------------------------------------------------------------------------------- */

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_name(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || is_digit(c);
}

static const char *blanks_skip(const char *at)
{
	return at + strspn(at, " \t");
}

/* "1700000052.321000" in ns; NULL where no such number stands there. */
static const char *decimal_parse(const char *at, uint64_t *ret_ns)
{
	char *end;
	uint64_t seconds, scale = 1000000000, fraction = 0;

	if (!is_digit(*at))
		return NULL;
	seconds = strtoull(at, &end, 10);
	if (*end != '.' || seconds > UINT64_MAX / 2000000000)
		return NULL;
	for (at = end + 1; is_digit(*at); at++)
		if (scale > 1) {
			scale /= 10;
			fraction = fraction * 10 + (uint64_t)(*at - '0');
		}
	*ret_ns = seconds * 1000000000 + fraction * scale;
	return at;
}

static const char *tid_parse(const char *at, struct strace_line *ret)
{
	const bool bracket = !strncmp(at, "[pid", 4);
	const char *digits = bracket ? blanks_skip(at + 4) : at;
	char *end;

	if (!is_digit(*digits))
		return at;
	ret->tid = (uint32_t)strtoul(digits, &end, 10);
	if (bracket ? *end != ']' : *end != ' ')
		return at;
	ret->has_tid = true;
	return blanks_skip(end + bracket);
}

static const char *time_parse(const char *at, struct strace_line *ret)
{
	const char *after = decimal_parse(at, &ret->time_ns);

	if (after && *after == ' ') {
		ret->has_time = true;
		return blanks_skip(after);
	}
	ret->time_ns = 0;
	if (is_digit(at[0]) && is_digit(at[1]) && at[2] == ':' && is_digit(at[3]) && is_digit(at[4]) && at[5] == ':') {
		ret->of_day = true;
		return blanks_skip(at + strcspn(at, " "));
	}
	return at;
}

/* " = -1 ENOENT (No such file or directory) <0.000012>" from the line's end */
static bool result_parse(const char *line, size_t size, struct strace_line *ret)
{
	const char *end = line + size, *open, *equals = NULL, *at;

	while (end > line && end[-1] == ' ')
		end--;
	if (end > line && end[-1] == '>') {
		for (open = end - 1; open > line && *open != '<';)
			open--;
		at = decimal_parse(open + 1, &ret->duration_ns);
		ret->timed = at && at == end - 1;
		ret->backwards = open[1] == '-' && is_digit(open[2]);
	}
	for (at = line; (at = memmem(at, (size_t)(end - at), " = ", 3)); at += 3)
		equals = at;
	if (!equals)
		return false;
	at = blanks_skip(equals + 3);
	if (strncmp(at, "-1 E", 4) != 0)
		return true;
	ret->failed = true;
	ret->errno_name = at + 3;
	while (is_name(ret->errno_name[ret->errno_size]))
		ret->errno_size++;
	return true;
}

static bool line_parse(const char *line, size_t size, struct strace_line *ret)
{
	const char *at = time_parse(tid_parse(blanks_skip(line), ret), ret), *end = line + size;

	if (at >= end)
		return false;
	ret->resumed = !strncmp(at, "<... ", 5);
	ret->name = ret->resumed ? at + 5 : at;
	while (ret->name_size < NAME_MOST && is_name(ret->name[ret->name_size]))
		ret->name_size++;
	at = ret->name + ret->name_size;
	if (!ret->name_size || (ret->resumed ? strncmp(at, " resumed>", 9) != 0 : *at != '('))
		return false;
	ret->unfinished = memmem(at, (size_t)(end - at), "<unfinished ...>", 16) != NULL;
	return ret->unfinished || result_parse(at, (size_t)(end - at), ret);
}

/* --- Calls ------------------------------------------------------------------------------------ */

struct call {
	uint32_t tid;
	uint64_t start_ns, duration_ns, number;  /* number: of its line */
	bool timed;
	struct string_id name, errno_name;
};

struct strace {
	struct import *import;
	struct import_measure calls, time;
	struct map *pending;                     /* tid → index of open, and one */
	struct call *open;                       /* of each thread, the call that it is in; number 0: it is in none */
	size_t open_count, open_room;
	struct call held;                        /* counted when it is known that no line of its stack follows; number 0: none */
	struct frame_id frames[FRAMES_MOST];
	size_t frame_count;
	uint64_t call_count, relative_ns;        /* by the times of -r, which are since the line before; 0: there are none */
	bool any_tid;
};

static struct import_measure measure_of(struct import *import, bool time)
{
	return import_measure(import, &(struct import_event){
					      .name = time ? "system-call-time" : "system-calls",
					      .unit = time ? "ns" : "count",
					      .kind = DIMENSION_AMOUNT,
					      .weighting = WEIGHTING_EXACT,
					      .source = "strace",
					      .meaning = time ? "time in system calls, with what strace itself takes"
							      : "system calls" });
}

static struct stack_id name_push(struct import *import, struct stack_id stack, struct string_id name)
{
	if (!name.index)
		return stack;
	return import_stack(import, stack, import_frame(import, &(struct import_name){ .function_id = name, .kernel = true }));
}

static void call_add(struct strace *strace, const struct call *call, struct stack_id stack)
{
	struct import_sample sample = { .measure = strace->calls,
					.thread = import_thread(strace->import, 0, call->tid, NULL),
					.count = 1,
					.value = 1,
					.time_ns = call->start_ns };

	stack = name_push(strace->import, stack, call->name);
	sample.stack = name_push(strace->import, stack, call->errno_name);
	import_sample(strace->import, &sample);
	strace->call_count++;
	if (!call->timed)
		return;
	if (!strace->time.total.index)
		strace->time = measure_of(strace->import, true);
	sample.measure = strace->time;
	sample.value = call->duration_ns;
	import_sample(strace->import, &sample);
	if (call->start_ns && call->start_ns <= UINT64_MAX - call->duration_ns)
		profile_add_interval(import_profile(strace->import),
				     (struct interval){ .thread = sample.thread,
							.start_ns = call->start_ns,
							.end_ns = call->start_ns + call->duration_ns,
							.stack = sample.stack,
							.dimension = strace->time.dimension });
}

static void held_add(struct strace *strace)
{
	if (strace->held.number)
		call_add(strace, &strace->held, import_stack_leaf_first(strace->import, strace->frames, strace->frame_count));
	strace->held.number = 0;
	strace->frame_count = 0;
}

static void call_hold(struct strace *strace, const struct call *call)
{
	held_add(strace);
	strace->held = *call;
}

static void open_add(struct strace *strace, struct call *call)
{
	if (!call->number)
		return;
	import_warn(strace->import, "a call is not seen to return: it is counted without a time", "line", call->number);
	call_add(strace, call, (struct stack_id){ 0 });
	call->number = 0;
}

static void call_begin(struct strace *strace, const struct call *call)
{
	bool added;
	uint32_t *at = map_put(strace->pending, &call->tid, &added);

	if (added) {
		grow(strace->open, strace->open_count, strace->open_room);
		strace->open[strace->open_count++] = (struct call){ 0 };
		*at = (uint32_t)strace->open_count;
	}
	open_add(strace, &strace->open[*at - 1]);
	strace->open[*at - 1] = *call;
}

static void call_end(struct strace *strace, struct call *call)
{
	uint32_t *at = map_find(strace->pending, &call->tid);
	struct call *open = at ? &strace->open[*at - 1] : NULL;
	uint64_t end_ns = call->start_ns;

	if (open && open->number) {
		call->start_ns = open->start_ns;
		open->number = 0;
		if (!call->timed && call->start_ns && end_ns >= call->start_ns) {
			call->duration_ns = end_ns - call->start_ns;
			call->timed = true;
		}
	}
	call_hold(strace, call);
}

/* --- Stacks of -k, innermost first, below their call ------------------------------------------ */

/* " > /usr/lib/libc.so.6(exit+0x1a) [0x3e69a]" */
static void frame_read(struct strace *strace, const char *text, size_t size, uint64_t number)
{
	const char *start = text + STACK_MARK, *address = memmem(start, size - STACK_MARK, ") [0x", 5), *open = address, *plus;
	struct import_name name = { .module = start };

	while (open && open > start && *open != '(')
		open--;
	if (!strace->held.number || !open || open == start) {
		import_skipped(strace->import, "a frame is none, or of no call", "line", number);
		return;
	}
	if (strace->frame_count == FRAMES_MOST) {
		import_warn(strace->import, "stacks were cut: they are deeper than can be kept", "line", number);
		return;
	}
	plus = memmem(open, (size_t)(address - open), "+0x", 3);
	name.module_size = (size_t)(open - start);
	name.function_size = (size_t)((plus ? plus : address) - open - 1);
	name.function = name.function_size ? open + 1 : NULL;
	name.address = strtoull(address + 5, NULL, 16);
	strace->frames[strace->frame_count++] = import_frame(strace->import, &name);
}

static bool is_other(const char *line)
{
	return strstr(line, "+++ ") || strstr(line, "--- ") || strstr(line, "strace: Process ");
}

/* The clock was set back during a call, which strace's difference does not know: the call is counted and has no time. */
static void backwards(struct strace *strace, uint64_t number)
{
	import_warn(strace->import, "a time is below zero: its calls are counted without it", "line", number);
}

/* Since the epoch seconds have ten digits, since the line before (-r) they never have: such are added up. */
static void time_settle(struct strace *strace, struct strace_line *line)
{
	const uint64_t second_ns = 1000000000, epoch_least_ns = 100000000 * second_ns;

	if (!line->has_time || line->time_ns >= epoch_least_ns)
		return;
	if (!strace->relative_ns)
		strace->relative_ns = second_ns; /* 0 would say that the time is not known */
	strace->relative_ns += line->time_ns;
	line->time_ns = strace->relative_ns;
}

static void call_read(struct strace *strace, const struct strace_line *line, uint64_t number)
{
	struct call call = { .tid = line->tid, .start_ns = line->time_ns, .duration_ns = line->duration_ns, .number = number,
			     .timed = line->timed, .name = import_text(strace->import, line->name, line->name_size) };

	if (line->failed && line->errno_size)
		call.errno_name = import_text(strace->import, line->errno_name, line->errno_size);
	if (line->unfinished)
		call_begin(strace, &call);
	else if (line->resumed)
		call_end(strace, &call);
	else
		call_hold(strace, &call);
}

static void line_read(struct strace *strace, const char *text, size_t size, uint64_t number)
{
	struct strace_line line = { 0 };
	bool is_call = line_parse(text, size, &line);

	time_settle(strace, &line);
	if (!is_call) {
		if (!is_other(text))
			import_skipped(strace->import, "a line is no system call", "line", number);
		return;
	}
	strace->any_tid |= line.has_tid;
	if (strace->any_tid && !line.has_tid)
		import_skipped(strace->import, "a line does not say whose call it is", "line", number);
	else
		call_read(strace, &line, number);
	if (line.backwards)
		backwards(strace, number);
	if (line.of_day)
		import_warn(strace->import, "times of day are not read (strace -ttt)", "line", number);
}

/* --- The table of -c -------------------------------------------------------------------------- */

/* " 45.12    0.000123           3        40         1 openat" */
static bool row_read(struct strace *strace, char *row, uint64_t number)
{
	char *words[8], *rest = NULL;
	struct import_sample sample = { 0 };
	uint64_t duration_ns;
	bool is_negative;
	size_t count = 0;

	for (char *word = strtok_r(row, " ", &rest); word && count < ARRAY_LENGTH(words); word = strtok_r(NULL, " ", &rest))
		words[count++] = word;
	if (count < 5 || !strcmp(words[count - 1], "total"))
		return false;
	is_negative = *words[1] == '-';
	if (!decimal_parse(words[1] + is_negative, &duration_ns))
		return false;
	sample.stack = name_push(strace->import, (struct stack_id){ 0 }, import_text(strace->import, words[count - 1], 0));
	sample.measure = strace->calls;
	sample.thread = import_thread(strace->import, 0, 0, NULL);
	sample.count = sample.value = strtoull(words[3], NULL, 10);
	import_sample(strace->import, &sample);
	if (is_negative) {
		backwards(strace, number);
		return true;
	}
	if (!strace->time.total.index)
		strace->time = measure_of(strace->import, true);
	sample.measure = strace->time;
	sample.value = duration_ns;
	import_sample(strace->import, &sample);
	return true;
}

/* Below the calls themselves (-C) it counts them again. */
static void table_read(struct strace *strace, struct input *input)
{
	const char *line;
	size_t size;

	if (strace->call_count)
		import_warn(strace->import, "the table counts the calls above it again: it is left out", "line", input_line_number(input));
	while ((line = input_line(input, &size))) {
		CLEANUP_TEXT char *row = strace->call_count ? NULL : xstrdup(line);

		if (row)
			(void)row_read(strace, row, input_line_number(input));
	}
}

static int strace_read(struct input *input, struct profile *into, struct error *err)
{
	CLEANUP(import) struct import *import = import_new(into, input, &strace_format);
	struct strace strace = { .import = import, .pending = map_new(sizeof(uint32_t)) };
	const char *line;
	size_t size;

	strace.calls = measure_of(import, false);
	import_bias(import, "ptrace stops");
	while ((line = input_line(input, &size)) && strncmp(line, "% time", 6) != 0)
		if (!strncmp(line, " > ", STACK_MARK))
			frame_read(&strace, line, size, input_line_number(input));
		else if (size)
			line_read(&strace, line, size, input_line_number(input));
	held_add(&strace);
	for (size_t i = 0; i < strace.open_count; i++)
		open_add(&strace, &strace.open[i]);
	if (line)
		table_read(&strace, input);
	map_free(strace.pending);
	free(strace.open);
	return import_finish(import, err);
}

static int strace_recognise(const void *head, size_t size)
{
	const char *at = head, *end = at + size;
	size_t lines = 0, calls = 0;

	if (memchr(head, '\0', size))
		return 0;
	while (at < end && lines < LINES_JUDGED) {
		const char *line_end = memchr(at, '\n', (size_t)(end - at));
		size_t length = (size_t)((line_end ? line_end : end) - at);
		CLEANUP_TEXT char *line = xstrndup(at, length < 4096 ? length : 4096);
		struct strace_line parsed = { 0 };

		if (!strncmp(line, "% time     seconds", 18))
			return 90;
		at = line_end ? line_end + 1 : end;
		if (!strncmp(line, " > ", STACK_MARK))
			continue;
		lines++;
		calls += line_parse(line, strlen(line), &parsed) || strncmp(line, "+++ ", 4) == 0 || strncmp(line, "--- ", 4) == 0;
	}
	return calls && calls * 2 >= lines ? 70 : 0;
}

const struct format strace_format = {
	.name = "strace",
	.summary = "system calls as strace prints them, and its table (-c)",
	.suffix = ".strace",
	.recognise = strace_recognise,
	.read = strace_read,
};
