/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parts have offsets but no sizes: each reaches to the end of the table, and strings must end inside. Functions are listed
 * by address, and one more entry says where the last one ends.
 */
#include "unwind/gopclntab.h"

#include <errno.h>
#include <string.h>

enum { MAGIC_1_2 = 0xfffffffb, MAGIC_1_16 = 0xfffffffa, MAGIC_1_18 = 0xfffffff0, MAGIC_1_20 = 0xfffffff1 };
enum { WORD = 8, NO_PATH = UINT32_MAX };

/* Of what a function's record holds, where the versions differ. */
static const struct record {
	uint32_t after_start;           /* bytes of its start, before the name */
	uint32_t kind;                  /* offset of function id, flags, padding, count of data */
} records[] = {
	[GOPCLNTAB_1_16] = { .after_start = 8, .kind = 40 },
	[GOPCLNTAB_1_18] = { .after_start = 4, .kind = 36 },
	[GOPCLNTAB_1_20] = { .after_start = 4, .kind = 40 },
};

static uint32_t magic_of(const uint8_t *bytes)
{
	uint32_t magic;

	memcpy(&magic, bytes, sizeof(magic));
	return magic;
}

static bool version_of(uint32_t magic, enum gopclntab_version *ret)
{
	switch (magic) {
	case MAGIC_1_16: *ret = GOPCLNTAB_1_16; return true;
	case MAGIC_1_18: *ret = GOPCLNTAB_1_18; return true;
	case MAGIC_1_20: *ret = GOPCLNTAB_1_20; return true;
	default: return false;
	}
}

/* This processor's: instructions of any length, pointers of eight bytes. */
bool gopclntab_begins(const uint8_t bytes[GOPCLNTAB_HEADER_BYTES])
{
	enum gopclntab_version version;

	return (version_of(magic_of(bytes), &version) || magic_of(bytes) == (uint32_t)MAGIC_1_2) && !bytes[4] && !bytes[5] &&
	       bytes[6] == 1 && bytes[7] == WORD;
}

static struct gopclntab_part part_at(struct cursor *header, const uint8_t *bytes, size_t size)
{
	uint64_t offset = cursor_number(header, WORD);

	if (offset > size)
		cursor_fail(header);
	return header->bad ? (struct gopclntab_part){ 0 } : (struct gopclntab_part){ bytes + offset, size - offset };
}

static size_t field_bytes(const struct gopclntab *table)
{
	return table->version == GOPCLNTAB_1_16 ? 8 : 4;
}

int gopclntab_open(const void *bytes, size_t size, struct gopclntab *ret)
{
	struct gopclntab table = { 0 };
	struct cursor header = { .at = bytes, .end = (const uint8_t *)bytes + size };
	uint64_t count;

	if (size < GOPCLNTAB_HEADER_BYTES || !gopclntab_begins(bytes))
		return -EBADMSG;
	if (!version_of(magic_of(bytes), &table.version))
		return -ENOTSUP;
	cursor_skip(&header, 8);
	count = cursor_number(&header, WORD);
	(void)cursor_number(&header, WORD);                     /* of files */
	if (table.version != GOPCLNTAB_1_16)
		table.text = cursor_number(&header, WORD);
	table.names = part_at(&header, bytes, size);
	table.units = part_at(&header, bytes, size);
	table.files = part_at(&header, bytes, size);
	table.values = part_at(&header, bytes, size);
	table.functions = part_at(&header, bytes, size);
	if (header.bad || count > GOPCLNTAB_FUNCTION_LIMIT || (2 * count + 1) * field_bytes(&table) > table.functions.size)
		return -EBADMSG;
	table.count = count;
	*ret = table;
	return 0;
}

/* Field 2 * index is where a function starts, the next one where its record is. */
static uint64_t field(const struct gopclntab *table, size_t number)
{
	uint64_t value = 0;

	memcpy(&value, table->functions.bytes + number * field_bytes(table), field_bytes(table));
	return value;
}

static uint64_t start_of(const struct gopclntab *table, size_t index)
{
	return field(table, 2 * index) + (table->version == GOPCLNTAB_1_16 ? 0 : table->text);
}

static const char *text_at(const struct gopclntab_part *part, uint64_t offset)
{
	return offset < part->size && memchr(part->bytes + offset, 0, part->size - offset) ? (const char *)part->bytes + offset : NULL;
}

const char *gopclntab_name(const struct gopclntab *table, uint64_t offset)
{
	if (offset >= table->names.size || (offset && table->names.bytes[offset - 1]))
		return NULL;
	return text_at(&table->names, offset);
}

bool gopclntab_function(const struct gopclntab *table, size_t index, struct go_function *ret)
{
	const struct record *layout = &records[table->version];
	struct go_function function = { .start = start_of(table, index), .end = start_of(table, index + 1) };
	uint64_t offset = field(table, 2 * index + 1), more;
	struct cursor record = { .end = table->functions.bytes + table->functions.size };

	if (function.end <= function.start || offset > table->functions.size)
		return false;
	record.at = table->functions.bytes + offset;
	cursor_skip(&record, layout->after_start);
	function.name = gopclntab_name(table, cursor_number(&record, 4));
	cursor_skip(&record, 8);                                /* size of arguments, place of deferred calls */
	function.rsp = (uint32_t)cursor_number(&record, 4);
	function.file = (uint32_t)cursor_number(&record, 4);
	function.line = (uint32_t)cursor_number(&record, 4);
	function.value_count = (uint32_t)cursor_number(&record, 4);
	function.unit = (uint32_t)cursor_number(&record, 4);
	cursor_skip(&record, layout->kind - layout->after_start - 32 + 1);      /* the line it starts in; its id */
	function.flags = (uint8_t)cursor_number(&record, 1);
	cursor_skip(&record, 1);
	function.data_count = (uint32_t)cursor_number(&record, 1);
	function.more = record.at;
	more = ((uint64_t)function.value_count + function.data_count) * 4;
	cursor_skip(&record, table->version == GOPCLNTAB_1_16 ? (uint64_t)function.value_count * 4 : more);
	*ret = function;
	return !record.bad && function.name;
}

bool gopclntab_find(const struct gopclntab *table, uint64_t address, struct go_function *ret)
{
	size_t low = 0, high = table->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (start_of(table, middle) <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low && gopclntab_function(table, low - 1, ret) && address >= ret->start && address < ret->end;
}

const char *gopclntab_path(const struct gopclntab *table, const struct go_function *function, int32_t file)
{
	uint64_t place = ((uint64_t)function->unit + (uint32_t)file) * 4;
	uint32_t offset;

	if (file < 0 || place + sizeof(offset) > table->units.size)
		return NULL;
	memcpy(&offset, table->units.bytes + place, sizeof(offset));
	return offset == (uint32_t)NO_PATH ? NULL : text_at(&table->files, offset);
}

/* Offset 0 is no list of values: one stands there that no function has. */
void go_values_begin(struct go_values *values, const struct gopclntab *table, uint32_t offset, const struct go_function *function)
{
	size_t at = offset && offset < table->values.size ? offset : table->values.size;

	*values = (struct go_values){ .from = function->start, .to = function->start, .end = function->end, .value = -1 };
	values->cursor = (struct cursor){ .at = table->values.bytes + at, .end = table->values.bytes + table->values.size };
}

/* Pairs of numbers: how the value changes (zigzag), and for how many bytes it holds. A change of 0 ends the list, but for
 * the first. */
bool go_values_next(struct go_values *values)
{
	bool is_first = values->to == values->from;
	uint32_t change, bytes;

	if (values->cursor.at == values->cursor.end || values->to >= values->end)
		return false;
	change = (uint32_t)cursor_uleb(&values->cursor);
	if (!change && !is_first)
		return false;
	bytes = (uint32_t)cursor_uleb(&values->cursor);
	if (!bytes)
		cursor_fail(&values->cursor);
	if (values->cursor.bad)
		return false;
	values->value = (int32_t)((uint32_t)values->value + (change >> 1 ^ -(change & 1)));
	values->from = values->to;
	values->to = bytes < values->end - values->to ? values->to + bytes : values->end;
	return true;
}

bool go_value_at(const struct gopclntab *table, uint32_t offset, const struct go_function *function, uint64_t address, int32_t *ret)
{
	struct go_values values;

	go_values_begin(&values, table, offset, function);
	while (go_values_next(&values))
		if (address >= values.from && address < values.to) {
			*ret = values.value;
			return true;
		}
	return false;
}
