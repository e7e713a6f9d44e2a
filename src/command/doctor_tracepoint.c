/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which kernel events the probes and the sources of work watch, what each serves, and whether this kernel has it. The
 * rows say what is lost without; nothing about them is repeated here.
 */
#include "base/cleanup.h"
#include "command/doctor.h"
#include "probe/probe.h"
#include "result/document.h"
#include "work/work.h"

#include <stdio.h>

struct event {
	const char *name;
	bool here, required;
	char serves[96];
	char without[160];
};

static const struct column columns[] = {
	{ .key = "name", .title = "event", .unit = "" },
	{ .key = "verdict", .title = "here", .unit = "" },
	{ .key = "serves", .title = "serves", .unit = "" },
	{ .key = "costs", .title = "costs", .unit = "", .hints = COLUMN_MACHINE },
};

static void add_event(struct doctor *doctor, struct table *table, const struct event *event)
{
	enum doctor_verdict verdict = event->here     ? DOCTOR_OK :
				      event->required ? DOCTOR_IMPOSSIBLE :
							DOCTOR_LIMITED;
	char name[96];

	table_add(table, (struct value[]){
		value_text(event->name), value_text(doctor_verdict_name(verdict)), value_text(event->serves),
		event->here ? value_none() : value_text(event->without),
	});
	(void)snprintf(name, sizeof(name), "no %s", event->name);
	doctor_judge(doctor, verdict, name, event->without, "a newer kernel, or one built with this event, has it");
}

static void add_probe(struct doctor *doctor, struct table *table, const struct doctor_btf *btf, const struct probe *probe)
{
	for (size_t i = 0; i < PROBE_PROGRAMS && probe->programs[i].program; i++) {
		struct event event = { .name = probe->programs[i].tracepoint, .required = probe->required };

		if (!event.name)
			continue;
		event.here = doctor_btf_tracepoint(btf, event.name);
		(void)snprintf(event.serves, sizeof(event.serves), "%s", probe->fills);
		(void)snprintf(event.without, sizeof(event.without), "%s", probe->without ? probe->without : probe->summary);
		add_event(doctor, table, &event);
	}
}

static void add_work(struct doctor *doctor, struct table *table, const struct doctor_btf *btf, const struct work *work)
{
	for (size_t i = 0; i < PROBE_PROGRAMS && work->programs[i].program; i++) {
		struct event event = { .name = work->programs[i].tracepoint };

		if (!event.name)
			continue;
		event.here = doctor_btf_tracepoint(btf, event.name);
		(void)snprintf(event.serves, sizeof(event.serves), "--work %s", work->synopsis);
		(void)snprintf(event.without, sizeof(event.without), "--work %s cannot count", work->name);
		add_event(doctor, table, &event);
	}
}

/* Where the type information cannot be read, that is the finding, and the events are unknown: no table is added. */
void doctor_tracepoints(struct doctor *doctor)
{
	struct doctor_btf *btf = doctor_btf_read(DOCTOR_BTF);
	struct table *table;

	if (!btf)
		return;
	table = table_new(columns, ARRAY_LENGTH(columns));
	for (const struct probe *const *row = probes; *row; row++)
		add_probe(doctor, table, btf, *row);
	add_event(doctor, table, &(struct event){
		.name = "bpf_iter_task", .here = doctor_btf_function(btf, "bpf_iter_task"), .required = true,
		.serves = "threads that live before and after the window",
		.without = "threads that live through the window are not in the ledger",
	});
	for (const struct work *const *row = works; *row; row++)
		add_work(doctor, table, btf, *row);
	document_add_table(doctor->document, "events", "kernel events", table);
	doctor_btf_free(btf);
}
