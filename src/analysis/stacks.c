/* SPDX-License-Identifier: Apache-2.0 */
/*
 * May the stacks be believed? Per dimension: how much of its weight has a stack that reaches its root, and why the rest
 * does not; by which method frames were found, and by which source they got their names; what walking cost. A stack's
 * weight counts once for its status and once for each of its frames.
 */
#include "analysis/account.h"
#include "analysis/analysis.h"
#include "analysis/figure.h"
#include "analysis/naming.h"
#include "base/intern.h"
#include "base/memory.h"
#include "profile/selection.h"
#include "result/document.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FAILURES_MOST = 10 };

/* What the stacks of one state add up to. */
struct state_stacks {
	double weight, without;                      /* all of it, and what of it has no stack */
	double statuses[STACK_STATUS_COUNT];
	double methods[METHOD_COUNT], frames;        /* of user frames */
	double *sources;                             /* by name of the source; 0: no name was found */
};

struct believing {
	const struct question *question;
	const struct account *account;
	struct state_stacks *states;                 /* by dimension */
	struct intern *sources;
	double *failures;                            /* by cause, a name of naming */
	struct naming *naming;
	size_t state_count;
};

static const char *source_of(const struct profile *profile, struct frame_id frame)
{
	size_t count = 0;
	const struct symbol *symbols = profile_frame_symbols(profile, frame, &count);

	if (count)
		return profile_text(profile, symbols[0].origin);
	return profile_frame_at(profile, frame.index)->name.index ? "named while capturing" : "";
}

static void add_frame(struct believing *believing, struct state_stacks *to, struct frame_id frame, double weight)
{
	const struct profile *profile = believing->question->profile;
	enum frame_method method = profile_frame_at(profile, frame.index)->method;
	uint32_t source;

	if (method == METHOD_KERNEL)                 /* the kernel walks and names its own */
		return;
	source = intern_put(believing->sources, source_of(profile, frame));
	to->methods[method] += weight;
	to->frames += weight;
	to->sources[source] += weight;
}

static void add_failure(struct believing *believing, struct stack_id stack, double weight)
{
	const char *cause = naming_failure(believing->naming, stack);

	if (cause)
		believing->failures[naming_put(believing->naming, cause)] += weight;
}

static void add_stack(struct believing *believing, struct state_stacks *to, struct stack_id stack, double weight)
{
	const struct profile *profile = believing->question->profile;

	to->statuses[profile_stack_at(profile, stack.index).status] += weight;
	add_failure(believing, stack, weight);
	for (; stack.index; stack = profile_stack_at(profile, stack.index).parent)
		add_frame(believing, to, profile_stack_at(profile, stack.index).frame, weight);
}

static bool counts(const struct believing *believing, const struct cell *cell, struct dimension_id root)
{
	const struct profile *profile = believing->question->profile;
	const struct measure *measure = profile_measure_at(profile, cell->measure.index);
	bool stacked = believing->account->has_splits[root.index] ? measure->role == ROLE_SPLIT
								   : measure->role == ROLE_TOTAL && cell->stack.index;

	return root.index && stacked && !profile_thread_at(profile, cell->thread.index)->outside &&
	       selection_has_cell(believing->question->selection, profile, cell);
}

static void add_cells(struct believing *believing)
{
	const struct profile *profile = believing->question->profile;

	for (size_t i = 0; i < profile_cell_count(profile); i++) {
		const struct cell *cell = profile_cell_at(profile, i);
		struct dimension_id root = profile_dimension_root(profile, profile_cell_dimension(profile, cell));
		struct state_stacks *to = &believing->states[root.index];

		if (!counts(believing, cell, root))
			continue;
		to->weight += cell_weight(cell);
		if (cell->stack.index)
			add_stack(believing, to, cell->stack, cell_weight(cell));
		else
			to->without += cell_weight(cell);
	}
}

/* --- Sections --------------------------------------------------------------------------------------------------- */

static const char *state_name(const struct believing *believing, size_t state)
{
	const struct profile *profile = believing->question->profile;

	return profile_text(profile, profile_dimension_at(profile, state)->name);
}

static double share(double part, double whole)
{
	return whole > 0 ? part / whole : NAN;
}

static struct table *status_table(const struct believing *believing, size_t state)
{
	static const struct column columns[] = {
		{ "name", "status", "", 0 }, { "total", "total", "", 0 }, { "share", "share", "fraction", COLUMN_BAR },
	};
	const struct state_stacks *of = &believing->states[state];
	struct table *table = table_new(columns, 3);

	for (size_t i = 0; i < STACK_STATUS_COUNT; i++)
		if (of->statuses[i] > 0)
			table_add(table, (struct value[]){ value_text(stack_status_name((enum stack_status)i)),
							   figure_whole(of->statuses[i]), figure(share(of->statuses[i], of->weight)) });
	if (of->without > 0)
		table_add(table, (struct value[]){ value_text("not-taken"), figure_whole(of->without),
						   figure(share(of->without, of->weight)) });
	return table;
}

static struct table *method_table(const struct believing *believing, size_t state)
{
	static const struct column columns[] = { { "name", "method", "", 0 }, { "share", "share of frames", "fraction", COLUMN_BAR } };
	const struct state_stacks *of = &believing->states[state];
	struct table *table = table_new(columns, 2);

	for (size_t i = 0; i < METHOD_COUNT; i++)
		if (of->methods[i] > 0)
			table_add(table, (struct value[]){ value_text(frame_method_name((enum frame_method)i)),
							   figure(share(of->methods[i], of->frames)) });
	return table;
}

static struct table *source_table(const struct believing *believing, size_t state)
{
	static const struct column columns[] = { { "name", "named by", "", 0 }, { "share", "share of frames", "fraction", COLUMN_BAR } };
	const struct state_stacks *of = &believing->states[state];
	struct table *table = table_new(columns, 2);

	for (uint32_t i = 0; i < intern_count(believing->sources); i++)
		if (of->sources[i] > 0)
			table_add(table, (struct value[]){ value_text(i ? intern_text(believing->sources, i) : "unresolved"),
							   figure(share(of->sources[i], of->frames)) });
	return table;
}

static void add_states(const struct believing *believing, struct document *into)
{
	static const struct column columns[] = {
		{ "name", "state", "", 0 },
		{ "unit", "unit", "", COLUMN_MACHINE },
		{ "total", "with stacks", "", 0 },
		{ "complete", "complete", "fraction", 0 },
		{ "unverified", "unverified", "fraction", 0 },
		{ "truncated", "cut", "fraction", 0 },
		{ "failed", "failed", "fraction", 0 },
		{ "not_taken", "not taken", "fraction", 0 },
		{ "named", "frames named", "fraction", 0 },
		{ "statuses", "by status", "", COLUMN_MACHINE },
		{ "methods", "by method", "", COLUMN_MACHINE },
		{ "sources", "by source", "", COLUMN_MACHINE },
	};
	const struct profile *profile = believing->question->profile;
	struct table *table = table_new(columns, ARRAY_LENGTH(columns));

	for (size_t i = 1; i < believing->state_count; i++) {
		const struct state_stacks *of = &believing->states[i];
		double failed = of->weight - of->without - of->statuses[STACK_COMPLETE] - of->statuses[STACK_UNVERIFIED] -
				of->statuses[STACK_TRUNCATED];

		if (of->weight <= 0)
			continue;
		table_add(table, (struct value[]){
			value_text(state_name(believing, i)),
			value_text(profile_text(profile, profile_dimension_at(profile, i)->unit)),
			figure_whole(of->weight),
			figure(share(of->statuses[STACK_COMPLETE], of->weight)),
			figure(share(of->statuses[STACK_UNVERIFIED], of->weight)),
			figure(share(of->statuses[STACK_TRUNCATED], of->weight)),
			figure(share(failed > 0 ? failed : 0, of->weight)),
			figure(share(of->without, of->weight)),
			figure(share(of->frames - of->sources[0], of->frames)),
			value_table(status_table(believing, i)),
			value_table(method_table(believing, i)),
			value_table(source_table(believing, i)),
		});
	}
	document_add_table(into, "stack_quality", "Stacks: how far they may be believed", table);
}

/* One table for people, state by state: the rows that machines find nested above. */
static void add_details(const struct believing *believing, struct document *into)
{
	static const struct column columns[] = {
		{ "state", "state", "", 0 }, { "what", "what", "", 0 }, { "name", "name", "", 0 },
		{ "share", "share", "fraction", COLUMN_BAR },
	};
	struct table *table = table_new(columns, 4);

	for (size_t i = 1; i < believing->state_count; i++) {
		static const char *const whats[] = { "weight, by status", "frames, by method", "frames, named by" };
		struct table *parts[ARRAY_LENGTH(whats)];

		if (believing->states[i].weight <= 0)
			continue;
		parts[0] = status_table(believing, i);
		parts[1] = method_table(believing, i);
		parts[2] = source_table(believing, i);
		for (size_t part = 0; part < ARRAY_LENGTH(parts); part++) {
			for (size_t row = 0; row < parts[part]->row_count; row++) {
				const struct value *cells = &parts[part]->cells[row * parts[part]->column_count];

				table_add(table, (struct value[]){ value_text(state_name(believing, i)), value_text(whats[part]),
								   value_text(cells[0].text),
								   cells[parts[part]->column_count - 1] });
			}
			table_free(parts[part]);
		}
	}
	document_add_table(into, "stack_details", "Stacks by status, frames by method and source", table);
}

struct failure { uint32_t name; double weight; };

static int compare_failures(const void *left, const void *right)
{
	const struct failure *a = left, *b = right;

	if (a->weight != b->weight)
		return a->weight > b->weight ? -1 : 1;
	return a->name < b->name ? -1 : a->name > b->name;
}

static void add_failures(const struct believing *believing, struct document *into)
{
	static const struct column columns[] = { { "cause", "cause", "", 0 }, { "total", "total", "ns", COLUMN_BAR } };
	size_t names = naming_count(believing->naming), count = 0;
	struct failure *failures = xcalloc(names ? names : 1, sizeof(*failures));
	struct table *table = table_new(columns, 2);

	for (uint32_t i = 0; i < names; i++)
		if (believing->failures[i] > 0)
			failures[count++] = (struct failure){ i, believing->failures[i] };
	qsort(failures, count, sizeof(*failures), compare_failures);
	for (size_t i = 0; i < count && i < FAILURES_MOST; i++)
		table_add(table, (struct value[]){ value_text(naming_text(believing->naming, failures[i].name)),
						   figure_whole(failures[i].weight) });
	table->rows_left_out = count > FAILURES_MOST ? count - FAILURES_MOST : 0;
	free(failures);
	document_add_table(into, "stack_failures", "Why walks failed", table);
}

static struct value meta_count(const struct profile *profile, const char *key)
{
	return profile_meta(profile, key) ? value_integer((int64_t)profile_meta_number(profile, key, 0)) : value_none();
}

static double per_frame(const struct profile *profile, const char *where)
{
	char ns[64], frames[64];

	(void)snprintf(ns, sizeof(ns), "unwind.%s.ns", where);
	(void)snprintf(frames, sizeof(frames), "unwind.%s.frames", where);
	return share((double)profile_meta_number(profile, ns, 0), (double)profile_meta_number(profile, frames, 0));
}

static void add_cost(const struct question *question, struct document *into)
{
	const struct profile *profile = question->profile;
	struct record *record = record_new();
	struct section *section;

	if (!profile_meta(profile, "unwind.tables.rows")) {          /* an import, or stacks walked otherwise */
		record_free(record);
		return;
	}
	record_add(record, "oncpu_walks", "on-CPU: walks", "count", meta_count(profile, "unwind.oncpu.walks"));
	record_add(record, "oncpu_p50_ns", "on-CPU: median", "ns", meta_count(profile, "unwind.oncpu.p50_ns"));
	record_add(record, "oncpu_p99_ns", "on-CPU: 99th percentile", "ns", meta_count(profile, "unwind.oncpu.p99_ns"));
	record_add(record, "oncpu_ns_per_frame", "on-CPU: per frame", "ns", figure(per_frame(profile, "oncpu")));
	record_add(record, "wait_walks", "of waits: walks", "count", meta_count(profile, "unwind.wait.walks"));
	record_add(record, "wait_p50_ns", "of waits: median", "ns", meta_count(profile, "unwind.wait.p50_ns"));
	record_add(record, "wait_p99_ns", "of waits: 99th percentile", "ns", meta_count(profile, "unwind.wait.p99_ns"));
	record_add(record, "wait_ns_per_frame", "of waits: per frame", "ns", figure(per_frame(profile, "wait")));
	record_add(record, "copies", "walked from a copy", "count", meta_count(profile, "unwind.copies.walked"));
	record_add(record, "files", "files with rows", "count", meta_count(profile, "unwind.tables.files"));
	record_add(record, "files_without", "files without", "count", meta_count(profile, "unwind.tables.files_without"));
	record_add(record, "files_refused", "files without room", "count",
		   meta_count(profile, "unwind.tables.files_refused"));
	record_add(record, "files_put_off", "files that had to wait", "count",
		   meta_count(profile, "unwind.tables.files_put_off"));
	record_add(record, "rows", "rows", "count", meta_count(profile, "unwind.tables.rows"));
	record_add(record, "table_bytes", "memory of the tables", "bytes", meta_count(profile, "unwind.tables.bytes"));
	record_add(record, "build_ns", "CPU time to build them", "ns", meta_count(profile, "unwind.tables.build_ns"));
	section = document_add_record(into, "unwinding", "What walking stacks took", record);
	section->hints |= question->alone ? 0 : COLUMN_MACHINE;
}

/* --- The question ----------------------------------------------------------------------------------------------- */

static void open_states(struct believing *believing, const struct profile *profile)
{
	size_t sources = profile_string_count(profile) + 2, failures = profile_stack_count(profile) + 64;

	believing->state_count = profile_dimension_count(profile);
	believing->states = xcalloc(believing->state_count, sizeof(*believing->states));
	for (size_t i = 0; i < believing->state_count; i++)
		if (i == profile_dimension_root(profile, (struct dimension_id){ (uint32_t)i }).index)
			believing->states[i].sources = xcalloc(sources, sizeof(double));
	believing->failures = xcalloc(failures, sizeof(double));
}

static int stacks_run(const struct question *question, struct document *into, struct error *err)
{
	CLEANUP(account) struct account *account = account_new(question);
	struct believing believing = { .question = question, .account = account, .sources = intern_new(),
				       .naming = naming_new(question->profile) };

	(void)err;
	open_states(&believing, question->profile);
	add_cells(&believing);
	add_states(&believing, into);
	if (question->alone) {
		add_details(&believing, into);
		add_failures(&believing, into);
	}
	add_cost(question, into);
	for (size_t i = 0; i < believing.state_count; i++)
		free(believing.states[i].sources);
	free(believing.states);
	free(believing.failures);
	intern_free(believing.sources);
	naming_free(believing.naming);
	return 0;
}

extern const struct analysis analysis_stacks;
const struct analysis analysis_stacks = {
	.name = "stacks",
	.asks = "how far may stacks be believed, and who walked and named them?",
	.run = stacks_run,
};
