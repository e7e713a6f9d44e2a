/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `crosscut select`: from a symptom to the evidence that can tell its explanations apart, and what it costs here. A capture
 * that is there already proposes the row that most of its active time speaks for.
 */
#include "analysis/account.h"
#include "analysis/analysis.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/option.h"
#include "base/quantity.h"
#include "capture/capture.h"
#include "command/answer.h"
#include "command/command.h"
#include "command/cost_cache.h"
#include "command/profile_open.h"
#include "profile/profile.h"
#include "profile/selection.h"
#include "result/document.h"
#include "symptom/symptom.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct select_config { const char *counts; bool json; };

static const struct option select_options[] = {
	OPTION_COUNTS(select_config),
	{ .name = "json", .type = OPTION_FLAG, .into = offsetof(struct select_config, json), .help = "print the answer as JSON",
	  .example = "--json" },
	{ 0 },
};

/* --- What it costs ---------------------------------------------------------------------------------------------- */

static bool names_probe(const char *list, const char *probe)
{
	const char *at = strstr(list, probe);
	size_t size = strlen(probe);

	return at && (at == list || at[-1] == ' ') && (!at[size] || at[size] == ' ');
}

/* The dearest program of the row's probes, per event: measured here where `calibrate` ran, else as expected when built. */
static struct value cost_of(const struct symptom *symptom)
{
	struct capture_config config = { .sample_rate_hz = 99, .wait_stacks = true };
	struct capture_probe_fact facts[64];
	size_t count = capture_probe_facts(&config, facts, ARRAY_LENGTH(facts));
	struct capture_cost measured;
	bool known = cost_cache_read(&measured);
	double dearest = 0;
	char text[QUANTITY_SIZE];

	for (size_t i = 0; i < count; i++) {
		const struct program_cost *here = known ? cost_of_program(&measured, facts[i].program) : NULL;

		if (names_probe(symptom->probes, facts[i].probe))
			dearest = fmax(dearest, here ? here->ns : facts[i].cost_ns);
	}
	if (known && measured.ping_pong.pairs > 0)
		return value_print("at most %s per event as measured here (%+.0f ns on a wake-up round trip); nothing while a thread "
				   "neither blocks nor is sampled", quantity_print(text, dearest, "ns"), measured.ping_pong.added_ns);
	return value_print("at most %s per event, %s; nothing while a thread neither blocks nor is sampled",
			   quantity_print(text, dearest, "ns"),
			   known ? "as measured here" : "as expected (crosscut calibrate measures it)");
}

/* --- Saying it -------------------------------------------------------------------------------------------------- */

static const struct column symptom_columns[] = {
	{ "name", "name", "", 0 }, { "symptom", "symptom", "", 0 }, { "first", "first profile", "", 0 },
	{ "second", "second profile", "", COLUMN_MACHINE },
	{ "fit", "of active time", "fraction", 0 },
};

static void add_all(const struct symptom_facts *facts, struct document *into)
{
	struct table *table = table_new(symptom_columns, ARRAY_LENGTH(symptom_columns));
	char why[256];

	for (const struct symptom *const *row = symptoms; *row; row++) {
		double fit = facts ? (*row)->fits(facts, why, sizeof(why)) : NAN;

		table_add(table, (struct value[]){ value_text((*row)->name), value_text((*row)->summary), value_text((*row)->first),
						   value_text((*row)->second), value_number(fit) });
	}
	document_add_table(into, "symptoms", "Symptoms, and what to look at", table);
}

static void add_one(const struct symptom *symptom, struct document *into)
{
	struct record *record = record_new();

	record_add(record, "symptom", "symptom", "", value_text(symptom->summary));
	record_add(record, "first", "first profile", "", value_text(symptom->first));
	record_add(record, "first_command", "run", "", value_text(symptom->first_command));
	record_add(record, "first_shows", "it would show", "", value_text(symptom->first_shows));
	record_add(record, "second", "second profile", "", value_text(symptom->second));
	record_add(record, "second_command", "run", "", value_text(symptom->second_command));
	record_add(record, "second_shows", "it would show", "", value_text(symptom->second_shows));
	record_add(record, "refutes", "refuted where", "", value_text(symptom->refutes));
	record_add(record, "cost", "cost", "", cost_of(symptom));
	document_add_record(into, symptom->name, symptom->name, record);
}

/* --- From a capture --------------------------------------------------------------------------------------------- */

static double state_ns(const struct account *account, const char *name)
{
	struct dimension_id id = profile_dimension_find(account->profile, NULL, name);

	if (!id.index)
		return account->is_ledger ? 0 : NAN;
	return account_state(account, id).total;
}

static void read_facts(const struct profile *profile, struct symptom_facts *ret)
{
	CLEANUP(selection) struct selection *selection = selection_new();
	struct question question = { .profile = profile, .selection = selection };
	CLEANUP(account) struct account *account = account_new(&question);

	*ret = (struct symptom_facts){
		.elapsed_ns = account->elapsed_ns,
		.processors = (double)profile_meta_number(profile, "host.cpus", (uint64_t)sysconf(_SC_NPROCESSORS_ONLN)),
		.oncpu = state_ns(account, "oncpu"), .runnable = state_ns(account, "runnable"), .lock = state_ns(account, "lock"),
		.disk = state_ns(account, "disk"), .network = state_ns(account, "network"), .paging = state_ns(account, "paging"),
		.ipc = state_ns(account, "ipc"), .timer = state_ns(account, "timer"), .child = state_ns(account, "child"),
		.unknown = state_ns(account, "unknown"),
	};
}

static int propose(const char *path, const char *counts, struct document *into, struct error *err)
{
	CLEANUP(profile) struct profile *profile = NULL;
	const struct symptom *best;
	struct symptom_facts facts;
	char why[256] = "";
	double fit;
	int r = profile_open_told(path, counts, &profile, err);

	if (r < 0)
		return r;
	read_facts(profile, &facts);
	add_all(&facts, into);
	best = symptom_propose(&facts, &fit);
	if (!best) {
		document_add_finding(into, SEVERITY_WARNING, "this file does not say how its threads spent their time: no row can be proposed");
		return 1;
	}
	(void)best->fits(&facts, why, sizeof(why));
	add_one(best, into);
	document_add_finding(into, SEVERITY_NOTE, "proposed: %s, since %s", best->name, why);
	document_add_finding(into, SEVERITY_NOTE, "one capture shows where time is, not where it was lost: that takes a baseline per equal "
						  "unit of work");
	return 0;
}

static int select_one(const char *name, const char *counts, struct document *into, struct error *err)
{
	const char *names[64] = { NULL }, *near;
	const struct symptom *symptom = symptom_find(name);

	if (symptom) {
		add_one(symptom, into);
		return 0;
	}
	if (strchr(name, '.') || strchr(name, '/') || !access(name, F_OK))
		return propose(name, counts, into, err);
	for (size_t i = 0; symptoms[i] && i < ARRAY_LENGTH(names) - 1; i++)
		names[i] = symptoms[i]->name;
	near = nearest_name(name, names);
	fail(err, FAILURE_USAGE, -EINVAL, "unknown symptom '%.64s'", name);
	error_because(err, "it names neither a row nor a file");
	return near ? error_try(err, "crosscut select %s", near) : error_try(err, "crosscut select");
}

static int select_run(void *config, const struct option_arguments *arguments, struct error *err)
{
	CLEANUP(document) struct document *document = document_new("crosscut.select/1", "which evidence first");
	const struct select_config *wanted = config;
	int r = 0, printed;

	if (arguments->operand_count > 1) {
		fail(err, FAILURE_USAGE, -EINVAL, "select takes one symptom or one capture");
		error_because(err, "%zu were named", arguments->operand_count);
		return error_try(err, "crosscut select latency");
	}
	if (arguments->operand_count) {
		r = select_one(arguments->operands[0], wanted->counts, document, err);
	} else {
		add_all(NULL, document);
		for (const struct symptom *const *row = symptoms; *row; row++)
			add_one(*row, document);
	}
	if (r < 0)
		return r;
	printed = answer_print(document, wanted->json, err);
	return printed < 0 ? printed : r;
}

extern const struct command cmd_select;
const struct command cmd_select = {
	.name = "select", .summary = "from a symptom to the evidence to take first, and what refutes it",
	.synopsis = "crosscut select [OPTIONS] [SYMPTOM|FILE]", .example = "crosscut select latency", .options = select_options,
	.config_size = sizeof(struct select_config), .run = select_run,
};
