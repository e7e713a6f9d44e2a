/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * A Go program's table, made function by function, for tests and fuzzers.
 *
 *	struct go_builder go = { .version = GOPCLNTAB_1_18, .text = ELF_CODE };
 *	go_add(&go, (struct go_added){ .start = 0, .name = "main.main", .rsp = go_values(&go, "\x02\x04\x10\x20", 4) });
 *	go_build(&go, 0x40);                    the last function ends there; go.table.bytes is the table
 */
#include "elf_builder.h"
#include "unwind/gopclntab.h"

struct go_added {
	uint64_t start;                         /* from the text's start on */
	const char *name;
	uint8_t flags;
	uint32_t rsp, file, line;               /* what go_values() gave */
	uint32_t inlined;                       /* values: indices into the tree of inlined calls; 0: none */
	uint32_t tree;                          /* where that is, from Go's data on */
};

struct go_builder {
	enum gopclntab_version version;
	uint64_t text;
	struct bytes names, units, files, values, records, table;
	struct go_added functions[64];
	size_t count;
};

/* Pairs of a change (zigzag) and bytes; their end mark is added. */
static inline uint32_t go_values(struct go_builder *go, const char *pairs, size_t size)
{
	uint32_t at;

	if (!go->values.size)
		PUT(&go->values, 0);
	at = (uint32_t)go->values.size;
	put(&go->values, pairs, size);
	PUT(&go->values, 0);
	return at;
}

static inline uint32_t go_text(struct bytes *to, const char *text)
{
	uint32_t at = (uint32_t)to->size;

	put(to, text, strlen(text) + 1);
	return at;
}

static inline void go_add(struct go_builder *go, struct go_added function)
{
	assert(go->count < 64);
	go->functions[go->count++] = function;
}

static inline void go_put_record(struct go_builder *go, const struct go_added *function)
{
	bool is_old = go->version == GOPCLNTAB_1_16;
	struct bytes *to = &go->records;

	put_number(to, function->start + (is_old ? go->text : 0), is_old ? 8 : 4);
	put_number(to, go_text(&go->names, function->name), 4);
	put_zeros(to, to->size + 8);
	put_number(to, function->rsp, 4);
	put_number(to, function->file, 4);
	put_number(to, function->line, 4);
	put_number(to, function->inlined ? 3 : 0, 4);
	put_number(to, 0, 4);                                   /* unit */
	if (go->version == GOPCLNTAB_1_20)
		put_number(to, 1, 4);
	put_number(to, 0, 1);
	put_number(to, function->flags, 1);
	put_number(to, 0, 1);
	put_number(to, function->inlined ? 4 : 0, 1);
	for (uint32_t i = 0; function->inlined && i < 3; i++)
		put_number(to, i == 2 ? function->inlined : 0, 4);
	for (uint32_t i = 0; function->inlined && i < 4; i++)
		put_number(to, i == 3 ? function->tree : UINT32_MAX, 4);
}

static inline size_t go_build(struct go_builder *go, uint64_t end)
{
	size_t field = go->version == GOPCLNTAB_1_16 ? 8 : 4, head = go->version == GOPCLNTAB_1_16 ? 64 : 72;
	size_t listed = (2 * go->count + 1) * field;
	uint64_t base = go->version == GOPCLNTAB_1_16 ? go->text : 0;
	struct bytes *table = &go->table, functions = { 0 };
	static const uint32_t magic[] = { 0xfffffffa, 0xfffffff0, 0xfffffff1 };
	const struct bytes *parts[] = { &go->names, &go->units, &go->files, &go->values, &functions };

	for (size_t i = 0; i < go->count; i++) {
		put_number(&functions, go->functions[i].start + base, field);
		put_number(&functions, listed + go->records.size, field);
		go_put_record(go, &go->functions[i]);
	}
	put_number(&functions, end + base, field);
	put(&functions, go->records.bytes, go->records.size);
	put_number(table, magic[go->version], 4);
	PUT(table, 0, 0, 1, 8);
	put_number(table, go->count, 8);
	put_number(table, 0, 8);
	if (go->version != GOPCLNTAB_1_16)
		put_number(table, go->text, 8);
	for (size_t i = 0, at = head; i < 5; at += parts[i++]->size)
		put_number(table, at, 8);
	for (size_t i = 0; i < 5; i++)
		put(table, parts[i]->bytes, parts[i]->size);
	free(functions.bytes);
	return table->size;
}

static inline void go_builder_done(struct go_builder *go)
{
	struct bytes *all[] = { &go->names, &go->units, &go->files, &go->values, &go->records, &go->table };

	for (size_t i = 0; i < 6; i++)
		free(all[i]->bytes);
	*go = (struct go_builder){ 0 };
}
