/* SPDX-License-Identifier: Apache-2.0 */
#include "format/format.h"

#include "base/cleanup.h"
#include "base/error.h"
#include "base/map.h"
#include "base/memory.h"
#include "format/input.h"
#include "profile/profile.h"
#include "profile/selection.h"
#include "test.h"
#include "unit/format/perf_sample_file.h"

#include <dirent.h>
#include <jansson.h>
#include <stdio.h>
#include <unistd.h>

static const uint64_t USER_MARK = -512ull, KERNEL_MARK = -128ull;
enum { CYCLES = 7, FAULTS = 8, IN_USER = 2, IN_KERNEL = 1 };

static struct recording two_events(int swapped)
{
	struct recording recording = recording_start(swapped);

	recording_event(&recording, (struct recorded_event){ .sample_type = RECORDED_TYPE, .period = 4000,
		.flags = RECORDED_FLAGS | 1 << 10, .id = CYCLES, .name = "cycles:u" });
	recording_event(&recording, (struct recorded_event){ .type = 1, .config = 2, .sample_type = RECORDED_TYPE, .period = 1,
		.flags = RECORDED_FLAGS, .id = FAULTS, .name = "faults" });
	return recording;
}

/* A shell that forks; the child becomes another program; each is sampled. */
static struct recording small(int swapped)
{
	static const uint64_t before[] = { USER_MARK, 0x401010, 0x401200 },
			      after[] = { KERNEL_MARK, 0xffffffff81000100, USER_MARK, 0x501010 };
	struct recording recording = two_events(swapped);

	recording_comm(&recording, 10, 10, "sh", 0, 0);
	recording_map(&recording, 10, 0x400000, 0x10000, 0x1000, "/bin/sh", 0);
	recording_sample(&recording, (struct recorded_sample){ 10, 10, 1000, CYCLES, 300, IN_USER, before, 3 });
	recording_fork(&recording, 0, 11, 10, 11, 10, 1100);
	recording_sample(&recording, (struct recorded_sample){ 11, 11, 1200, CYCLES, 400, IN_USER, before, 3 });
	recording_comm(&recording, 11, 11, "true", 1, 1300);
	recording_map(&recording, 11, 0x500000, 0x10000, 0, "/bin/true", 1310);
	recording_sample(&recording, (struct recorded_sample){ 11, 11, 1400, CYCLES, 500, IN_KERNEL, after, 4 });
	recording_sample(&recording, (struct recorded_sample){ 11, 11, 1500, FAULTS, 1, IN_USER, after + 2, 2 });
	recording_fork(&recording, 1, 11, 10, 11, 10, 1600);
	return recording;
}

static int read_bytes(const uint8_t *bytes, size_t size, struct profile **ret, struct error *err)
{
	CLEANUP(input) struct input *input = input_memory(bytes, size, "memory");

	return format_read_input(input, ret, err);
}

static struct profile *read_recording(const struct recording *recording, bool piped)
{
	struct profile *profile = NULL;
	struct error err = { 0 };
	size_t size;
	CLEANUP_TEXT uint8_t *bytes = piped ? recording_pipe(recording, &size) : recording_file(recording, &size);
	int r = read_bytes(bytes, size, &profile, &err);

	if (r < 0)
		print_message("%s: %s\n", err.what, err.why);
	assert_int_equal(r, 0);
	assert_null(profile_broken(profile));
	return profile;
}

/* Sum over the cells of a role; NULL names take any. */
static uint64_t weight(const struct profile *profile, const char *dimension, const char *comm, const char *leaf)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < profile_cell_count(profile); i++) {
		const struct cell *cell = profile_cell_at(profile, i);
		const struct measure *measure = profile_measure_at(profile, cell->measure.index);
		struct dimension_id root = profile_dimension_root(profile, profile_cell_dimension(profile, cell));
		struct stack stack = profile_stack_at(profile, cell->stack.index);
		const struct thread *thread = profile_thread_at(profile, cell->thread.index);
		char name[64];

		if (measure->role != ROLE_SPLIT ||
		    strcmp(profile_text(profile, profile_dimension_at(profile, root.index)->name), dimension) != 0 ||
		    (comm && strcmp(profile_text(profile, thread->comm), comm) != 0) ||
		    (leaf && strcmp(profile_frame_name(profile, stack.frame, name, sizeof(name)), leaf) != 0))
			continue;
		sum += cell->value;
	}
	return sum;
}

static void assert_small(const struct profile *profile)
{
	assert_int_equal(weight(profile, "cycles:u", NULL, NULL), 1200);
	assert_int_equal(weight(profile, "faults", NULL, NULL), 1);
	assert_int_equal(weight(profile, "cycles:u", "sh", "sh+0x2010"), 700);
	assert_int_equal(weight(profile, "cycles:u", "true", "[kernel]+0xffffffff81000100"), 500);
	assert_int_equal(weight(profile, "faults", "true", "true+0x1010"), 1);
	assert_int_equal(profile_meta_number(profile, "import.records.SAMPLE", 0), 4);
	assert_int_equal(profile_meta_number(profile, "import.chain_entries", 0), 12);
}

TEST(events_stay_apart_and_addresses_become_offsets_in_their_files)
{
	struct recording recording = small(0);
	CLEANUP(profile) struct profile *profile = read_recording(&recording, false);

	assert_small(profile);
	assert_int_equal(profile_meta_number(profile, "capture.start_ns", 0), 1000);
	assert_int_equal(profile_meta_number(profile, "capture.end_ns", 0), 1500);
}

TEST(a_recording_of_the_other_byte_order_is_the_same)
{
	struct recording recording = small(1);
	CLEANUP(profile) struct profile *profile = read_recording(&recording, false);

	assert_small(profile);
}

static uint64_t selected(const struct profile *profile, uint64_t from_ns, uint64_t to_ns)
{
	CLEANUP(selection) struct selection *selection = selection_new();
	uint64_t sum = 0;

	assert_int_equal(selection_window(selection, from_ns, to_ns, NULL), 0);
	for (size_t i = 0; i < profile_cell_count(profile); i++) {
		const struct cell *cell = profile_cell_at(profile, i);

		if (profile_measure_at(profile, cell->measure.index)->role == ROLE_TOTAL && selection_has_cell(selection, profile, cell))
			sum += cell->value;
	}
	return sum;
}

/* The third second is one in which nothing was seen, and what is at the very end is not lost. */
TEST(samples_are_found_by_the_second_they_fell_into)
{
	enum { SECOND = 1000000000 };
	static const uint64_t chain[] = { USER_MARK, 0x401010 }, times[] = { 1500000000, 2499999999, 2500000000, 4500000000, 5500000000 };
	struct recording recording = two_events(0);
	CLEANUP(profile) struct profile *profile = NULL;

	for (uint64_t i = 0, weight = 1; i < ARRAY_LENGTH(times); i++, weight *= 10)
		recording_sample(&recording, (struct recorded_sample){ 10, 10, times[i], CYCLES, weight, IN_USER, chain, 2 });
	profile = read_recording(&recording, false);
	profile_freeze(profile);
	assert_int_equal(selected(profile, 0, 0), 11111);
	assert_int_equal(selected(profile, 0, SECOND), 11);
	assert_int_equal(selected(profile, SECOND, 2ull * SECOND), 100);
	assert_int_equal(selected(profile, 2ull * SECOND, 3ull * SECOND), 0);
	assert_int_equal(selected(profile, 3ull * SECOND, 4ull * SECOND), 1000);
	assert_int_equal(selected(profile, 4ull * SECOND, 0), 10000);
	assert_int_equal(profile_meta_number(profile, "capture.end_ns", 0), 5500000000);
}

TEST(what_its_numbers_count_is_told_in_vain_and_that_is_said)
{
	struct recording recording = small(0);
	struct profile *profile = NULL;
	struct error err = { 0 };
	size_t size;
	CLEANUP_TEXT uint8_t *bytes = recording_file(&recording, &size);
	struct input *input = input_memory(bytes, size, "memory");

	input_tell_counts(input, "us");
	assert_int_equal(format_read_input(input, &profile, &err), 0);
	assert_non_null(strstr(profile_meta(profile, "import.remark.1"), "told in vain"));
	profile_free(profile);
	input_free(input);
}

TEST(a_pipe_tells_the_same_as_a_file)
{
	struct recording recording = small(0), other = small(1);
	CLEANUP(profile) struct profile *profile = read_recording(&recording, true);
	CLEANUP(profile) struct profile *swapped = read_recording(&other, true);

	assert_small(profile);
	assert_small(swapped);
}

TEST(a_child_has_its_parents_mappings_until_it_becomes_another_program)
{
	struct recording recording = small(0);
	CLEANUP(profile) struct profile *profile = read_recording(&recording, false);
	size_t named_sh = 0, born = 0;

	for (size_t i = 1; i < profile_thread_count(profile); i++) {
		const struct thread *thread = profile_thread_at(profile, i);

		named_sh += !strcmp(profile_text(profile, thread->comm), "sh");
		born += thread->born;
	}
	assert_int_equal(profile_thread_count(profile), 4);
	assert_int_equal(named_sh, 2);
	assert_int_equal(born, 2);
}

TEST(records_of_two_processors_are_put_in_order_by_rounds)
{
	static const uint64_t chain[] = { USER_MARK, 0x401010 };
	struct recording recording = two_events(0);

	/* the second buffer's mapping came before the first buffer's sample */
	recording_sample(&recording, (struct recorded_sample){ 10, 10, 2000, CYCLES, 1, IN_USER, chain, 2 });
	recording_sample(&recording, (struct recorded_sample){ 10, 10, 3000, CYCLES, 10, IN_USER, chain, 2 });
	recording_map(&recording, 10, 0x400000, 0x10000, 0, "/bin/a", 1000);
	recording_map(&recording, 10, 0x400000, 0x10000, 0, "/bin/b", 2500);
	recording_round(&recording);
	recording_round(&recording);
	CLEANUP(profile) struct profile *profile = read_recording(&recording, false);

	assert_int_equal(weight(profile, "cycles:u", NULL, "a+0x1010"), 1);
	assert_int_equal(weight(profile, "cycles:u", NULL, "b+0x1010"), 10);
	assert_int_equal(profile_meta_number(profile, "import.late_records", 0), 0);
}

TEST(an_address_outside_of_every_mapping_is_one_frame_for_all_and_counted)
{
	static const uint64_t chain[] = { USER_MARK, 0x10, 0x20, 0x30 };
	struct recording recording = two_events(0);

	recording_sample(&recording, (struct recorded_sample){ 10, 10, 2000, CYCLES, 1, IN_USER, chain, 4 });
	CLEANUP(profile) struct profile *profile = read_recording(&recording, false);

	assert_int_equal(profile_meta_number(profile, "import.unmapped_frames", 0), 3);
	assert_int_equal(weight(profile, "cycles:u", NULL, "[unmapped]+0x0"), 1);
}

static void refused(uint8_t *bytes, size_t size, const char *why)
{
	struct profile *profile = NULL;
	struct error err = { 0 };

	assert_true(read_bytes(bytes, size, &profile, &err) < 0);
	assert_null(profile);
	assert_int_equal(err.kind, FAILURE_WORK);
	if (why && !strstr(err.why, why))
		print_message("%s\n", err.why);
	assert_true(!why || strstr(err.why, why));
}

TEST(a_record_without_a_size_ends_the_reading_with_its_place)
{
	struct recording recording = small(0);
	size_t size;
	CLEANUP_TEXT uint8_t *bytes = recording_pipe(&recording, &size);

	memset(bytes + size - 8, 0, 8);
	record_begin(&recording, 9, 2);
	CLEANUP_TEXT uint8_t *zero = recording_pipe(&recording, &size);
	refused(zero, size, "a record without a size at byte");
}

TEST(every_cut_is_refused_or_read_and_never_more_than_the_whole)
{
	struct recording recording = small(0);
	size_t size, whole;
	CLEANUP_TEXT uint8_t *bytes = recording_file(&recording, &whole);

	for (size = 1; size < whole; size += 7) {
		struct profile *profile = NULL;
		struct error err = { 0 };

		if (read_bytes(bytes, size, &profile, &err) >= 0) {
			assert_null(profile_broken(profile));
			assert_true(profile_meta_number(profile, "import.samples", 0) >= 1);
			assert_true(profile_meta_number(profile, "import.samples", 0) <= 4);
			assert_true(profile_meta_number(profile, "import.missing_bytes", 0) > 0);
			assert_non_null(strstr(profile_meta(profile, "import.remark.1"), "the file is cut"));
			profile_free(profile);
		} else {
			assert_int_equal(err.kind, FAILURE_WORK);
			assert_true(*err.why);
		}
	}
}

TEST(a_recording_that_was_never_ended_is_read_to_the_end_of_the_file)
{
	struct recording recording = small(0);
	size_t size;
	CLEANUP_TEXT uint8_t *bytes = recording_file(&recording, &size);
	struct profile *profile = NULL;
	struct error err = { 0 };
	uint64_t data;

	memcpy(&data, bytes + 40, sizeof(data));
	memset(bytes + 48, 0, 8);                       /* the size of the records, which is written at the end */
	assert_int_equal(read_bytes(bytes, data + recording.size, &profile, &err), 0);
	assert_int_equal(profile_meta_number(profile, "import.samples", 0), 4);
	assert_non_null(profile_meta(profile, "import.unfinished"));
	assert_non_null(strstr(profile_meta(profile, "import.remark.1"), "not ended properly"));
	profile_free(profile);
}

/* --- What others recorded ---------------------------------------------------------------------------------------------- */

static char *corpus_path(const char *name)
{
	const char *given = getenv("CROSSCUT_CORPORA"), *ci = getenv("CI");
	char *path = xasprintf("%s/%s", given ? given : "../shared/corpora", name);

	if (!access(path, R_OK))
		return path;
	if (ci && !strcmp(ci, "true"))
		_fail(__FILE__, __LINE__);
	free(path);
	print_message("no %s here\n", name);
	skip();
	return NULL;
}

static struct profile *corpus_read(const char *folder, const char *name)
{
	CLEANUP_TEXT char *file = xasprintf("%s/%s", folder, name), *path = corpus_path(file);
	struct profile *profile = NULL;
	struct error err = { 0 };

	if (format_read(path, &profile, &err) < 0)
		print_message("%s: %s: %s\n", name, err.what, err.why);
	assert_non_null(profile);
	assert_null(profile_broken(profile));
	return profile;
}

static void equal(const char *name, const struct profile *profile, const char *key, const json_t *expected)
{
	CLEANUP_TEXT char *meta = xasprintf("import.%s", key);
	uint64_t number = profile_meta_number(profile, meta, 0);

	if (number != (uint64_t)json_integer_value(expected))
		print_message("%s: %s is %llu, expected %lld\n", name, key, (unsigned long long)number,
			      (long long)json_integer_value(expected));
	assert_int_equal(number, json_integer_value(expected));
}

/* Mappings are more here in four files, as `perf report --stats` counts them too: the published text left some out. */
static bool is_left_out(const char *name, const char *type)
{
	return !strcmp(type, "MMAP") && (strstr(name, "busy.0") || strstr(name, "callgraph") || strstr(name, "i686") ||
					 strstr(name, "systemwide"));
}

static void quipper_equal(const char *name, json_t *expected)
{
	static const char *const numbers[][2] = {
		{ "n_samples", "samples" }, { "samples_with_period", "samples_with_period" },
		{ "samples_with_callchain", "samples_with_chain" }, { "callchain_entries_total", "chain_entries" },
		{ "samples_with_branch_stack", "samples_with_branches" }, { "lost_event_total", "lost" },
		{ "lost_samples_total", "lost_samples" },
	};
	CLEANUP(profile) struct profile *profile = corpus_read("google+perf_data_converter/src/quipper/testdata", name);
	const char *type;
	json_t *count;

	json_object_foreach(json_object_get(expected, "events"), type, count) {
		CLEANUP_TEXT char *key = xasprintf("records.%s", type);

		if (!is_left_out(name, type))
			equal(name, profile, key, count);
	}
	for (size_t i = 0; i < ARRAY_LENGTH(numbers); i++)
		equal(name, profile, numbers[i][1], json_object_get(expected, numbers[i][0]));
	/* where samples hold no period, the attribute's stands for it here, and nothing in the published sum */
	if (json_integer_value(json_object_get(expected, "samples_with_period")))
		equal(name, profile, "period_sum", json_object_get(expected, "sum_period"));
}

TEST(every_recording_of_quipper_counts_what_was_published)
{
	CLEANUP_TEXT char *path = corpus_path("google+perf_data_converter/derived/perf_data_expected.json");
	json_t *root = json_load_file(path, 0, NULL), *expected;
	const char *name;

	assert_non_null(root);
	assert_int_equal(json_object_size(root), 17);
	json_object_foreach(root, name, expected)
		quipper_equal(name, expected);
	json_decref(root);
}

/* Of all seconds together. */
static size_t distinct_cells(const struct profile *profile)
{
	CLEANUP(map) struct map *known = map_new(3 * sizeof(uint32_t));

	for (size_t i = 0; i < profile_cell_count(profile); i++) {
		const struct cell *cell = profile_cell_at(profile, i);

		(void)map_put(known, (uint32_t[]){ cell->thread.index, cell->measure.index, cell->stack.index }, NULL);
	}
	return map_count(known);
}

TEST(the_converters_large_recordings_have_its_distinct_stacks)
{
	CLEANUP(profile) struct profile *many =
		corpus_read("google+perf_data_converter/src/testdata", "single-event-multi-process.perf.data");
	CLEANUP(profile) struct profile *chains = corpus_read("google+perf_data_converter/src/testdata", "with-callchain.perf.data");

	assert_int_equal(profile_meta_number(many, "import.samples", 0), 19989);
	assert_int_equal(distinct_cells(many), 730);
	assert_int_equal(distinct_cells(chains), 1210);
}

TEST(hotspots_compressed_recording_is_the_same_as_the_plain_one)
{
	const char *folder = "KDAB+hotspot/tests/integrationtests/file_content";
	CLEANUP(profile) struct profile *plain = corpus_read(folder, "perf.data.true.v2");
	CLEANUP(profile) struct profile *packed = corpus_read(folder, "perf.data.true.v2.gz");

	assert_int_equal(profile_meta_number(plain, "import.samples", 0), 1);
	assert_int_equal(profile_meta_number(packed, "import.samples", 0), 1);
	assert_int_equal(profile_meta_number(plain, "import.records.MMAP2", 0), 17);
	assert_int_equal(profile_meta_number(packed, "import.records.MMAP2", 0), 17);
}

static void all_refused(const char *folder)
{
	CLEANUP_TEXT char *path = corpus_path(folder);
	DIR *directory = opendir(path);
	struct dirent *entry;

	assert_non_null(directory);
	while ((entry = readdir(directory))) {
		CLEANUP_TEXT char *file = xasprintf("%s/%s", path, entry->d_name);
		struct profile *profile = NULL;
		struct error err = { 0 };

		if (entry->d_name[0] == '.')
			continue;
		assert_true(format_read(file, &profile, &err) < 0);
		assert_int_equal(err.kind, FAILURE_WORK);
		assert_true(*err.why);
	}
	(void)closedir(directory);
}

TEST(what_fuzzers_of_others_found_is_refused)
{
	all_refused("google+perf_data_converter/src/quipper/corpus");
}
