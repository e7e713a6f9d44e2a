/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The scheduler's events as text, which becomes the same ledger as a capture's: /sys/kernel/tracing/trace, `trace-cmd report`,
 * `perf script` and `perf sched script`. All begin a line with who was running, where and when; each has two ways to print
 * an event's fields, its own and the short one:
 *
 *	          <idle>-0     [001] d..2.  1234.567890: sched_switch: prev_comm=swapper/1 prev_pid=0 prev_prio=120 prev_state=R
 *	            bash-1234  [001]  1234.567890: sched_switch:         bash:1234 [120] S ==> swapper/1:0 [120]
 *	            bash  1234 [001]  1234.567890: sched:sched_waking: comm=cat pid=99 prio=120 target_cpu=001
 *
 * Lines of other events, and of stacks below an event, are passed by.
 */
#include "base/cleanup.h"
#include "base/map.h"
#include "format/format.h"
#include "format/import.h"
#include "format/input.h"
#include "format/schedule.h"
#include "format/seconds.h"
#include "profile/profile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINES_JUDGED = 200, NAME_BYTES = 64 };

struct line {
	const char *text, *end;          /* of the event's own part */
	char event[NAME_BYTES];
	char comm[NAME_BYTES];
	uint32_t tid, cpu;
	uint64_t time_ns;
	bool hardirq, softirq;
};

/* --- A line ------------------------------------------------------------------------------------------------------------ */

static const char *skip_blanks(const char *at, const char *end)
{
	while (at < end && (*at == ' ' || *at == '\t'))
		at++;
	return at;
}

static const char *number_read(const char *at, const char *end, uint64_t *ret)
{
	const char *start = at;

	for (*ret = 0; at < end && *at >= '0' && *at <= '9' && at - start < 18; at++)
		*ret = *ret * 10 + (uint64_t)(*at - '0');
	return at > start ? at : NULL;
}

/* "1234.567890:", whatever number of digits the fraction has. */
static const char *time_read(const char *at, const char *end, uint64_t *ret_ns)
{
	uint64_t seconds, fraction, unit = 1000000000;
	const char *dot = number_read(at, end, &seconds), *stop;

	if (!dot || dot == end || *dot != '.' || seconds > 1ull << 33)
		return NULL;
	stop = number_read(dot + 1, end, &fraction);
	if (!stop || stop == end || *stop != ':' || stop - dot > 10)
		return NULL;
	for (const char *digit = dot + 1; digit < stop; digit++)
		unit /= 10;
	*ret_ns = seconds * 1000000000 + fraction * unit;
	return stop + 1;
}

/* ftrace can be told to print the group's number behind the thread's: "bash-1234  (   1200)". */
static const char *before_group(const char *text, const char *end)
{
	const char *at = end;

	while (at > text && ((at[-1] >= '0' && at[-1] <= '9') || at[-1] == ' ' || at[-1] == '-'))
		at--;
	if (at == text || at[-1] != '(')
		return end;
	for (at--; at > text && at[-1] == ' '; at--)
		;
	return at;
}

/* The name and the number of who ran stand before "[cpu]": "bash-1234", "bash  1234", "bash 1200/1234". */
static bool runner_read(const char *text, const char *end, struct line *ret)
{
	const char *number;
	uint64_t tid;

	while (end > text && (end[-1] == ' ' || end[-1] == ')'))
		end--;
	end = before_group(text, end);
	for (number = end; number > text && number[-1] >= '0' && number[-1] <= '9'; number--)
		;
	if (number == end || number == text || !number_read(number, end, &tid))
		return false;
	ret->tid = (uint32_t)tid;
	if (number[-1] == '/')
		for (number--; number > text && number[-1] >= '0' && number[-1] <= '9'; number--)
			;
	end = number > text ? number - 1 : text;
	text = skip_blanks(text, end);
	while (end > text && end[-1] == ' ')
		end--;
	(void)snprintf(ret->comm, sizeof(ret->comm), "%.*s", (int)(end - text), text);
	return end > text;
}

/* Flags may be digits too ("...1."): they end soon, and a time would have its point soon. */
static bool flags_at(const char *at, const char *end)
{
	size_t size = (size_t)(end - at);

	if (!size || *at < '0' || *at > '9')
		return size > 0;
	return size > 12 && memchr(at, ' ', 6) && !memchr(at, '.', 12);
}

/* The last "[nnn]" before the time is the processor's; behind it ftrace has flags, "dNh2.", of which one tells interrupts. */
static bool line_read(const char *text, size_t size, struct line *ret)
{
	const char *end = text + size, *bracket = text, *at, *stop, *colon;
	uint64_t cpu;

	*ret = (struct line){ 0 };
	for (;; bracket++) {
		bracket = memchr(bracket, '[', (size_t)(end - bracket));
		if (!bracket)
			return false;
		stop = number_read(bracket + 1, end, &cpu);
		if (stop && stop < end && *stop == ']')
			break;
	}
	ret->cpu = (uint32_t)cpu;
	at = skip_blanks(stop + 1, end);
	if (flags_at(at, end)) {
		ret->hardirq = end - at > 3 && (at[2] == 'h' || at[2] == 'H' || at[2] == 'z' || at[2] == 'Z');
		ret->softirq = end - at > 3 && at[2] == 's';
		while (at < end && *at != ' ')
			at++;
		at = skip_blanks(at, end);
	}
	at = time_read(at, end, &ret->time_ns);
	if (!at || !runner_read(text, bracket, ret))
		return false;
	/* perf prints a period before the name of an event */
	at = skip_blanks(at, end);
	stop = number_read(at, end, &cpu);
	if (stop && stop < end && *stop == ' ')
		at = skip_blanks(stop, end);
	for (colon = at; colon < end && *colon != ' '; colon++)
		;
	if (colon == at || colon[-1] != ':')
		return false;
	for (const char *part = at; part < colon - 1; part++)
		at = *part == ':' ? part + 1 : at;
	(void)snprintf(ret->event, sizeof(ret->event), "%.*s", (int)(colon - 1 - at), at);
	ret->text = skip_blanks(colon, end);
	ret->end = end;
	return true;
}

/* --- Fields ------------------------------------------------------------------------------------------------------------ */

/* The value behind "key="; names may hold blanks, so one ends where the next key begins, if that is given. */
static size_t value_of(const struct line *line, const char *key, const char *next, const char **ret)
{
	size_t size = strlen(key);
	const char *at = memmem(line->text, (size_t)(line->end - line->text), key, size), *stop;

	*ret = "";
	if (!at || (at > line->text && at[-1] != ' '))
		return 0;
	*ret = at += size;
	stop = next ? memmem(at, (size_t)(line->end - at), next, strlen(next)) : memchr(at, ' ', (size_t)(line->end - at));
	return (size_t)((stop ? stop : line->end) - at);
}

static bool number_of(const struct line *line, const char *key, uint32_t *ret)
{
	const char *text;
	uint64_t number;

	if (!value_of(line, key, NULL, &text) || !number_read(text, line->end, &number))
		return false;
	*ret = (uint32_t)number;
	return true;
}

struct task { char comm[NAME_BYTES]; uint32_t tid; };

static void comm_set(struct task *task, const char *text, size_t size)
{
	(void)snprintf(task->comm, sizeof(task->comm), "%.*s", (int)size, text);
}

/* "bash:1234 [120]": the number before the first priority that has one. Returns what follows. */
static const char *short_task(const char *at, const char *end, struct task *ret)
{
	const char *bracket = at, *colon, *stop;
	uint64_t tid, priority;

	while ((bracket = memmem(bracket, (size_t)(end - bracket), " [", 2))) {
		stop = number_read(bracket + 2, end, &priority);
		colon = memrchr(at, ':', (size_t)(bracket - at));
		if (stop && stop < end && *stop == ']' && colon && number_read(colon + 1, bracket, &tid) == bracket) {
			comm_set(ret, at, (size_t)(colon - at));
			ret->tid = (uint32_t)tid;
			return skip_blanks(stop + 1, end);
		}
		bracket += 2;
	}
	return NULL;
}

static bool switch_read(const struct line *line, struct task *from, struct task *to, int *ret_state)
{
	const char *text, *at;
	size_t size;

	if (number_of(line, "prev_pid=", &from->tid) && number_of(line, "next_pid=", &to->tid)) {
		size = value_of(line, "prev_comm=", " prev_pid=", &text);
		comm_set(from, text, size);
		size = value_of(line, "next_comm=", " next_pid=", &text);
		comm_set(to, text, size);
		size = value_of(line, "prev_state=", NULL, &text);
		*ret_state = schedule_state_of(text, size);
		return *ret_state >= 0;
	}
	at = short_task(line->text, line->end, from);
	if (!at || at == line->end)
		return false;
	*ret_state = schedule_state_of(at, 1);
	at = memmem(at, (size_t)(line->end - at), "==> ", 4);
	return at && *ret_state >= 0 && short_task(at + 4, line->end, to);
}

static bool woken_read(const struct line *line, struct task *ret)
{
	const char *text;
	size_t size;

	if (!number_of(line, "pid=", &ret->tid))
		return short_task(line->text, line->end, ret);
	size = value_of(line, "comm=", " pid=", &text);
	comm_set(ret, size ? text : "", size);
	return true;
}

/* --- A file ------------------------------------------------------------------------------------------------------------ */

struct tracing {
	struct import *import;
	struct schedule *schedule;
	struct map *threads;             /* tid → thread */
	bool has_wakes;
	struct seconds seconds;
	uint64_t first_ns, last_ns, events, line_number;
};

/* Numbers alone tell threads here; which of them share a process only some lines say, so each is one of its own. */
static struct thread_id thread_of(struct tracing *tracing, uint32_t tid, const char *comm)
{
	uint32_t *known;
	bool added;

	if (!tid)
		return (struct thread_id){ 0 };
	known = map_put(tracing->threads, &tid, &added);
	if (added)
		*known = import_thread(tracing->import, tid, tid, comm).index;
	return (struct thread_id){ *known };
}

static void begin(struct tracing *tracing, uint64_t time_ns)
{
	if (tracing->schedule)
		return;
	tracing->first_ns = time_ns;
	seconds_start(&tracing->seconds, time_ns);
	tracing->schedule = schedule_new(import_profile(tracing->import), &(struct schedule_options){
		.seconds = &tracing->seconds, .start_ns = time_ns, .wakes = true, .source = "sched_switch" });
}

static void event_tell(struct tracing *tracing, const struct line *line)
{
	struct task from = { 0 }, to = { 0 };
	int state;

	if (!strcmp(line->event, "sched_switch")) {
		if (!switch_read(line, &from, &to, &state)) {
			import_skipped(tracing->import, "a switch that cannot be understood", "ns", line->time_ns);
			return;
		}
		begin(tracing, line->time_ns);
		schedule_switched(tracing->schedule, &(struct schedule_switch){
			.time_ns = line->time_ns, .cpu = line->cpu, .from = thread_of(tracing, from.tid, from.comm),
			.to = thread_of(tracing, to.tid, to.comm), .state = (unsigned)state });
	} else if (!strcmp(line->event, "sched_waking") || !strcmp(line->event, "sched_wakeup") ||
		   !strcmp(line->event, "sched_wakeup_new")) {
		struct thread_id woken;

		if (!woken_read(line, &to) || !to.tid)
			return;
		begin(tracing, line->time_ns);
		woken = thread_of(tracing, to.tid, to.comm);
		if (!strcmp(line->event, "sched_wakeup_new"))
			schedule_born(tracing->schedule, line->time_ns, woken);
		schedule_woken(tracing->schedule, line->time_ns, woken, thread_of(tracing, line->tid, line->comm),
			       line->hardirq ? WAKE_HARDIRQ : line->softirq ? WAKE_SOFTIRQ : WAKE_TASK);
		tracing->has_wakes = true;
	} else {
		return;
	}
	tracing->events++;
	if (line->time_ns < tracing->last_ns)
		import_warn(tracing->import, "time runs backwards: an event is taken to be as late as the one before it", "line",
			    tracing->line_number);
	if (line->time_ns > tracing->last_ns)
		tracing->last_ns = line->time_ns;
}

static void finish(struct tracing *tracing)
{
	struct profile *profile = import_profile(tracing->import);

	if (!tracing->schedule)
		return;
	schedule_finish(tracing->schedule, tracing->last_ns);
	seconds_finish(&tracing->seconds, tracing->first_ns, tracing->last_ns);
	profile_set_meta_number(profile, "capture.start_ns", tracing->first_ns);
	profile_set_meta_number(profile, "capture.end_ns", tracing->last_ns);
	profile_set_meta_number(profile, "import.schedule_gaps", schedule_gaps(tracing->schedule));
	profile_set_meta(profile, "import.lacks.system-calls", "most waits are unknown: what they were for was not recorded");
	if (!tracing->has_wakes)
		profile_set_meta(profile, "import.lacks.wake-ups", "waits hold the delay after them");
	schedule_free(tracing->schedule);
}

static int ftrace_read(struct input *input, struct profile *into, struct error *err)
{
	extern const struct format ftrace_format;
	CLEANUP(import) struct import *import = import_new(into, input, &ftrace_format);
	CLEANUP(map) struct map *threads = map_new(sizeof(uint32_t));
	struct tracing tracing = { .import = import, .threads = threads };
	const char *text;
	struct line line;
	size_t size;

	seconds_init(&tracing.seconds, into);
	while ((text = input_line(input, &size))) {
		tracing.line_number = input_line_number(input);
		if (line_read(text, size, &line))
			event_tell(&tracing, &line);
	}
	finish(&tracing);
	seconds_done(&tracing.seconds);
	return import_finish(import, err);
}

/* Only with a scheduler's event is it ours: perf script of other events is another format. */
static int ftrace_recognise(const void *head, size_t size)
{
	const char *at = head, *end = at + size;
	struct line line;
	struct task from, to;
	int state;

	for (unsigned i = 0; i < LINES_JUDGED && at < end; i++) {
		const char *feed = memchr(at, '\n', (size_t)(end - at)), *line_end = feed ? feed : end;

		if (line_read(at, (size_t)(line_end - at), &line) &&
		    ((!strcmp(line.event, "sched_switch") && switch_read(&line, &from, &to, &state)) ||
		     (!strcmp(line.event, "sched_waking") && woken_read(&line, &to))))
			return 90;
		at = line_end + 1;
	}
	return 0;
}

extern const struct format ftrace_format;
const struct format ftrace_format = {
	.name = "ftrace",
	.summary = "text of scheduler events: ftrace, trace-cmd, perf script, perf sched",
	.recognise = ftrace_recognise,
	.read = ftrace_read,
};
