/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who allocates, who keeps, and what is a process' memory made of? What was allocated and what was not freed comes by site (a
 * stack) with the half-width of its 95 % interval: 1.96 standard errors of the sampling, which are at most 1 in the square root
 * of the samples. Lifetimes are those of what was freed, ages those of what was not. What is resident is set beside what
 * lives: the rest of the heap is the allocator's cache, its fragmentation and what was there before the capture.
 */
#include "analysis/account.h"
#include "analysis/analysis.h"
#include "analysis/figure.h"
#include "analysis/naming.h"
#include "base/map.h"
#include "base/memory.h"
#include "profile/selection.h"
#include "result/document.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SITES_MOST = 20, SITES_ALONE = 500, SITE_FRAMES = 6, LENGTHS = 64 };

/* What is added up of a site, in the order of names[]: recorders call the same by other names. */
enum amount { ALLOCATED, ALLOCATIONS, RETAINED, OBJECTS, FREED, AMOUNTS };
static const struct { const char *parent, *names[3]; } names[AMOUNTS] = {
	[ALLOCATED] = { NULL, { "alloc_space", "allocated" } }, [ALLOCATIONS] = { NULL, { "alloc_objects", "allocations" } },
	[RETAINED] = { NULL, { "inuse_space", "leaked" } }, [OBJECTS] = { NULL, { "inuse_objects" } },
	[FREED] = { "alloc_space", { "freed" } },
};

struct sum { double value, variance, samples; };

struct site {
	char *line;                             /* "leaf < caller < …", or a size */
	struct sum sums[AMOUNTS];
	double lifetimes[LENGTHS], ages[LENGTHS];       /* bytes by log2 of ns */
};

struct sites { struct site *rows; size_t count, room; struct map *index; };

struct memory {
	const struct question *question;
	const struct profile *profile;
	struct naming *naming;
	struct dimension_id ids[AMOUNTS];
	enum measure_role roles[AMOUNTS];
	struct sites by_stack, by_size;
	bool tells_variance;                    /* the recorder says how sure each amount is; an object as large as the mean is certain */
	struct site all;
};

static struct dimension_id find(const struct profile *profile, enum amount amount)
{
	struct dimension_id id = { 0 };

	for (unsigned i = 0; names[amount].names[i] && !id.index; i++)
		id = profile_dimension_find(profile, names[amount].parent, names[amount].names[i]);
	return id;
}

/* By stack where a recorder says so, else from totals that have stacks; what was freed is a detail. */
static enum measure_role role_of(const struct profile *profile, struct dimension_id id)
{
	enum measure_role role = ROLE_TOTAL;

	for (size_t i = 1; i < profile_measure_count(profile); i++) {
		const struct measure *measure = profile_measure_at(profile, i);

		if (measure->dimension.index == id.index && measure->role > role)
			role = measure->role;
	}
	return role;
}

/* Where the recorder does not tell it: of samples that each stand for as much. */
static double variance_of(const struct memory *memory, const struct cell *cell, const struct measure *measure)
{
	double weight = cell_weight(cell), count = (double)cell->count;

	if (memory->tells_variance || cell->variance > 0)
		return cell->variance;
	return measure->weighting == WEIGHTING_SAMPLED && count > 0 ? weight * weight / count : 0;
}

static void site_add(struct site *site, enum amount amount, const struct cell *cell, double variance)
{
	struct sum *sum = &site->sums[amount];
	double weight = cell_weight(cell);

	sum->value += weight;
	sum->samples += (double)cell->count;
	sum->variance += variance;
	if (amount == FREED)
		site->lifetimes[cell->length_log2 & (LENGTHS - 1)] += weight;
	if (amount == RETAINED)
		site->ages[cell->length_log2 & (LENGTHS - 1)] += weight;
}

static struct site *site_of(struct sites *sites, uint32_t key, bool *ret_new)
{
	uint32_t *at = map_put(sites->index, &key, ret_new);

	if (*ret_new) {
		grow(sites->rows, sites->count, sites->room);
		sites->rows[sites->count] = (struct site){ 0 };
		*at = (uint32_t)sites->count++;
	}
	return &sites->rows[*at];
}

static void add_cell(struct memory *memory, const struct cell *cell, const struct measure *measure, enum amount amount)
{
	const struct object *object = profile_object_at(memory->profile, cell->object.index);
	double variance = variance_of(memory, cell, measure);
	char *line = naming_line(memory->naming, cell_stack(memory->profile, cell), SITE_FRAMES);
	bool added;
	struct site *site = site_of(&memory->by_stack, naming_put(memory->naming, line), &added);

	if (added)
		site->line = take(line);
	site_add(site, amount, cell, variance);
	site_add(&memory->all, amount, cell, variance);
	free(line);
	if (strcmp(profile_text(memory->profile, object->kind), "size") != 0)
		return;
	site = site_of(&memory->by_size, object->name.index, &added);
	if (added)
		site->line = xstrdup(profile_text(memory->profile, object->name));
	site_add(site, amount, cell, variance);
}

static void add_cells(struct memory *memory)
{
	const struct profile *profile = memory->profile;

	for (unsigned amount = 0; amount < AMOUNTS; amount++) {
		memory->ids[amount] = find(profile, amount);
		memory->roles[amount] = role_of(profile, memory->ids[amount]);
	}
	for (size_t i = 0; i < profile_cell_count(profile); i++) {
		const struct cell *cell = profile_cell_at(profile, i);
		const struct measure *measure = profile_measure_at(profile, cell->measure.index);

		for (unsigned amount = 0; amount < AMOUNTS; amount++)
			if (memory->ids[amount].index && measure->dimension.index == memory->ids[amount].index &&
			    measure->role == memory->roles[amount] && selection_has_cell(memory->question->selection, profile, cell))
				add_cell(memory, cell, measure, amount);
	}
}

/* --- Sections --------------------------------------------------------------------------------------------------- */

static double half_width(const struct sum *sum)
{
	return 1.959964 * sqrt(sum->variance);
}

/* Of a distribution by powers of two: the middle of the one that the quantile lies in. */
static double quantile(const double *lengths, double share)
{
	double all = 0, below = 0;

	for (unsigned i = 0; i < LENGTHS; i++)
		all += lengths[i];
	for (unsigned i = 0; i < LENGTHS && all > 0; i++) {
		below += lengths[i];
		if (below >= share * all)
			return ldexp(1.5, (int)i);
	}
	return NAN;
}

static double known(const struct memory *memory, enum amount amount, double value)
{
	return memory->ids[amount].index ? value : NAN;
}

static const struct column site_columns[] = {
	{ "site", "site", "", COLUMN_CODE }, { "retained", "retained", "bytes", 0 }, { "retained_half_width", "±", "bytes", 0 },
	{ "allocated", "allocated", "bytes", 0 }, { "allocated_half_width", "±", "bytes", 0 }, { "objects", "objects", "count", 0 },
	{ "allocations", "allocations", "count", COLUMN_MACHINE }, { "samples", "samples", "count", 0 },
	{ "lifetime_p50", "lives", "ns", 0 }, { "lifetime_p90", "p90", "ns", COLUMN_MACHINE }, { "age_p50", "age p50", "ns", COLUMN_MACHINE },
	{ "retained_samples", "of retained", "count", COLUMN_MACHINE },
};

static void add_site(struct table *table, const struct memory *memory, const struct site *site)
{
	const struct sum *sums = site->sums;

	table_add(table, (struct value[]){
		value_text(site->line), figure_whole(known(memory, RETAINED, sums[RETAINED].value)),
		figure_whole(known(memory, RETAINED, half_width(&sums[RETAINED]))), figure_whole(known(memory, ALLOCATED, sums[ALLOCATED].value)),
		figure_whole(known(memory, ALLOCATED, half_width(&sums[ALLOCATED]))), figure_whole(known(memory, OBJECTS, sums[OBJECTS].value)),
		figure_whole(known(memory, ALLOCATIONS, sums[ALLOCATIONS].value)),
		figure_whole(fmax(sums[ALLOCATED].samples, sums[RETAINED].samples)),
		figure(quantile(site->lifetimes, 0.5)), figure(quantile(site->lifetimes, 0.9)), figure(quantile(site->ages, 0.5)),
		figure_whole(sums[RETAINED].samples) });
}

static int compare_sites(const void *left, const void *right)
{
	const struct site *a = left, *b = right;
	double x = a->sums[RETAINED].value, y = b->sums[RETAINED].value;

	if (x == y) {
		x = a->sums[ALLOCATED].value;
		y = b->sums[ALLOCATED].value;
	}
	return x > y ? -1 : x < y ? 1 : strcmp(a->line, b->line);
}

static void add_sites(const struct memory *memory, struct sites *sites, size_t most, const char *key, const char *title, struct document *into)
{
	struct table *table = table_new(site_columns, ARRAY_LENGTH(site_columns));

	if (sites->count)
		qsort(sites->rows, sites->count, sizeof(*sites->rows), compare_sites);
	for (size_t i = 0; i < sites->count && i < most; i++)
		add_site(table, memory, &sites->rows[i]);
	if (sites->count > most)
		table->rows_left_out += sites->count - most;
	(void)document_add_table(into, key, title, table);
}

static void add_summary(const struct memory *memory, struct document *into)
{
	static const char *const keys[AMOUNTS] = { "allocated", "allocations", "retained", "objects", "freed" };
	static const char *const titles[AMOUNTS] = { "allocated", "allocations", "retained", "objects retained", "freed" };
	struct record *record = record_new();
	double peak = (double)profile_meta_number(memory->profile, "heap.peak_bytes", 0);

	for (unsigned i = 0; i < AMOUNTS; i++) {
		const char *unit = i == ALLOCATIONS || i == OBJECTS ? "count" : "bytes";
		static const char *const widths[AMOUNTS] = { "allocated_half_width", "allocations_half_width", "retained_half_width",
							     "objects_half_width", "freed_half_width" };

		record_add(record, keys[i], titles[i], unit, figure_whole(known(memory, i, memory->all.sums[i].value)));
		record_add(record, widths[i], "  ± (95 %)", unit, figure_whole(known(memory, i, half_width(&memory->all.sums[i]))));
	}
	record_add(record, "peak", "peak, all processes", "bytes", figure_whole(peak > 0 ? peak : NAN));
	record_add(record, "samples", "samples", "count", figure_whole(memory->all.sums[ALLOCATED].samples));
	record_add(record, "retained_samples", "of what is retained", "count", figure_whole(memory->all.sums[RETAINED].samples));
	(void)document_add_record(into, "heap", "Heap", record);
}

/* --- What is resident ------------------------------------------------------------------------------------------- */

enum resident { HEAP, FILES, SHARED, STACKS, GENERATED, CLASSES, OTHER, TABLES, SWAPPED, RESIDENTS };
static const struct { const char *parent, *name; } resident_names[RESIDENTS] = {
	{ "resident", "heap" }, { "resident", "files" }, { "resident", "shared" }, { "resident", "stacks" }, { "resident", "generated" },
	{ "resident", "classes" },
	{ "resident", "other" }, { NULL, "page-tables" }, { NULL, "swapped" },
};

struct process_memory { struct process_id process; double parts[RESIDENTS], live, error; };

static const struct column resident_columns[] = {
	{ "process", "process", "", COLUMN_LEFT }, { "comm", "name", "", 0 }, { "resident", "resident", "bytes", COLUMN_BAR },
	{ "live", "live heap", "bytes", 0 }, { "live_half_width", "±", "bytes", 0 }, { "cache", "rest of heap", "bytes", 0 },
	{ "files", "files", "bytes", 0 }, { "shared", "shared", "bytes", 0 }, { "stacks", "stacks", "bytes", 0 },
	{ "generated", "generated", "bytes", 0 }, { "classes", "classes", "bytes", 0 }, { "unexplained", "other", "bytes", 0 }, { "page_tables", "page tables", "bytes", 0 },
	{ "swapped", "swapped", "bytes", 0 },
};

static void add_process(struct table *table, const struct memory *memory, const struct process_memory *row)
{
	const struct process *process = profile_process_at(memory->profile, row->process.index);
	double sum = 0, cache = row->parts[HEAP] - row->live;

	for (unsigned i = 0; i < TABLES; i++)
		sum += row->parts[i];
	table_add(table, (struct value[]){
		value_integer(process->pid), value_text(profile_text(memory->profile, process->comm)), figure_whole(sum),
		figure_whole(known(memory, RETAINED, row->live)), figure_whole(known(memory, RETAINED, 1.959964 * sqrt(row->error))),
		figure_whole(cache > 0 ? cache : 0), figure_whole(row->parts[FILES]), figure_whole(row->parts[SHARED]),
		figure_whole(row->parts[STACKS]), figure_whole(row->parts[GENERATED]), figure_whole(row->parts[CLASSES]),
		figure_whole(row->parts[OTHER]),
		figure_whole(row->parts[TABLES]), figure_whole(row->parts[SWAPPED]) });
}

static void add_resident_cell(struct memory *memory, struct process_memory *rows, const struct cell *cell, const struct dimension_id *ids)
{
	const struct profile *profile = memory->profile;
	const struct measure *measure = profile_measure_at(profile, cell->measure.index);
	struct process_id process = profile_thread_at(profile, cell->thread.index)->process;
	struct process_memory *row = &rows[process.index];

	row->process = process;
	for (unsigned i = 0; i < RESIDENTS; i++)
		if (ids[i].index && measure->dimension.index == ids[i].index)
			row->parts[i] += (double)cell->value;
	if (memory->ids[RETAINED].index && measure->dimension.index == memory->ids[RETAINED].index && measure->role == memory->roles[RETAINED]) {
		row->live += cell_weight(cell);
		row->error += cell->variance;
	}
}

static void add_resident(struct memory *memory, struct document *into)
{
	const struct profile *profile = memory->profile;
	CLEANUP_TEXT struct process_memory *rows = xcalloc(profile_process_count(profile) + 1, sizeof(*rows));
	struct table *table = table_new(resident_columns, ARRAY_LENGTH(resident_columns));
	struct dimension_id ids[RESIDENTS];

	for (unsigned i = 0; i < RESIDENTS; i++)
		ids[i] = profile_dimension_find(profile, resident_names[i].parent, resident_names[i].name);
	for (size_t i = 0; i < profile_cell_count(profile); i++)
		if (selection_has_cell(memory->question->selection, profile, profile_cell_at(profile, i)))
			add_resident_cell(memory, rows, profile_cell_at(profile, i), ids);
	for (size_t i = 1; i < profile_process_count(profile); i++)
		if (rows[i].parts[FILES] > 0 || rows[i].parts[HEAP] > 0)
			add_process(table, memory, &rows[i]);
	if (table->row_count)
		(void)document_add_table(into, "resident", "What is resident, at the last look at each process", table);
	else
		table_free(table);
}

/* --- Paging beside it ------------------------------------------------------------------------------------------- */

static const struct column paging_columns[] = {
	{ "what", "", "", COLUMN_LEFT }, { "count", "count", "count", 0 }, { "waited", "waited", "ns", 0 }, { "measured", "measured", "", 0 },
};

static void add_paging(const struct memory *memory, struct document *into)
{
	CLEANUP(account) struct account *account = account_new(memory->question);
	struct table *table = table_new(paging_columns, ARRAY_LENGTH(paging_columns));
	char name[DIMENSION_PATH_SIZE];

	for (uint32_t i = 1; i < profile_dimension_count(memory->profile); i++) {
		struct dimension_id id = { i }, root = profile_dimension_root(memory->profile, id);
		const char *state = profile_text(memory->profile, profile_dimension_at(memory->profile, root.index)->name);
		bool waits = !strcmp(state, "paging"), faults = !strcmp(state, "page-faults");
		struct tally tally;

		if ((!waits && !faults) || root.index == i)
			continue;
		tally = account_part(account, id);
		table_add(table, (struct value[]){ value_text(dimension_path(memory->profile, id, name)),
						   figure_whole(faults ? tally.total : tally.count), figure(waits ? tally.total : NAN),
						   value_text(weighting_name(tally.weighting)) });
	}
	if (table->row_count)
		(void)document_add_table(into, "paging", "Faults, and waits for memory", table);
	else
		table_free(table);
}

static void add_findings(const struct memory *memory, struct document *into)
{
	bool since_attach = profile_meta_number(memory->profile, "heap.since_attach", 0) != 0;
	uint64_t shims = profile_meta_number(memory->profile, "heap.processes", 0);
	uint64_t refused = profile_meta_number(memory->profile, "heap.processes_refused", 0);
	uint64_t unsampled = profile_meta_number(memory->profile, "heap.unsampled", 0);

	if (!memory->ids[ALLOCATED].index && !memory->ids[RETAINED].index && !shims && !since_attach)
		document_add_finding(into, SEVERITY_NOTE, "no allocations are in this file: crosscut record --with heap -- COMMAND samples them");
	if (since_attach)
		document_add_finding(into, SEVERITY_NOTE,
				     "the program ran already: this is what it allocated since, and of that what it kept; what was there before is in none of it. "
				     "Each allocation was stopped for %llu ns, each end of one for %llu ns",
				     (unsigned long long)profile_meta_number(memory->profile, "heap.asked_stop_ns", 0),
				     (unsigned long long)profile_meta_number(memory->profile, "heap.freed_stop_ns", 0));
	else if (profile_meta(memory->profile, "heap.unsampled") && !shims)
		document_add_finding(into, SEVERITY_WARNING,
				     "no process took the heap shim: a static program, one with more privilege, or one that cannot read the shim");
	if (refused)
		document_add_finding(into, SEVERITY_WARNING,
				     "%llu processes bring an allocator of their own: its own profile tells (jemalloc: MALLOC_CONF=prof:true; "
				     "tcmalloc: HEAPPROFILE), and crosscut report reads it", (unsigned long long)refused);
	if (unsampled)
		document_add_finding(into, SEVERITY_WARNING, "%llu allocations that were chosen found no room and are missing",
				     (unsigned long long)unsampled);
}

static void sites_done(struct sites *sites)
{
	for (size_t i = 0; i < sites->count; i++)
		free(sites->rows[i].line);
	free(sites->rows);
}

static int memory_run(const struct question *question, struct document *into, struct error *err)
{
	CLEANUP(map) struct map *stacks = map_new(sizeof(uint32_t));
	CLEANUP(map) struct map *sizes = map_new(sizeof(uint32_t));
	CLEANUP(naming) struct naming *naming = naming_new(question->profile);
	struct memory memory = { .question = question, .profile = question->profile, .naming = naming, .by_stack.index = stacks,
				 .by_size.index = sizes, .tells_variance = profile_meta(question->profile, "heap.unsampled") };
	size_t most = question->most ? question->most : question->alone ? SITES_ALONE : SITES_MOST;

	(void)err;
	add_cells(&memory);
	add_findings(&memory, into);
	if (memory.ids[ALLOCATED].index || memory.ids[RETAINED].index) {
		add_summary(&memory, into);
		add_sites(&memory, &memory.by_stack, most, "sites", "By site: most retained first", into);
		if (memory.by_size.count)
			add_sites(&memory, &memory.by_size, RESIDENTS * 8, "sizes", "By size of the object", into);
	}
	add_resident(&memory, into);
	add_paging(&memory, into);
	sites_done(&memory.by_stack);
	sites_done(&memory.by_size);
	return 0;
}

extern const struct analysis analysis_memory;
const struct analysis analysis_memory = {
	.name = "memory",
	.asks = "who allocates, who keeps, and what is resident?",
	.run = memory_run,
	.not_by_request = "allocations, page faults and what is resident are not kept by request: of these requests, --question waits has the waits for memory",
};
