/* SPDX-License-Identifier: Apache-2.0 */
#include "probe/interrupt_book.h"

#include "capture/batch.h"
#include "probe/decoder.h"
#include "test.h"

TEST(what_is_longer_than_what_holds_it_waits_for_the_rest)
{
	struct interrupt_book *book = interrupt_book_new();
	struct interrupted taken;

	interrupt_book_add(book, 7, INTERRUPT_SOFTIRQ, (struct interrupted){ 2, 300, 200 });
	interrupt_book_add(book, 7, INTERRUPT_SOFTIRQ, (struct interrupted){ 1, 100, 100 });
	taken = interrupt_book_take(book, 8, INTERRUPT_SOFTIRQ, 1000);
	assert_int_equal(taken.count, 0);
	taken = interrupt_book_take(book, 7, INTERRUPT_HANDLER, 1000);
	assert_int_equal(taken.count, 0);
	taken = interrupt_book_take(book, 7, INTERRUPT_SOFTIRQ, 0);
	assert_int_equal(taken.count, 0);
	taken = interrupt_book_take(book, 7, INTERRUPT_SOFTIRQ, 350);
	assert_int_equal(taken.count, 3);
	assert_int_equal(taken.ns, 350);
	assert_int_equal(taken.maximum_ns, 200);
	taken = interrupt_book_take(book, 7, INTERRUPT_SOFTIRQ, 350);
	assert_int_equal(taken.count, 0);
	assert_int_equal(taken.ns, 50);
	interrupt_book_free(book);
}

TEST(a_sum_that_no_time_has_is_not_added)
{
	struct interrupt_book *book = interrupt_book_new();

	interrupt_book_add(book, 7, INTERRUPT_HANDLER, (struct interrupted){ 1, 100, 100 });
	interrupt_book_add(book, 7, INTERRUPT_HANDLER, (struct interrupted){ 1, UINT64_MAX, 100 });
	assert_int_equal(interrupt_book_take(book, 7, INTERRUPT_HANDLER, UINT64_MAX).ns, 100);
	interrupt_book_free(book);
}

TEST(who_is_forgotten_has_nothing_left_and_the_others_keep_theirs)
{
	struct interrupt_book *book = interrupt_book_new();

	for (uint32_t thread = 1; thread <= 100; thread++)
		interrupt_book_add(book, thread, INTERRUPT_HANDLER, (struct interrupted){ 1, thread, thread });
	for (uint32_t thread = 1; thread <= 100; thread += 3)
		interrupt_book_forget(book, thread);
	interrupt_book_forget(book, 1000);
	for (uint32_t thread = 1; thread <= 100; thread++)
		assert_int_equal(interrupt_book_take(book, thread, INTERRUPT_HANDLER, 1000).ns, thread % 3 == 1 ? 0 : thread);
	interrupt_book_forget(book, 2);
	interrupt_book_free(book);
}

static uint64_t sum_of(const struct profile *profile, const char *parent, const char *name)
{
	struct dimension_id id = profile_dimension_find(profile, parent, name);
	uint64_t sum = 0;

	for (size_t i = 0; i < profile_cell_count(profile); i++)
		if (id.index && profile_cell_dimension(profile, profile_cell_at(profile, i)).index == id.index)
			sum += profile_cell_at(profile, i)->value;
	return sum;
}

TEST(interrupts_are_taken_out_of_the_running_time_that_is_told_after_them)
{
	struct profile *profile = profile_new();
	struct decoder *decoder = decoder_new(profile);
	struct batch batch = { 0 };
	struct wire_thread thread = { .thread = 7, .tid = 70, .process = 70, .comm = "runs" };
	struct wire_interrupt handler = { .key = { .thread = 7 }, .value = { 3, 900, 500 } };
	struct wire_interrupt softirq = { .key = { .thread = 7, .softirq = 1 }, .value = { 2, 300, 200 } };
	struct wire_wait wait = { .key = { .thread = 7 }, .value = { .oncpu_ns = 1000, .oncpu_count = 1 } };

	batch_put(&batch, WIRE_THREAD, 1000, &thread, sizeof(thread), NULL);
	batch_put(&batch, WIRE_INTERRUPT, 0, &handler, sizeof(handler), NULL);
	batch_put(&batch, WIRE_INTERRUPT, 0, &softirq, sizeof(softirq), NULL);
	batch_put(&batch, WIRE_WAIT, 0, &wait, sizeof(wait), NULL);
	assert_int_equal(decoder_feed(decoder, batch.bytes, batch.size), 0);
	assert_int_equal(sum_of(profile, "oncpu", "irq"), 900);
	assert_int_equal(sum_of(profile, "oncpu", "softirq"), 100);     /* the rest lies in time that is told later */
	assert_int_equal(sum_of(profile, NULL, "oncpu"), 0);
	assert_int_equal(decoder_feed(decoder, batch.bytes + batch.size - sizeof(wait), sizeof(wait)), 0);
	assert_int_equal(sum_of(profile, "oncpu", "softirq"), 300);
	assert_int_equal(sum_of(profile, NULL, "oncpu"), 800);
	assert_int_equal(sum_of(profile, NULL, "interrupts"), 3);
	assert_int_equal(sum_of(profile, NULL, "context-switches"), 2);
	assert_null(profile_broken(profile));
	decoder_free(decoder);
	profile_free(profile);
	batch_done(&batch);
}
