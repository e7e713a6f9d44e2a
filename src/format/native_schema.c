/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tables, segments and views of a capture file. Texts stand in the small tables themselves, so
 * that a person with the sqlite3 tool reads names and not numbers; only segments and symbols, which
 * are many, refer to texts by number.
 */
#include "format/native_schema.h"

#include "profile/profile.h"

#define ID "id INTEGER PRIMARY KEY"
#define NUMBER(name) name " INTEGER NOT NULL"
#define NAME(name) name " TEXT NOT NULL"
#define STORED NUMBER("stored") /* the slice with which the row was written */

const struct native_table_row native_tables[TABLE_COUNT] = {
	[TABLE_META] = { "meta", COVER_SEAL,
		"contract, labels, provenance; sealed: 1 once the capture has ended in order",
		{ "key TEXT NOT NULL UNIQUE", NAME("value") } },
	[TABLE_STRING] = { "string", COVER_SLICE, "texts that segments refer to",
		{ ID, NAME("text"), STORED } },
	[TABLE_DIMENSION] = { "dimension", COVER_SLICE,
		"a thread state (parent 0), a part of one, or an amount",
		{ ID, NAME("name"), NUMBER("parent"), NAME("unit"), NAME("kind"),
		  NAME("meaning"), STORED } },
	[TABLE_MEASURE] = { "measure", COVER_SLICE,
		"how a dimension was measured; dimension 0: the class of the evidence says it",
		{ ID, NUMBER("dimension"), NAME("role"), NAME("weighting"), NAME("source"),
		  NUMBER("period"), STORED } },
	[TABLE_PROCESS] = { "process", COVER_SEAL, "a process; each exec begins a new generation",
		{ ID, NUMBER("pid"), NUMBER("generation"), NUMBER("namespace_pid"),
		  NUMBER("parent_pid"), NAME("comm"), NAME("cgroup"), NAME("executable"),
		  NAME("runtime"), NAME("pid_namespace"), NAME("arguments") } },
	[TABLE_THREAD] = { "thread", COVER_SEAL,
		"a thread and its lifetime in the window; outside: not of the population",
		{ ID, NUMBER("process"), NUMBER("tid"), NUMBER("namespace_tid"),
		  NUMBER("start_ns"), NUMBER("end_ns"), NAME("comm"), NUMBER("outside"),
		  NUMBER("born"), NUMBER("died"), NUMBER("kernel_runtime_ns") } },
	[TABLE_FILE] = { "file", COVER_SLICE, "a mapped file",
		{ ID, NAME("path"), NAME("build_id"), STORED } },
	[TABLE_MAPPING] = { "mapping", COVER_SLICE,
		"where a process had a file; addresses are signed 64-bit",
		{ NUMBER("process"), NUMBER("file"), NUMBER("start_address"),
		  NUMBER("end_address"), NUMBER("file_offset"), NUMBER("since_ns"), STORED } },
	[TABLE_OBJECT] = { "object", COVER_SLICE, "a lock, file, device or connection",
		{ ID, NAME("kind"), NAME("name"), NUMBER("address"), STORED } },
	[TABLE_EVIDENCE] = { "evidence", COVER_SLICE, "what both sides of a wait left behind",
		{ ID, NUMBER("task_state"), NUMBER("syscall"), NUMBER("flags"),
		  NUMBER("wake_context"), NUMBER("contention"), NUMBER("futex_word"),
		  NUMBER("futex_owner"), NUMBER("futex_operation"), NUMBER("file_type"),
		  NUMBER("socket_family"), NUMBER("socket_type"), NUMBER("socket_state"),
		  NAME("file_release"), NUMBER("kernel_stack"), STORED } },
	[TABLE_CLASS] = { "class", COVER_SEAL, "what an evidence was taken for, and by which rule",
		{ "evidence INTEGER PRIMARY KEY", NUMBER("dimension"), NAME("rule"),
		  NUMBER("ambiguous") } },
	[TABLE_COMPLETION] = { "completion", COVER_SLICE, "useful work",
		{ NUMBER("slice"), NAME("source"), NUMBER("process"), NUMBER("port"),
		  NAME("class"), NAME("outcome"), NUMBER("count"), STORED } },
	[TABLE_LOSS] = { "loss", COVER_SLICE, "events seen and lost, by source",
		{ NUMBER("slice"), NAME("source"), NUMBER("seen"), NUMBER("lost"), STORED } },
	[TABLE_OWN_COST] = { "own_cost", COVER_SLICE, "what the capture itself cost",
		{ NUMBER("slice"), NAME("source"), NUMBER("ns"), NUMBER("events"), STORED } },
	[TABLE_GUARD_STEP] = { "guard_step", COVER_SLICE, "what the overhead guard did",
		{ NUMBER("at_ns"), NAME("action"), NAME("reason"), STORED } },
	[TABLE_SEGMENT] = { "segment", COVER_SLICE, "packed columns: zstd, see doc/format.md",
		{ NUMBER("slice"), NAME("kind"), NUMBER("part"), NUMBER("rows"),
		  "bytes BLOB NOT NULL" } },
	[TABLE_SLICE] = { "slice", COVER_NONE,
		"a stretch of time; its digest covers its contents and the digest before",
		{ ID, NUMBER("start_ns"), NUMBER("end_ns"), "digest BLOB NOT NULL" } },
	[TABLE_TOTAL] = { "total", COVER_SEAL,
		"the ledger: exact measures summed over the capture; whole once it is sealed",
		{ NUMBER("thread"), NUMBER("measure"), NUMBER("evidence"), NUMBER("value"),
		  NUMBER("count"), NUMBER("maximum") } },
	[TABLE_SYMBOL_TEXT] = { "symbol_text", COVER_NONE,
		"texts that symbols refer to; rewritable, under no digest",
		{ ID, NAME("text") } },
	[TABLE_SYMBOL] = { "symbol", COVER_NONE,
		"names of frames, innermost inlined call at depth 0; rewritable, under no digest",
		{ NUMBER("frame"), NUMBER("file"), NUMBER("offset"), NUMBER("depth"),
		  NUMBER("name"), NUMBER("path"), NUMBER("line"), NUMBER("origin") } },
	[TABLE_GATE] = { "gate", COVER_NONE,
		"verdicts of crosscut check; rewritable, under no digest",
		{ "name TEXT PRIMARY KEY", "value REAL", "\"limit\" REAL", NAME("verdict") } },
};

/* The dimension that a total counts towards: its evidence's class, or its measure's own. What has
 * neither is unknown, and never left out. */
#define TOTAL_JOINS                                                                       \
	" FROM total"                                                                     \
	" JOIN measure ON measure.id = total.measure"                                     \
	" LEFT JOIN class ON class.evidence = total.evidence"                             \
	" LEFT JOIN dimension ON dimension.id = coalesce("                                \
	"  nullif(class.dimension, 0), nullif(measure.dimension, 0),"                     \
	"  (SELECT id FROM dimension WHERE name = 'unknown' AND parent = 0))"             \
	" LEFT JOIN dimension AS state"                                                   \
	"  ON state.id = coalesce(nullif(dimension.parent, 0), dimension.id)"             \
	" LEFT JOIN thread ON thread.id = total.thread"                                   \
	" LEFT JOIN process ON process.id = thread.process"
#define TOTAL_SUMS                                                                        \
	" coalesce(state.kind, 'waiting') AS kind, coalesce(state.unit, 'ns') AS unit,"   \
	" sum(total.value) AS value,"                                                     \
	" sum(total.count) AS count, max(total.maximum) AS maximum"
/* Before the seal `total` holds those alone that died: a part would be taken for the whole. */
#define TOTAL_WHERE                                                                       \
	" WHERE NOT coalesce(thread.outside, 0)"                                          \
	" AND (SELECT value FROM meta WHERE key = 'sealed') = '1'"
#define STATE_AND_PART                                                                    \
	" coalesce(state.name, 'unknown') AS dimension,"                                  \
	" CASE WHEN dimension.parent THEN dimension.name ELSE '' END AS part,"

const char *const native_views[] = {
	"CREATE VIEW ledger AS SELECT" STATE_AND_PART TOTAL_SUMS TOTAL_JOINS
	TOTAL_WHERE " GROUP BY state.id, dimension.id"
	" ORDER BY state.id, dimension.id",

	"CREATE VIEW thread_ledger AS SELECT process.pid AS pid, thread.tid AS tid,"
	" thread.comm AS comm," STATE_AND_PART TOTAL_SUMS TOTAL_JOINS
	TOTAL_WHERE " GROUP BY total.thread, state.id, dimension.id"
	" ORDER BY total.thread, state.id, dimension.id",

	"CREATE VIEW work AS SELECT source, class, outcome, sum(count) AS count"
	" FROM completion GROUP BY source, class, outcome ORDER BY source, class, outcome",

	"CREATE VIEW losses AS SELECT source, sum(seen) AS seen, sum(lost) AS lost"
	" FROM loss GROUP BY source ORDER BY source",

	"CREATE VIEW symbol_name AS SELECT symbol.frame AS frame, file.path AS file,"
	" file.build_id AS build_id, symbol.offset AS offset, symbol.depth AS depth,"
	" name.text AS name, path.text AS path, symbol.line AS line, origin.text AS origin"
	" FROM symbol LEFT JOIN file ON file.id = symbol.file"
	" LEFT JOIN symbol_text AS name ON name.id = symbol.name"
	" LEFT JOIN symbol_text AS path ON path.id = symbol.path"
	" LEFT JOIN symbol_text AS origin ON origin.id = symbol.origin",
	NULL,
};

/* Sorted or slowly changing columns are stored as differences, ids that jump as they are. */
#define FRAME(id, codec, member) SEGMENT_COLUMN(id, SEGMENT_##codec, struct frame, member)
static const struct segment_column frame_columns[] = {
	FRAME(1, VARINT, file), FRAME(2, DELTA, offset),  FRAME(3, DELTA, name),
	FRAME(4, VARINT, line), FRAME(5, VARINT, method), FRAME(6, DELTA, path),
	FRAME(7, VARINT, column),
};

#define STACK(id, codec, member) SEGMENT_COLUMN(id, SEGMENT_##codec, struct stack, member)
static const struct segment_column stack_columns[] = {
	STACK(1, DELTA, parent), STACK(2, DELTA, frame), STACK(3, VARINT, status),
};

#define CELL(id, codec, member) SEGMENT_COLUMN(id, SEGMENT_##codec, struct cell, member)
static const struct segment_column cell_columns[] = {
	CELL(1, DELTA, slice),	   CELL(2, DELTA, thread),	  CELL(3, VARINT, measure),
	CELL(4, VARINT, evidence), CELL(5, VARINT, stack),	  CELL(6, VARINT, object),
	CELL(7, VARINT, other),	   CELL(8, VARINT, other_stack),  CELL(9, VARINT, p_log2),
	CELL(10, VARINT, count),   CELL(11, VARINT, value),	  CELL(12, VARINT, maximum),
	CELL(13, REAL, variance),  CELL(14, VARINT, length_log2),
};

#define INTERVAL(id, codec, member) SEGMENT_COLUMN(id, SEGMENT_##codec, struct interval_row, member)
static const struct segment_column interval_columns[] = {
	INTERVAL(1, VARINT, thread),	  INTERVAL(2, DELTA, start),
	INTERVAL(3, VARINT, length),	  INTERVAL(4, VARINT, evidence),
	INTERVAL(5, VARINT, stack),	  INTERVAL(6, VARINT, waker),
	INTERVAL(7, VARINT, waker_stack), INTERVAL(8, VARINT, dimension),
};

#define LINK(id, codec, member) SEGMENT_COLUMN(id, SEGMENT_##codec, struct link_row, member)
static const struct segment_column link_columns[] = {
	LINK(1, DELTA, interval), LINK(2, VARINT, kind),   LINK(3, DELTA, start),
	LINK(4, VARINT, length),  LINK(5, VARINT, object), LINK(6, VARINT, by),
	LINK(7, VARINT, stack),
};

#define REQUEST(id, codec, member) SEGMENT_COLUMN(id, SEGMENT_##codec, struct request_row, member)
static const struct segment_column request_columns[] = {
	REQUEST(1, VARINT, thread),  REQUEST(2, VARINT, class),	  REQUEST(3, VARINT, outcome),
	REQUEST(4, DELTA, trace_id), REQUEST(5, VARINT, overlap), REQUEST(6, VARINT, one_in),
	REQUEST(7, DELTA, arrived),  REQUEST(8, DELTA, opened),	  REQUEST(9, DELTA, closed),
	REQUEST(10, VARINT, status),
};

#define PART(id, codec, member) SEGMENT_COLUMN(id, SEGMENT_##codec, struct part, member)
static const struct segment_column part_columns[] = {
	PART(1, DELTA, request),
	PART(2, VARINT, evidence),
	PART(3, VARINT, dimension),
	PART(4, VARINT, ns),
	PART(5, VARINT, stack),
	PART(6, VARINT, other),
};

#define SHAPE(name, type, columns) { name, sizeof(type), columns, ARRAY_LENGTH(columns) }
const struct segment_shape native_shapes[KIND_COUNT] = {
	[KIND_FRAME] = SHAPE("frame", struct frame, frame_columns),
	[KIND_STACK] = SHAPE("stack", struct stack, stack_columns),
	[KIND_CELL] = SHAPE("cell", struct cell, cell_columns),
	[KIND_INTERVAL] = SHAPE("interval", struct interval_row, interval_columns),
	[KIND_LINK] = SHAPE("link", struct link_row, link_columns),
	[KIND_REQUEST] = SHAPE("request", struct request_row, request_columns),
	[KIND_PART] = SHAPE("part", struct part, part_columns),
};
