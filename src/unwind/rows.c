/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows in order of address, from descriptions in order of address. A description ends where the next begins, as the
 * search tables of linkers have it. Up to 15 bytes between two are padding and keep the rule before them; a longer gap is
 * code without rules, and a row of kind UNWIND_NONE says so.
 */
#include "unwind/rows.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/memory.h"
#include "unwind/frame_callee.h"
#include "unwind/frame_program.h"
#include "unwind/frame_row.h"
#include "unwind/frame_set.h"
#include "unwind/image.h"

enum { PADDING_MAXIMUM = 15, ROWS_OF_FILE_LIMIT = 16 << 20 };

struct builder {
	struct unwind_tables tables;
	struct unwind_table *last;                      /* of them; NULL: none yet */
	size_t tables_room, rows_room, row_count;       /* rows_room: of the last table; row_count: of all */
	struct unwind_table_statistics statistics;
	struct frame_set set;
};

static bool same_rule(const struct unwind_row *left, const struct unwind_row *right)
{
	return left->kind == right->kind && left->cfa == right->cfa && left->rbp == right->rbp;
}

/* One that has room for a row at the address. */
static struct unwind_table *table_for(struct builder *builder, uint64_t address)
{
	struct unwind_table *last = builder->last;

	if (last && last->count < UNWIND_ROW_LIMIT && address - last->base <= UINT32_MAX)
		return last;
	grow(builder->tables.tables, builder->tables.count, builder->tables_room);
	builder->last = &builder->tables.tables[builder->tables.count++];
	*builder->last = (struct unwind_table){ .base = address };
	builder->rows_room = 0;
	return builder->last;
}

static void add_row(struct builder *builder, uint64_t address, struct unwind_row row)
{
	struct unwind_table *table = builder->last;

	if (builder->row_count == ROWS_OF_FILE_LIMIT)
		return;
	if (builder->row_count == ROWS_OF_FILE_LIMIT - 1)       /* what is left out shall not seem covered */
		row = (struct unwind_row){ .kind = UNWIND_NONE };
	if (table && same_rule(&table->rows[table->count - 1], &row))
		return;
	table = table_for(builder, address);
	row.pc = (uint32_t)(address - table->base);
	grow(table->rows, table->count, builder->rows_room);
	table->rows[table->count++] = row;
	builder->row_count++;
}

/* Its rules, up to end. */
static void add_description(struct builder *builder, const struct frame_description *description, uint64_t end)
{
	struct frame_set *set = &builder->set;
	struct frame_program program;
	struct unwind_row row;

	frame_program_begin(&program, &set->contexts[description->common], description, end);
	if (description->instructions_size > set->budget_bytes)
		program.bad = true;
	else
		set->budget_bytes -= description->instructions_size;
	while (frame_program_next(&program)) {
		row = frame_row(&program);
		if (row.kind == UNWIND_REGISTER && (row.cfa & UINT8_MAX) == FRAME_RBX)
			row.rbp = frame_callee_rbx(set, program.from, program.to);
		builder->statistics.rows_before_merge++;
		builder->statistics.unsupported += (row.kind & 15) == UNWIND_UNSUPPORTED;
		add_row(builder, program.from, row);
	}
	builder->statistics.descriptions++;
	builder->statistics.covered_bytes += end - description->start;
	builder->statistics.from_debug_frame |= program.context->common.section->is_debug;
}

static void add_all(struct builder *builder)
{
	const struct frame_description *descriptions = builder->set.descriptions;
	size_t count = builder->set.count, next;

	for (size_t i = 0; i < count; i = next) {
		uint64_t end = descriptions[i].start + descriptions[i].size;

		for (next = i + 1; next < count && descriptions[next].start == descriptions[i].start;)
			next++;
		builder->statistics.dropped += next - i - 1;
		if (next < count && descriptions[next].start < end)
			end = descriptions[next].start;
		add_description(builder, &descriptions[i], end);
		if (next == count || descriptions[next].start - end > PADDING_MAXIMUM)
			add_row(builder, end, (struct unwind_row){ .kind = UNWIND_NONE });
	}
}

static void trim(struct unwind_tables *tables)
{
	for (size_t i = 0; i < tables->count; i++)
		tables->tables[i].rows = xreallocarray(tables->tables[i].rows, tables->tables[i].count, sizeof(struct unwind_row));
}

static int read_image(struct image *image, struct unwind_tables *ret)
{
	struct builder builder = { 0 };
	int r = image_open(image);

	if (r == 0) {
		frame_set_read(&builder.set, image);
		add_all(&builder);
		r = builder.tables.count ? 0 : -ENODATA;
		builder.statistics.dropped += builder.set.dropped;
		builder.statistics.text_bytes = image_text_bytes(image);
		frame_set_done(&builder.set);
	}
	image_done(image);
	if (r < 0)
		return r;
	trim(&builder.tables);
	builder.tables.tables[0].statistics = builder.statistics;
	*ret = builder.tables;
	return 0;
}

int unwind_tables_read(const void *image, size_t size, struct unwind_tables *ret)
{
	return size ? read_image(&(struct image){ .bytes = image, .size = size }, ret) : -ENOEXEC;
}

int unwind_tables_read_file(int fd, struct unwind_tables *ret)
{
	return read_image(&(struct image){ .fd = fd }, ret);
}

int unwind_tables_read_memory(const void *image, size_t size, struct unwind_tables *ret)
{
	return size ? read_image(&(struct image){ .bytes = image, .size = size, .is_mapped = true }, ret) : -ENOEXEC;
}

void unwind_tables_free(struct unwind_tables *tables)
{
	for (size_t i = 0; i < tables->count; i++)
		free(tables->tables[i].rows);
	free(tables->tables);
	*tables = (struct unwind_tables){ 0 };
}

const struct unwind_row *unwind_table_row(const struct unwind_table *table, uint64_t address)
{
	uint64_t pc = address - table->base;
	size_t low = 0, high = table->count;

	if (address < table->base)
		return NULL;
	while (low < high) {                                    /* rows before low are at or before pc, those from high on after it */
		size_t middle = low + (high - low) / 2;

		if (table->rows[middle].pc <= pc)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? &table->rows[low - 1] : NULL;
}
