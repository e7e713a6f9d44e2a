/* SPDX-License-Identifier: Apache-2.0 */
/* What is written is read by a decoder of its own, from the wire up: it shares nothing with the
 * writer but the numbers of the fields, as pprof's profile.proto has them.
 * test/format/pprof_read.mjs lets a foreign reader open the same file. */
#include "base/cleanup.h"
#include "base/memory.h"
#include "base/output.h"
#include "base/text.h"
#include "test.h"
#include "unit/format/imported.h"
#include "unit/format/sample.h"

#include <stdbool.h>
#include <zlib.h>

struct wire { const unsigned char *at, *end; };
struct field { unsigned number, type; uint64_t value; struct wire bytes; };

static uint64_t varint(struct wire *wire)
{
	uint64_t value = 0;

	for (int shift = 0;; shift += 7) {
		assert_true(wire->at < wire->end && shift < 64);
		value |= (uint64_t)(*wire->at & 0x7f) << shift;
		if (!(*wire->at++ & 0x80))
			return value;
	}
}

static bool next_field(struct wire *wire, struct field *ret)
{
	uint64_t tag;

	if (wire->at == wire->end)
		return false;
	tag = varint(wire);
	*ret = (struct field){ .number = (unsigned)(tag >> 3), .type = tag & 7 };
	ret->value = varint(wire);
	if (ret->type == 0)
		return true;
	assert_int_equal(ret->type, 2);
	assert_true(ret->value <= (uint64_t)(wire->end - wire->at));
	ret->bytes = (struct wire){ wire->at, wire->at + ret->value };
	wire->at += ret->value;
	return true;
}

/* The nth field of that number; false where there are not so many. */
static bool field_at(struct wire wire, unsigned number, size_t n, struct field *ret)
{
	while (next_field(&wire, ret))
		if (ret->number == number && !n--)
			return true;
	return false;
}

static size_t field_count(struct wire wire, unsigned number)
{
	struct field field;
	size_t count = 0;

	while (next_field(&wire, &field))
		count += field.number == number;
	return count;
}

static uint64_t number_of(struct wire wire, unsigned number)
{
	struct field field;

	return field_at(wire, number, 0, &field) ? field.value : 0;
}

static const char *string_of(struct wire profile, uint64_t index)
{
	static char texts[8][256];
	static unsigned next;
	struct field field;
	char *text = texts[next++ % 8];

	assert_true(field_at(profile, 6, index, &field));
	(void)snprintf(text, sizeof(texts[0]), "%.*s", (int)field.value,
		       (const char *)field.bytes.at);
	return text;
}

static const char *text_of(struct wire profile, struct wire message, unsigned number)
{
	return string_of(profile, number_of(message, number));
}

/* The message of a table whose field 1 is that id. */
static struct wire by_id(struct wire profile, unsigned table, uint64_t id)
{
	struct field field;

	for (size_t i = 0; field_at(profile, table, i, &field); i++)
		if (number_of(field.bytes, 1) == id)
			return field.bytes;
	_fail(__FILE__, __LINE__);
	return (struct wire){ 0 };
}

/* "leaf < inlined into < root" */
static char *stack_of(struct wire profile, struct wire sample)
{
	struct text text = TEXT(4096);
	struct field packed, line;

	assert_true(field_at(sample, 1, 0, &packed));
	while (packed.bytes.at < packed.bytes.end) {
		struct wire location = by_id(profile, 4, varint(&packed.bytes));

		if (!field_at(location, 4, 0, &line))
			text_print(&text, "%s0x%llx", text.size ? " < " : "",
				   (unsigned long long)number_of(location, 3));
		for (size_t i = 0; field_at(location, 4, i, &line); i++)
			text_print(
				&text, "%s%s", text.size ? " < " : "",
				text_of(profile, by_id(profile, 5, number_of(line.bytes, 1)), 2));
	}
	return text_take(&text);
}

static void values_are(struct wire sample, uint64_t count, uint64_t weight)
{
	struct field packed;

	assert_true(field_at(sample, 2, 0, &packed));
	assert_int_equal(varint(&packed.bytes), count);
	assert_int_equal(varint(&packed.bytes), weight);
	assert_ptr_equal(packed.bytes.at, packed.bytes.end);
}

struct written { unsigned char *bytes; struct wire profile; };

static struct written pprof_of(const struct profile *profile, const char *dimension)
{
	struct format_options options = { .dimension = dimension };
	struct text gzip = TEXT(16 << 20);
	struct output to;
	struct error err;
	struct written written = { xmalloc(16 << 20), { 0 } };
	z_stream stream = { 0 };

	output_to_text(&to, &gzip);
	assert_int_equal(format_find("pprof")->write(profile, &options, &to, &err), 0);
	assert_int_equal(output_finish(&to, &err), 0);
	stream.next_in = (unsigned char *)gzip.bytes;
	stream.avail_in = (unsigned)gzip.size;
	stream.next_out = written.bytes;
	stream.avail_out = 16 << 20;
	assert_int_equal(inflateInit2(&stream, 15 + 16), Z_OK);
	assert_int_equal(inflate(&stream, Z_FINISH), Z_STREAM_END);
	written.profile = (struct wire){ written.bytes, written.bytes + stream.total_out };
	(void)inflateEnd(&stream);
	text_done(&gzip);
	return written;
}

/* Two sampled waits on one stack: main, a program's address, and a kernel function. */
static struct sample small_sample(void)
{
	struct sample sample = sample_start();
	struct profile *profile = sample.profile;
	struct frame main_frame = { .name = profile_string(profile, "main"),
				    .method = METHOD_INTERPRETER,
				    .line = 12 };
	struct frame program = { .file = sample.program, .offset = 0x1234 };
	struct frame kernel = { .file = sample.kernel,
				.offset = 0xffffffff81012345,
				.name = profile_string(profile, "io_schedule") };
	struct stack_id stack = profile_stack(profile, (struct stack_id){ 0 },
					      profile_frame(profile, main_frame), STACK_COMPLETE);
	struct cell cell = { .slice = profile_slice(profile, 0, SAMPLE_SECOND),
			     .thread = sample.thread,
			     .measure = sample.split,
			     .evidence = sample.evidence[0],
			     .count = 3,
			     .value = 1000,
			     .p_log2 = 4 };

	stack = profile_stack(profile, stack, profile_frame(profile, program), STACK_COMPLETE);
	cell.stack = profile_stack(profile, stack, profile_frame(profile, kernel), STACK_COMPLETE);
	profile_add_cell(profile, cell);
	cell.p_log2 = 0;
	profile_add_cell(profile, cell);
	cell.stack = profile_stack(profile, (struct stack_id){ 0 }, profile_frame(profile, program),
				   STACK_TRUNCATED);
	cell.value = UINT64_MAX;
	cell.p_log2 = 2;
	profile_add_cell(profile, cell);
	return sample;
}

TEST(weights_are_divided_by_their_probability_and_cut_where_readers_end)
{
	struct sample sample = small_sample();
	struct written written = pprof_of(sample.profile, "disk");
	struct field first, second;

	assert_int_equal(field_count(written.profile, 2), 2);
	assert_true(field_at(written.profile, 2, 0, &first) &&
		    field_at(written.profile, 2, 1, &second));
	values_are(first.bytes, 6, 17000);
	values_are(second.bytes, 3, INT64_MAX);
	free(written.bytes);
	profile_free(sample.profile);
}

TEST(stacks_are_written_leaf_first_with_names_addresses_and_the_cause_at_the_root)
{
	struct sample sample = small_sample();
	struct written written = pprof_of(sample.profile, "disk");
	struct field first, second;

	assert_true(field_at(written.profile, 2, 0, &first) &&
		    field_at(written.profile, 2, 1, &second));
	CLEANUP_TEXT char *whole = stack_of(written.profile, first.bytes),
			  *cut = stack_of(written.profile, second.bytes);

	assert_string_equal(whole, "io_schedule < 0x400234 < main");
	assert_string_equal(cut, "0x400234 < [truncated]");
	free(written.bytes);
	profile_free(sample.profile);
}

TEST(mappings_carry_build_ids_and_say_whether_names_are_missing)
{
	struct sample sample = small_sample();
	struct written written = pprof_of(sample.profile, "disk");
	struct field program, kernel;

	assert_int_equal(field_count(written.profile, 3), 2);
	assert_true(field_at(written.profile, 3, 0, &program) &&
		    field_at(written.profile, 3, 1, &kernel));
	/* the main binary comes first */
	assert_string_equal(text_of(written.profile, program.bytes, 5), "/usr/bin/store");
	assert_string_equal(text_of(written.profile, program.bytes, 6), "abcdef0123456789");
	assert_int_equal(number_of(program.bytes, 2), 0x400000);
	assert_int_equal(number_of(program.bytes, 3), 0x480000);
	assert_int_equal(number_of(program.bytes, 4), 0x1000);
	assert_int_equal(number_of(program.bytes, 7), 0);
	assert_string_equal(text_of(written.profile, kernel.bytes, 5), "[kernel]");
	assert_int_equal(number_of(kernel.bytes, 7), 1);
	assert_true(number_of(kernel.bytes, 3) > 0xffffffff81012345);
	free(written.bytes);
	profile_free(sample.profile);
}

TEST(inlined_calls_are_lines_of_one_location_innermost_first)
{
	struct sample sample = small_sample();
	struct profile *profile = sample.profile;
	struct frame_id frame = profile_frame(
		profile, (struct frame){ .file = sample.program, .offset = 0x1234 });

	profile_add_symbol(profile, (struct symbol){ frame,
						     1,
						     profile_string(profile, "outer"),
						     profile_string(profile, "a.c"),
						     { 0 },
						     5 });
	profile_add_symbol(profile, (struct symbol){ frame,
						     0,
						     profile_string(profile, "inner"),
						     profile_string(profile, "a.c"),
						     { 0 },
						     6 });
	profile_freeze(profile);
	struct written written = pprof_of(profile, "disk/read");
	struct field first, mapping;

	assert_true(field_at(written.profile, 2, 0, &first) &&
		    field_at(written.profile, 3, 0, &mapping));
	CLEANUP_TEXT char *stack = stack_of(written.profile, first.bytes);

	assert_string_equal(stack, "io_schedule < inner < outer < main");
	for (unsigned has = 7; has <= 10; has++)
		assert_int_equal(number_of(mapping.bytes, has), 1);
	free(written.bytes);
	profile_free(profile);
}

TEST(threads_and_parts_are_labels)
{
	struct sample sample = small_sample();
	struct written written = pprof_of(sample.profile, "disk");
	struct field first, label;
	struct text labels = TEXT(512);

	assert_true(field_at(written.profile, 2, 0, &first));
	for (size_t i = 0; field_at(first.bytes, 3, i, &label); i++)
		text_print(&labels, "%s=%s%llu ", text_of(written.profile, label.bytes, 1),
			   text_of(written.profile, label.bytes, 2),
			   (unsigned long long)number_of(label.bytes, 3));
	assert_string_equal(text_string(&labels),
			    "thread=new0 tid=4243 pid=4242 dimension=disk/read0 ");
	text_done(&labels);
	free(written.bytes);
	profile_free(sample.profile);
}

TEST(the_head_says_what_is_counted_how_long_and_how_it_was_measured)
{
	struct sample sample = small_sample();
	struct written written = pprof_of(sample.profile, "disk");
	struct wire profile = written.profile;
	struct field count, weight, period, comment;

	assert_true(field_at(profile, 1, 0, &count) && field_at(profile, 1, 1, &weight) &&
		    field_at(profile, 11, 0, &period));
	assert_string_equal(text_of(profile, count.bytes, 1), "disk_events");
	assert_string_equal(text_of(profile, count.bytes, 2), "count");
	assert_string_equal(text_of(profile, weight.bytes, 1), "disk");
	assert_string_equal(text_of(profile, weight.bytes, 2), "nanoseconds");
	assert_string_equal(text_of(profile, profile, 14), "disk");
	assert_string_equal(text_of(profile, period.bytes, 2), "nanoseconds");
	assert_int_equal(number_of(profile, 12), 10101010);
	assert_int_equal(number_of(profile, 9), 1764410400000000000);
	assert_int_equal(number_of(profile, 10), SAMPLE_SECOND);
	assert_true(field_at(profile, 13, 0, &comment));
	assert_memory_equal(string_of(profile, varint(&comment.bytes)), "crosscut ", 9);
	assert_true(field_at(profile, 13, 1, &comment));
	assert_string_equal(
		string_of(profile, varint(&comment.bytes)),
		"disk in nanoseconds: sampled, weights divided by the inclusion probability; period 10101010; source sched");
	assert_string_equal(string_of(profile, 0), "");
	free(written.bytes);
	profile_free(sample.profile);
}

TEST(an_exact_dimension_without_samples_is_written_from_its_kernel_stacks)
{
	struct sample sample = sample_start();
	struct profile *profile = sample.profile;

	profile_add_cell(profile, (struct cell){ .slice = profile_slice(profile, 0, SAMPLE_SECOND),
						 .thread = sample.thread,
						 .measure = sample.waits,
						 .evidence = sample.evidence[1],
						 .count = 1,
						 .value = 9 });
	struct written written = pprof_of(profile, "idle");
	struct field only;

	assert_true(field_at(written.profile, 2, 0, &only));
	CLEANUP_TEXT char *stack = stack_of(written.profile, only.bytes);

	assert_string_equal(stack, "io_schedule");
	values_are(only.bytes, 1, 9);
	free(written.bytes);
	profile_free(profile);
}

/* --- Reading ---------------------------------------------------------------------------------- */

static void number(struct text *to, unsigned field, uint64_t value)
{
	unsigned char bytes[10];
	size_t size = 0;

	for (; value >= 0x80; value >>= 7)
		bytes[size++] = (unsigned char)(value | 0x80);
	bytes[size++] = (unsigned char)value;
	text_append(to, &(unsigned char){ (unsigned char)(field << 3) }, 1);
	text_append(to, bytes, size);
}

static void message(struct text *to, unsigned field, const char *bytes, size_t size)
{
	text_append(to, (unsigned char[]){ (unsigned char)(field << 3 | 2), (unsigned char)size }, 2);
	text_append(to, bytes, size);
}

static void nested(struct text *to, unsigned field, struct text *inner)
{
	message(to, field, text_string(inner), inner->size);
	text_done(inner);
}

static void type_of(struct text *to, unsigned field, uint64_t type, uint64_t unit)
{
	struct text inner = TEXT(64);

	number(&inner, 1, type);
	number(&inner, 2, unit);
	nested(to, field, &inner);
}

/* Two types, one sample with both sorts of labels on an inlined call, an address that has no name and
 * a name that has no address. Ids are not in order. */
static struct text foreign(void)
{
	static const char *const strings[] = { "",	"alloc_space", "bytes", "alloc_objects", "count", "/bin/app",
					       "id1",	"inner",       "outer", "a.c",	  "size", "kilobytes",
					       "route", "/login",      "VM",    "note" };
	struct text file = TEXT(4096), inner = TEXT(256), line;

	type_of(&file, 1, 3, 4);
	type_of(&file, 1, 1, 2);
	for (uint64_t id = 7; id < 10; id++)
		number(&inner, 1, id);           /* not packed */
	number(&inner, 2, 2);
	number(&inner, 2, 300);
	line = TEXT(64);
	number(&line, 1, 10);
	number(&line, 3, 17);
	number(&line, 4, 11);
	nested(&inner, 3, &line);
	line = TEXT(64);
	number(&line, 1, 12);
	number(&line, 2, 13);
	nested(&inner, 3, &line);
	nested(&file, 2, &inner);
	inner = TEXT(256);
	number(&inner, 1, 5);
	number(&inner, 2, 0x1000);
	number(&inner, 3, 0x3000);
	number(&inner, 4, 0x200);
	number(&inner, 5, 5);
	number(&inner, 6, 6);
	nested(&file, 3, &inner);
	inner = TEXT(256);
	number(&inner, 1, 7);
	number(&inner, 2, 5);
	number(&inner, 3, 0x1010);
	for (uint64_t function = 3; function > 1; function--) {
		line = TEXT(64);
		number(&line, 1, function);
		number(&line, 2, 40 + function);
		nested(&inner, 4, &line);
	}
	nested(&file, 4, &inner);
	inner = TEXT(256);
	number(&inner, 1, 9);
	line = TEXT(64);
	number(&line, 1, 1);
	nested(&inner, 4, &line);
	nested(&file, 4, &inner);
	inner = TEXT(256);
	number(&inner, 1, 8);
	number(&inner, 2, 5);
	number(&inner, 3, 0x1020);
	nested(&file, 4, &inner);
	for (uint64_t id = 3; id > 0; id--) {
		static const uint64_t names[] = { 0, 14, 8, 7 };

		inner = TEXT(64);
		number(&inner, 1, id);
		number(&inner, 2, names[id]);
		number(&inner, 4, id > 1 ? 9 : 0);
		nested(&file, 5, &inner);
	}
	for (size_t i = 0; i < ARRAY_LENGTH(strings); i++)
		message(&file, 6, strings[i], strlen(strings[i]));
	number(&file, 9, 1700000000000000000);
	number(&file, 10, 5000);
	type_of(&file, 11, 1, 2);
	number(&file, 12, 512);
	number(&file, 13, 15);
	number(&file, 14, 3);
	return file;
}

static const char foreign_cells[] =
	"alloc_objects=2 (2) [route=\"/login\", size=17 kilobytes] inner < app+0x220 < VM\n"
	"alloc_space=300 (2) [route=\"/login\", size=17 kilobytes] inner < app+0x220 < VM\n";

static void foreign_is_in(const struct profile *profile)
{
	char *cells = imported_cells(profile);
	size_t count;
	const struct symbol *symbols;

	assert_string_equal(cells, foreign_cells);
	free(cells);
	for (uint32_t i = 1; i < profile_frame_count(profile); i++) {
		symbols = profile_frame_symbols(profile, (struct frame_id){ i }, &count);
		if (!count)
			continue;
		assert_int_equal(count, 2);
		assert_string_equal(profile_text(profile, symbols[1].name), "outer");
		assert_int_equal(symbols[0].line, 43);
		assert_int_equal(profile_frame_at(profile, i)->offset, 0x210);
	}
	assert_string_equal(profile_text(profile, profile_file_at(profile, 1)->build_id), "id1");
	assert_string_equal(profile_meta(profile, "capture.start_wall_ns"), "1700000000000000000");
	assert_string_equal(profile_meta(profile, "pprof.duration_ns"), "5000");
	assert_string_equal(profile_meta(profile, "pprof.period"), "512");
	assert_string_equal(profile_meta(profile, "pprof.comment.0"), "note");
	assert_string_equal(profile_meta(profile, "pprof.default_sample_type"), "alloc_objects");
}

TEST(a_file_of_another_producer_is_read_with_all_that_it_says)
{
	struct text bytes = foreign();
	struct profile *profile = imported("pprof", bytes.bytes, bytes.size);

	assert_true(format_find("pprof")->recognise(bytes.bytes, bytes.size) > 50);
	assert_int_equal(format_find("otlp")->recognise(bytes.bytes, bytes.size), 0);
	foreign_is_in(profile);
	profile_free(profile);
	text_done(&bytes);
}

TEST(what_was_read_is_written_and_read_again)
{
	struct text bytes = foreign();
	struct profile *profile = imported("pprof", bytes.bytes, bytes.size);
	struct profile *again = imported_again(profile, "pprof", NULL);

	foreign_is_in(again);
	assert_int_equal(profile_dimension_count(again), 3);
	profile_free(again);
	profile_free(profile);
	text_done(&bytes);
}

/* As perf record -e page-faults,cpu-clock has them: 9 faults stand in front of one sample of 1000 ns. */
static struct profile *faults_and_time_of(enum stack_status status)
{
	struct profile *profile = profile_new();
	struct thread_id thread = profile_thread(profile, (struct thread){ .tid = 7 });
	struct stack_id stack = profile_stack(profile, (struct stack_id){ 0 },
					      profile_frame(profile, (struct frame){ .name = profile_string(profile, "main") }), status);
	struct slice_id slice = profile_slice(profile, 0, 1);

	for (int i = 0; i < 2; i++) {
		struct dimension_id id = profile_dimension(profile, &(struct dimension_row){
			.name = i ? "oncpu" : "faults", .unit = i ? "ns" : "count", .kind = DIMENSION_AMOUNT, .meaning = "test" });
		struct measure_id measure = profile_measure(profile, (struct measure){
			.dimension = id, .role = ROLE_SPLIT, .weighting = WEIGHTING_SAMPLED });

		profile_add_cell(profile, (struct cell){ .slice = slice, .thread = thread, .measure = measure, .stack = stack,
							 .count = i ? 1 : 9, .value = i ? 1000 : 9 });
	}
	profile_freeze(profile);
	return profile;
}

static struct profile *faults_and_time(void) { return faults_and_time_of(STACK_COMPLETE); }

/* A foreign file does not say of its stacks whether they are complete; nobody knows it of ours that were not checked. */
TEST(only_stacks_that_were_checked_come_back_as_complete)
{
	static const char *const carriers[] = { "pprof", "otlp" };
	static const enum stack_status statuses[] = { STACK_UNVERIFIED, STACK_COMPLETE, STACK_TRUNCATED };
	struct text bytes = foreign();
	struct profile *profile = imported("pprof", bytes.bytes, bytes.size);

	assert_int_equal(profile_stack_at(profile, 1).status, STACK_UNVERIFIED);
	profile_free(profile);
	text_done(&bytes);
	for (size_t i = 0; i < 6; i++) {
		profile = faults_and_time_of(statuses[i / 2]);
		for (int trip = 0; trip < 2; trip++) {
			struct profile *again = imported_again(profile, carriers[i % 2], NULL);

			assert_int_equal(profile_stack_at(again, profile_stack_count(again) - 1).status, statuses[i / 2]);
			profile_free(profile);
			profile = again;
		}
		profile_free(profile);
	}
}

TEST(an_event_keeps_its_own_count_however_often_it_is_written)
{
	struct profile *profile = faults_and_time();

	for (int trip = 0; trip < 3; trip++) {
		struct profile *again = imported_again(profile, "pprof", NULL);
		char *cells = imported_cells(again);

		assert_string_equal(cells, "faults=9 (9) main\noncpu=1000 (1) main\n");
		free(cells);
		profile_free(profile);
		profile = again;
	}
	profile_free(profile);
}

/* A number in front of another counts its events only where producers mean it so. */
TEST(another_events_number_is_no_count)
{
	static const struct { const char *types[3], *cells; } files[] = {
		{ { "samples", "faults", "cpu" }, "cpu=10 (1) main\nfaults=9 (9) main\nsamples=2 (2) main\n" },
		{ { "faults", "samples", "cpu" }, "cpu=10 (9) main\nfaults=2 (2) main\nsamples=9 (9) main\n" },
		{ { "samples", "alloc_objects", "alloc_space" },
		  "alloc_objects=9 (9) main\nalloc_space=10 (9) main\nsamples=2 (2) main\n" },
		{ { "samples", "alloc_objects", "inuse_space" },
		  "alloc_objects=9 (9) main\ninuse_space=10 (1) main\nsamples=2 (2) main\n" },
		{ { "cpu", "contentions", "delay" }, "contentions=9 (9) main\ncpu=2 (2) main\ndelay=10 (9) main\n" },
	};

	for (size_t i = 0; i < ARRAY_LENGTH(files); i++) {
		struct text file = TEXT(1024), inner = TEXT(64), line = TEXT(64);
		struct profile *profile;
		char *cells;

		for (uint64_t type = 1; type < 4; type++)
			type_of(&file, 1, type, type < 3 ? 4 : 5);
		number(&inner, 1, 1);
		for (uint64_t value = 0; value < 3; value++)
			number(&inner, 2, (uint64_t[]){ 2, 9, 10 }[value]);
		nested(&file, 2, &inner);
		inner = TEXT(64);
		number(&inner, 1, 1);
		number(&line, 1, 1);
		nested(&inner, 4, &line);
		nested(&file, 4, &inner);
		inner = TEXT(64);
		number(&inner, 1, 1);
		number(&inner, 2, 6);
		nested(&file, 5, &inner);
		message(&file, 6, "", 0);
		for (size_t type = 0; type < 3; type++)
			message(&file, 6, files[i].types[type], strlen(files[i].types[type]));
		message(&file, 6, "count", 5);
		message(&file, 6, "nanoseconds", 11);
		message(&file, 6, "main", 4);
		profile = imported("pprof", file.bytes, file.size);
		cells = imported_cells(profile);
		assert_string_equal(cells, files[i].cells);
		free(cells);
		profile_free(profile);
		text_done(&file);
	}
}

TEST(what_was_read_comes_back_through_otlp)
{
	struct text bytes = foreign();
	struct profile *profile = imported("pprof", bytes.bytes, bytes.size);
	struct profile *otlp = imported_again(profile, "otlp", NULL), *again = imported_again(otlp, "pprof", NULL);

	foreign_is_in(again);
	assert_int_equal(profile_dimension_count(again), 3);
	assert_string_equal(profile_text(again, profile_dimension_at(again, 1)->name), "alloc_objects");
	assert_string_equal(profile_meta(again, "pprof.period_type"), "alloc_space");
	assert_string_equal(profile_meta(again, "pprof.period_unit"), "bytes");
	assert_null(profile_meta(again, "pprof.comment.1"));
	profile_free(again);
	profile_free(otlp);
	profile_free(profile);
	text_done(&bytes);
}

TEST(a_capture_comes_back_with_all_of_its_dimensions_threads_and_parts)
{
	struct sample sample = small_sample();
	struct profile *again;
	char *cells;

	profile_freeze(sample.profile);
	again = imported_again(sample.profile, "pprof", NULL);
	cells = imported_cells(again);
	assert_string_equal(cells,
			    "read=17000 (6) io_schedule < store+0x1234 < main\n"
			    "read=9223372036854775807 (3) store+0x1234\n");
	assert_int_equal(profile_dimension_find(again, NULL, "disk").index,
			 profile_dimension_root(again, profile_dimension_find(again, "disk", "read")).index);
	assert_int_equal(profile_dimension_at(again, profile_dimension_find(again, NULL, "disk").index)->kind,
			 DIMENSION_WAITING);
	assert_int_equal(profile_thread_at(again, 1)->tid, 4243);
	free(cells);
	profile_free(again);
	profile_free(sample.profile);
}

/* pprof has no place for it: the writer's comment tells the reader. */
TEST(how_weights_were_measured_comes_back)
{
	static const char text[] = "desc: x\ncmd: ./m\ntime_unit: i\n#-----------\nsnapshot=0\n#-----------\ntime=1\nmem_heap_B=100\n"
				   "mem_heap_extra_B=8\nmem_stacks_B=0\nheap_tree=peak\nn0: 100 (heap)\n";
	struct profile *exact = imported("massif", text, strlen(text)), *again = imported_again(exact, "pprof", NULL);

	for (uint32_t i = 1; i < profile_measure_count(again); i++)
		assert_int_equal(profile_measure_at(again, i)->weighting, WEIGHTING_EXACT);
	assert_true(profile_measure_count(again) > 1);
	profile_free(again);
	profile_free(exact);
}

/* One type "cpu" in nanoseconds, one sample of 10, and comments. */
static struct profile *commented(const char *const *comments, size_t count)
{
	struct text file = TEXT(1024), inner = TEXT(64);
	struct profile *profile;

	type_of(&file, 1, 1, 2);
	number(&inner, 2, 10);
	nested(&file, 2, &inner);
	message(&file, 6, "", 0);
	message(&file, 6, "cpu", 3);
	message(&file, 6, "nanoseconds", 11);
	for (size_t i = 0; i < count; i++) {
		message(&file, 6, comments[i], strlen(comments[i]));
		number(&file, 13, 3 + i);
	}
	profile = imported("pprof", file.bytes, file.size);
	text_done(&file);
	return profile;
}

TEST(comments_are_believed_where_the_first_one_is_ours)
{
	static const char *const comments[] = { "crosscut 1.0", "cpu in nanoseconds: exact; source x", "label.build=b17" };
	struct profile *ours = commented(comments, 3), *foreign = commented(comments + 1, 2);
	struct profile *again = imported_again(foreign, "pprof", NULL);

	assert_int_equal(profile_measure_at(ours, 1)->weighting, WEIGHTING_EXACT);
	assert_string_equal(profile_meta(ours, "label.build"), "b17");
	assert_int_equal(profile_measure_at(foreign, 1)->weighting, WEIGHTING_SAMPLED);
	assert_null(profile_meta(foreign, "label.build"));
	assert_string_equal(profile_meta(foreign, "pprof.comment.1"), "label.build=b17");
	assert_int_equal(profile_measure_at(again, 1)->weighting, WEIGHTING_SAMPLED);
	assert_string_equal(profile_meta(again, "pprof.comment.1"), "label.build=b17");
	profile_free(again);
	profile_free(foreign);
	profile_free(ours);
}

TEST(where_alone_samples_were_taken_comes_back)
{
	static const char *const carriers[] = { "pprof", "otlp" };
	static const char text[] = "heap profile: 1: 16 [ 1: 16] @ heapprofile\n 1: 16 [ 1: 16] @ 0x400\n";

	for (size_t i = 0; i < ARRAY_LENGTH(carriers); i++) {
		struct profile *profile = imported("heapz", text, strlen(text)), *first = imported_again(profile, carriers[i], NULL);
		struct profile *second = imported_again(first, carriers[i], NULL);

		assert_string_equal(profile_meta(second, "import.bias"), "allocation");
		profile_free(second);
		profile_free(first);
		profile_free(profile);
	}
}

TEST(references_that_lead_nowhere_are_refused)
{
	static const struct { const char *bytes; size_t size; } files[] = {
		{ "\x0a\x02\x08\x09\x12\x05\x0a\x01\x07\x12\x00", 11 },       /* no text 9 */
		{ "\x0a\x02\x08\x01\x12\x06\x0a\x01\x07\x12\x01\x01\x32\x00\x32\x01x", 17 },
		{ "\x12\x03\x12\x01\x05", 5 },                             /* no type */
		{ "\x0a\x02\x08\x00\x12\x04\x12\x02\x05\x06", 10 },         /* two values, one type */
		{ "\x22\x02\x08\x00", 4 },                                 /* id 0 */
		{ "\x32\x01x", 3 },                                         /* a first text */
	};
	struct profile *profile = NULL;
	struct error err = { 0 };

	for (size_t i = 0; i < ARRAY_LENGTH(files); i++) {
		assert_true(imported_as("pprof", files[i].bytes, files[i].size, &profile, &err) < 0);
		assert_int_equal(err.kind, FAILURE_WORK);
	}
}

TEST(every_cut_of_a_file_is_refused_or_read_and_never_more)
{
	struct text bytes = foreign();
	struct error err;

	for (size_t size = 0; size < bytes.size; size++) {
		struct profile *profile = NULL;
		char *cut = xmalloc(size + 1);

		memcpy(cut, bytes.bytes, size);          /* its own end, which the sanitizer sees */
		if (imported_as("pprof", cut, size, &profile, &err) < 0)
			assert_int_equal(err.kind, FAILURE_WORK);
		profile_free(profile);
		free(cut);
	}
	text_done(&bytes);
}
