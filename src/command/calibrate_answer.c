/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of kinds:
 *
 *	kind         state               truth     seen    error  in state     lost  within
 *	mutex        lock/mutex         598 ms   598 ms   0.01 %   100.0 %   0.0 ns  yes
 *
 * and below it what is out of bounds and why, what was not run, the machine's balance, and what captures cost here.
 */
#include "command/calibrate_answer.h"

#include "base/cleanup.h"
#include "command/calibrate_judge.h"
#include "command/cost_cache.h"
#include "result/document.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const struct column kind_columns[] = {
	{ .key = "kind", .title = "kind", .unit = "" },
	{ .key = "state", .title = "state", .unit = "" },
	{ .key = "within", .title = "within", .unit = "" },
	{ .key = "truth_ns", .title = "truth", .unit = "ns" },
	{ .key = "seen_ns", .title = "seen", .unit = "ns" },
	{ .key = "error", .title = "error", .unit = "fraction" },
	{ .key = "share", .title = "in state", .unit = "fraction" },
	{ .key = "lost_ns", .title = "lost", .unit = "ns" },
	{ .key = "attempts", .title = "tries", .unit = "" },
	{ .key = "part_share", .title = "in part", .unit = "fraction", .hints = COLUMN_MACHINE },
	{ .key = "error_ns", .title = "worst error", .unit = "ns", .hints = COLUMN_MACHINE },
	{ .key = "allowed_ns", .title = "allowed", .unit = "ns", .hints = COLUMN_MACHINE },
	{ .key = "doubt_ns", .title = "doubt", .unit = "ns", .hints = COLUMN_MACHINE },
	{ .key = "blocked_ns", .title = "blocked", .unit = "ns", .hints = COLUMN_MACHINE },
	{ .key = "ready_ns", .title = "ready", .unit = "ns", .hints = COLUMN_MACHINE },
	{ .key = "oncpu_ns", .title = "on CPU", .unit = "ns", .hints = COLUMN_MACHINE },
	{ .key = "kernel_ready_ns", .title = "ready by the kernel's account", .unit = "ns", .hints = COLUMN_MACHINE },
	{ .key = "wait_cpu_ns", .title = "CPU time in calls by the thread's clock", .unit = "ns", .hints = COLUMN_MACHINE },
	{ .key = "conservation_ns", .title = "states miss lifetimes by", .unit = "ns", .hints = COLUMN_MACHINE },
	{ .key = "outside_ns", .title = "own life beyond lifetime", .unit = "ns", .hints = COLUMN_MACHINE },
	{ .key = "sampling_z", .title = "sampling bias", .unit = "", .hints = COLUMN_MACHINE },
	{ .key = "threads", .title = "threads", .unit = "", .hints = COLUMN_MACHINE },
	{ .key = "waits", .title = "waits", .unit = "", .hints = COLUMN_MACHINE },
	{ .key = "why", .title = "why", .unit = "", .hints = COLUMN_MACHINE },
	{ .key = "before", .title = "before", .unit = "", .hints = COLUMN_MACHINE },
};
static const struct column amount_columns[] = {
	{ .key = "kind", .title = "kind", .unit = "" },
	{ .key = "dimension", .title = "dimension", .unit = "" },
	{ .key = "within", .title = "within", .unit = "" },
	{ .key = "truth", .title = "truth", .unit = "count" },
	{ .key = "seen", .title = "seen", .unit = "count" },
	{ .key = "unit", .title = "of", .unit = "" },
	{ .key = "error", .title = "error", .unit = "fraction" },
	{ .key = "attempts", .title = "tries", .unit = "" },
	{ .key = "worst", .title = "worst error", .unit = "count", .hints = COLUMN_MACHINE },
	{ .key = "allowed", .title = "allowed", .unit = "count", .hints = COLUMN_MACHINE },
	{ .key = "why", .title = "why", .unit = "", .hints = COLUMN_MACHINE },
	{ .key = "before", .title = "before", .unit = "", .hints = COLUMN_MACHINE },
};
static const struct column list_columns[] = {
	{ .key = "kind", .title = "kind", .unit = "" }, { .key = "state", .title = "state", .unit = "" },
	{ .key = "summary", .title = "what it stages", .unit = "" },
};
static const struct column reason_columns[] = {
	{ .key = "kind", .title = "kind", .unit = "" }, { .key = "why", .title = "why", .unit = "" },
};
static const struct column program_columns[] = {
	{ .key = "program", .title = "program", .unit = "" }, { .key = "cost_ns", .title = "one run", .unit = "ns" },
	{ .key = "runs", .title = "runs measured", .unit = "count" },
};
static const struct column rate_columns[] = {
	{ .key = "loop", .title = "loop", .unit = "" }, { .key = "without_ns", .title = "without", .unit = "ns" },
	{ .key = "with_ns", .title = "captured", .unit = "ns" }, { .key = "added_ns", .title = "added", .unit = "ns" },
	{ .key = "low_ns", .title = "from", .unit = "ns" }, { .key = "high_ns", .title = "to (95 %)", .unit = "ns" },
	{ .key = "pairs", .title = "pairs", .unit = "" },
};

static struct value state_value(const struct truth *row)
{
	if (!row->state)
		return value_none();
	return row->part ? value_print("%s/%s", row->state, row->part) : value_text(row->state);
}

void calibration_list(const struct calibration *kinds, size_t count, struct document *into)
{
	struct table *table = table_new(list_columns, ARRAY_LENGTH(list_columns));

	for (size_t i = 0; i < count; i++)
		table_add(table, (struct value[]){ value_text(kinds[i].row->name), state_value(kinds[i].row),
						   value_text(kinds[i].row->summary) });
	document_add_table(into, "kinds", "kinds of waits", table);
}

static struct value text_or_none(const char *text)
{
	return *text ? value_text(text) : value_none();
}

static void add_kind(struct table *table, const struct calibration *kind)
{
	table_add(table, (struct value[]){
		value_text(kind->row->name), state_value(kind->row), value_text(calibration_verdict_name(kind->verdict)),
		value_number(kind->truth_ns), value_number(kind->seen_ns),
		value_number(kind->truth_ns > 0 ? kind->seen_ns / kind->truth_ns - 1 : NAN), value_number(kind->share),
		value_number(kind->lost_ns), value_integer(kind->attempts), value_number(kind->part_share),
		value_number(kind->error_ns), value_number(kind->allowed_ns), value_number(kind->doubt_ns),
		value_number(kind->blocked_ns), value_number(kind->ready_ns), value_number(kind->oncpu_ns),
		value_number(kind->kernel_ready_ns), value_number(kind->own_wait_cpu_ns), value_number(kind->conservation_ns),
		value_number(kind->outside_ns), value_number(kind->sampling_z), value_integer(kind->threads),
		value_integer((int64_t)kind->waits), text_or_none(kind->why), text_or_none(kind->before) });
}

static void add_amount(struct table *table, const struct calibration *kind)
{
	table_add(table, (struct value[]){
		value_text(kind->row->name), state_value(kind->row), value_text(calibration_verdict_name(kind->verdict)),
		value_number(kind->truth_amount), value_number(kind->seen_amount), value_text(kind->row->unit),
		value_number(kind->truth_amount > 0 ? kind->seen_amount / kind->truth_amount - 1 : NAN),
		value_integer(kind->attempts), value_number(kind->error_amount), value_number(kind->allowed_amount),
		text_or_none(kind->why), text_or_none(kind->before) });
}

static void add_kinds(const struct calibration *kinds, size_t count, struct document *into)
{
	struct table *run = table_new(kind_columns, ARRAY_LENGTH(kind_columns));
	struct table *amounts = table_new(amount_columns, ARRAY_LENGTH(amount_columns));
	struct table *left = table_new(reason_columns, ARRAY_LENGTH(reason_columns));

	for (size_t i = 0; i < count; i++) {
		if (kinds[i].verdict == CALIBRATION_NOT_RUN)
			table_add(left, (struct value[]){ value_text(kinds[i].row->name), value_text(kinds[i].why) });
		else if (truth_is_amount(kinds[i].row))
			add_amount(amounts, &kinds[i]);
		else
			add_kind(run, &kinds[i]);
	}
	document_add_table(into, "kinds", "kinds of waits", run);
	document_add_table(into, "amounts", "holders, faults and leaks: what is counted", amounts);
	document_add_table(into, "not_run", "not run", left);
}

static void add_machine(const struct machine_balance *machine, struct document *into)
{
	struct record *record = record_new();

	record_add(record, "within", "within", "", value_text(calibration_verdict_name(machine->verdict)));
	record_add(record, "window_ns", "window", "ns", value_number(machine->window_ns));
	record_add(record, "cpus", "CPUs", "", value_number(machine->cpus));
	record_add(record, "threads_ns", "threads on CPU", "ns", value_number(machine->threads_ns));
	record_add(record, "idle_ns", "idle tasks", "ns", value_number(machine->idle_ns));
	record_add(record, "outside_ns", "between unseen switches", "ns", value_number(machine->outside_ns));
	record_add(record, "error", "error of the sum", "fraction", value_number(machine->error_fraction));
	record_add(record, "lost_ns", "lost of threads' lives", "ns", value_number(machine->lost_ns));
	record_add(record, "conservation_ns", "states miss lifetimes by", "ns", value_number(machine->conservation_ns));
	record_add(record, "attempts", "tries", "", value_integer(machine->attempts));
	document_add_record(into, "machine", "the machine: the CPUs' time in a capture of everybody", record);
}

static void add_rate(struct table *table, const char *name, const struct rate_cost *rate)
{
	if (rate->pairs > 0)
		table_add(table, (struct value[]){ value_text(name), value_number(rate->without_ns), value_number(rate->with_ns),
						   value_number(rate->added_ns), value_number(rate->low_ns),
						   value_number(rate->high_ns), value_number(rate->pairs) });
}

static void add_cost(const struct capture_cost *cost, struct document *into)
{
	struct table *rates = table_new(rate_columns, ARRAY_LENGTH(rate_columns));
	struct table *programs = table_new(program_columns, ARRAY_LENGTH(program_columns));
	time_t when = (time_t)cost->measured_wall_s;
	struct tm local;
	char text[64];

	add_rate(rates, "futex round trip", &cost->ping_pong);
	add_rate(rates, "getppid call", &cost->getppid);
	for (size_t i = 0; i < cost->program_count; i++)
		table_add(programs, (struct value[]){ value_text(cost->programs[i].name), value_number(cost->programs[i].ns),
						      value_number(cost->programs[i].runs) });
	document_add_table(into, "cost", "what a capture costs here", rates);
	document_add_table(into, "programs", "what one run of a program costs here", programs);
	(void)localtime_r(&when, &local);
	(void)strftime(text, sizeof(text), "%Y-%m-%d %H:%M", &local);
	document_add_finding(into, SEVERITY_NOTE, "the cost was measured at %s; crosscut calibrate --cost measures it again", text);
}

static void add_wrong(const struct calibration *kinds, size_t count, struct document *into)
{
	for (size_t i = 0; i < count; i++) {
		if (kinds[i].verdict == CALIBRATION_OUTSIDE)
			document_add_finding(into, SEVERITY_FAILURE, "%s, tried %u times: %s", kinds[i].row->name,
					     kinds[i].attempts, kinds[i].why);
		else if (*kinds[i].before)
			document_add_finding(into, SEVERITY_NOTE, "%s was within its bounds when tried again; before: %s",
					     kinds[i].row->name, kinds[i].before);
	}
}

static bool any_outside(const struct calibration *kinds, size_t count, const struct machine_balance *machine)
{
	for (size_t i = 0; i < count; i++)
		if (kinds[i].verdict == CALIBRATION_OUTSIDE)
			return true;
	return machine->verdict == CALIBRATION_OUTSIDE;
}

int calibration_answer(const struct calibration *kinds, size_t count, const struct machine_balance *machine,
		       const struct capture_cost *cost, struct document *into)
{
	bool outside = any_outside(kinds, count, machine);

	add_kinds(kinds, count, into);
	if (machine->verdict)
		add_machine(machine, into);
	if (cost->measured_wall_s > 0)
		add_cost(cost, into);
	add_wrong(kinds, count, into);
	if (machine->verdict == CALIBRATION_OUTSIDE)
		document_add_finding(into, SEVERITY_FAILURE, "the machine, tried %u times: %s", machine->attempts, machine->why);
	else if (*machine->before)
		document_add_finding(into, SEVERITY_NOTE, "the machine was within its bounds when tried again; before: %s",
				     machine->before);
	return outside;
}
