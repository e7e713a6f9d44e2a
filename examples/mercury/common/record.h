/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An item as the store keeps it: a head and a document of text, 12 KiB in all. Its content
 * follows from its id alone, so that the load generator can check every answer without asking
 * anybody.
 *
 *   warehouse.inventory.current.dublin.on_hand=123456;Lager%20D%C3%BCblin
 *   ...                                        one line per field, in an order of the item's own
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "field.h"

enum {
	RECORD_BYTES = 12288,
	RECORD_ALIGNMENT = 4096,             /* for direct I/O */
	RECORD_HEAD_BYTES = 32,
	RECORD_TEXT_BYTES = RECORD_BYTES - RECORD_HEAD_BYTES,
	RECORD_VALUE_LIMIT = 1000000,
	RECORD_LABEL_BYTES = 24,
};

struct record {
	uint32_t magic;
	uint32_t id;
	uint32_t version;
	uint32_t checksum;                   /* of the text */
	uint32_t length;                     /* of the text; zeros follow */
	uint32_t reserved[3];
	char text[RECORD_TEXT_BYTES];
};

_Static_assert(sizeof(struct record) == RECORD_BYTES, "a record is its bytes on disk");

/* What the document says, for who checks answers; in the order of field_names. */
struct item {
	uint32_t id;
	uint32_t version;
	uint64_t total;                      /* of the values; never 0 */
	uint64_t values[FIELD_COUNT];        /* each below RECORD_VALUE_LIMIT */
	char labels[FIELD_COUNT][RECORD_LABEL_BYTES];      /* UTF-8 */
};

void item_make(struct item *item, uint32_t id);
void record_make(struct record *record, uint32_t id);
bool record_is(const struct record *record, uint32_t id);      /* magic, id and length fit */
