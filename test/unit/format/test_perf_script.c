/* SPDX-License-Identifier: Apache-2.0 */
#include "base/cleanup.h"
#include "base/error.h"
#include "base/output.h"
#include "base/text.h"
#include "format/format.h"
#include "format/input.h"
#include "format/perf_line.h"
#include "profile/profile.h"
#include "test.h"

#include <errno.h>
#include <string.h>

static struct profile *read_text(const char *text)
{
	CLEANUP(input) struct input *input = input_memory(text, strlen(text), "text");
	struct profile *profile = NULL;
	struct error err = { 0 };

	assert_int_equal(format_read_input(input, &profile, &err), 0);
	assert_null(profile_broken(profile));
	assert_string_equal(profile_meta(profile, "import.format"), "perf-script");
	return profile;
}

static void assert_folded(const char *text, struct format_options options, const char *expected)
{
	CLEANUP(profile) struct profile *profile = read_text(text);
	struct text written = TEXT(1 << 16);
	struct error err = { 0 };
	struct output to;

	output_to_text(&to, &written);
	assert_int_equal(format_find("folded")->write(profile, &options, &to, &err), 0);
	assert_int_equal(output_finish(&to, &err), 0);
	assert_string_equal(text_string(&written), expected);
	text_done(&written);
}

TEST(event_lines_are_split_whatever_fields_they_have)
{
	static const struct { const char *line, *comm, *name; uint32_t pid, tid; uint64_t time_ns, period; } rows[] = {
		{ "java 25607 4794564.109216: 1 cycles:", "java", "cycles", 0, 25607, 4794564109216000, 1 },
		{ "java 12688 [002] 6544038.708352: 235 cpu-clock:", "java", "cpu-clock", 0, 12688, 6544038708352000, 235 },
		{ "V8 WorkerThread 24636/25607 [000] 94564.109216: 100 cycles:uppp:", "V8 WorkerThread", "cycles:uppp", 24636,
		  25607, 94564109216000, 100 },
		{ "java 19983 cycles:", "java", "cycles", 0, 19983, 0, 0 },
		{ "a 1/2 3.000000001: sched:sched_switch: prev_comm=b x:", "a", "sched:sched_switch", 1, 2, 3000000001, 0 },
	};

	for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
		struct perf_event event;

		assert_true(perf_event_parse(rows[i].line, strlen(rows[i].line), false, &event));
		assert_int_equal(event.comm_size, strlen(rows[i].comm));
		assert_memory_equal(event.comm, rows[i].comm, event.comm_size);
		assert_int_equal(event.name_size, strlen(rows[i].name));
		assert_memory_equal(event.name, rows[i].name, event.name_size);
		assert_int_equal(event.pid, rows[i].pid);
		assert_int_equal(event.tid, rows[i].tid);
		assert_int_equal(event.time_ns, rows[i].time_ns);
		assert_int_equal(event.period, rows[i].period);
	}
}

TEST(frame_lines_are_split_at_their_module)
{
	static const struct { const char *line, *function, *module; uint64_t address; } rows[] = {
		{ "7fffb84c9afc cpu_startup_entry+0x800047c022ec ([kernel.kallsyms])", "cpu_startup_entry", "[kernel.kallsyms]",
		  0x7fffb84c9afc },
		{ "401b97 main (/opt/my programs/a b)", "main", "/opt/my programs/a b", 0x401b97 },
		{ "7f1e2215d058  (/lib/libc-2.15.so)", " ", "/lib/libc-2.15.so", 0x7f1e2215d058 },
		{ "12 f(int, char) (/x (deleted))", "f(int, char)", "/x (deleted)", 0x12 },
		{ "12 inner (inlined)", "inner", "", 0x12 },
		{ "12 [unknown] ([unknown])", "[unknown]", "[unknown]", 0x12 },
	};
	struct perf_frame frame;

	for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
		assert_true(perf_frame_parse(rows[i].line, strlen(rows[i].line), &frame));
		assert_int_equal(frame.function_size, strlen(rows[i].function));
		assert_memory_equal(frame.function, rows[i].function, frame.function_size);
		assert_int_equal(frame.module_size, strlen(rows[i].module));
		assert_int_equal(frame.address, rows[i].address);
	}
	assert_false(perf_frame_parse("12 (java)", 9, &frame));
	assert_false(perf_frame_parse("nothing of the kind", 19, &frame));
	assert_false(perf_frame_parse("", 0, &frame));
}

TEST(the_last_sample_may_lack_its_blank_line)
{
	assert_folded("a 1 1.5: 10 cycles:\n\t12 leaf (/b)\n\t11 main (/b)\n\na 1 1.6: 5 cycles:\n\t13 leaf (/b)\n\t11 main (/b)",
		      (struct format_options){ 0 }, "a;main;leaf 15\n");
}

TEST(options_mark_code_and_number_threads_as_stackcollapse_perf_does)
{
	static const char text[] =
		"java x 7/8 [001] 1.5: 10 cycles:\r\n"
		"\tff1 native_safe_halt+0x1b ([kernel.kallsyms])\r\n"
		"\t7f1 Lorg/A;::a->Lorg/B;::b (/tmp/perf-7.map)\r\n"
		"\t7f2 [unknown] (/lib/libx.so)\r\n"
		"\t7f3 net/http.(*Client).Do (/bin/g)\r\n\r\n";
	struct format_options all = { .pid = true, .tid = true, .kernel = true, .jit = true, .addresses = true };

	assert_folded(text, (struct format_options){ 0 },
		      "java_x;net/http.(*Client).Do;[libx.so];org/A:::a;org/B:::b_[i];native_safe_halt 10\n");
	assert_folded(text, all,
		      "java_x-7/8;net/http.(*Client).Do;[libx.so <7f2>];org/A:::a_[j];org/B:::b_[i];native_safe_halt_[k] 10\n");
}

TEST(kinds_of_events_stay_apart_with_their_units)
{
	CLEANUP(profile) struct profile *profile = read_text(
		"a 1 1.5: 10 cpu-clock:\n\t12 f (/b)\n\na 1 1.6: 7 cycles:\n\t12 f (/b)\n\na 1 1.7: faults:\n\t12 f (/b)\n\n");
	static const char *const names[] = { "cpu-clock", "cycles", "faults" }, *const units[] = { "ns", "count", "samples" };

	assert_int_equal(profile_dimension_count(profile), 4);
	for (size_t i = 0; i < 3; i++) {
		const struct dimension *row = profile_dimension_at(profile, i + 1);

		assert_string_equal(profile_text(profile, row->name), names[i]);
		assert_string_equal(profile_text(profile, row->unit), units[i]);
		assert_int_equal(row->kind, i ? DIMENSION_AMOUNT : DIMENSION_RUNNING);
	}
}

TEST(what_is_neither_event_nor_frame_is_counted)
{
	CLEANUP(profile) struct profile *profile = read_text(
		"# a comment\na 1 1.5: 10 cycles:\n\t12 f (/b)\n\n\t13 g (/b)\nprose\n");

	assert_string_equal(profile_meta(profile, "import.remark.1"), "1 skipped: a frame belongs to no event, at line 5");
	assert_string_equal(profile_meta(profile, "import.remark.2"),
			    "1 skipped: a line is neither an event nor a frame, at line 6");
}

static int recognised(const char *text)
{
	return format_find("perf-script")->recognise(text, strlen(text));
}

/* Cycles are counted in units of one: how many samples they were of is a column of its own. */
TEST(samples_and_what_they_weigh_stay_apart_through_other_formats)
{
	static const char *const others[] = { "pprof", "otlp" };
	CLEANUP(profile) struct profile *profile = read_text("a 1 1.000000: 1000 cycles: \n\t1f f (m)\n\n"
							     "a 1 2.000000: 3000 cycles: \n\t1f f (m)\n\n");

	for (size_t i = 0; i < ARRAY_LENGTH(others); i++) {
		struct text written = TEXT(1 << 16);
		CLEANUP(profile) struct profile *again = NULL;
		struct error err = { 0 };
		struct output to;
		struct input *input;
		uint64_t count = 0, value = 0;

		output_to_text(&to, &written);
		assert_int_equal(format_find(others[i])->write(profile, &(struct format_options){ 0 }, &to, &err), 0);
		assert_int_equal(output_finish(&to, &err), 0);
		input = input_memory(written.bytes, written.size, "again");
		assert_int_equal(format_read_input(input, &again, &err), 0);
		input_free(input);
		for (size_t k = 0; k < profile_cell_count(again); k++) {
			const struct cell *cell = profile_cell_at(again, k);

			if (profile_measure_at(again, cell->measure.index)->role != ROLE_TOTAL)
				continue;
			count += cell->count;
			value += cell->value;
		}
		assert_int_equal(count, 2);
		assert_int_equal(value, 4000);
		text_done(&written);
	}
}

TEST(ordinary_text_is_no_perf_script)
{
	static const char *const texts[] = {
		"When we speak of free software, and 12 of them:\nyou have certain responsibilities (see below).\n",
		"alsa-lib (1.2.8-1) unstable; urgency=medium\n\n  * New upstream release 3 of:\n    a note (of it)\n",
		"dimension  in the tree  weighting\nsamples            100  sampled: x\n      15         15     15.0 %  reply (a)\n",
		"a list of 3 things:\n\t12 one (first)\nand\nmore\nthan\nthis\nof\nwords\n",
	};

	for (size_t i = 0; i < ARRAY_LENGTH(texts); i++)
		assert_int_equal(recognised(texts[i]), 0);
}

TEST(few_fields_suffice_where_frames_follow)
{
	assert_int_equal(recognised("java 19983 cycles:\n\t7f1 main (/bin/a)\n\n"), 80);
	assert_int_equal(recognised("a 1 [002] 1.000000: cycles: \n\n"), 50);
	assert_int_equal(recognised("a 1/2 3.000000001: sched:sched_switch: prev_comm=b x:\n"), 50);
	assert_int_equal(recognised("a 1 100 cycles:\na 1 100 cycles:\n"), 50);
}

TEST(samples_of_one_event_with_and_without_a_period_are_kept_apart_by_name)
{
	CLEANUP(profile) struct profile *profile = read_text(
		"a 1/1 [000] 1.000001:     250 cycles:u: \n\t55d0 f+0x10 (/a)\n\n"
		"a 1/1 [000] 1.000002: cycles:u: \n\t55d0 f+0x10 (/a)\n\na 1/1 [000] 1.000003:     250 cycles:u: \n\t55d0 f+0x10 (/a)\n\n");
	struct dimension_id with = profile_dimension_find(profile, NULL, "cycles:u"),
			    without = profile_dimension_find(profile, NULL, "cycles:u-samples");
	uint64_t sums[2] = { 0 };

	for (size_t i = 0; i < profile_cell_count(profile); i++) {
		const struct cell *cell = profile_cell_at(profile, i);

		if (cell->stack.index)
			sums[dimension_is(profile_cell_dimension(profile, cell), without)] += cell->value;
	}
	assert_true(with.index && without.index);
	assert_int_equal(sums[0], 500);
	assert_int_equal(sums[1], 1);
	assert_non_null(strstr(profile_meta(profile, "import.remark.1"), "kept apart, at line 4"));
}

TEST(seconds_are_counted_from_the_first_sample)
{
	CLEANUP(profile) struct profile *profile = read_text(
		"a 1/1 [000] 7.900000: 1 cycles: \n\t55d0 f+0x10 (/a)\n\na 1/1 [000] 8.800000: 1 cycles: \n\t55d0 f+0x10 (/a)\n\n"
		"a 1/1 [000] 8.900000: 1 cycles: \n\t55d0 f+0x10 (/a)\n\n");

	assert_int_equal(profile_slice_count(profile), 3);
	assert_int_equal(profile_slice_at(profile, 1)->start_ns, 7900000000);
	assert_int_equal(profile_slice_at(profile, 1)->end_ns, 8900000000);
	assert_int_equal(profile_slice_at(profile, 2)->start_ns, 8900000000);
}
