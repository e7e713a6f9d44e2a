/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * A document is an answer with no ink on it: sections of a few shapes, which any view can draw. Analyses, gates and
 * hypotheses fill one; views draw it and never see a profile. Sections own their texts (copied in) and are bounded.
 *
 * As JSON a document is one object: "schema", "title" (and "refused":true) first, then one member per section under its
 * key. Keys nest at each dot: "baseline.trees.oncpu" is {"baseline":{"trees":{"oncpu":…}}}. A record becomes an object, a
 * table an array of objects (one member per column), a tree {"unit","weighting","total","names":[…],"depth":[…],"name":[…],
 * "value":[…],"self":[…],"count":[…],"coalesced"} in preorder ("count" where a count is known; "base" and "candidate" in a
 * differential tree), a timeline what result/timeline.h says, findings an array
 * "findings" of {"severity","text"}. A last member "sections" lists key, kind, title, hints and columns {key,title,unit,
 * hints,columns} of each, so that a reader that knows no schema can draw them. Rows beyond the limit are told there as
 * "rows_left_out"; those of a nested table beside it, as "KEY_rows_left_out".
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"

struct timeline;

enum { DOCUMENT_NODE_LIMIT = 200000, DOCUMENT_ROW_LIMIT = 100000 };

enum value_kind { VALUE_NONE, VALUE_TEXT, VALUE_TRUTH, VALUE_INTEGER, VALUE_NUMBER, VALUE_RECORD, VALUE_TABLE };

struct value {
	enum value_kind kind;
	union {
		char *text;
		bool truth;
		int64_t integer;
		double number;                   /* not finite: drawn as none */
		struct record *record;
		struct table *table;
	};
};

struct value value_none(void);
struct value value_text(const char *text);               /* copies */
struct value value_print(const char *format, ...) __attribute__((format(printf, 1, 2)));
struct value value_truth(bool truth);
struct value value_integer(int64_t integer);
struct value value_number(double number);
struct value value_record(struct record *record);        /* these two take ownership */
struct value value_table(struct table *table);

enum column_hint {
	COLUMN_BAR = 1,              /* people like to see it as a bar: a share of the largest */
	COLUMN_MACHINE = 2,          /* for machines and the page only: the text view leaves it out */
	COLUMN_HUMAN = 4,            /* for people only: derived, so JSON leaves it out */
	COLUMN_LEFT = 8,             /* a number that is a name (pid): align left, no unit scaling */
	COLUMN_CODE = 16,            /* code or a stack: never wrapped or scaled */
};

struct column {
	const char *key;             /* JSON member; static text, as title and unit are */
	const char *title;
	const char *unit;            /* "ns", "bytes", "count", "fraction"; numbers are scaled by it for people. "" = a plain
					number, or, in a table with a column "unit", the unit that its row names there */
	unsigned hints;
};

struct table {
	const struct column *columns;        /* static */
	size_t column_count, row_count, row_room;
	struct value *cells;                 /* row by row */
	uint64_t rows_left_out;              /* beyond a limit; said by every view */
};

struct table *table_new(const struct column *columns, size_t column_count);
void table_free(struct table *table);
DEFINE_CLEANUP(table)
/* Adds a row of column_count values and takes them. Beyond DOCUMENT_ROW_LIMIT the row is freed and counted. */
void table_add(struct table *table, const struct value *values);

struct field {
	const char *key, *title, *unit;      /* static, except that a key may be made by record_add_named() */
	char *made_key;
	unsigned hints;                      /* enum column_hint */
	struct value value;
};

struct record {
	struct field *fields;
	size_t count, room;
};

struct record *record_new(void);
void record_free(struct record *record);
DEFINE_CLEANUP(record)
void record_add(struct record *record, const char *key, const char *title, const char *unit, struct value value);
void record_add_hinted(struct record *record, const char *key, const char *title, const char *unit, unsigned hints,
		       struct value value);
void record_add_named(struct record *record, const char *key, struct value value);      /* copies key; title = key */

/* A weighted tree in preorder: node 0 is the root, of depth 0. value is inclusive, self exclusive. */
struct tree {
	char *unit, *weighting;              /* "ns"; "sampled, 1 in 2^k by expected length" */
	uint32_t *depths, *names;            /* names: index into name_texts */
	double *values, *selves;
	uint64_t *counts;
	double *bases, *candidates;          /* of a differential tree: inclusive, on either side; NULL in any other */
	size_t node_count, node_room;
	char **name_texts;
	size_t name_count, name_room;
	uint64_t coalesced;                  /* nodes merged into "(other)" for the limit */
};

struct tree *tree_new(const char *unit, const char *weighting);
void tree_free(struct tree *tree);
DEFINE_CLEANUP(tree)
uint32_t tree_name(struct tree *tree, const char *name);             /* appends; the caller keeps them distinct */
void tree_add(struct tree *tree, uint32_t depth, uint32_t name, double value, double self, uint64_t count);
/* The same, of a tree of what changed: value is how much grew (or shrank) at or below the node, and this its two sides. All
 * nodes of a tree are added the same way. */
void tree_add_change(struct tree *tree, uint32_t depth, uint32_t name, double value, double self, double base, double candidate);

enum severity { SEVERITY_NOTE = 1, SEVERITY_WARNING, SEVERITY_FAILURE };
const char *severity_name(enum severity severity);

enum section_kind { SECTION_RECORD = 1, SECTION_TABLE, SECTION_TREE, SECTION_FINDING, SECTION_TIMELINE };
const char *section_kind_name(enum section_kind kind);

struct section {
	enum section_kind kind;
	char *key, *title;
	unsigned hints;                      /* COLUMN_MACHINE: the text view leaves it out */
	enum severity severity;              /* of a finding */
	union {
		struct record *record;
		struct table *table;
		struct tree *tree;
		struct timeline *timeline;
		char *finding;
	};
};

struct document {
	char *schema;                        /* "crosscut.ledger/1" */
	char *title;
	struct section *sections;
	size_t section_count, section_room;
	bool refused;                        /* drawn with a mark on every part: --anyway */
};

struct document *document_new(const char *schema, const char *title);
void document_free(struct document *document);
DEFINE_CLEANUP(document)
/* Each takes what it is given. The section returned is valid until the next one is added. */
struct section *document_add_record(struct document *document, const char *key, const char *title, struct record *record);
struct section *document_add_table(struct document *document, const char *key, const char *title, struct table *table);
struct section *document_add_tree(struct document *document, const char *key, const char *title, struct tree *tree);
struct section *document_add_timeline(struct document *document, const char *key, const char *title, struct timeline *timeline);
void document_add_finding(struct document *document, enum severity severity, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* Moves all sections of from to the end of into, their keys below prefix ("baseline.waits") where there is one. */
void document_take(struct document *into, struct document *from, const char *prefix);
const struct section *document_find(const struct document *document, const char *key);
