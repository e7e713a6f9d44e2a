/* SPDX-License-Identifier: Apache-2.0 */
/* `record --dry-run`: which probes, at what expected cost, exposing what. Nothing is loaded. */
#include "command/record.h"

#include "base/cleanup.h"
#include "base/error.h"
#include "command/answer.h"
#include "command/cost_cache.h"
#include "probe/probe.h"
#include "result/document.h"
#include "work/work.h"

#include <stdio.h>
#include <string.h>

static const struct column probe_columns[] = {
	{ "probe", "probe", "", 0 }, { "tracepoint", "tracepoint", "", 0 }, { "state", "here", "", 0 },
	{ "cost_ns", "cost per event", "ns", 0 }, { "cost_from", "cost is", "", 0 },
	{ "without", "without it", "", 0 },
};
static const struct column exposes_columns[] = { { "source", "source", "", 0 }, { "exposes", "reads of the user's", "", 0 } };

static void add_exposed(struct table *table, const char *source, const char *exposes)
{
	if (exposes)
		table_add(table, (struct value[]){ value_text(source), value_text(exposes) });
}

/* Measured here if `calibrate` did, else as it was expected when this was built. */
static void add_probe(struct table *table, const struct capture_probe_fact *fact, const struct capture_cost *measured)
{
	const struct program_cost *here = cost_of_program(measured, fact->program);

	table_add(table, (struct value[]){
		value_text(fact->probe), value_text(fact->tracepoint ? fact->tracepoint : fact->program),
		value_text(!fact->chosen ? "left out" : fact->present ? "yes" : "missing"),
		fact->chosen ? value_number(here ? here->ns : fact->cost_ns) : value_none(),
		fact->chosen ? value_text(here ? "measured here" : "expected") : value_none(),
		value_text(fact->without) });
}

static bool is_chosen(const struct capture_probe_fact *facts, size_t count, const char *probe)
{
	for (size_t i = 0; i < count; i++)
		if (!strcmp(facts[i].probe, probe))
			return facts[i].chosen;
	return false;
}

static void say_cost(const struct probe *probe, const struct capture_cost *measured)
{
	bool here = true;

	fprintf(stderr, "crosscut: --with %s: about", probe->name);
	for (const struct probe_program *program = probe->programs; program->program; program++) {
		const struct program_cost *cost = cost_of_program(measured, program->program);

		here &= cost != NULL;
		fprintf(stderr, "%s %.0f ns (%s)", program == probe->programs ? "" : ",", cost ? cost->ns : program->cost_ns,
			program->tracepoint ? program->tracepoint : program->program);
	}
	fprintf(stderr, " per event, %s%s%s\n", here ? "measured here" : "expected", probe->paid ? "; " : "",
		probe->paid ? probe->paid : "");
}

void record_say_costs(const struct record_job *job)
{
	const struct capture_config *capture = &job->recording.capture;
	struct capture_cost measured = { 0 };

	(void)cost_cache_read(&measured);       /* unknown: what was expected when this was built */
	for (unsigned i = 0; i < capture->with_count; i++) {
		const struct probe *probe = probe_find(capture->with[i]);

		if (probe && !probe->by_default && probe->programs[0].program)
			say_cost(probe, &measured);
	}
}

int record_plan(const struct record_job *job, struct error *err)
{
	CLEANUP(document) struct document *document = document_new("crosscut.dry-run/1", "what record would do");
	struct table *probes_table = table_new(probe_columns, ARRAY_LENGTH(probe_columns));
	struct table *exposed = table_new(exposes_columns, ARRAY_LENGTH(exposes_columns));
	const struct capture_config *capture = &job->recording.capture;
	const struct work *work;
	const char *argument;
	struct capture_probe_fact facts[64];
	size_t count = capture_probe_facts(capture, facts, ARRAY_LENGTH(facts));
	struct capture_cost measured;
	bool known = cost_cache_read(&measured);

	for (size_t i = 0; i < count; i++)
		add_probe(probes_table, &facts[i], &measured);
	for (const struct probe *const *probe = probes; *probe; probe++)
		if (is_chosen(facts, count, (*probe)->name))
			add_exposed(exposed, (*probe)->name, (*probe)->exposes);
	if (capture->work && !work_parse(capture->work, &work, &argument, err))
		add_exposed(exposed, work->name, work->exposes);
	if (capture->with_arguments)
		add_exposed(exposed, "arguments", "the command lines of processes");
	if (capture->jvm_attach)
		add_exposed(exposed, "jvm-attach", "names of compiled Java methods; it makes each Java machine write /tmp/perf-PID.map");
	document_add_table(document, "probes", "probes", probes_table);
	document_add_table(document, "exposes", "what it reads", exposed);
	document_add_finding(document, SEVERITY_NOTE,
			     "a thread that does not block pays nothing; one switch with its wake-up pays the first three of sched");
	if (known)
		document_add_finding(document, SEVERITY_NOTE,
				     "measured here: %+.0f ns on a futex round trip of two switches, %+.2f ns on a getppid call",
				     measured.ping_pong.added_ns, measured.getppid.added_ns);
	else
		document_add_finding(document, SEVERITY_NOTE,
				     "these costs are what was expected when this was built: crosscut calibrate measures them here");
	return answer_print(document, job->config->json, err);
}
