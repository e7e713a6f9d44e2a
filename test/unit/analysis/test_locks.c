/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Locks and their holders from cells as a capture leaves them: one mutex that a holder with a disk write keeps from two
 * waiters, one reader-writer lock waited for at its two words, and what the names of functions say of the primitive.
 */
#include "unit/analysis/asking.h"

#include "analysis/primitive.h"
#include "profile/cohort.h"
#include "profile/lock.h"

enum { FUTEX = 202, PRIVATE = 128, BITSET = 9, CLOCK = 256 };

struct scene {
	struct profile *profile;
	struct slice_id slice;
	struct thread_id a, b, c;
	struct object_id orders, readers, writers;
};

static struct evidence_id futex(struct profile *profile, uint32_t operation, enum futex_word word, enum futex_owner owner,
				const char *class)
{
	struct wait_evidence seen = { .task_state = 1, .syscall = FUTEX, .futex_operation = operation | PRIVATE,
				      .futex_word = (uint8_t)word, .futex_owner = (uint8_t)owner, .wake_context = WAKE_TASK };
	struct evidence_id id = profile_evidence(profile, &seen);

	profile_evidence_class(profile, id, built_dimension(profile, class), profile_string(profile, "test"), false);
	return id;
}

static struct object_id lock(struct profile *profile, const char *name, uint64_t address)
{
	return profile_object(profile, (struct object){ .kind = profile_string(profile, LOCK_IN_PROGRAM),
							.name = profile_string(profile, name), .address = address });
}

static struct scene scene(void)
{
	struct profile *profile = profile_new();
	struct process_id process = built_process(profile, 10, "shop");
	struct scene it = { .profile = profile, .slice = built_slice(profile, BUILDER_START, BUILDER_START + BUILDER_SECOND) };

	it.a = built_thread(profile, process, 11, "a", BUILDER_START, BUILDER_START + BUILDER_SECOND);
	it.b = built_thread(profile, process, 12, "b", BUILDER_START, BUILDER_START + BUILDER_SECOND);
	it.c = built_thread(profile, process, 13, "c", BUILDER_START, BUILDER_START + BUILDER_SECOND);
	it.orders = lock(profile, "orders", 0x1000);
	it.readers = lock(profile, "table+0x8", 0x2008);
	it.writers = lock(profile, "table+0xc", 0x200c);
	return it;
}

static struct cell part(const struct scene *it, const char *source, enum weighting weighting, struct thread_id waiter,
			struct thread_id holder, struct object_id object, struct evidence_id evidence, uint64_t ns, uint64_t count)
{
	return (struct cell){ .slice = it->slice, .thread = waiter, .other = holder, .object = object, .evidence = evidence, .value = ns,
			      .count = count, .maximum = ns / count,
			      .measure = built_measure(it->profile, NULL, ROLE_DETAIL, weighting, source, 0) };
}

/* b waits 9 ms, 6 of them for a and 3 for c; c waits 6 ms for a and gets the lock of it. */
static void fill_orders(const struct scene *it)
{
	struct evidence_id mutex = futex(it->profile, 0, FUTEX_WORD_TWO, FUTEX_OWNER_THREAD, "lock/mutex");
	struct cell doing = part(it, LOCK_HOLDERS, WEIGHTING_EXACT, it->c, it->a, it->orders, (struct evidence_id){ 0 }, 4000000, 1);
	struct cell sampled = part(it, LOCK_SEGMENTS, WEIGHTING_SAMPLED, it->b, it->a, it->orders, mutex, 3000000, 1);

	profile_add_cell(it->profile, part(it, LOCK_SEGMENTS, WEIGHTING_EXACT, it->b, it->a, it->orders, mutex, 6000000, 1));
	profile_add_cell(it->profile, part(it, LOCK_SEGMENTS, WEIGHTING_EXACT, it->b, it->c, it->orders, mutex, 3000000, 1));
	profile_add_cell(it->profile, part(it, LOCK_SEGMENTS, WEIGHTING_EXACT, it->c, it->a, it->orders, mutex, 6000000, 1));
	profile_add_cell(it->profile, part(it, LOCK_HAND_OFFS, WEIGHTING_EXACT, it->c, it->a, it->orders, mutex, 6000000, 1));
	profile_add_cell(it->profile, part(it, LOCK_HAND_OFFS, WEIGHTING_EXACT, it->b, it->c, it->orders, mutex, 3000000, 1));
	doing.measure = built_measure(it->profile, "disk", ROLE_DETAIL, WEIGHTING_EXACT, LOCK_HOLDERS, 0);
	profile_add_cell(it->profile, doing);
	doing.measure = built_measure(it->profile, "oncpu", ROLE_DETAIL, WEIGHTING_EXACT, LOCK_HOLDERS, 0);
	doing.value = 2000000;
	profile_add_cell(it->profile, doing);
	sampled.p_log2 = 1;
	sampled.stack = built_stack(it->profile, "main;work;pthread_mutex_lock@@GLIBC_2.2.5;?libc.so.6", STACK_COMPLETE);
	sampled.other_stack = built_stack(it->profile, "main;commit;pthread_mutex_unlock", STACK_COMPLETE);
	profile_add_cell(it->profile, sampled);
}

TEST(waits_are_divided_among_holders_exactly)
{
	struct scene it = scene();
	struct asking asked_of;
	const struct table *table;

	fill_orders(&it);
	asked_of = asking(it.profile);
	assert_int_equal(ask(&asked_of, "locks"), 0);
	table = table_at(&asked_of, "locks");
	assert_int_equal(table->row_count, 1);
	near(number_at(table, "orders", "wait"), 15e6);
	near(number_at(table, "orders", "contended"), 9e6);
	near(number_at(table, "orders", "acquisitions"), 2);
	near(number_at(table, "orders", "waiters"), 2);
	near(number_at(table, "orders", "holders"), 2);
	near(number_at(table, "orders", "unheld"), 0);
	assert_string_equal(cell_at(table, 0, "primitive")->text, "mutex");
	assert_string_equal(cell_at(table, 0, "process")->text, "shop");
	table = table_at(&asked_of, "holders");
	assert_string_equal(cell_at(table, 0, "holder")->text, "a (11)");
	near(number_of(cell_at(table, 0, "wait")), 12e6);
	near(number_of(cell_at(table, 0, "share")), 0.8);
	near(number_of(cell_at(table, 0, "contended")), 6e6);
	table = table_at(&asked_of, "waiters");
	assert_int_equal(table->row_count, 3);
	asked(&asked_of);
}

TEST(time_in_requests_is_told_where_they_were_followed)
{
	for (unsigned followed = 0; followed < 2; followed++) {
		struct scene it = scene();
		struct asking asked_of;
		struct evidence_id outside = futex(it.profile, 0, FUTEX_WORD_TWO, FUTEX_OWNER_THREAD, "lock/mutex");
		struct wait_evidence seen = profile_evidence_at(it.profile, outside.index)->seen;
		struct evidence_id inside;
		const struct value *share;

		seen.flags |= EVIDENCE_SERVES | EVIDENCE_IN_REQUEST;
		inside = profile_evidence(it.profile, &seen);
		profile_evidence_class(it.profile, inside, built_dimension(it.profile, "lock/mutex"), profile_string(it.profile, "test"), false);
		profile_add_cell(it.profile, part(&it, LOCK_SEGMENTS, WEIGHTING_EXACT, it.b, it.a, it.orders, inside, 3000000, 1));
		profile_add_cell(it.profile, part(&it, LOCK_SEGMENTS, WEIGHTING_EXACT, it.c, it.a, it.orders, outside, 1000000, 1));
		if (followed)
			profile_set_meta_number(it.profile, "requests.opened", 7);
		asked_of = asking(it.profile);
		assert_int_equal(ask(&asked_of, "locks"), 0);
		share = cell_at(table_at(&asked_of, "locks"), 0, "in_request");
		assert_int_equal(share->kind, followed ? VALUE_NUMBER : VALUE_NONE);
		if (followed)
			near(number_of(share), 0.75);
		asked(&asked_of);
	}
}

/* A wait of b from start to end that a keeps until `cut`, and c to its end; in a request, if a class is named. */
static void wait_in(const struct scene *it, struct evidence_id mutex, const char *class, uint64_t start, uint64_t cut, uint64_t end)
{
	struct string_id kind = profile_string(it->profile, LOCK_LINK);
	uint32_t interval = (uint32_t)profile_interval_count(it->profile), request = (uint32_t)profile_request_count(it->profile);

	profile_add_interval(it->profile, (struct interval){ .thread = it->b, .start_ns = start, .end_ns = end, .evidence = mutex,
							     .waker = it->c, .stack = built_stack(it->profile, "main;work", STACK_COMPLETE) });
	profile_add_link(it->profile, (struct link){ .interval = interval, .kind = kind, .start_ns = start, .end_ns = cut,
						     .object = it->orders, .by = it->a });
	profile_add_link(it->profile, (struct link){ .interval = interval, .kind = kind, .start_ns = cut, .end_ns = end,
						     .object = it->orders, .by = it->c });
	if (!class)
		return;
	profile_add_request(it->profile, (struct request){ .thread = it->b, .class = profile_string(it->profile, class), .one_in = 1,
							   .opened_ns = start - 500, .closed_ns = end + 500 });
	profile_add_part(it->profile, (struct part){ .request = request, .dimension = built_dimension(it->profile, "oncpu"), .ns = 1000 });
	profile_add_part(it->profile, (struct part){ .request = request, .evidence = mutex, .other = it->c, .ns = end - start });
}

TEST(of_some_requests_the_locks_are_those_that_they_waited_for)
{
	static const char *const slow[] = { "GET /slow" };
	struct scene it = scene();
	struct evidence_id mutex = futex(it.profile, 0, FUTEX_WORD_TWO, FUTEX_OWNER_THREAD, "lock/mutex");
	struct asking asked_of;
	const struct table *table;
	uint64_t at = BUILDER_START;

	fill_orders(&it);
	wait_in(&it, mutex, "GET /fast", at + 1000, at + 1300, at + 2000);
	wait_in(&it, mutex, "GET /slow", at + 10000, at + 13000, at + 14000);
	wait_in(&it, mutex, NULL, at + 20000, at + 25000, at + 30000);
	wait_in(&it, mutex, "GET /slow", at + 40000, at + 43000, at + 44000);
	asked_of = asking(it.profile);
	assert_int_equal(cohort_narrow(it.profile, slow, 1, &asked_of.err), 0);
	assert_null(profile_broken(it.profile));
	assert_int_equal(ask(&asked_of, "locks"), 0);
	table = table_at(&asked_of, "locks");
	near(number_at(table, "orders", "wait"), 8000);
	near(number_at(table, "orders", "acquisitions"), 2);
	near(number_at(table, "orders", "contended"), 2000);
	table = table_at(&asked_of, "holders");
	assert_string_equal(cell_at(table, 0, "holder")->text, "a (11)");
	near(number_of(cell_at(table, 0, "wait")), 6000);
	near(number_of(cell_at(table, 1, "wait")), 2000);
	table = table_at(&asked_of, "call_sites");
	assert_string_equal(cell_at(table, 0, "stack")->text, "work < main");
	asked(&asked_of);
}

TEST(what_a_holder_did_meanwhile_is_a_share_of_the_contended_time)
{
	struct scene it = scene();
	struct asking asked_of;
	const struct table *table, *doing, *releases;

	fill_orders(&it);
	asked_of = asking(it.profile);
	assert_int_equal(ask(&asked_of, "locks"), 0);
	table = table_at(&asked_of, "holders");
	doing = cell_at(table, 0, "doing")->table;
	assert_int_equal(doing->row_count, 2);
	assert_string_equal(doing->cells[0].text, "disk");
	near(number_at(doing, "disk", "share"), 4.0 / 6);
	near(number_at(doing, "oncpu", "share"), 2.0 / 6);
	releases = cell_at(table, 0, "releases")->table;
	assert_int_equal(releases->row_count, 1);
	assert_string_equal(releases->cells[0].text, "pthread_mutex_unlock < commit < main");
	asked(&asked_of);
}

TEST(a_release_that_nobody_made_leaves_the_holder_unknown)
{
	struct scene it = scene();
	struct asking asked_of;
	struct evidence_id timed = futex(it.profile, BITSET | CLOCK, FUTEX_WORD_TWO, FUTEX_OWNER_THREAD, "lock/mutex");
	const struct table *table;

	profile_add_cell(it.profile, part(&it, LOCK_SEGMENTS, WEIGHTING_EXACT, it.a, (struct thread_id){ 0 }, it.orders, timed, 5000000, 1));
	asked_of = asking(it.profile);
	assert_int_equal(ask(&asked_of, "locks"), 0);
	table = table_at(&asked_of, "locks");
	near(number_at(table, "orders", "unheld"), 1);
	assert_string_equal(cell_at(table, 0, "primitive")->text, "mutex (timed)");
	assert_string_equal(cell_at(table_at(&asked_of, "holders"), 0, "holder")->text, "[unknown]");
	asked(&asked_of);
}

TEST(readers_and_writers_of_one_lock_are_one_lock)
{
	struct scene it = scene();
	struct asking asked_of;
	struct evidence_id reads = futex(it.profile, BITSET | CLOCK, FUTEX_WORD_THREE, FUTEX_OWNER_NONE, "lock/rwlock");
	struct evidence_id writes = futex(it.profile, BITSET | CLOCK, FUTEX_WORD_TWO, FUTEX_OWNER_NONE, "lock/rwlock");
	const struct table *table;

	profile_add_cell(it.profile, part(&it, LOCK_SEGMENTS, WEIGHTING_EXACT, it.a, it.b, it.readers, reads, 1000000, 1));
	profile_add_cell(it.profile, part(&it, LOCK_SEGMENTS, WEIGHTING_EXACT, it.c, it.b, it.writers, writes, 2000000, 1));
	asked_of = asking(it.profile);
	assert_int_equal(ask(&asked_of, "locks"), 0);
	table = table_at(&asked_of, "locks");
	assert_int_equal(table->row_count, 1);
	near(number_at(table, "table", "wait"), 3e6);
	assert_string_equal(cell_at(table, 0, "address")->text, "0x2000");
	asked(&asked_of);
}

TEST(a_profile_without_segments_says_so_where_it_was_asked)
{
	struct asking it = asking(mercury(&mercury_candidate));

	it.question.alone = true;
	assert_int_equal(ask(&it, "locks"), 0);
	assert_int_equal(table_at(&it, "locks")->row_count, 0);
	asked(&it);
}

/* --- Primitives ------------------------------------------------------------------------------------------------- */

static const char *of(uint32_t operation, enum futex_word word, enum futex_owner owner, const char *inner, const char *outer)
{
	struct wait_evidence seen = { .task_state = 1, .syscall = FUTEX, .futex_operation = operation | PRIVATE,
				      .futex_word = (uint8_t)word, .futex_owner = (uint8_t)owner };
	const char *names[] = { "[unresolved: libc.so.6]", inner, outer };

	return primitive_of(&seen, names, inner ? (outer ? 3 : 2) : 0);
}

TEST(the_innermost_known_function_names_the_primitive)
{
	assert_string_equal(of(0, FUTEX_WORD_TWO, FUTEX_OWNER_THREAD, "___pthread_mutex_lock", "main"), "mutex");
	assert_string_equal(of(0, FUTEX_WORD_TWO, FUTEX_OWNER_THREAD, "__pthread_mutex_cond_lock", "pthread_cond_wait"),
			    "mutex (re-lock after condition)");
	assert_string_equal(of(0, FUTEX_WORD_TWO, FUTEX_OWNER_OTHER, "__lll_lock_wait_private", "malloc"), "allocator");
	assert_string_equal(of(0, FUTEX_WORD_TWO, FUTEX_OWNER_OTHER, "_IO_puts", "main"), "stdio");
	assert_string_equal(of(0, FUTEX_WORD_THREAD, FUTEX_OWNER_THREAD, "pthread_mutex_lock", "main"), "mutex (robust)");
	assert_string_equal(of(BITSET | CLOCK, FUTEX_WORD_ZERO, FUTEX_OWNER_NONE, "pthread_cond_wait@@GLIBC_2.3.2", "main"), "condition");
	assert_string_equal(of(BITSET | CLOCK, FUTEX_WORD_ZERO, FUTEX_OWNER_NONE, "__new_sem_wait_slow64.constprop.0", "main"), "semaphore");
	assert_string_equal(of(0, FUTEX_WORD_TWO, FUTEX_OWNER_NONE, "pthread_barrier_wait", "main"), "barrier");
	assert_string_equal(of(BITSET | CLOCK, FUTEX_WORD_TWO, FUTEX_OWNER_NONE, "pthread_rwlock_rdlock", "main"), "rwlock (read)");
	assert_string_equal(of(BITSET, FUTEX_WORD_TWO, FUTEX_OWNER_OTHER, "<std::sys::sync::mutex::futex::Mutex>::lock_contended", "main"),
			    "mutex (Rust)");
	assert_string_equal(of(BITSET, FUTEX_WORD_OTHER, FUTEX_OWNER_OTHER, "<std::sys::sync::rwlock::futex::RwLock>::write_contended", "main"),
			    "rwlock (write, Rust)");
	assert_string_equal(of(BITSET, FUTEX_WORD_TWO, FUTEX_OWNER_OTHER, "std::sys::sync::mutex::futex::Mutex::lock_contended", "main"),
			    "mutex (Rust)");
	assert_string_equal(of(0, FUTEX_WORD_ZERO, FUTEX_OWNER_NONE, "runtime.futex", "runtime.notesleep"), "idle thread (Go)");
	assert_string_equal(of(BITSET, FUTEX_WORD_ZERO, FUTEX_OWNER_NONE, "pthread_cond_wait", "ObjectMonitor::enter"), "condition");
}

TEST(without_a_stack_the_operation_and_the_value_say_what_they_can)
{
	assert_string_equal(of(0, FUTEX_WORD_TWO, FUTEX_OWNER_THREAD, NULL, NULL), "mutex");
	assert_string_equal(of(6, FUTEX_WORD_THREAD, FUTEX_OWNER_THREAD, NULL, NULL), "mutex (priority inheritance)");
	assert_string_equal(of(0, FUTEX_WORD_THREAD, FUTEX_OWNER_THREAD, NULL, NULL), "mutex (robust)");
	assert_string_equal(of(BITSET | CLOCK, FUTEX_WORD_TWO, FUTEX_OWNER_THREAD, NULL, NULL), "mutex (timed)");
	assert_string_equal(of(BITSET | CLOCK, FUTEX_WORD_THREE, FUTEX_OWNER_NONE, NULL, NULL), "rwlock");
	assert_string_equal(of(BITSET, FUTEX_WORD_TWO, FUTEX_OWNER_OTHER, NULL, NULL), "mutex or condition");
	assert_string_equal(of(BITSET | CLOCK, FUTEX_WORD_THREAD, FUTEX_OWNER_NONE, NULL, NULL), "join");
}

TEST(a_lock_of_the_kernel_is_told_by_how_it_was_fought_for)
{
	struct wait_evidence seen = { .task_state = 2, .syscall = 9, .flags = EVIDENCE_CONTENDED, .contention = 4 };

	assert_string_equal(primitive_of(&seen, NULL, 0), "kernel rwsem (write)");
	seen.contention = 32;
	assert_string_equal(primitive_of(&seen, NULL, 0), "kernel mutex");
	seen.contention = 2 | 64;
	assert_string_equal(primitive_of(&seen, NULL, 0), "kernel rwsem (read)");
	seen.flags = 0;
	seen.syscall = 0;
	assert_null(primitive_of(&seen, NULL, 0));
}
