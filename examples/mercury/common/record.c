/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes the content of an item from its id. The store is filled with documents once; the load
 * generator makes the same item again for every answer.
 */
#include "record.h"

#include <assert.h>
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "checksum.h"
#include "random.h"

#define RECORD_MAGIC 0x4d524331u        /* "MRC1" */

static const char *const words[] = {
	"Lager", "M\u00fcnchen", "quantit\u00e9", "\u014cita", "stock", "Krak\u00f3w", "zmiana",
	"dep\u00f3sito", "\u00d8resund", "Halle 7", "prix", "on hand",
	"\u0432 \u043f\u0443\u0442\u0438", "\u5728\u5e93", "\u20ac/kg", "\"net\"",
};

static struct random item_random(uint32_t id)
{
	return (struct random){ 0x6d657263u + (uint64_t)id * 0x1000193u };
}

void item_make(struct item *item, uint32_t id)
{
	struct random random = item_random(id);

	item->id = id;
	item->version = 1 + random_below(&random, 7);
	item->total = 0;
	for (size_t i = 0; i < FIELD_COUNT; i++) {
		uint64_t choice = random_next(&random);
		const char *first = words[choice >> 8 & 15], *second = words[choice >> 16 & 15];

		item->values[i] = 1 + (choice >> 32) % (RECORD_VALUE_LIMIT - 1);
		item->total += item->values[i];
		snprintf(item->labels[i], RECORD_LABEL_BYTES, "%s %s", first, second);
	}
}

static char *put_encoded(char *to, const char *text)
{
	for (; *text; text++) {
		if (isalnum((unsigned char)*text))
			*to++ = *text;
		else
			to += sprintf(to, "%%%02X", (unsigned char)*text);
	}
	return to;
}

/* The fields lie in an order of the item's own: 35 places apart, which is prime to their number. */
void record_make(struct record *record, uint32_t id)
{
	struct item item;
	char *to = record->text;

	item_make(&item, id);
	memset(record, 0, sizeof(*record));
	for (uint32_t i = 0; i < FIELD_COUNT; i++) {
		uint32_t field = (id + i * 35) % FIELD_COUNT;

		assert(record->text + sizeof(record->text) - to > 160);
		to += sprintf(to, "%s=%llu;", field_names[field],
			      (unsigned long long)item.values[field]);
		to = put_encoded(to, item.labels[field]);
		*to++ = '\n';
	}
	record->magic = RECORD_MAGIC;
	record->id = id;
	record->version = item.version;
	record->length = (uint32_t)(to - record->text);
	record->checksum = checksum(record->text, record->length);
}

bool record_is(const struct record *record, uint32_t id)
{
	return record->magic == RECORD_MAGIC && record->id == id &&
	       record->length <= RECORD_TEXT_BYTES;
}
