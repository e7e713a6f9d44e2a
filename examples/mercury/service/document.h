/* SPDX-License-Identifier: Apache-2.0 */
/* A stored document as the parser understood it. Its texts lie in it: no allocation. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "../common/record.h"

struct document_field {
	bool present;
	uint16_t label_length;
	uint32_t value;
	const char *label;                   /* UTF-8, not terminated */
};

struct document {
	uint32_t id, version;
	uint64_t total;                      /* of all values */
	struct document_field fields[FIELD_COUNT];
	char text[RECORD_TEXT_BYTES];        /* the decoded labels */
};

/* Reads a record's text. False if it is malformed. */
bool parse(struct document *document, const struct record *record);
