/* SPDX-License-Identifier: Apache-2.0 */
#include "unit/analysis/asking.h"

enum { SECOND = BUILDER_SECOND };

struct made { const char *dimension, *kind, *name; uint64_t count, value, maximum; uint8_t length_log2, p_log2; struct stack_id stack; };

static void add(struct profile *profile, const struct made *made)
{
	bool sampled = made->stack.index != 0;

	profile_add_cell(profile, (struct cell){
		.slice = built_slice(profile, BUILDER_START, BUILDER_START + SECOND), .count = made->count, .value = made->value,
		.maximum = made->maximum, .length_log2 = made->length_log2, .p_log2 = made->p_log2, .stack = made->stack,
		.object = profile_object(profile, (struct object){ .kind = profile_string(profile, made->kind),
								   .name = profile_string(profile, made->name) }),
		.measure = profile_measure(profile, (struct measure){
			.dimension = built_dimension(profile, made->dimension), .role = sampled ? ROLE_SPLIT : ROLE_TOTAL,
			.weighting = sampled ? WEIGHTING_SAMPLED : WEIGHTING_EXACT, .period = sampled }) });
}

static struct stack_id stack_of(struct profile *profile, const char *name)
{
	return profile_stack(profile, (struct stack_id){ 0 },
			     profile_frame(profile, (struct frame){ .name = profile_string(profile, name), .method = METHOD_IMPORTED }),
			     STACK_COMPLETE);
}

static void call(struct profile *profile, const char *name, uint64_t count, uint64_t each_ns, uint8_t length_log2)
{
	add(profile, &(struct made){ "system-calls", "system-call", name, count, count, 0, 0, 0, { 0 } });
	add(profile, &(struct made){ "system-call-time", "system-call", name, count, count * each_ns, each_ns, length_log2, 0, { 0 } });
	add(profile, &(struct made){ "system-call-oncpu", "system-call", name, count, count * each_ns / 2, 0, 0, 0, { 0 } });
}

TEST(calls_have_their_counts_lengths_and_errors)
{
	struct profile *profile = profile_new();
	struct asking it;
	const struct table *table;

	call(profile, "openat", 90, 1000, 9);
	call(profile, "openat", 10, 100000, 16);
	call(profile, "openat2", 1, 10, 3);
	add(profile, &(struct made){ "system-call-errors", "system-call-error", "openat ENOENT", 7, 7, 0, 0, 0, { 0 } });
	add(profile, &(struct made){ "system-call-errors", "system-call-error", "openat EACCES", 2, 2, 0, 0, 0, { 0 } });
	add(profile, &(struct made){ "system-call-errors", "system-call-error", "openat2 E2BIG", 1, 1, 0, 0, 0, { 0 } });
	it = asking(profile);
	it.question.alone = true;
	assert_int_equal(ask(&it, "syscalls"), 0);
	table = table_at(&it, "calls");
	near(number_at(table, "openat", "count"), 100);
	near(number_at(table, "openat", "time"), 90 * 1000 + 10 * 100000);
	near(number_at(table, "openat", "oncpu"), (90 * 1000 + 10 * 100000) / 2);
	near(number_at(table, "openat", "errors"), 9);
	near(number_at(table, "openat2", "errors"), 1);
	near(number_at(table, "openat", "longest"), 100000);
	/* Half of all is 50 of the 90 that lie in [512, 1024). */
	near(number_at(table, "openat", "p50"), 512 * (1 + 50.0 / 90));
	assert_true(number_at(table, "openat", "p99") > 65536 && number_at(table, "openat", "p99") <= 100000);
	near(number_at(table_at(&it, "call_errors"), "openat ENOENT", "count"), 7);
	near(number_of(field_at(record_at(&it, "system_calls"), "oncpu_inside")), (90 * 1000 + 10 * 100000) / 2 + 5);
	assert_null(document_find(it.document, "findings"));
	asked(&it);
}

static const char *smell_at(const struct table *table, const char *call)
{
	const struct value *value = cell_at(table, row_of(table, call), "smell");

	return value->kind == VALUE_TEXT ? value->text : "";
}

static void site(struct profile *profile, const char *name, uint64_t count, uint64_t bytes, const char *function)
{
	struct stack_id stack = stack_of(profile, function);

	add(profile, &(struct made){ "system-calls", "system-call", name, count / 4, count / 4, 0, 0, 2, stack });
	add(profile, &(struct made){ "system-call-time", "system-call", name, count / 4, count, 0, 0, 2, stack });
	add(profile, &(struct made){ "system-call-bytes", "system-call", name, count / 4, count / 4 * bytes, 0, 0, 2, stack });
}

TEST(thousands_of_small_calls_a_second_from_one_place_are_a_smell)
{
	struct profile *profile = profile_new();
	struct asking it;
	const struct table *table;

	site(profile, "read", 4000, 16, "next_byte");
	site(profile, "write", 999, 1, "seldom");
	site(profile, "pwrite64", 4000, 4096, "page");
	site(profile, "sendto", 2000, 1, "reply");
	site(profile, "futex", 3000, 0, "unlock");
	it = asking(profile);
	it.question.alone = true;
	assert_int_equal(ask(&it, "syscalls"), 0);
	table = table_at(&it, "call_origins");
	near(number_at(table, "read", "count"), 4000);
	near(number_at(table, "read", "bytes"), 16);
	assert_string_equal(smell_at(table, "read"), "small reads");
	assert_string_equal(smell_at(table, "write"), "");
	assert_string_equal(smell_at(table, "pwrite64"), "");
	assert_string_equal(smell_at(table, "sendto"), "small writes");
	assert_string_equal(smell_at(table, "futex"), "futex calls");
	asked(&it);
}

TEST(without_calls_it_is_silent_beside_others_and_says_how_when_asked)
{
	struct asking it = asking(profile_new());

	assert_int_equal(ask(&it, "syscalls"), 0);
	assert_null(document_find(it.document, "calls"));
	it.question.alone = true;
	assert_int_equal(ask(&it, "syscalls"), 0);
	assert_int_equal(table_at(&it, "calls")->row_count, 0);
	asked(&it);
}
