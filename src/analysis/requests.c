/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where does the time of a request go, and what do slow ones wait for that others do not? Requests around the median, the
 * 90th, 99th and 99.9th percentile of the latency each have their mean state vector; of the state that grew most from the
 * first to the third, the stacks are set side by side. All of it is elapsed time of requests, not time of threads.
 */
#include "analysis/account.h"
#include "analysis/analysis.h"
#include "analysis/figure.h"
#include "analysis/naming.h"
#include "analysis/request_latency.h"
#include "base/map.h"
#include "base/memory.h"
#include "profile/latency.h"
#include "profile/selection.h"
#include "result/document.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { P50, P90, P99, P999, ROWS_MOST = 10, STACK_NAMES_MOST = 32, CLASSES_MOST = 20 };

struct cohort_vector {
	double weight;                       /* requests that it stands for */
	size_t decomposed;
	double *ns;                          /* by dimension: sums, weighted */
};

/* Of one stack in the state that grew: how long the requests of two cohorts waited there. */
struct place {
	struct stack_id stack;
	struct dimension_id class;
	double p50_ns, p99_ns, other_ns;
	struct thread_id other;              /* who ended most of it, of those that did */
};

struct asked {
	const struct question *question;
	const struct profile *profile;
	const struct latencies *latencies;
	uint8_t *cohorts;                    /* by request: a bit per cohort it is in */
	bool *unknown;                       /* by request: some of its time has no known cause */
	struct cohort_vector vectors[LATENCY_COHORTS];
	size_t dimension_count;
	struct place *places;
	size_t place_count, place_room;
};

static struct dimension_id class_of_part(const struct profile *profile, const struct part *part)
{
	return part->evidence.index ? profile_evidence_at(profile, part->evidence.index)->class : part->dimension;
}

static void mark_cohorts(struct asked *asked)
{
	for (unsigned i = 0; i < LATENCY_COHORTS; i++) {
		size_t first, end;

		latencies_cohort(asked->latencies, &latency_cohorts[i], &first, &end);
		for (size_t row = first; row < end; row++) {
			asked->cohorts[asked->latencies->rows[row].request] |= (uint8_t)(1u << i);
			asked->vectors[i].weight += asked->latencies->rows[row].one_in;
			asked->vectors[i].decomposed++;
		}
	}
}

static double one_in(const struct asked *asked, const struct part *part)
{
	uint32_t number = profile_request_at(asked->profile, part->request)->one_in;

	return number ? number : 1;
}

static void add_parts(struct asked *asked)
{
	struct dimension_id unknown = profile_dimension_find(asked->profile, NULL, "unknown");

	for (size_t i = 0; i < profile_part_count(asked->profile); i++) {
		const struct part *part = profile_part_at(asked->profile, i);
		struct dimension_id class = class_of_part(asked->profile, part);

		for (unsigned c = 0; c < LATENCY_COHORTS; c++)
			if (asked->cohorts[part->request] & 1u << c)
				asked->vectors[c].ns[class.index] += (double)part->ns * one_in(asked, part);
		if (unknown.index && part->ns && dimension_is_below(asked->profile, class, unknown))
			asked->unknown[part->request] = true;
	}
}

/* Mean of a cohort's requests, of a state with its parts or of one part. */
static double mean_of(const struct asked *asked, unsigned cohort, struct dimension_id id)
{
	const struct cohort_vector *vector = &asked->vectors[cohort];
	double sum = 0;

	for (uint32_t i = 1; i < asked->dimension_count; i++)
		if (dimension_is_below(asked->profile, (struct dimension_id){ i }, id))
			sum += vector->ns[i];
	return vector->weight > 0 ? sum / vector->weight : NAN;
}

/* --- The head --------------------------------------------------------------------------------------------------- */

static struct value meta_count(const struct asked *asked, const char *key)
{
	return profile_meta(asked->profile, key) ? value_integer((int64_t)profile_meta_number(asked->profile, key, 0)) : value_none();
}

static void add_head(const struct asked *asked, struct document *into)
{
	struct record *record = record_new();
	uint32_t least = UINT32_MAX, most = 0;
	int64_t incomplete = 0;
	double overlap = 0, known = 0;

	for (size_t i = 0; i < asked->latencies->count; i++) {
		const struct latency *row = &asked->latencies->rows[i];
		const struct request *request = profile_request_at(asked->profile, row->request);

		least = row->one_in < least ? row->one_in : least;
		most = row->one_in > most ? row->one_in : most;
		overlap += request->overlap ? row->one_in : 0;
		known += request->arrived_ns ? row->one_in : 0;
		incomplete += asked->unknown[row->request];
	}
	record_add(record, "opened", "opened", "count", meta_count(asked, "requests.opened"));
	record_add(record, "decomposed", "decomposed", "count", value_integer((int64_t)asked->latencies->count));
	record_add(record, "one_in_least", "one in, at least", "count", most ? value_integer(least) : value_none());
	record_add(record, "one_in_most", "one in, at most", "count", most ? value_integer(most) : value_none());
	record_add(record, "overlap", "with others on one thread", "fraction", figure(overlap / asked->latencies->weight));
	record_add(record, "arrival_known", "arrival seen", "fraction", figure(known / asked->latencies->weight));
	record_add(record, "incomplete", "with unknown time", "count", value_integer(incomplete));
	record_add(record, "abandoned", "abandoned", "count", meta_count(asked, "requests.abandoned"));
	record_add(record, "unmatched", "responses without a request", "count", meta_count(asked, "requests.responses_unmatched"));
	(void)document_add_record(into, "requests", "Requests", record);
}

/* --- Vectors ---------------------------------------------------------------------------------------------------- */

static const struct column vector_columns[] = {
	{ "state", "state", "", COLUMN_LEFT }, { "p50", "p50", "ns", 0 }, { "p90", "p90", "ns", 0 }, { "p99", "p99", "ns", 0 },
	{ "p99.9", "p99.9", "ns", 0 }, { "growth", "p50 to p99", "ns", 0 },
};

static void add_vector(const struct asked *asked, struct dimension_id id, struct table *table)
{
	double means[LATENCY_COHORTS], most = 0;
	char name[DIMENSION_PATH_SIZE];

	for (unsigned i = 0; i < LATENCY_COHORTS; i++) {
		means[i] = mean_of(asked, i, id);
		most = fmax(most, means[i]);
	}
	if (most > 0)
		table_add(table, (struct value[]){
			value_text(dimension_path(asked->profile, id, name)), figure(means[P50]), figure(means[P90]),
			figure(means[P99]), figure(means[P999]), figure(means[P99] - means[P50]) });
}

static struct dimension_id grown_most(const struct asked *asked)
{
	struct dimension_id most = { 0 };
	double grown = 0;

	for (uint32_t i = 1; i < asked->dimension_count; i++) {
		struct dimension_id id = { i };
		double growth;

		if (profile_dimension_at(asked->profile, i)->parent.index)
			continue;
		growth = mean_of(asked, P99, id) - mean_of(asked, P50, id);
		if (growth > grown) {
			grown = growth;
			most = id;
		}
	}
	return most;
}

static void add_vectors(const struct asked *asked, struct document *into)
{
	struct table *table = table_new(vector_columns, ARRAY_LENGTH(vector_columns));

	for (uint32_t i = 1; i < asked->dimension_count; i++) {
		if (profile_dimension_at(asked->profile, i)->parent.index)
			continue;
		add_vector(asked, (struct dimension_id){ i }, table);
		for (uint32_t part = 1; part < asked->dimension_count; part++)
			if (profile_dimension_at(asked->profile, part)->parent.index == i)
				add_vector(asked, (struct dimension_id){ part }, table);
	}
	(void)document_add_table(into, "vectors", "Where the latency went, mean of the requests around each quantile", table);
}

/* --- The stacks of what grew ------------------------------------------------------------------------------------ */

static const struct column place_columns[] = {
	{ "class", "class", "", COLUMN_LEFT }, { "p50", "p50", "ns", 0 }, { "p99", "p99", "ns", 0 }, { "growth", "growth", "ns", 0 },
	{ "stack", "stack", "", COLUMN_CODE }, { "ended_by", "ended by", "", 0 },
};

static void add_place(struct asked *asked, struct map *index, const struct part *part, struct dimension_id class)
{
	uint64_t key = (uint64_t)part->stack.index << 32 | class.index;
	bool added = false;
	uint32_t *at = map_put(index, &key, &added);
	double weight = (double)part->ns * one_in(asked, part);
	struct place *place;

	if (added) {
		grow(asked->places, asked->place_count, asked->place_room);
		asked->places[asked->place_count] = (struct place){ .stack = part->stack, .class = class };
		*at = (uint32_t)asked->place_count++;
	}
	place = &asked->places[*at];
	if (asked->cohorts[part->request] & 1u << P50)
		place->p50_ns += weight / asked->vectors[P50].weight;
	if (!(asked->cohorts[part->request] & 1u << P99))
		return;
	place->p99_ns += weight / asked->vectors[P99].weight;
	if (part->other.index && weight > place->other_ns) {
		place->other_ns = weight;
		place->other = part->other;
	}
}

static int compare_places(const void *left, const void *right)
{
	const struct place *a = left, *b = right;
	double x = a->p99_ns - a->p50_ns, y = b->p99_ns - b->p50_ns;

	return x > y ? -1 : x < y ? 1 : 0;
}

static void add_places(struct asked *asked, struct document *into)
{
	CLEANUP(map) struct map *index = map_new(sizeof(uint64_t));
	CLEANUP(naming) struct naming *naming = naming_new(asked->profile);
	struct table *table = table_new(place_columns, ARRAY_LENGTH(place_columns));
	struct dimension_id grown = grown_most(asked);
	size_t most = asked->question->most ? asked->question->most : ROWS_MOST;
	char name[DIMENSION_PATH_SIZE];

	for (size_t i = 0; grown.index && i < profile_part_count(asked->profile); i++) {
		const struct part *part = profile_part_at(asked->profile, i);
		struct dimension_id class = class_of_part(asked->profile, part);

		if (asked->cohorts[part->request] && dimension_is_below(asked->profile, class, grown))
			add_place(asked, index, part, class);
	}
	if (asked->place_count)
		qsort(asked->places, asked->place_count, sizeof(*asked->places), compare_places);
	for (size_t i = 0; i < asked->place_count; i++) {
		const struct place *place = &asked->places[i];
		CLEANUP_TEXT char *stack = naming_line(naming, place->stack, STACK_NAMES_MOST);

		if (i >= most) {
			table->rows_left_out++;
			continue;
		}
		table_add(table, (struct value[]){
			value_text(dimension_path(asked->profile, place->class, name)), figure(place->p50_ns), figure(place->p99_ns),
			figure(place->p99_ns - place->p50_ns), place->stack.index ? value_text(stack) : value_none(),
			place->other.index ? value_text(profile_text(asked->profile,
								     profile_thread_at(asked->profile, place->other.index)->comm))
					   : value_none() });
	}
	(void)document_add_table(into, "grown", "The state that grew most from p50 to p99, by stack", table);
	if (grown.index)
		document_add_finding(into, SEVERITY_NOTE, "%s grew most from p50 to p99",
				     dimension_path(asked->profile, grown, name));
}

/* --- Classes ---------------------------------------------------------------------------------------------------- */

static const struct column class_columns[] = {
	{ "class", "class", "", COLUMN_LEFT }, { "outcome", "outcome", "", COLUMN_LEFT }, { "count", "count", "count", 0 },
	{ "share", "share", "fraction", COLUMN_HUMAN | COLUMN_BAR }, { "p50", "p50", "ns", 0 }, { "p99", "p99", "ns", 0 },
};

struct class_row { uint64_t key; double weight, p50, p99; };

/* Rows are in the order of latency, so the quantiles of each class are met on the way. */
static void measure_class(const struct asked *asked, struct class_row *row)
{
	double below = 0;

	row->p50 = row->p99 = NAN;
	for (size_t i = 0; i < asked->latencies->count; i++) {
		const struct latency *latency = &asked->latencies->rows[i];
		const struct request *request = profile_request_at(asked->profile, latency->request);

		if (((uint64_t)request->class.index << 32 | request->outcome.index) != row->key)
			continue;
		below += latency->one_in;
		if (isnan(row->p50) && below >= 0.5 * row->weight)
			row->p50 = (double)latency->ns;
		if (isnan(row->p99) && below >= 0.99 * row->weight)
			row->p99 = (double)latency->ns;
	}
}

static int compare_classes(const void *left, const void *right)
{
	const struct class_row *a = left, *b = right;

	if (a->weight != b->weight)
		return a->weight > b->weight ? -1 : 1;
	return a->key < b->key ? -1 : a->key > b->key;
}

static void add_classes(const struct asked *asked, struct document *into)
{
	CLEANUP(map) struct map *index = map_new(sizeof(uint64_t));
	struct table *table = table_new(class_columns, ARRAY_LENGTH(class_columns));
	struct class_row *rows = NULL;
	size_t count = 0, room = 0;

	for (size_t i = 0; i < asked->latencies->count; i++) {
		const struct latency *latency = &asked->latencies->rows[i];
		const struct request *request = profile_request_at(asked->profile, latency->request);
		uint64_t key = (uint64_t)request->class.index << 32 | request->outcome.index;
		bool added = false;
		uint32_t *at = map_put(index, &key, &added);

		if (added) {
			grow(rows, count, room);
			rows[count] = (struct class_row){ .key = key };
			*at = (uint32_t)count++;
		}
		rows[*at].weight += latency->one_in;
	}
	if (count)
		qsort(rows, count, sizeof(*rows), compare_classes);
	for (size_t i = 0; i < count; i++) {
		struct string_id class = { (uint32_t)(rows[i].key >> 32) }, outcome = { (uint32_t)rows[i].key };

		if (i >= CLASSES_MOST) {
			table->rows_left_out++;
			continue;
		}
		measure_class(asked, &rows[i]);
		table_add(table, (struct value[]){
			class.index ? value_text(profile_text(asked->profile, class)) : value_text("(unread)"),
			value_text(profile_text(asked->profile, outcome)), figure_whole(rows[i].weight),
			figure(rows[i].weight / asked->latencies->weight), figure(rows[i].p50), figure(rows[i].p99) });
	}
	free(rows);
	(void)document_add_table(into, "request_classes", "Requests by class and outcome", table);
}

/* That none was answered is a finding as well: whoever asks may have aborted them all, or speak what is not understood. */
static void say_none(const struct asked *asked, struct document *into)
{
	uint64_t opened = profile_meta_number(asked->profile, "requests.opened", 0);
	uint64_t abandoned = profile_meta_number(asked->profile, "requests.abandoned", 0);

	if (!profile_meta(asked->profile, "requests.opened")) {
		document_add_finding(into, SEVERITY_NOTE, "no request was followed: record --work http, resp or marker follows them");
	} else if (!opened) {
		document_add_finding(into, SEVERITY_NOTE, "requests were followed, but none was read while it was captured");
	} else if (!selection_is_whole(asked->question->selection)) {
		document_add_finding(into, SEVERITY_NOTE, "no request that was decomposed is in this selection");
	} else {
		add_head(asked, into);
		document_add_finding(into, SEVERITY_WARNING, "of %" PRIu64 " requests that were read none was decomposed until its answer: %" PRIu64
			" were abandoned by whoever asked, the others not chosen, open at the end, or answered in a way that is not understood", opened, abandoned);
	}
}

static int requests_run(const struct question *question, struct document *into, struct error *err)
{
	CLEANUP(latencies) struct latencies *latencies =
		latencies_new(question->profile, question->selection, LATENCY_SERVED);
	struct asked asked = { .question = question, .profile = question->profile, .latencies = latencies,
			       .dimension_count = profile_dimension_count(question->profile) };

	(void)err;
	if (!latencies->count) {
		say_none(&asked, into);
		return 0;
	}
	asked.cohorts = xcalloc(profile_request_count(asked.profile), 1);
	asked.unknown = xcalloc(profile_request_count(asked.profile), sizeof(*asked.unknown));
	for (unsigned i = 0; i < LATENCY_COHORTS; i++)
		asked.vectors[i].ns = xcalloc(asked.dimension_count, sizeof(double));
	mark_cohorts(&asked);
	add_parts(&asked);
	add_head(&asked, into);
	request_latency_add(question, into);
	add_vectors(&asked, into);
	add_places(&asked, into);
	add_classes(&asked, into);
	for (unsigned i = 0; i < LATENCY_COHORTS; i++)
		free(asked.vectors[i].ns);
	free(asked.cohorts);
	free(asked.unknown);
	free(asked.places);
	return 0;
}

extern const struct analysis analysis_requests;
const struct analysis analysis_requests = {
	.name = "requests",
	.asks = "how long do requests take, and what do the slow ones wait for?",
	.run = requests_run,
};
