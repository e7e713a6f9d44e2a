/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An import knows little of all this: what is not known is none, never an empty text or a zero.
 */
#include "analysis/provenance.h"

#include "analysis/account.h"
#include "analysis/analysis.h"
#include "analysis/figure.h"
#include "analysis/origin.h"
#include "base/map.h"
#include "base/memory.h"
#include "base/quantity.h"
#include "profile/selection.h"
#include "result/document.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { GENERATED_SAID_MOST = 8 };                    /* processes of which it is said one by one */

static struct value meta_text(const struct profile *profile, const char *key)
{
	const char *text = profile_meta(profile, key);

	return text && *text ? value_text(text) : value_none();
}

static struct value meta_truth(const struct profile *profile, const char *key)
{
	const char *text = profile_meta(profile, key);

	return text ? value_truth(strcmp(text, "0") && strcmp(text, "false") && strcmp(text, "no"))
		    : value_none();
}

static struct value meta_date(const struct profile *profile, const char *key)
{
	time_t seconds = (time_t)(profile_meta_number(profile, key, 0) / 1000000000);
	char text[sizeof("2026-01-01T00:00:00Z") + 16];
	struct tm tm;

	if (!seconds || !gmtime_r(&seconds, &tm))
		return value_none();
	(void)strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &tm);
	return value_text(text);
}

/* What is not known is told to machines and not to people, who would read a dash as a finding. */
static void add_known(struct record *record, const char *key, const char *title, const char *unit,
		      unsigned hints, struct value value)
{
	bool empty = value.kind == VALUE_NONE ||
		     (value.kind == VALUE_TABLE && !value.table->row_count) ||
		     (value.kind == VALUE_RECORD && !value.record->count);

	hints |= empty ? COLUMN_MACHINE : 0;
	record_add_hinted(record, key, title, unit, hints, value);
}

static void add_record(struct document *into, const char *key, const char *title,
		       struct record *record)
{
	struct section *section = document_add_record(into, key, title, record);
	bool shown = false;

	for (size_t i = 0; i < record->count; i++)
		shown |= !(record->fields[i].hints & COLUMN_MACHINE);
	section->hints |= shown ? 0 : COLUMN_MACHINE;
}

static struct record *labels_of(const struct profile *profile)
{
	static const char prefix[] = "label.";
	struct record *labels = record_new();
	const char *key, *value;

	for (size_t i = 0; i < profile_meta_count(profile); i++) {
		profile_meta_at(profile, i, &key, &value);
		if (!strncmp(key, prefix, sizeof(prefix) - 1))
			record_add_named(labels, key + sizeof(prefix) - 1, value_text(value));
	}
	return labels;
}

static struct record *capture_of(const struct profile *profile, const struct account *account)
{
	struct record *record = record_new();

	add_known(record, "id", "capture", "", 0, meta_text(profile, "capture.id"));
	add_known(record, "started", "started", "", 0, meta_date(profile, "capture.start_wall_ns"));
	add_known(record, "duration_ns", "duration", "ns", 0,
		  account->elapsed_ns > 0 ? figure_whole(account->elapsed_ns) : value_none());
	add_known(record, "command", "command", "", COLUMN_HUMAN | COLUMN_CODE,
		  meta_text(profile, "capture.command"));
	add_known(record, "host", "host", "", 0, meta_text(profile, "host.name"));
	add_known(record, "kernel", "kernel", "", 0, meta_text(profile, "host.kernel"));
	add_known(record, "architecture", "architecture", "", 0,
		  meta_text(profile, "host.architecture"));
	add_known(record, "crosscut", "crosscut", "", 0, meta_text(profile, "capture.crosscut"));
	add_known(record, "sealed", "sealed", "", 0, meta_truth(profile, "capture.sealed"));
	add_known(record, "labels", "labels", "", 0, value_record(labels_of(profile)));
	return record;
}

/* Whatever a contract holds is shown, in the words of its keys. NULL where there is none. */
static struct record *contract_of(const struct profile *profile)
{
	static const char prefix[] = "contract.";
	struct record *contract = NULL;
	const char *key, *value;

	for (size_t i = 0; i < profile_meta_count(profile); i++) {
		profile_meta_at(profile, i, &key, &value);
		if (strncmp(key, prefix, sizeof(prefix) - 1))
			continue;
		if (!contract)
			contract = record_new();
		record_add_named(contract, key + sizeof(prefix) - 1, value_text(value));
	}
	return contract;
}

static struct record *population_of(const struct question *question, const struct account *account)
{
	struct record *record = record_new();
	CLEANUP_TEXT char *selection = selection_text(question->selection);

	add_known(record, "processes", "processes", "count", 0, figure_whole(account->processes));
	add_known(record, "threads", "threads", "count", 0, figure_whole(account->threads));
	add_known(record, "filter", "captured", "", 0,
		  meta_text(question->profile, "capture.filter"));
	if (*selection)
		add_known(record, "selection", "only", "", 0, value_text(selection));
	return record;
}

/* --- Work ------------------------------------------------------------------------------------- */

static const struct column class_columns[] = {
	{ "name", "class", "", COLUMN_LEFT },
	{ "outcome", "outcome", "", 0 },
	{ "count", "count", "count", 0 },
};

struct work_class {
	struct string_id name;
	enum outcome outcome;
	uint64_t count;
	const struct profile *profile;
};

static int compare_classes(const void *left, const void *right)
{
	const struct work_class *a = left, *b = right;
	int r = strcmp(profile_text(a->profile, a->name), profile_text(b->profile, b->name));

	return r ? r : (int)a->outcome - (int)b->outcome;
}

static size_t gather_classes(const struct question *question, struct work_class *classes)
{
	const struct profile *profile = question->profile;
	CLEANUP(map) struct map *index = map_new(2 * sizeof(uint32_t));

	for (size_t i = 0; i < profile_completion_count(profile); i++) {
		const struct completion *completion = profile_completion_at(profile, i);
		const uint32_t key[2] = { completion->class.index, completion->outcome };
		uint32_t *at;

		if (!selection_has_completion(question->selection, profile, completion))
			continue;
		at = map_put(index, key, NULL);
		if (!*at)
			*at = (uint32_t)map_count(index);
		classes[*at - 1].name = completion->class;
		classes[*at - 1].outcome = completion->outcome;
		classes[*at - 1].count += completion->count;
		classes[*at - 1].profile = profile;
	}
	return map_count(index);
}

static struct table *classes_of(const struct question *question)
{
	struct table *table = table_new(class_columns, ARRAY_LENGTH(class_columns));
	struct work_class *classes =
		xcalloc(profile_completion_count(question->profile) + 1, sizeof(*classes));
	size_t count = gather_classes(question, classes);

	qsort(classes, count, sizeof(*classes), compare_classes);
	for (size_t i = 0; i < count; i++)
		table_add(table, (struct value[]){
			value_text(profile_text(question->profile, classes[i].name)),
			value_text(outcome_name(classes[i].outcome)),
			value_integer((int64_t)classes[i].count),
		});
	free(classes);
	return table;
}

/* Only where somebody told them apart: a count of responses knows no attempts. */
static void add_attempts(const struct account *account, struct record *record)
{
	if (account->rejected + account->retried + account->abandoned <= 0)
		return;
	add_known(record, "attempts", "attempts", "count", 0, figure_whole(account_attempts(account)));
	add_known(record, "operations", "logical operations", "count", 0,
		  figure_whole(account_attempts(account) - account->retried));
	add_known(record, "rejected", "rejected", "count", 0, figure_whole(account->rejected));
	add_known(record, "retried", "retried", "count", 0, figure_whole(account->retried));
	add_known(record, "abandoned", "abandoned", "count", 0, figure_whole(account->abandoned));
}

static struct record *work_of(const struct question *question, const struct account *account)
{
	const struct profile *profile = question->profile;
	struct record *record = record_new();
	bool counted = account->worked || profile_meta(profile, "work.source");
	struct value source = meta_text(profile, "work.source");

	if (source.kind == VALUE_NONE && account->worked)
		source = value_text(
			profile_text(profile, profile_completion_at(profile, 0)->source));
	add_known(record, "unit", "useful work", "", 0, meta_text(profile, "work.unit"));
	add_known(record, "source", "counted by", "", 0, source);
	add_known(record, "correct", "correct", "count", 0,
		  counted ? figure_whole(account->correct) : value_none());
	add_known(record, "incorrect", "incorrect", "count", 0,
		  counted ? figure_whole(account->incorrect) : value_none());
	add_attempts(account, record);
	add_known(record, "classes", "classes", "", 0, value_table(classes_of(question)));
	return record;
}

/* --- Does it add up? -------------------------------------------------------------------------- */

/* Parallel thread time is no elapsed time: both are said, in seconds of each. */
static struct record *wall_of(const struct question *question, const struct account *account)
{
	struct record *record = record_new();
	bool adds_up = account->is_ledger && account->thread_ns > 0 &&
		       !selection_by_cell(question->selection);

	add_known(record, "elapsed_ns", "wall time", "ns", COLUMN_HUMAN,
		  account->elapsed_ns > 0 ? figure_whole(account->elapsed_ns) : value_none());
	add_known(record, "thread_ns", "thread time", "ns", 0,
		  account->thread_ns > 0 ? figure_whole(account->thread_ns) : value_none());
	add_known(record, "accounted_ns", "accounted for", "ns", 0,
		  account->is_ledger ? figure_whole(account->accounted_ns) : value_none());
	add_known(record, "residual_ns", "residual", "ns", 0,
		  adds_up ? figure_whole(account->thread_ns - account->accounted_ns)
			  : value_none());
	return record;
}

static void warn_missing(const struct profile *profile, struct document *into)
{
	static const char prefix[] = "probe.missing.";
	const char *key, *value;

	for (size_t i = 0; i < profile_meta_count(profile); i++) {
		profile_meta_at(profile, i, &key, &value);
		if (!strncmp(key, prefix, sizeof(prefix) - 1))
			document_add_finding(into, SEVERITY_WARNING, "not measured: %s: %s",
					     key + sizeof(prefix) - 1, value);
	}
}

/* What the user left out is no defect, but a reader of the capture must know of it. */
static void note_left_out(const struct profile *profile, struct document *into)
{
	static const char prefix[] = "probe.left-out.";
	const char *key, *value;

	for (size_t i = 0; i < profile_meta_count(profile); i++) {
		profile_meta_at(profile, i, &key, &value);
		if (!strncmp(key, prefix, sizeof(prefix) - 1))
			document_add_finding(into, SEVERITY_NOTE, "left out by request: %s: %s", key + sizeof(prefix) - 1,
					     value);
	}
}

/* Something was done to a process on request; where it failed, its names are missing and nothing else. */
static void note_attached(const struct profile *profile, struct document *into)
{
	static const char prefix[] = "capture.jvm_attach.";
	const char *key, *value;

	for (size_t i = 0; i < profile_meta_count(profile); i++) {
		profile_meta_at(profile, i, &key, &value);
		if (!strncmp(key, prefix, sizeof(prefix) - 1))
			document_add_finding(into, SEVERITY_NOTE, "attached to Java process %s: %s", key + sizeof(prefix) - 1,
					     value);
	}
}

static void note_redacted(const struct profile *profile, struct document *into)
{
	if (profile_meta(profile, "capture.simulated"))
		document_add_finding(into, SEVERITY_WARNING, "a simulated capture: no service was measured for it");
	if (profile_meta_number(profile, "capture.redacted", 0))
		document_add_finding(into, SEVERITY_NOTE,
				     "names and paths were left out of this capture: equal numbers stand for equal names");
}

/* What a broken or replaced file cost: its names or its lines, and nothing else. */
static void warn_symbols(const struct profile *profile, struct document *into)
{
	uint64_t refused = profile_meta_number(profile, "symbol.files_refused", 0);
	uint64_t failed = profile_meta_number(profile, "symbol.debug_failed", 0);
	uint64_t partial = profile_meta_number(profile, "symbol.debug_partial", 0);

	if (refused)
		document_add_finding(into, SEVERITY_WARNING,
				     "programs that were replaced by another build before their names were read: %llu, with %llu "
				     "frames; they name nothing", (unsigned long long)refused,
				     (unsigned long long)profile_meta_number(profile, "symbol.frames_refused", 0));
	if (failed || partial)
		document_add_finding(into, SEVERITY_WARNING,
				     "programs whose debug information could not be read: %llu, or only up to a limit: %llu; their "
				     "frames lack lines and inlined calls until crosscut symbolize reads them", (unsigned long long)failed, (unsigned long long)partial);
}

/* Without such a file generated code shows as [jit], or by the names of a part of it. */
static void warn_generated(const struct profile *profile, struct document *into)
{
	const size_t prefix = sizeof(META_GENERATED) - 1;
	const char *key, *value;
	unsigned count = 0;

	for (size_t i = 0; i < profile_meta_count(profile); i++) {
		profile_meta_at(profile, i, &key, &value);
		if (!strncmp(key, META_GENERATED, prefix) && count++ < GENERATED_SAID_MOST)
			document_add_finding(into, SEVERITY_WARNING, "generated code of process %s: %s", key + prefix,
					     value);
	}
	if (count > GENERATED_SAID_MOST)
		document_add_finding(into, SEVERITY_WARNING, "generated code of %u more processes likewise", count - GENERATED_SAID_MOST);
}

void provenance_guard(const struct profile *profile, struct document *into)
{
	const char *budget = profile_meta(profile, "guard.budget"), *highest = profile_meta(profile, "guard.highest");
	uint64_t start_ns = profile_meta_number(profile, "capture.start_ns", 0);
	char at[QUANTITY_SIZE];

	for (size_t i = 0; i < profile_guard_step_count(profile); i++) {
		const struct guard_step *step = profile_guard_step_at(profile, i);
		double since_ns = step->at_ns > start_ns ? (double)(step->at_ns - start_ns) : 0;

		document_add_finding(
			into, SEVERITY_WARNING, "at %s the guard acted: %s, because %s",
			quantity_print(at, since_ns, "ns"), profile_text(profile, step->action),
			profile_text(profile, step->reason));
	}
	if (budget && highest)
		document_add_finding(into, SEVERITY_NOTE, "the capture cost at most %.2f %% of the CPU that pays most, against a budget "
				     "of %.2f %%, in windows of %s", 100 * atof(highest), 100 * atof(budget),
				     quantity_print(at, (double)profile_meta_number(profile, "guard.window_ns", 0), "ns"));
}

/* How the count of intervals stands to those that were sent: lost ones are missing there, never in the sums. */
static void note_intervals(const struct profile *profile, struct document *into)
{
	uint64_t kept = profile_interval_count(profile), lost = 0;

	for (size_t i = 0; i < profile_loss_count(profile); i++) {
		const struct loss *loss = profile_loss_at(profile, i);

		if (!strcmp(profile_text(profile, loss->source), "intervals"))
			lost += loss->lost;
	}
	if (kept || lost)
		document_add_finding(into, lost ? SEVERITY_WARNING : SEVERITY_NOTE,
				     "the timeline holds %llu intervals one by one; %llu were lost, of which the sums here still "
				     "hold the time", (unsigned long long)kept, (unsigned long long)lost);
}

/* A file may say numbers that no sum of them can be held in. */
static void warn_saturated(const struct account *account, struct document *into)
{
	unsigned long long count = 0;

	for (uint32_t i = 1; i < account->count; i++)
		count += !profile_dimension_at(account->profile, i)->parent.index &&
			 account_state(account, (struct dimension_id){ i }).total >= FIGURE_LIMIT;
	if (count)
		document_add_finding(into, SEVERITY_WARNING, "%llu sum%s larger than can be shown: it stands as %lld",
				     count, count == 1 ? " is" : "s are", (long long)INT64_MAX);
}

static void note_flight(const struct profile *profile, struct document *into)
{
	const char *trigger = profile_meta(profile, "flight.trigger");
	uint64_t forgotten = profile_meta_number(profile, "flight.slices_forgotten_for_room", 0);

	if (trigger)
		document_add_finding(into, SEVERITY_NOTE, "a flight recorder kept this because %s; each thread's account begins with the interval "
							  "that was open when the kept time began", trigger);
	if (forgotten)
		document_add_finding(into, SEVERITY_WARNING, "%llu slices had to be forgotten earlier than asked, for want of memory",
				     (unsigned long long)forgotten);
}

static void add_findings(const struct question *question, const struct account *account,
			 struct document *into)
{
	const char *sealed = profile_meta(question->profile, "capture.sealed");
	bool counted = account->worked || profile_meta(question->profile, "work.source");

	note_flight(question->profile, into);
	if (sealed && (!strcmp(sealed, "0") || !strcmp(sealed, "false") || !strcmp(sealed, "no")))
		document_add_finding(into, SEVERITY_WARNING,
				     "the capture was not sealed: the recorder ended early, and "
				     "this is what it had stored");
	if (selection_by_time(question->selection))
		document_add_finding(into, SEVERITY_NOTE,
				     "part of the time is selected, in whole slices; an interval "
				     "counts where it ended, so the residual shows what reaches "
				     "across the edges");
	if (selection_by_time(question->selection) && account->worked && !(account_attempts(account) + account->unjudged > 0))
		document_add_finding(into, SEVERITY_NOTE,
				     "no completion is of that part of the time; those that were "
				     "counted for a capture as a whole are of no part of it");
	if (!counted && account->is_ledger && !profile_meta(question->profile, "import.format"))
		document_add_finding(into, SEVERITY_NOTE,
				     "no useful work was counted, so nothing is shown per "
				     "completion (crosscut record --work)");
	if (account->several_ports)
		document_add_finding(into, SEVERITY_WARNING,
				     "completions left on several ports, which are several "
				     "services: nothing is shown per completion (crosscut record "
				     "--work http:PORT)");
	if (counted && account->correct <= 0)
		document_add_finding(
			into, SEVERITY_WARNING,
			"no correct completion was counted: nothing is shown per completion");
	warn_missing(question->profile, into);
	warn_symbols(question->profile, into);
	warn_generated(question->profile, into);
	note_left_out(question->profile, into);
	note_redacted(question->profile, into);
	note_attached(question->profile, into);
	provenance_guard(question->profile, into);
	note_intervals(question->profile, into);
	warn_saturated(account, into);
}

void provenance_add(const struct question *question, const struct account *account,
		    struct document *into)
{
	struct record *contract = contract_of(question->profile);

	origin_add(question->profile, into);
	add_record(into, "capture", "Capture", capture_of(question->profile, account));
	if (contract)
		add_record(into, "contract", "Contract", contract);
	add_record(into, "population", "Population", population_of(question, account));
	add_record(into, "work", "Useful work", work_of(question, account));
	add_record(into, "wall", "Time", wall_of(question, account));
	add_findings(question, account, into);
}
