/* SPDX-License-Identifier: Apache-2.0 */
/* What a decoder and its profile keep: of processes that came and went their rows, and nothing that only finds them; of stacks each
 * frame once, however many share it. */
#include "test.h"

#include "base/error.h"
#include "capture/batch.h"
#include "classify/classify.h"
#include "format/format.h"
#include "format/native.h"
#include "probe/decoder.h"
#include "profile/profile.h"
#include "unit/bytes_in_use.h"
#include "wire/wire.h"

#include <string.h>
#include <unistd.h>

enum { PIDS = 1000, PER_SLICE = 50, BYTES_PROCESS = 260, BYTES_STACK = 110, BYTES_SAME_STACK = 30 };

static void put(struct batch *batch, unsigned kind, void *record, size_t size)
{
	batch_put(batch, kind, 1000, record, size, NULL);
}

/* Forked, with a new image and a library, asleep once, on one stack, gone: all of a compiler's helper. */
static void live_and_die(struct batch *batch, uint32_t serial, uint32_t pid)
{
	struct { struct wire_stack head; uint64_t addresses[2]; } stack = {
		.head = { .id = (uint64_t)pid << 8, .process = pid, .depth = 2 }, .addresses = { 0x400010, 0x400020 } };
	struct wire_space space = { .process = pid, .parent = 1 };
	struct wire_thread thread = { .thread = serial, .tid = pid, .process = pid, .comm = "as", .start_ns = 2000 };
	struct wire_mapping mapping = { .start = 0x400000, .end = 0x500000, .process = pid };
	struct wire_interrupt interrupt = { .key = { .thread = serial }, .value = { 1, 100, 100 } };
	struct wire_wait wait = { .key = { .thread = serial, .evidence = { .task_state = 1, .syscall = 230 } },
				  .value = { .count = 1, .wait_ns = 10, .wait_maximum_ns = 10, .oncpu_ns = 90, .oncpu_count = 1 } };
	struct wire_exit gone = { .thread = serial };

	put(batch, WIRE_SPACE_FORK, &space, sizeof(space));
	put(batch, WIRE_THREAD, &thread, sizeof(thread));
	put(batch, WIRE_SPACE_EXEC, &space, sizeof(space));
	batch_put(batch, WIRE_MAPPING, 1000, &mapping, sizeof(mapping), (const char *const[]){ "/usr/bin/as", "abcd", NULL });
	put(batch, WIRE_STACK, &stack, sizeof(stack));
	put(batch, WIRE_INTERRUPT, &interrupt, sizeof(interrupt));
	put(batch, WIRE_WAIT, &wait, sizeof(wait));
	put(batch, WIRE_EXIT, &gone, sizeof(gone));
	put(batch, WIRE_SPACE_END, &space, sizeof(space));
}

static void run_slices(struct profile *profile, struct decoder *decoder, uint32_t first, uint32_t count)
{
	struct batch batch = { 0 };

	for (uint32_t serial = first; serial < first + count; serial++) {
		struct wire_slice slice = { .start_ns = 1000, .end_ns = 2000 };

		if (serial % PER_SLICE == 0) {
			put(&batch, WIRE_SLICE, &slice, sizeof(slice));
			assert_int_equal(decoder_feed(decoder, batch.bytes, batch.size), 0);
			batch_clear(&batch);
			profile_clear_facts(profile);
		}
		live_and_die(&batch, serial, 2 + serial % PIDS);
	}
	batch_done(&batch);
}

TEST(processes_that_came_and_went_leave_their_rows_and_little_else)
{
	size_t before = bytes_in_use();
	struct profile *profile = profile_new();
	struct decoder *decoder = decoder_new(profile);
	enum { COUNT = 60000 };

	run_slices(profile, decoder, 1, COUNT);
	assert_true(profile_thread_count(profile) > COUNT - PER_SLICE && profile_process_count(profile) > COUNT - PER_SLICE);
	assert_null(profile_broken(profile));
	assert_in_range((bytes_in_use() - before) / COUNT, 1, BYTES_PROCESS);
	decoder_free(decoder);
	profile_free(profile);
}

TEST(a_thread_is_known_for_some_slices_after_its_death_and_then_forgotten)
{
	struct profile *profile = profile_new();
	struct decoder *decoder = decoder_new(profile);

	run_slices(profile, decoder, 1, 10 * PER_SLICE);
	assert_int_equal(decoder_thread(decoder, 10).index, 0);
	assert_int_not_equal(decoder_thread(decoder, 9 * PER_SLICE - 1).index, 0);
	assert_int_not_equal(decoder_thread(decoder, 7 * PER_SLICE).index, 0);
	decoder_free(decoder);
	profile_free(profile);
}

struct recorder { struct profile *profile; struct decoder *decoder; struct native *native; char path[64]; };

static void recorder_begin(struct recorder *recorder, bool forgets)
{
	struct error err;

	*recorder = (struct recorder){ .profile = profile_new(), .native = native_new(), .path = "/tmp/crosscut-growth-XXXXXX" };
	recorder->decoder = decoder_new(recorder->profile);
	assert_true(close(mkstemp(recorder->path)) == 0);
	assert_int_equal(native_create(recorder->native, recorder->path, true, 0, &err), 0);
	if (forgets)
		profile_forget_ended(recorder->profile);
}

/* The first process lives on; every pid of the others comes again. */
static void record_slice(struct recorder *recorder, uint32_t number)
{
	struct wire_slice slice = { .start_ns = number * 1000ul, .end_ns = number * 1000 + 999 };
	struct wire_thread first = { .thread = 1, .tid = 1, .process = 1, .comm = "init", .start_ns = 1 };
	struct batch batch = { 0 };
	struct error err;

	put(&batch, WIRE_SLICE, &slice, sizeof(slice));
	if (number == 1)
		put(&batch, WIRE_THREAD, &first, sizeof(first));
	for (uint32_t serial = number * PER_SLICE; serial < (number + 1) * PER_SLICE; serial++)
		live_and_die(&batch, serial, 2 + serial % PIDS);
	assert_int_equal(decoder_feed(recorder->decoder, batch.bytes, batch.size), 0);
	batch_done(&batch);
	classify_profile(recorder->profile, false);
	assert_int_equal(native_slice(recorder->native, recorder->profile, decoder_slice(recorder->decoder), &err), 0);
	profile_clear_facts(recorder->profile);
}

/* Leaves the sealed file. */
static void recorder_end(struct recorder *recorder)
{
	struct error err;

	assert_null(profile_broken(recorder->profile));
	assert_int_equal(native_seal(recorder->native, recorder->profile, &err), 0);
	native_free(recorder->native);
	decoder_free(recorder->decoder);
	profile_free(recorder->profile);
}

/* Of a process: a byte for its number, and the places of the pages that its rows lay in. */
TEST(a_recorder_that_forgets_who_ended_grows_by_next_to_nothing)
{
	enum { FIRST = 300, LAST = 900, BYTES = 12 };
	struct recorder recorder;
	size_t before = 0;

	recorder_begin(&recorder, true);
	for (uint32_t number = 1; number <= LAST; number++) {
		record_slice(&recorder, number);
		before = number == FIRST ? bytes_in_use() : before;
	}
	assert_in_range((bytes_in_use() - before) / ((LAST - FIRST) * PER_SLICE), 0, BYTES);
	assert_int_equal(profile_thread_at(recorder.profile, 1)->tid, 1);
	assert_int_equal(profile_thread_at(recorder.profile, 100)->tid, 0);
	recorder_end(&recorder);
	(void)unlink(recorder.path);
}

TEST(the_file_of_one_that_forgets_is_that_of_one_that_does_not)
{
	char digests[2][NATIVE_DIGEST_SIZE];
	struct error err;

	for (int forgets = 0; forgets < 2; forgets++) {
		struct recorder recorder;
		struct profile *read = NULL;

		recorder_begin(&recorder, forgets);
		for (uint32_t number = 1; number <= 60; number++)
			record_slice(&recorder, number);
		recorder_end(&recorder);
		assert_int_equal(native_digest(recorder.path, digests[forgets], &err), 0);
		assert_int_equal(format_read(recorder.path, &read, &err), 0);
		assert_int_equal(profile_thread_count(read), 1 + 1 + 60 * PER_SLICE);
		assert_true(profile_mapping_count(read) == 60 * PER_SLICE && !strcmp(profile_text(read, profile_thread_at(read, 70)->comm), "as"));
		profile_free(read);
		(void)unlink(recorder.path);
	}
	assert_string_equal(digests[0], digests[1]);
}

/* A thread of the kernel's that was there at the start ends, and a process gets its number. */
TEST(a_number_that_one_had_of_whom_nothing_was_mapped_is_another_generation)
{
	struct wire_thread idle = { .thread = 5, .tid = 7, .process = 7, .comm = "kworker/0:1" };
	struct wire_space space = { .process = 7 };
	struct wire_exit gone = { .thread = 5 };
	struct recorder recorder;
	struct batch batch = { 0 };
	struct profile *read = NULL;
	struct error err;

	recorder_begin(&recorder, true);
	put(&batch, WIRE_THREAD, &idle, sizeof(idle));
	put(&batch, WIRE_EXIT, &gone, sizeof(gone));
	put(&batch, WIRE_SPACE_END, &space, sizeof(space));
	assert_int_equal(decoder_feed(recorder.decoder, batch.bytes, batch.size), 0);
	batch_done(&batch);
	for (uint32_t number = 1; number <= 60; number++)
		record_slice(&recorder, number);
	recorder_end(&recorder);
	assert_int_equal(format_read(recorder.path, &read, &err), 0);
	assert_int_equal(profile_process_at(read, 1)->pid, 7);
	assert_int_equal(profile_process_at(read, 1)->generation, 0);
	for (size_t i = 2; i < profile_process_count(read); i++)
		assert_true(profile_process_at(read, i)->pid != 7 || profile_process_at(read, i)->generation > 0);
	profile_free(read);
	(void)unlink(recorder.path);
}

struct deep_stack { struct wire_stack head; uint64_t addresses[WIRE_STACK_DEPTH]; };

/* A compiler that walks a tree: what is below the leaves is mostly the same. */
static void put_stacks(struct batch *batch, uint32_t count, uint32_t leaves)
{
	for (uint32_t i = 0; i < count; i++) {
		struct deep_stack stack = { .head = { .id = (uint64_t)(i + 1) << 8, .process = 10, .depth = WIRE_STACK_DEPTH } };

		stack.addresses[0] = 0x400000 + i % leaves * 16ull;
		for (uint32_t k = 1; k < WIRE_STACK_DEPTH; k++)
			stack.addresses[k] = 0x400008 + k * 16ull;
		put(batch, WIRE_STACK, &stack, sizeof(stack));
	}
}

static size_t bytes_for_stacks(uint32_t count, uint32_t leaves)
{
	size_t before = bytes_in_use(), after;
	struct profile *profile = profile_new();
	struct decoder *decoder = decoder_new(profile);
	struct wire_mapping mapping = { .start = 0x400000, .end = 0x4000000, .process = 10 };
	struct batch batch = { 0 };

	batch_put(&batch, WIRE_MAPPING, 1000, &mapping, sizeof(mapping), (const char *const[]){ "/usr/libexec/cc1", "abcd", NULL });
	put_stacks(&batch, count, leaves);
	assert_int_equal(decoder_feed(decoder, batch.bytes, batch.size), 0);
	assert_int_equal(profile_stack_count(profile), leaves + WIRE_STACK_DEPTH);
	batch_done(&batch);
	after = bytes_in_use();
	decoder_free(decoder);
	profile_free(profile);
	return after - before;
}

TEST(stacks_that_differ_in_their_leaf_cost_a_frame_each_and_the_same_ones_a_number)
{
	enum { COUNT = 90000, LEAVES = 9000 };

	assert_in_range(bytes_for_stacks(COUNT, COUNT) / COUNT, 1, BYTES_STACK);
	assert_in_range(bytes_for_stacks(COUNT, LEAVES) / COUNT, 1, BYTES_SAME_STACK);
}

/* Of processes that come and go, each with its own code: told again where it is asked for again. */
static void feed_code_names(struct decoder *decoder, uint32_t first, uint32_t count)
{
	struct batch batch = { 0 };

	for (uint32_t i = first; i < first + count; i++) {
		struct wire_code_name wire = { .code = 0x1000 + i * 64ull, .process = i / 100 };

		batch_put(&batch, WIRE_CODE_NAME, 1000, &wire, sizeof(wire), (const char *const[]){ "main", "a.py", NULL });
	}
	assert_int_equal(decoder_feed(decoder, batch.bytes, batch.size), 0);
	batch_done(&batch);
}

TEST(names_of_code_that_nobody_asks_for_are_forgotten)
{
	enum { COUNT = 200000, BYTES = 64 << 10 };
	struct profile *profile = profile_new();
	struct decoder *decoder = decoder_new(profile);
	size_t before;

	feed_code_names(decoder, 0, COUNT);
	before = bytes_in_use();
	feed_code_names(decoder, COUNT, COUNT);
	assert_in_range(bytes_in_use(), 1, before + BYTES);
	assert_false(decoder_knows_code(decoder, 0, 0x1000, 0));
	assert_true(decoder_knows_code(decoder, (2 * COUNT - 1) / 100, 0x1000 + (2 * COUNT - 1) * 64ull, 0));
	decoder_free(decoder);
	profile_free(profile);
}
