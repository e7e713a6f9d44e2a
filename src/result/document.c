/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The document: sections in the order in which people should read them. Keys are distinct, findings aside, because JSON
 * nests sections under them.
 */
#include "result/document.h"

#include "base/memory.h"
#include "base/text.h"
#include "result/timeline.h"

#include <assert.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { FINDING_TEXT_LIMIT = 4096 };

const char *severity_name(enum severity severity)
{
	switch (severity) {
	case SEVERITY_NOTE:
		return "note";
	case SEVERITY_WARNING:
		return "warning";
	case SEVERITY_FAILURE:
		return "failure";
	}
	return "note";
}

const char *section_kind_name(enum section_kind kind)
{
	switch (kind) {
	case SECTION_RECORD:
		return "record";
	case SECTION_TABLE:
		return "table";
	case SECTION_TREE:
		return "tree";
	case SECTION_FINDING:
		return "finding";
	case SECTION_TIMELINE:
		return "timeline";
	}
	return "record";
}

struct document *document_new(const char *schema, const char *title)
{
	struct document *document = xcalloc(1, sizeof(*document));

	document->schema = xstrdup(schema);
	document->title = xstrdup(title);
	return document;
}

static void section_done(struct section *section)
{
	switch (section->kind) {
	case SECTION_RECORD:
		record_free(section->record);
		break;
	case SECTION_TABLE:
		table_free(section->table);
		break;
	case SECTION_TREE:
		tree_free(section->tree);
		break;
	case SECTION_FINDING:
		free(section->finding);
		break;
	case SECTION_TIMELINE:
		timeline_free(section->timeline);
		break;
	}
	free(section->key);
	free(section->title);
}

void document_free(struct document *document)
{
	if (!document)
		return;
	for (size_t i = 0; i < document->section_count; i++)
		section_done(&document->sections[i]);
	free(document->sections);
	free(document->schema);
	free(document->title);
	free(document);
}

static struct section *section_new(struct document *document, enum section_kind kind, const char *key,
				   const char *title)
{
	struct section *section;

	assert(kind == SECTION_FINDING || !document_find(document, key));
	grow(document->sections, document->section_count, document->section_room);
	section = &document->sections[document->section_count++];
	*section = (struct section){ .kind = kind, .key = xstrdup(key), .title = xstrdup(title) };
	return section;
}

struct section *document_add_record(struct document *document, const char *key, const char *title, struct record *record)
{
	struct section *section = section_new(document, SECTION_RECORD, key, title);

	section->record = record;
	return section;
}

struct section *document_add_table(struct document *document, const char *key, const char *title, struct table *table)
{
	struct section *section = section_new(document, SECTION_TABLE, key, title);

	section->table = table;
	return section;
}

struct section *document_add_tree(struct document *document, const char *key, const char *title, struct tree *tree)
{
	struct section *section = section_new(document, SECTION_TREE, key, title);

	section->tree = tree;
	return section;
}

struct section *document_add_timeline(struct document *document, const char *key, const char *title, struct timeline *timeline)
{
	struct section *section = section_new(document, SECTION_TIMELINE, key, title);

	section->timeline = timeline;
	return section;
}

void document_add_finding(struct document *document, enum severity severity, const char *format, ...)
{
	struct section *section = section_new(document, SECTION_FINDING, "findings", "Findings");
	struct text text = TEXT(FINDING_TEXT_LIMIT);
	va_list arguments;

	va_start(arguments, format);
	text_print_list(&text, format, arguments);
	va_end(arguments);
	section->severity = severity;
	section->finding = text_take(&text);
}

void document_take(struct document *into, struct document *from, const char *prefix)
{
	for (size_t i = 0; i < from->section_count; i++) {
		struct section *section = &from->sections[i];

		if (prefix && section->kind != SECTION_FINDING) {
			char *key = xasprintf("%s.%s", prefix, section->key);

			free(section->key);
			section->key = key;
		}
		grow(into->sections, into->section_count, into->section_room);
		into->sections[into->section_count++] = *section;
	}
	from->section_count = 0;
}

const struct section *document_find(const struct document *document, const char *key)
{
	for (size_t i = 0; i < document->section_count; i++) {
		if (!strcmp(document->sections[i].key, key))
			return &document->sections[i];
	}
	return NULL;
}
