/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/* A document as JSON, for machines (`--json`) and for the page, which embeds it. */
struct document;
struct json_writer;

enum json_audience {
	JSON_FOR_MACHINES,
	JSON_FOR_PAGE,               /* with the columns for people, marked "human" in "sections" */
};

void json_document(struct json_writer *json, const struct document *document, enum json_audience audience);
