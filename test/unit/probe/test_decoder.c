/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes in, profile out: the records of a small capture, and what a damaged stream must not do. */
#include "test.h"

#include "base/cleanup.h"
#include "base/error.h"
#include "capture/batch.h"
#include "classify/classify.h"
#include "probe/decoder.h"
#include "profile/profile.h"
#include "unwind/row.h"
#include "wire/wire.h"

#include <string.h>

struct stream {
	struct profile *profile;
	struct decoder *decoder;
	struct batch batch;
};

static void stream_init(struct stream *stream)
{
	*stream = (struct stream){ .profile = profile_new() };
	stream->decoder = decoder_new(stream->profile);
	profile_set_meta_number(stream->profile, "capture.start_ns", 1000);
}

static void stream_done(struct stream *stream)
{
	decoder_free(stream->decoder);
	profile_free(stream->profile);
	batch_done(&stream->batch);
}

static size_t stream_feed(struct stream *stream)
{
	size_t bad = decoder_feed(stream->decoder, stream->batch.bytes, stream->batch.size);

	batch_clear(&stream->batch);
	return bad;
}

static void put_thread(struct stream *stream, uint32_t serial, uint32_t tid, uint32_t process, const char *comm)
{
	struct wire_thread thread = { .thread = serial, .tid = tid, .process = process };

	memcpy(thread.comm, comm, strlen(comm));
	batch_put(&stream->batch, WIRE_THREAD, 1000, &thread, sizeof(thread), NULL);
}

static void put_slice(struct stream *stream)
{
	struct wire_slice slice = { .start_ns = 1000, .end_ns = 2000 };

	batch_put(&stream->batch, WIRE_SLICE, 2000, &slice, sizeof(slice), NULL);
}

static struct wire_wait nanosleep_wait(uint32_t serial, uint64_t count, uint64_t ns)
{
	return (struct wire_wait){
		.key = { .thread = serial, .evidence = { .task_state = 1, .syscall = 230, .wake_context = WIRE_WAKE_HARDIRQ, .bucket = 6 } },
		.value = { .count = count, .wait_ns = ns, .wait_maximum_ns = ns, .woken_ns = 10, .woken_count = count, .oncpu_ns = 90,
			   .oncpu_count = count },
	};
}

static double state_total(const struct profile *profile, const char *name)
{
	double sum = 0;

	for (size_t i = 0; i < profile_cell_count(profile); i++) {
		const struct cell *cell = profile_cell_at(profile, i);
		struct dimension_id state = profile_dimension_root(profile, profile_cell_dimension(profile, cell));

		if (profile_measure_at(profile, cell->measure.index)->role == ROLE_TOTAL &&
		    !strcmp(profile_text(profile, profile_dimension_at(profile, state.index)->name), name))
			sum += cell_weight(cell);
	}
	return sum;
}

TEST(one_wait_record_becomes_the_wait_the_delay_after_it_and_the_run_before_it)
{
	struct stream stream;
	struct wire_wait wait = nanosleep_wait(1, 2, 150);

	stream_init(&stream);
	put_thread(&stream, 1, 10, 10, "sleeper");
	put_slice(&stream);
	batch_put(&stream.batch, WIRE_WAIT, 2000, &wait, sizeof(wait), NULL);
	assert_int_equal(stream_feed(&stream), 0);
	classify_profile(stream.profile, false);
	profile_freeze(stream.profile);
	assert_null(profile_broken(stream.profile));
	assert_true(state_total(stream.profile, "timer") == 150);
	assert_true(state_total(stream.profile, "runnable") == 10);
	assert_true(state_total(stream.profile, "oncpu") == 90);
	stream_done(&stream);
}

TEST(waits_of_different_lengths_stay_apart_so_that_histograms_survive)
{
	struct stream stream;
	struct wire_wait shorter = nanosleep_wait(1, 1, 70), longer = nanosleep_wait(1, 1, 700);
	size_t waits = 0;

	stream_init(&stream);
	longer.key.evidence.bucket = 9;
	put_thread(&stream, 1, 10, 10, "sleeper");
	put_slice(&stream);
	batch_put(&stream.batch, WIRE_WAIT, 2000, &shorter, sizeof(shorter), NULL);
	batch_put(&stream.batch, WIRE_WAIT, 2000, &longer, sizeof(longer), NULL);
	(void)stream_feed(&stream);
	for (size_t i = 0; i < profile_cell_count(stream.profile); i++)
		waits += profile_cell_at(stream.profile, i)->evidence.index != 0;
	assert_int_equal(waits, 2);
	stream_done(&stream);
}

TEST(a_lost_wait_keeps_its_length_and_loses_its_class)
{
	struct stream stream;
	struct wire_wait wait = { .key = { .thread = 1 }, .value = { .lost_ns = 400, .lost_count = 1 } };

	stream_init(&stream);
	put_thread(&stream, 1, 10, 10, "sleeper");
	put_slice(&stream);
	batch_put(&stream.batch, WIRE_WAIT, 2000, &wait, sizeof(wait), NULL);
	(void)stream_feed(&stream);
	classify_profile(stream.profile, false);
	assert_true(state_total(stream.profile, "unknown") == 400);
	stream_done(&stream);
}

static void put_mapping(struct stream *stream, uint32_t process, uint64_t start, uint64_t offset, const char *path)
{
	struct wire_mapping mapping = { .process = process, .start = start, .end = start + 0x1000, .offset = offset };

	batch_put(&stream->batch, WIRE_MAPPING, 1000, &mapping, sizeof(mapping), (const char *const[]){ path, "ab12", NULL });
}

static void put_walked(struct stream *stream, uint64_t id, uint32_t process, uint64_t leaf, uint64_t root, uint8_t status)
{
	struct { struct wire_stack head; uint64_t addresses[2]; } stack = {
		.head = { .id = id, .process = process, .depth = 2, .status = status }, .addresses = { leaf, root } };

	if (process) {
		stack.addresses[0] |= (uint64_t)UNWIND_BY_LEAF << WIRE_METHOD_SHIFT;
		stack.addresses[1] |= (uint64_t)UNWIND_BY_ROW << WIRE_METHOD_SHIFT;
	}
	batch_put(&stream->batch, WIRE_STACK, 1000, &stack, sizeof(stack), NULL);
}

static void put_stack(struct stream *stream, uint64_t id, uint32_t process, uint64_t leaf, uint64_t root)
{
	put_walked(stream, id, process, leaf, root, UNWIND_COMPLETE);
}

static const struct frame *leaf_of(const struct profile *profile, struct stack_id stack)
{
	return profile_frame_at(profile, profile_stack_at(profile, stack.index).frame.index);
}

TEST(an_address_becomes_a_file_and_an_offset_and_a_child_uses_its_parents_mappings)
{
	struct stream stream;
	struct wire_space fork = { .process = 11, .parent = 10 };
	struct stack_id stack;

	stream_init(&stream);
	put_thread(&stream, 1, 10, 10, "parent");
	put_mapping(&stream, 10, 0x400000, 0x2000, "/bin/program");
	batch_put(&stream.batch, WIRE_SPACE_FORK, 1000, &fork, sizeof(fork), NULL);
	put_thread(&stream, 2, 11, 11, "child");
	put_stack(&stream, 77, 11, 0x400010, 0x400020);
	assert_int_equal(stream_feed(&stream), 0);
	stack = decoder_stack(stream.decoder, 77, 0);
	assert_int_not_equal(stack.index, 0);
	assert_int_equal(leaf_of(stream.profile, stack)->offset, 0x2010);
	assert_int_equal(leaf_of(stream.profile, stack)->method, METHOD_LEAF);
	stream_done(&stream);
}

TEST(where_a_signals_handler_goes_back_to_is_an_exact_address_and_where_it_was_called_from_is_not)
{
	static const uint64_t by[] = { UNWIND_BY_LEAF, UNWIND_BY_ROW, UNWIND_BY_ROW, UNWIND_BY_SIGNAL, UNWIND_BY_ROW };
	static const enum frame_method expected[] = { METHOD_LEAF, METHOD_CFI, METHOD_SIGNAL, METHOD_SIGNAL, METHOD_CFI };
	struct { struct wire_stack head; uint64_t addresses[5]; } wire = {
		.head = { .id = 77, .process = 10, .depth = 5, .status = UNWIND_COMPLETE } };
	struct stream stream;
	struct stack_id stack;

	stream_init(&stream);
	put_thread(&stream, 1, 10, 10, "program");
	put_mapping(&stream, 10, 0x400000, 0x2000, "/bin/program");
	for (size_t i = 0; i < 5; i++)
		wire.addresses[i] = (0x400010 + i) | by[i] << WIRE_METHOD_SHIFT;
	batch_put(&stream.batch, WIRE_STACK, 1000, &wire, sizeof(wire), NULL);
	assert_int_equal(stream_feed(&stream), 0);
	stack = decoder_stack(stream.decoder, 77, 0);
	for (size_t i = 0; i < 5; i++) {
		assert_int_equal(leaf_of(stream.profile, stack)->method, expected[i]);
		stack = profile_stack_at(stream.profile, stack.index).parent;
	}
	stream_done(&stream);
}

TEST(a_process_that_is_gone_leaves_its_mappings_to_the_child_that_used_them)
{
	struct stream stream;
	struct wire_space fork = { .process = 11, .parent = 10 }, gone = { .process = 10 };

	stream_init(&stream);
	put_thread(&stream, 1, 10, 10, "parent");
	put_mapping(&stream, 10, 0x400000, 0x2000, "/bin/program");
	batch_put(&stream.batch, WIRE_SPACE_FORK, 1000, &fork, sizeof(fork), NULL);
	put_thread(&stream, 2, 11, 11, "child");
	batch_put(&stream.batch, WIRE_SPACE_END, 1000, &gone, sizeof(gone), NULL);
	put_stack(&stream, 77, 11, 0x400010, 0x400020);
	assert_int_equal(stream_feed(&stream), 0);
	assert_int_equal(leaf_of(stream.profile, decoder_stack(stream.decoder, 77, 0))->offset, 0x2010);
	stream_done(&stream);
}

TEST(an_exec_drops_the_old_mappings_and_makes_a_new_generation)
{
	struct stream stream;
	struct wire_space exec = { .process = 10 };
	struct stack_id stack;

	stream_init(&stream);
	put_thread(&stream, 1, 10, 10, "shell");
	put_mapping(&stream, 10, 0x400000, 0, "/bin/sh");
	batch_put(&stream.batch, WIRE_SPACE_EXEC, 1000, &exec, sizeof(exec), NULL);
	put_stack(&stream, 78, 10, 0x400010, 0x400020);
	(void)stream_feed(&stream);
	stack = decoder_stack(stream.decoder, 78, 0);
	assert_string_equal(profile_text(stream.profile, profile_file_at(stream.profile, leaf_of(stream.profile, stack)->file.index)->path),
			    "[unmapped]");
	assert_int_equal(profile_process_at(stream.profile, profile_thread_at(stream.profile, 1)->process.index)->generation, 1);
	stream_done(&stream);
}

TEST(a_joined_stack_has_the_kernel_on_top_and_our_own_machinery_cut_off)
{
	struct stream stream;
	struct wire_kernel_name name = { .address = 0xffff1 };
	char leaf[64];

	stream_init(&stream);
	put_thread(&stream, 1, 10, 10, "reader");
	put_mapping(&stream, 10, 0x400000, 0, "/bin/reader");
	batch_put(&stream.batch, WIRE_KERNEL_NAME, 1000, &name, sizeof(name), (const char *const[]){ "bpf_trace_run4", NULL });
	name.address = 0xffff2;
	batch_put(&stream.batch, WIRE_KERNEL_NAME, 1000, &name, sizeof(name), (const char *const[]){ "schedule", NULL });
	put_stack(&stream, 79, 10, 0x400010, 0x400020);
	put_stack(&stream, 80, 0, 0xffff1, 0xffff2);
	(void)stream_feed(&stream);
	profile_frame_name(stream.profile, profile_stack_at(stream.profile, decoder_stack(stream.decoder, 79, 80).index).frame, leaf,
			   sizeof(leaf));
	assert_string_equal(leaf, "schedule");
	stream_done(&stream);
}

TEST(a_walk_keeps_its_status_and_each_frame_the_method_that_found_it)
{
	static const struct { uint8_t walked; enum stack_status status; } cases[] = {
		{ UNWIND_COMPLETE, STACK_COMPLETE }, { UNWIND_TRUNCATED, STACK_TRUNCATED }, { UNWIND_NO_ROW, STACK_NO_ROW },
		{ UNWIND_NO_PROCESS, STACK_NO_PROCESS }, { UNWIND_COMPATIBLE, STACK_COMPATIBLE },
	};
	struct stream stream;

	stream_init(&stream);
	put_thread(&stream, 1, 10, 10, "reader");
	put_mapping(&stream, 10, 0x400000, 0, "/bin/reader");
	for (size_t i = 0; i < ARRAY_LENGTH(cases); i++)
		put_walked(&stream, 100 + i, 10, 0x400010, 0x400020 + i, cases[i].walked);
	put_stack(&stream, 90, 0, 0xffff1, 0xffff2);
	assert_int_equal(stream_feed(&stream), 0);
	for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
		struct stack_id user = decoder_stack(stream.decoder, 100 + i, 0), joined = decoder_stack(stream.decoder, 100 + i, 90);
		struct stack stack = profile_stack_at(stream.profile, user.index);

		assert_int_equal(stack.status, cases[i].status);
		assert_int_equal(profile_stack_at(stream.profile, joined.index).status, cases[i].status);
		assert_int_equal(leaf_of(stream.profile, user)->method, METHOD_LEAF);
		assert_int_equal(leaf_of(stream.profile, stack.parent)->method, METHOD_CFI);
	}
	put_walked(&stream, 200, 10, 0x400010, 0x400020, UNWIND_STATUS_COUNT);
	assert_int_equal(stream_feed(&stream), 1);
	assert_int_equal(decoder_stack(stream.decoder, 200, 0).index, 0);
	stream_done(&stream);
}

TEST(records_that_lie_about_their_size_are_counted_and_end_the_batch)
{
	struct stream stream;
	struct wire_head lies[] = { { .size = 8, .kind = WIRE_THREAD }, { .size = 1 << 20, .kind = WIRE_WAIT }, { .size = 20, .kind = 1 } };

	for (size_t i = 0; i < 3; i++) {
		stream_init(&stream);
		assert_int_equal(decoder_feed(stream.decoder, &lies[i], sizeof(lies[i])), 1);
		assert_null(profile_broken(stream.profile));
		stream_done(&stream);
	}
}

TEST(a_stack_deeper_than_its_record_is_refused)
{
	struct stream stream;
	struct wire_stack stack = { .id = 5, .process = 10, .depth = 100 };

	stream_init(&stream);
	batch_put(&stream.batch, WIRE_STACK, 1000, &stack, sizeof(stack), NULL);
	assert_int_equal(stream_feed(&stream), 1);
	assert_int_equal(decoder_stack(stream.decoder, 5, 0).index, 0);
	stream_done(&stream);
}

TEST(a_record_of_an_unknown_kind_is_skipped)
{
	struct stream stream;
	struct wire_head later = { .size = 16, .kind = 999 };

	stream_init(&stream);
	batch_add(&stream.batch, &later, sizeof(later));
	put_thread(&stream, 1, 10, 10, "known");
	assert_int_equal(stream_feed(&stream), 0);
	assert_int_equal(decoder_thread(stream.decoder, 1).index, 1);
	stream_done(&stream);
}
