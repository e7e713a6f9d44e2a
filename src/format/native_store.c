/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What can be made again and stands outside the digests: the names of frames, and the verdicts of
 * the gates. Stored when the capture is sealed, and replaced in a file that exists.
 */
#include "format/native.h"

#include "base/error.h"
#include "base/map.h"
#include "base/memory.h"
#include "format/native_file.h"
#include "format/native_writer.h"
#include "format/redaction.h"
#include "profile/profile.h"

#include <sqlite3.h>
#include <stdlib.h>

/* Texts of symbols have numbers of their own, so that they can go without touching what was
 * recorded. */
static uint32_t symbol_text(struct native *native, const struct profile *profile,
			    struct map *numbers, struct string_id id, bool generated)
{
	const char *text = profile_text(profile, id);
	uint32_t key[2] = { id.index, generated }, *number;
	bool added;

	if (!id.index)
		return 0;
	number = map_put(numbers, key, &added);
	if (added) {
		*number = (uint32_t)map_count(numbers);
		row_begin(native, TABLE_SYMBOL_TEXT);
		row_number(native, *number);
		row_text(native, generated ? redaction_name(native->redaction, REDACTED_GENERATED, text) : text);
		row_end(native);
	}
	return *number;
}

void native_write_symbols(struct native *native, const struct profile *profile, size_t frame_count)
{
	CLEANUP(map) struct map *numbers = map_new(2 * sizeof(uint32_t));

	for (size_t i = 0; i < profile_symbol_count(profile); i++) {
		const struct symbol *symbol = profile_symbol_at(profile, i);
		const struct frame *frame = profile_frame_at(profile, symbol->frame.index);
		uint32_t name, path, origin;
		bool generated;

		if (symbol->frame.index >= frame_count)
			continue;
		generated = redaction_is_generated(native->redaction, profile_text(profile, symbol->origin));
		name = symbol_text(native, profile, numbers, symbol->name, generated);
		path = native->redaction ? 0 : symbol_text(native, profile, numbers, symbol->path, false);
		origin = symbol_text(native, profile, numbers, symbol->origin, false);
		row_begin(native, TABLE_SYMBOL);
		row_number(native, symbol->frame.index);
		row_number(native, frame->file.index);
		row_number(native, frame->offset);
		row_number(native, symbol->depth);
		row_number(native, name);
		row_number(native, path);
		row_number(native, symbol->line);
		row_number(native, origin);
		row_end(native);
	}
}

/* Runs one change of an existing file in a transaction. */
typedef void change_file(struct native *native, const void *with);

static int file_change(const char *path, change_file *change, const void *with, struct error *err)
{
	CLEANUP(native) struct native *native = native_new();
	int r = native_open_to_write(path, &native->db, err);

	if (r < 0)
		return r;
	native->path = xstrdup(path);
	native->failed = native_run(native->db, "BEGIN IMMEDIATE") < 0 ||
			 native_tables_open(native, false) < 0;
	if (!native->failed)
		change(native, with);
	if (native->failed || native_run(native->db, "COMMIT") < 0)
		r = native_fail(native->db, "write", path, err);
	return r;
}

static void symbols_replace(struct native *native, const void *with)
{
	const struct profile *profile = with;

	/* a capture that was made without paths gets none afterwards */
	if (native_ask(native->db, "SELECT count(*) FROM meta WHERE key = 'capture.redacted' AND value = '1'"))
		native->redaction = redaction_new();
	native->failed |= native_run(native->db, "DELETE FROM symbol; DELETE FROM symbol_text") < 0;
	native_write_symbols(native, profile, profile_frame_count(profile));
}

int native_store_symbols(const char *path, const struct profile *profile, struct error *err)
{
	return file_change(path, symbols_replace, profile, err);
}

struct verdict { const char *name, *text; double value, limit; };

static void gate_replace(struct native *native, const void *with)
{
	const struct verdict *verdict = with;

	row_begin(native, TABLE_GATE);
	row_text(native, verdict->name);
	row_real(native, verdict->value);
	row_real(native, verdict->limit);
	row_text(native, verdict->text);
	row_end(native);
}

int native_store_gate(const char *path, const char *name, double value, double limit,
		      const char *verdict, struct error *err)
{
	return file_change(path, gate_replace, &(struct verdict){ name, verdict, value, limit },
			   err);
}
