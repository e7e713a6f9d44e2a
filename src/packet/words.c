/* SPDX-License-Identifier: Apache-2.0 */
/* What a packet says: as a document for whoever reads all of it, and in four sentences for whoever has to decide. */
#include "packet/state.h"

#include "base/quantity.h"
#include "base/text.h"
#include "profile/dimension.h"
#include "result/document.h"
#include "statistics/power.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const json_t *rows_of(const struct packet *packet)
{
	return json_object_get(json_object_get(packet->root, "comparison"), "rows");
}

static const json_t *row_named(const struct packet *packet, const char *name)
{
	const json_t *rows = rows_of(packet);

	for (size_t i = 0; i < json_array_size(rows); i++)
		if (!strcmp(packet_text(json_array_get(rows, i), "name"), name))
			return json_array_get(rows, i);
	return NULL;
}

static double number_of(const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);

	return json_is_number(value) ? json_number_value(value) : NAN;
}

/* --- The document ----------------------------------------------------------------------------------------------- */

static void add_texts(const struct packet *packet, const char *key, const char *title, struct document *into)
{
	const json_t *object = json_object_get(packet->root, key);
	struct record *record = record_new();
	const char *name;
	json_t *value;

	json_object_foreach((json_t *)object, name, value) {
		if (json_is_string(value))
			record_add_named(record, name, value_text(json_string_value(value)));
	}
	document_add_record(into, key, title, record);
}

static const struct column row_columns[] = {
	{ "name", "per correct completion", "", 0 }, { "unit", "unit", "", COLUMN_MACHINE }, { "base", "baseline", "", 0 },
	{ "candidate", "candidate", "", 0 },         { "change", "change", "", 0 },          { "low", "from", "", 0 },
	{ "high", "to", "", 0 },                     { "outcome", "outcome", "", 0 },        { "restored", "restored", "", 0 },
	{ "back", "against baseline", "", 0 },
};

static void add_rows(const struct packet *packet, struct document *into)
{
	struct table *table = table_new(row_columns, ARRAY_LENGTH(row_columns));
	const json_t *rows = rows_of(packet);
	size_t though = 0;

	for (size_t i = 0; i < json_array_size(rows); i++) {
		const json_t *row = json_array_get(rows, i), *delta = json_object_get(row, "delta");
		double base = number_of(row, "base"), candidate = number_of(row, "candidate");
		const char *kind = packet_text(row, "kind");
		bool excludes = number_of(delta, "low") > 0 || number_of(delta, "high") < 0;

		if ((strcmp(kind, "state") && strcmp(kind, "elapsed")) || !(base > 0 || candidate > 0))
			continue;               /* an amount has no time, and what is nothing on both sides says nothing */
		though += excludes && !strcmp(packet_text(row, "outcome"), "unclear");
		table_add(table, (struct value[]){
			value_text(packet_text(row, "name")), value_text(packet_text(row, "unit")), value_number(base),
			value_number(candidate), value_number(candidate - base), value_number(number_of(delta, "low")),
			value_number(number_of(delta, "high")), value_text(packet_text(row, "outcome")),
			value_number(number_of(row, "restored")), value_text(packet_text(row, "restored_outcome")),
		});
	}
	document_add_table(into, "comparison", "Baseline and candidate, per correct completion (thread time, not elapsed time)", table);
	if (though)
		document_add_finding(into, SEVERITY_NOTE, "%zu unclear row%s of the comparison %s a 95 %% interval that excludes 0: %s", though,
				     though == 1 ? "" : "s", though == 1 ? "has" : "have",
				     json_is_true(json_object_get(json_object_get(packet->root, "comparison"), "described"))
					     ? "fewer than six pairs decide nothing"
					     : "it is of that row alone, and an outcome is corrected over all rows that were tested");
}

static const struct column quantity_columns[] = {
	{ "name", "what must move", "", 0 },          { "must_not", "must not", "", 0 },
	{ "by", "predicted", "fraction", 0 },         { "rise", "rose by", "fraction", 0 },
	{ "rose", "rose", "", 0 },                    { "fall", "then by", "fraction", 0 },
	{ "fell", "fell back", "", 0 },               { "rest", "off baseline", "fraction", 0 },
	{ "margin", "margin", "fraction", 0 },        { "is_back", "equivalent", "", 0 },
};

static void add_verdict(const struct packet *packet, struct document *into)
{
	const json_t *verdict = json_object_get(packet->root, "verdict"), *quantities = json_object_get(verdict, "quantities");
	struct table *table;
	json_t *one;
	size_t i;

	if (!verdict)
		return;
	if (json_array_size(quantities)) {
		table = table_new(quantity_columns, ARRAY_LENGTH(quantity_columns));
		json_array_foreach(quantities, i, one) {
			bool must_not = json_is_true(json_object_get(one, "must_not"));

			table_add(table, (struct value[]){
				value_text(packet_text(one, "name")), value_truth(must_not), value_number(number_of(one, "by")),
				value_number(number_of(json_object_get(one, "rise"), "estimate")), value_text(packet_text(one, "rose")),
				value_number(number_of(json_object_get(one, "fall"), "estimate")),
				must_not ? value_none() : value_text(packet_text(one, "fell")),
				value_number(number_of(json_object_get(one, "rest"), "estimate")),
				must_not ? value_none() : value_number(number_of(one, "margin")),
				must_not ? value_none() : value_text(packet_text(one, "is_back")),
			});
			if (json_is_true(json_object_get(one, "from_nothing")))
				document_add_finding(into, SEVERITY_NOTE, "%s was next to nothing in the baseline: what it rose by and is "
						     "off are shares of the candidate's", packet_text(one, "name"));
		}
		document_add_table(into, "predictions", "What had to move together", table);
	}
	add_texts(packet, "verdict", "verdict", into);
}

static const struct column ledger_columns[] = { { "at", "at", "", 0 }, { "what", "what was done", "", 0 } };

static void add_ledger(const struct packet *packet, struct document *into)
{
	struct table *table = table_new(ledger_columns, ARRAY_LENGTH(ledger_columns));
	json_t *line;
	size_t i;

	json_array_foreach(json_object_get(packet->root, "ledger"), i, line) {
		table_add(table, (struct value[]){ value_text(packet_text(line, "at")), value_text(packet_text(line, "what")) });
	}
	document_add_table(into, "ledger", "What was done when", table);
}

void packet_document(const struct packet *packet, struct document *into)
{
	json_t *claim;
	size_t i;

	if (json_is_true(json_object_get(packet->root, "simulated")))
		document_add_finding(into, SEVERITY_WARNING, "a simulated teaching case: no service was measured for it");
	add_texts(packet, "contract", "contract", into);
	add_texts(packet, "hypothesis", "hypothesis", into);
	add_rows(packet, into);
	json_array_foreach(json_object_get(packet->root, "claims"), i, claim) {
		document_add_finding(into, SEVERITY_NOTE, "%s", packet_text(claim, "text"));
	}
	add_verdict(packet, into);
	add_ledger(packet, into);
}

/* --- Four sentences --------------------------------------------------------------------------------------------- */

struct lost { const char *name; double change; };

static int compare_lost(const void *a, const void *b)
{
	const struct lost *one = a, *other = b;

	return one->change < other->change ? 1 : one->change > other->change ? -1 : 0;
}

static bool costs(const char *name)
{
	const struct dimension_row *row = dimension_row_find(NULL, name);

	return row && row->kind <= DIMENSION_WAITING && row->kind != DIMENSION_RUNNING;
}

static const char *milliseconds(char text[QUANTITY_SIZE], double ns)
{
	return quantity_print(text, ns, "ns");
}

static void say_what(const struct packet *packet, struct document *into)
{
	const json_t *contract = json_object_get(packet->root, "contract"), *cpu = row_named(packet, "oncpu"),
		     *tail = row_named(packet, "elapsed:p99");
	char from[QUANTITY_SIZE], to[QUANTITY_SIZE], p99[QUANTITY_SIZE];
	struct text text = TEXT(600);

	text_print(&text, "%sOn %s (%s, %s), ", json_is_true(json_object_get(packet->root, "simulated")) ? "Simulated: " : "",
		   packet_text(contract, "endpoint"), packet_text(contract, "workload"), packet_text(contract, "state"));
	if (isfinite(number_of(tail, "candidate")) && isfinite(number_of(tail, "base")))
		text_print(&text, "p99 went from %s to %s while ", milliseconds(p99, number_of(tail, "base")),
			   milliseconds(to, number_of(tail, "candidate")));
	else if (isfinite(number_of(tail, "candidate")))
		text_print(&text, "p99 is %s in the candidate (the baseline's was not given) while ",
			   milliseconds(p99, number_of(tail, "candidate")));
	text_print(&text, "CPU per correct completion went from %s to %s in %lld matched pairs.", milliseconds(from, number_of(cpu, "base")),
		   milliseconds(to, number_of(cpu, "candidate")),
		   (long long)json_integer_value(json_object_get(json_object_get(packet->root, "comparison"), "pairs")));
	document_add_finding(into, SEVERITY_NOTE, "%s", text_string(&text));
	text_done(&text);
}

static double say_lost(const struct packet *packet, struct document *into, const char **ret_name)
{
	const json_t *rows = rows_of(packet);
	bool described = json_is_true(json_object_get(json_object_get(packet->root, "comparison"), "described"));
	struct lost lost[32];
	struct text text = TEXT(600);
	char by[QUANTITY_SIZE];
	size_t count = 0;

	for (size_t i = 0; i < json_array_size(rows) && count < ARRAY_LENGTH(lost); i++) {
		const json_t *row = json_array_get(rows, i);
		double change = number_of(row, "candidate") - number_of(row, "base");

		if (!strcmp(packet_text(row, "kind"), "state") && costs(packet_text(row, "name")) && change > 0 &&
		    (described || !strcmp(packet_text(row, "outcome"), "grew")))
			lost[count++] = (struct lost){ packet_text(row, "name"), change };
	}
	qsort(lost, count, sizeof(*lost), compare_lost);
	for (size_t i = 0; i < count && i < 3; i++)
		text_print(&text, "%s%s (+%s)", i ? i + 1 == count || i == 2 ? " and " : ", " : "", lost[i].name,
			   milliseconds(by, lost[i].change));
	if (count)
		document_add_finding(into, SEVERITY_NOTE, "Each correct completion lost its time in %s of thread time.", text_string(&text));
	else
		document_add_finding(into, SEVERITY_NOTE, "No state of waiting was shown to grow per correct completion.");
	text_done(&text);
	*ret_name = count ? lost[0].name : NULL;
	return count ? lost[0].change : 0;
}

static void say_widest(const struct packet *packet, double lost, const char *name, struct document *into)
{
	const json_t *claims = json_object_get(packet->root, "claims"), *row = NULL;
	char now[QUANTITY_SIZE], by[QUANTITY_SIZE], all[QUANTITY_SIZE];
	double change;
	json_t *claim;
	size_t i;

	json_array_foreach(claims, i, claim) {
		if (!strncmp(packet_text(claim, "text"), "the widest", 10))
			row = row_named(packet, json_string_value(json_array_get(json_object_get(claim, "evidence"), 0)));
	}
	if (!row || !name) {
		document_add_finding(into, SEVERITY_NOTE, "Which stack on the CPU is the widest cannot be said from these captures.");
		return;
	}
	change = number_of(row, "candidate") - number_of(row, "base");
	document_add_finding(into, SEVERITY_NOTE,
			     "The widest stack on the CPU, %s, holds %s per completion (%s%s): removing all of it could not win back the %s "
			     "lost to %s.", strchr(packet_text(row, "name"), ':') + 1, milliseconds(now, number_of(row, "candidate")),
			     change < 0 ? "" : "+", milliseconds(by, change), milliseconds(all, lost), name);
}

static void say_verdict(const struct packet *packet, struct document *into)
{
	const json_t *verdict = json_object_get(packet->root, "verdict");
	long long needed = (long long)json_integer_value(json_object_get(verdict, "pairs_needed"));
	const char *judgement = packet_text(verdict, "judgement"), *decision = packet_text(json_object_get(packet->root, "contract"), "decision");
	struct text more = TEXT(100);

	if (needed)
		text_print(&more, needed > POWER_PAIRS_MOST ? "; more than %d pairs of such blocks would be needed to decide"
							    : "; about %d pairs would decide",
			   needed > POWER_PAIRS_MOST ? POWER_PAIRS_MOST : (int)needed);
	if (!strcmp(judgement, "untested"))
		document_add_finding(into, SEVERITY_NOTE, "%s (%s); what was to be decided: %s.",
				     row_named(packet, "oncpu") ? "That is a correlation, not yet a cause"
								: "Nothing was compared, so nothing is known of a cause",
				     packet_text(verdict, "why"), decision);
	else
		document_add_finding(into, SEVERITY_NOTE, "The hypothesis is %s: %s%s; what was to be decided: %s.", judgement,
				     packet_text(verdict, "why"), text_string(&more), decision);
	text_done(&more);
}

void packet_explain(const struct packet *packet, struct document *into)
{
	const char *name = NULL;
	double lost;

	if (row_named(packet, "oncpu")) {               /* without a pair there is nothing to tell but why */
		say_what(packet, into);
		lost = say_lost(packet, into, &name);
		say_widest(packet, lost, name, into);
	}
	say_verdict(packet, into);
}
