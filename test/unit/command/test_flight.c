/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a flight recorder keeps, on records written by hand: of many that came and went those of the last slices, whole, in a file
 * that reads; and in memory no more the longer it runs.
 */
#include "test.h"

#include "analysis/account.h"
#include "base/error.h"
#include "capture/batch.h"
#include "classify/classify.h"
#include "command/flight.h"
#include "format/format.h"
#include "format/native.h"
#include "probe/decoder.h"
#include "profile/profile.h"
#include "unit/bytes_in_use.h"
#include "wire/wire.h"

#include <string.h>
#include <unistd.h>

enum { PER_SLICE = 50, KEPT = 5, KEPT_MORE = 10, SERIAL_OF_FIRST = 1, ASLEEP_NS = 400000000, AWAKE_NS = 600000000 };
#define SECOND_NS 1000000000ull

static void put(struct batch *batch, unsigned kind, uint64_t at_ns, void *record, size_t size)
{
	batch_put(batch, kind, at_ns, record, size, NULL);
}

static void put_wait(struct batch *batch, uint32_t serial, uint64_t at_ns)
{
	struct wire_wait wait = { .key = { .thread = serial, .evidence = { .task_state = 1, .syscall = 230 } },
				  .value = { .count = 1, .wait_ns = ASLEEP_NS, .wait_maximum_ns = ASLEEP_NS, .oncpu_ns = AWAKE_NS, .oncpu_count = 1 } };

	put(batch, WIRE_WAIT, at_ns, &wait, sizeof(wait));
}

static void live_and_die(struct batch *batch, uint32_t serial, uint64_t at_ns)
{
	struct wire_space space = { .process = serial, .parent = 1 };
	struct wire_mapping mapping = { .start = 0x400000, .end = 0x500000, .process = serial };
	struct wire_thread thread = { .thread = serial, .tid = serial, .process = serial, .comm = "as", .start_ns = at_ns };
	struct wire_exit gone = { .thread = serial };

	put(batch, WIRE_SPACE_FORK, at_ns, &space, sizeof(space));
	put(batch, WIRE_THREAD, at_ns, &thread, sizeof(thread));
	batch_put(batch, WIRE_MAPPING, at_ns, &mapping, sizeof(mapping), (const char *const[]){ "/usr/bin/as", "abcd", NULL });
	put_wait(batch, serial, at_ns);
	put(batch, WIRE_EXIT, at_ns + ASLEEP_NS + AWAKE_NS, &gone, sizeof(gone));
	put(batch, WIRE_SPACE_END, at_ns, &space, sizeof(space));
}

struct flown { struct profile *profile; struct decoder *decoder; struct flight *flight; };

static void fly(struct flown *flown, uint32_t number)
{
	uint64_t at_ns = number * SECOND_NS;
	struct wire_slice slice = { .start_ns = at_ns, .end_ns = at_ns + SECOND_NS };
	struct wire_thread first = { .thread = SERIAL_OF_FIRST, .tid = 1, .process = 1, .comm = "init", .start_ns = 1 };
	struct batch batch = { 0 };

	put(&batch, WIRE_SLICE, at_ns, &slice, sizeof(slice));
	if (number == 1)
		put(&batch, WIRE_THREAD, at_ns, &first, sizeof(first));
	put_wait(&batch, SERIAL_OF_FIRST, at_ns);
	for (uint32_t i = 0; i < PER_SLICE; i++)
		live_and_die(&batch, number * PER_SLICE + i, at_ns);
	assert_int_equal(decoder_feed(flown->decoder, batch.bytes, batch.size), 0);
	batch_done(&batch);
	classify_profile(flown->profile, false);
	flight_keep(flown->flight, flown->profile, decoder_slice(flown->decoder));
	profile_clear_facts(flown->profile);
}

static struct profile *landed(struct flown *flown, uint32_t slices)
{
	struct native *native = native_new();
	char path[] = "/tmp/crosscut-flight-XXXXXX";
	struct profile *read = NULL;
	struct error err;

	assert_true(close(mkstemp(path)) == 0);
	assert_int_equal(native_create(native, path, true, 0, &err), 0);
	profile_set_meta_number(flown->profile, "capture.start_ns", SECOND_NS);
	profile_set_meta_number(flown->profile, "capture.end_ns", (slices + 1) * SECOND_NS);
	profile_thread_edit(flown->profile, decoder_thread(flown->decoder, SERIAL_OF_FIRST))->end_ns = (slices + 1) * SECOND_NS;
	assert_int_equal(flight_write(flown->flight, flown->profile, native, &err), 0);
	assert_int_equal(native_seal(native, flown->profile, &err), 0);
	native_free(native);
	assert_int_equal(format_read(path, &read, &err), 0);
	(void)unlink(path);
	return read;
}

static bool is_time(const struct profile *read, const struct cell *cell)
{
	struct dimension_id root = profile_dimension_root(read, profile_cell_dimension(read, cell));

	return profile_measure_at(read, cell->measure.index)->role == ROLE_TOTAL &&
	       dimension_is_state(profile_dimension_at(read, root.index)->kind);
}

/* Each of a slice's own, and the one that was always there, waited and ran for a second. */
static void assert_whole(const struct profile *read, uint32_t slices)
{
	uint64_t sum = 0;

	assert_null(profile_broken(read));
	for (size_t i = 0; i < profile_cell_count(read); i++) {
		const struct cell *cell = profile_cell_at(read, i);
		const struct thread *thread = profile_thread_at(read, cell->thread.index);
		const struct slice *slice = profile_slice_at(read, cell->slice.index);

		assert_true(thread->tid == 1 || thread->tid / PER_SLICE == slice->start_ns / SECOND_NS);
		assert_string_equal(profile_text(read, thread->comm), thread->tid == 1 ? "init" : "as");
		assert_int_equal(profile_process_at(read, thread->process.index)->pid, thread->tid);
		if (is_time(read, cell))
			sum += cell->value;
	}
	assert_int_equal(sum, (uint64_t)KEPT * (PER_SLICE + 1) * SECOND_NS);
	assert_true(profile_thread_count(read) <= 2 + (KEPT + KEPT_MORE + 5) * PER_SLICE);
	for (size_t i = 1; i < profile_thread_count(read); i++) {
		const struct thread *thread = profile_thread_at(read, i);

		assert_true(thread->tid == 1 || thread->tid / PER_SLICE + KEPT + KEPT_MORE + 5 > slices);
		assert_int_equal(thread->end_ns - thread->start_ns,
				 thread->tid == 1 ? KEPT * SECOND_NS : thread->tid / PER_SLICE + KEPT > slices ? SECOND_NS : 0);
	}
	for (size_t i = 0; i < profile_mapping_count(read); i++)
		assert_int_not_equal(profile_mapping_at(read, i)->process.index, 0);
}

TEST(a_file_holds_who_lived_in_what_was_kept_and_memory_nobody_else_for_long)
{
	enum { EARLY = 200, SLICES = 700, BYTES_PROCESS = 20 };
	struct flown flown = { .profile = profile_new(), .flight = flight_new(KEPT * SECOND_NS, 1 << 20) };
	struct profile *read;
	size_t early = 0;

	flown.decoder = decoder_new(flown.profile);
	profile_forget_ended(flown.profile);
	decoder_remember_ended(flown.decoder, KEPT + KEPT_MORE);
	for (uint32_t number = 1; number <= SLICES; number++) {
		fly(&flown, number);
		early = number == EARLY ? bytes_in_use() : early;
	}
	assert_in_range((bytes_in_use() - early) / ((SLICES - EARLY) * PER_SLICE), 0, BYTES_PROCESS);
	read = landed(&flown, SLICES);
	assert_whole(read, SLICES);
	profile_free(read);
	flight_free(flown.flight);
	decoder_free(flown.decoder);
	profile_free(flown.profile);
}
