/* SPDX-License-Identifier: Apache-2.0 */
/* A stored document as the parser understood it. Its texts lie in it: no allocation. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../common/record.h"

enum { FIELD_LINES = 2 * FIELD_COUNT };      /* the old parser lets a field come twice */

struct document_field {
	bool present;
	uint16_t label_length;
	uint32_t value;
	const char *label;                   /* UTF-8, not terminated */
};

struct document {
	uint32_t id, version;
	uint64_t total;                      /* of all values */
	size_t field_count;                  /* lines, that is */
	uint16_t order[FIELD_LINES];         /* the fields as they came */
	struct document_field fields[FIELD_COUNT];
	char text[RECORD_TEXT_BYTES];        /* the decoded labels */
};

/* Reads a record's text. False if it is malformed. */
bool parse(struct document *document, const struct record *record);
