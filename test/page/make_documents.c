/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes the documents that the page's test opens, each as HTML and as JSON: one ledger, two side by side, one with
 * 200,000 nodes, one whose names are hostile, a difference, and two timelines. The figures are invented, so nothing here depends on a capture; the
 * test compares what the page shows with the JSON beside it.
 *
 *	make_documents DIRECTORY
 */
#include "base/cleanup.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/output.h"
#include "result/document.h"
#include "timelines.h"
#include "trees.h"
#include "view/view.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct column part_columns[] = {
	{ "name", "part", "", 0 },
	{ "total", "total", "", COLUMN_BAR },
	{ "count", "count", "count", 0 },
	{ "measured", "measured", "", 0 },
};
static const struct column histogram_columns[] = {
	{ "below_ns", "below", "ns", 0 },
	{ "count", "count", "count", COLUMN_BAR },
	{ "total", "total", "ns", 0 },
};
static const struct column dimension_columns[] = {
	{ "name", "dimension", "", 0 },
	{ "kind", "kind", "", 0 },
	{ "unit", "unit", "", COLUMN_MACHINE },
	{ "total", "total", "", COLUMN_BAR },
	{ "share", "share", "fraction", COLUMN_HUMAN },
	{ "per_completion", "per completion", "", 0 },
	{ "count", "count", "count", 0 },
	{ "maximum", "maximum", "", 0 },
	{ "measured", "measured", "", 0 },
	{ "parts", "parts", "", 0 },
	{ "histogram", "histogram", "", 0 },
};

struct dimension_row {
	const char *name, *kind, *unit;
	double total, maximum;
	int64_t count;
	const char *parts[3];
	double part_shares[3];
};

static const struct dimension_row baseline_rows[] = {
	{ "oncpu", "running", "ns", 11.2e9, 0, 1412000, { "user", "kernel", "irq" }, { .71, .26, .03 } },
	{ "runnable", "ready", "ns", 2.6e9, 4.1e6, 1412000, { "woken", "preempted", "throttled" }, { .8, .2, 0 } },
	{ "lock", "waiting", "ns", 1.9e9, 6.3e6, 91200, { "mutex", "rwlock", "kernel" }, { .97, .01, .02 } },
	{ "disk", "waiting", "ns", 8.4e9, 12.2e6, 402000, { "read", "write", "flush" }, { .91, .06, .03 } },
	{ "network", "waiting", "ns", .8e9, 9.9e6, 14000, { "receive", "send" }, { .9, .1 } },
	{ "paging", "waiting", "ns", .02e9, 1.2e6, 120, { "major fault" }, { 1 } },
	{ "timer", "waiting", "ns", 1.1e9, 100e6, 110, { "sleep" }, { 1 } },
	{ "idle", "idle", "ns", 93.7e9, 1.9e9, 240000, { "epoll", "accept" }, { .93, .07 } },
	{ "unknown", "waiting", "ns", .28e9, 3e6, 900, { NULL }, { 0 } },
	{ "switches", "amount", "count", 1412000, 0, 1412000, { "voluntary", "preempted" }, { .86, .14 } },
	{ "migrations", "amount", "count", 48100, 0, 48100, { NULL }, { 0 } },
	{ "block-read", "amount", "bytes", 3.3e9, 131072, 402000, { NULL }, { 0 } },
};

static const double candidate_factors[] = { .93, 2.9, 2.4, 2.2, 1.1, 1, 1, .82, 1.2, 1.7, 1.9, 2.2 };

static const struct path oncpu_paths[] = {
	{ "mercuryd;main;accept_loop;accept4;do_syscall_64", .5, 50 },
	{ "mercuryd;worker;handle_request;cache_lookup;hash_find", 9, 900 },
	{ "mercuryd;worker;handle_request;cache_lookup;pthread_mutex_lock", 1.2, 120 },
	{ "mercuryd;worker;handle_request;parse", 12, 1200 },
	{ "mercuryd;worker;handle_request;parse;parse_header", 17, 1700 },
	{ "mercuryd;worker;handle_request;parse;parse_header;memchr", 8, 800 },
	{ "mercuryd;worker;handle_request;parse;parse_query;decode_percent", 5, 500 },
	{ "mercuryd;worker;handle_request;respond;format_json", 7, 700 },
	{ "mercuryd;worker;handle_request;respond;write;do_syscall_64;sock_write_iter;tcp_sendmsg", 11, 1100 },
	{ "mercuryd;worker;handle_request;store_lookup;pread64;do_syscall_64;ext4_file_read_iter", 9, 900 },
	{ "mercuryd;worker;handle_request;store_lookup;verify_checksum", 14, 1400 },
	{ "mercuryd;worker;handle_request;store_lookup;verify_checksum;crc32c_three_way_interleaved_with_a_long_name", 6, 600 },
	{ "mercuryd;worker;[unresolved]", .3, 30 },
};
static const struct path disk_paths[] = {
	{ "mercuryd;worker;handle_request;store_lookup;pread64;do_syscall_64;ext4_file_read_iter;io_schedule", 91, 366000 },
	{ "mercuryd;writer;journal_append;fdatasync;do_syscall_64;jbd2_log_wait_commit", 3, 9000 },
	{ "mercuryd;writer;journal_append;write;do_syscall_64;balance_dirty_pages", 6, 27000 },
};
static const struct path lock_paths[] = {
	{ "mercuryd;worker;handle_request;cache_lookup;pthread_mutex_lock;futex_wait", 90, 86000 },
	{ "mercuryd;worker;handle_request;cache_store;pthread_mutex_lock;futex_wait", 10, 5200 },
};
static const struct path runnable_paths[] = {
	{ "mercuryd;worker;handle_request;cache_lookup;pthread_mutex_lock;futex_wait", 40, 400 },
	{ "mercuryd;worker;handle_request;store_lookup;pread64;do_syscall_64;ext4_file_read_iter;io_schedule", 60, 600 },
};
static const struct path wall_paths[] = {
	{ "worker-1;[disk];worker;handle_request;store_lookup;pread64", 30, 3000 },
	{ "worker-1;[lock];worker;handle_request;cache_lookup;pthread_mutex_lock", 8, 800 },
	{ "worker-1;[oncpu];worker;handle_request;parse", 25, 2500 },
	{ "worker-1;[runnable];worker;handle_request;cache_lookup", 9, 900 },
	{ "worker-2;[disk];worker;handle_request;store_lookup;pread64", 28, 2800 },
	{ "worker-2;[idle];worker;epoll_wait", 20, 200 },
	{ "worker-2;[oncpu];worker;handle_request;parse", 24, 2400 },
};

static struct table *parts_of(const struct dimension_row *row, double factor)
{
	struct table *table = table_new(part_columns, ARRAY_LENGTH(part_columns));

	for (size_t i = 0; i < 3 && row->parts[i]; i++) {
		double share = row->part_shares[i];

		table_add(table, (struct value[]){
			value_text(row->parts[i]), value_number(row->total * factor * share),
			value_integer((int64_t)((double)row->count * share)), value_text("exact") });
	}
	return table;
}

static struct table *histogram_of(const struct dimension_row *row)
{
	static const double shape[] = { .02, .05, .1, .2, .3, .18, .09, .04, .02 };
	struct table *table = table_new(histogram_columns, ARRAY_LENGTH(histogram_columns));
	double below = 1024;

	for (size_t i = 0; i < ARRAY_LENGTH(shape) && !strcmp(row->kind, "waiting"); i++, below *= 4)
		table_add(table, (struct value[]){
			i + 1 < ARRAY_LENGTH(shape) ? value_number(below) : value_none(),
			value_integer((int64_t)((double)row->count * shape[i])), value_number(row->total * shape[i]) });
	return table;
}

static struct table *dimensions(const double *factors, double completions)
{
	struct table *table = table_new(dimension_columns, ARRAY_LENGTH(dimension_columns));
	double wall = 0;

	for (size_t i = 0; i < ARRAY_LENGTH(baseline_rows); i++)
		wall += strcmp(baseline_rows[i].unit, "ns") ? 0 : baseline_rows[i].total * (factors ? factors[i] : 1);
	for (size_t i = 0; i < ARRAY_LENGTH(baseline_rows); i++) {
		const struct dimension_row *row = &baseline_rows[i];
		double factor = factors ? factors[i] : 1, total = row->total * factor;
		bool time = !strcmp(row->unit, "ns");

		table_add(table, (struct value[]){
			value_text(row->name), value_text(row->kind), value_text(row->unit), value_number(total),
			time ? value_number(total / wall) : value_none(), value_number(total / completions),
			value_integer(row->count), row->maximum ? value_number(row->maximum) : value_none(),
			value_text("exact"), value_table(parts_of(row, factor)), value_table(histogram_of(row)) });
	}
	return table;
}

static const struct column wait_columns[] = {
	{ "dimension", "dimension", "", 0 },
	{ "total", "total", "ns", COLUMN_BAR },
	{ "per_completion", "per completion", "ns", 0 },
	{ "count", "count", "count", 0 },
	{ "tid", "thread", "", COLUMN_LEFT },
	{ "stack", "stack", "", COLUMN_CODE },
	{ "waker", "waker", "", COLUMN_CODE },
};

static struct table *waits(void)
{
	struct table *table = table_new(wait_columns, ARRAY_LENGTH(wait_columns));

	table_add(table, (struct value[]){
		value_text("disk"), value_number(7.6e9), value_number(76e3), value_integer(366000), value_integer(40123),
		value_text("worker;handle_request;store_lookup;pread64;do_syscall_64;ext4_file_read_iter;io_schedule"),
		value_text("swapper/1;nvme_irq;blk_mq_complete_request") });
	table_add(table, (struct value[]){
		value_text("lock"), value_number(1.7e9), value_number(17e3), value_integer(86000), value_integer(40124),
		value_text("worker;handle_request;cache_lookup;pthread_mutex_lock;futex_wait"),
		value_text("worker;handle_request;cache_lookup;pthread_mutex_unlock;futex_wake") });
	return table;
}

static const struct column gate_columns[] = {
	{ "name", "gate", "", 0 },
	{ "verdict", "verdict", "", 0 },
	{ "unit", "unit", "", COLUMN_MACHINE },
	{ "value", "value", "", 0 },
	{ "limit", "limit", "", 0 },
	{ "next", "what to do", "", 0 },
};

static struct table *gates(void)
{
	struct table *table = table_new(gate_columns, ARRAY_LENGTH(gate_columns));

	table_add(table, (struct value[]){ value_text("lost-events"), value_text("pass"), value_text("fraction"),
		value_number(0), value_number(.01), value_none() });
	table_add(table, (struct value[]){ value_text("complete-stacks"), value_text("unmeasured"), value_text("fraction"),
		value_none(), value_number(.95),
		value_text("stacks by frame pointers are not verified; build with frame pointers and read them with care") });
	table_add(table, (struct value[]){ value_text("unknown-share"), value_text("warn"), value_text("fraction"),
		value_number(.018), value_number(.02), value_text("record longer, or report --dimension unknown") });
	table_add(table, (struct value[]){ value_text("own-cost"), value_text("fail"), value_text("fraction"),
		value_number(.031), value_number(.02), value_text("record --without stacks, or a lower rate with -F 19") });
	return table;
}

static char *keyed(const char *prefix, const char *key)
{
	static char text[128];

	(void)snprintf(text, sizeof(text), "%s%s", prefix, key);
	return text;
}

static void add_facts(struct document *document, const char *prefix, int64_t correct)
{
	struct record *capture = record_new(), *population = record_new(), *work = record_new(), *wall = record_new();
	struct record *labels = record_new();

	record_add_named(labels, "build", value_text(*prefix == 'c' ? "candidate" : "baseline"));
	record_add_named(labels, "state", value_text("nominal"));
	record_add(capture, "id", "Id", "", value_text("0f6f2a7c9d1e"));
	record_add(capture, "started", "Started", "", value_text("2026-11-29T18:42:11Z"));
	record_add(capture, "duration_ns", "Duration", "ns", value_number(10.002e9));
	record_add(capture, "host", "Host", "", value_text("example"));
	record_add(capture, "kernel", "Kernel", "", value_text("6.1.0-25-amd64"));
	record_add(capture, "labels", "Labels", "", value_record(labels));
	record_add(population, "processes", "Processes", "count", value_integer(1));
	record_add(population, "threads", "Threads", "count", value_integer(12));
	record_add_hinted(population, "filter", "Filter", "", COLUMN_CODE, value_text("-- mercuryd --port 8080"));
	record_add(work, "unit", "Unit", "", value_text("HTTP response"));
	record_add(work, "source", "Source", "", value_text("http:8080"));
	record_add(work, "correct", "Correct", "", value_integer(correct));
	record_add(work, "incorrect", "Incorrect", "", value_integer(1204));
	record_add(wall, "thread_ns", "Thread time", "ns", value_number(120e9));
	record_add(wall, "accounted_ns", "Accounted", "ns", value_number(120e9 - 312));
	record_add(wall, "residual_ns", "Residual", "ns", value_number(312));
	document_add_record(document, keyed(prefix, "capture"), "Capture", capture);
	document_add_record(document, keyed(prefix, "population"), "Population", population);
	document_add_record(document, keyed(prefix, "work"), "Useful work", work);
	document_add_record(document, keyed(prefix, "wall"), "Thread time", wall);
}

#define ADD_TREE(document, prefix, name, title, weighting, paths, factor)                                         \
	(document_add_tree(document, keyed(prefix, "trees." name), title,                                         \
			   tree_of_paths("ns", weighting, paths, ARRAY_LENGTH(paths), factor))->hints = COLUMN_MACHINE)

static void add_ledger(struct document *document, const char *prefix, const double *factors, int64_t correct)
{
	char title[64];

	add_facts(document, prefix, correct);
	(void)snprintf(title, sizeof(title), "%s%sWhere the time went", prefix, *prefix ? " " : "");
	if (*prefix)
		title[strlen(prefix) - 1] = ':';         /* "baseline: ", as document_take() has it */
	document_add_table(document, keyed(prefix, "dimensions"), title, dimensions(factors, (double)correct));
	document_add_table(document, keyed(prefix, "waits"), "Largest waits", waits());
	ADD_TREE(document, prefix, "oncpu", "On CPU", "sampled at 99 Hz", oncpu_paths, 112e6 * (factors ? factors[0] : 1));
	ADD_TREE(document, prefix, "disk", "Disk", "sampled, 1 in 2^k by duration", disk_paths, 84e6 * (factors ? factors[3] : 1));
	ADD_TREE(document, prefix, "lock", "Lock", "sampled, 1 in 2^k by duration", lock_paths, 19e6 * (factors ? factors[2] : 1));
	ADD_TREE(document, prefix, "runnable", "Runnable", "sampled, 1 in 2^k by duration", runnable_paths,
		 26e6 * (factors ? factors[1] : 1));
	ADD_TREE(document, prefix, "wall", "Running and waiting", "sampled, by thread", wall_paths, 1e8);
	document_add_table(document, keyed(prefix, "gates"), "Gates", gates());
}

static struct document *make_ledger(void)
{
	struct document *document = document_new("crosscut.ledger/1", "Ledger of mercury-baseline.xcut");

	document_add_finding(document, SEVERITY_NOTE, "12 threads for 10.0 s are 120 thread-seconds: not elapsed time");
	add_ledger(document, "", NULL, 100000);
	return document;
}

static const struct column comparison_columns[] = {
	{ "name", "dimension", "", 0 },
	{ "unit", "unit", "", COLUMN_MACHINE },
	{ "baseline", "baseline", "", COLUMN_BAR },
	{ "candidate", "candidate", "", COLUMN_BAR },
	{ "change", "change", "fraction", 0 },
	{ "outcome", "outcome", "", 0 },
};

static struct table *comparison(void)
{
	struct table *table = table_new(comparison_columns, ARRAY_LENGTH(comparison_columns));

	for (size_t i = 0; i < 7; i++) {
		double before = baseline_rows[i].total / 100000, after = baseline_rows[i].total * candidate_factors[i] / 80000;

		table_add(table, (struct value[]){
			value_text(baseline_rows[i].name), value_text("ns"), value_number(before), value_number(after),
			value_number(after / before - 1), value_text(after > before ? "grew" : "shrank") });
	}
	return table;
}

static struct document *make_pair(void)
{
	struct document *document = document_new("crosscut.demo/1", "Mercury: baseline and candidate");

	document_add_finding(document, SEVERITY_WARNING, "one capture per side describes; it does not decide");
	document_add_table(document, "comparison", "Per correct completion", comparison());
	add_ledger(document, "baseline.", NULL, 100000);
	add_ledger(document, "candidate.", candidate_factors, 80000);
	return document;
}

static struct document *make_large(void)
{
	struct document *document = document_new("crosscut.ledger/1", "A tree of 200,000 nodes");

	document_add_tree(document, "trees.oncpu", "On CPU", tree_large(DOCUMENT_NODE_LIMIT));
	return document;
}

static struct document *make_hostile(void)
{
	static const struct path paths[] = {
		{ "<img src=x onerror=alert(1)>", 1, 1 },
		{ "</script><script>document.title='owned'</script>", 2, 2 },
		{ "bad\xff\xfe" "bytes \x1b[31m", 3, 3 },
	};
	struct document *document = document_new("crosscut.ledger/1", "</title><b>Hostile & \"quoted\"</b>");
	struct record *record = record_new();

	record_add_named(record, "</script><!--", value_text("<b>\x01\xe2\x80\xa8</b>"));
	document_add_record(document, "capture", "Names from <elsewhere>", record);
	document_add_tree(document, "trees.oncpu", "On CPU",
			  tree_of_paths("ns", "exact", paths, ARRAY_LENGTH(paths), 1e6));
	document_add_finding(document, SEVERITY_FAILURE, "<i>refused</i>: the fractions differ by 0.08");
	document->refused = true;
	return document;
}

static int write_as(const struct document *document, const char *directory, const char *name, const struct view *view)
{
	struct error err = { 0 };
	struct output to;
	CLEANUP_TEXT char *path = xasprintf("%s/%s%s", directory, name, view->suffix);
	int r = output_open(&to, path, OUTPUT_REPLACE, &err);

	if (r >= 0) {
		(void)view->render(document, &(struct view_style){ .width = 120 }, &to);
		r = output_finish(&to, &err);
	}
	if (r < 0)
		(void)fprintf(stderr, "make_documents: %s: %s\n", err.what, err.why);
	return r;
}

/* One half of a difference: main; serve: parse grew (or shrank), reply is new (or vanished), hash went the other way as a whole. */
static struct tree *make_half(bool grew)
{
	struct tree *tree = tree_new("ns", "per correct completion");
	double before = grew ? 3.2e6 : 3.5e6, after = grew ? 3.5e6 : 3.2e6;
	uint32_t names[5];
	static const char *const texts[] = { "oncpu", "serve", "parse", "reply", "hash" };

	for (size_t i = 0; i < ARRAY_LENGTH(texts); i++)
		names[i] = tree_name(tree, texts[i]);
	tree_add_change(tree, 0, names[0], 1.4e6, 0, 8e6, 8e6);
	tree_add_change(tree, 1, names[1], 1.4e6, 0, 8e6, 8e6);
	tree_add_change(tree, 2, names[4], 0.1e6, 0.1e6, grew ? 2e6 : 1e6, grew ? 1e6 : 2e6);
	tree_add_change(tree, 2, names[2], 0.3e6, 0.3e6, before, after);
	tree_add_change(tree, 2, names[3], 1e6, 1e6, grew ? 0 : 1e6, grew ? 1e6 : 0);
	return tree;
}

static struct document *make_difference(void)
{
	struct document *document = document_new("crosscut.diff/1", "candidate against base");

	document_add_finding(document, SEVERITY_WARNING, "the dimension that lost most is disk");
	(void)document_add_tree(document, "trees.grew.oncpu", "oncpu: what grew", make_half(true));
	(void)document_add_tree(document, "trees.shrank.oncpu", "oncpu: what shrank", make_half(false));
	return document;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		struct document *(*make)(void);
	} rows[] = { { "ledger", make_ledger }, { "pair", make_pair }, { "large", make_large }, { "hostile", make_hostile }, { "difference", make_difference },
		{ "timeline", make_timeline }, { "crowd", make_crowd }, { "locks", make_locks } };

	if (argc != 2) {
		(void)fprintf(stderr, "usage: make_documents DIRECTORY\n");
		return 2;
	}
	for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
		CLEANUP(document) struct document *document = rows[i].make();

		for (size_t view = 0; views[view]; view++) {
			if (write_as(document, argv[1], rows[i].name, views[view]) < 0)
				return 4;
		}
	}
	return 0;
}
