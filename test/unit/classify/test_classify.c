/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every fixture must be decided by the rule it names. Beyond that: each rule has a wait that it
 * decides and one that it just does not, is reachable, and names a state that exists.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "classify/classify.h"
#include "profile/profile.h"

#include "disk.h"
#include "idle.h"
#include "lock.h"
#include "paging.h"
#include "peer.h"
#include "stopped.h"

static const struct { const struct fixture *rows; size_t count; } sets[] = {
	{ stopped_fixtures, ARRAY_LENGTH(stopped_fixtures) }, { lock_fixtures, ARRAY_LENGTH(lock_fixtures) },
	{ paging_fixtures, ARRAY_LENGTH(paging_fixtures) },   { disk_fixtures, ARRAY_LENGTH(disk_fixtures) },
	{ peer_fixtures, ARRAY_LENGTH(peer_fixtures) },       { idle_fixtures, ARRAY_LENGTH(idle_fixtures) },
};

#define FOR_EACH_FIXTURE(row)                                     \
	for (size_t set_ = 0; set_ < ARRAY_LENGTH(sets); set_++)  \
		for (const struct fixture *row = sets[set_].rows; row < sets[set_].rows + sets[set_].count; row++)

enum { FRAMES = 64 };

struct spelled { char *text; const char *frames[FRAMES]; struct wait_seen seen; };

static void spell(struct spelled *spelled, const struct fixture *fixture)
{
	char *rest;

	spelled->text = xstrdup(fixture->frames ? fixture->frames : "");
	spelled->seen = (struct wait_seen){ .evidence = &fixture->seen, .kernel_frames = spelled->frames,
					    .file_release = fixture->release ? fixture->release : "" };
	for (char *frame = strtok_r(spelled->text, " ", &rest); frame; frame = strtok_r(NULL, " ", &rest)) {
		assert_true(spelled->seen.kernel_frame_count < FRAMES);
		spelled->frames[spelled->seen.kernel_frame_count++] = frame;
	}
}

static const char *decided(const struct fixture *fixture)
{
	struct spelled spelled;
	const struct rule *rule;

	spell(&spelled, fixture);
	rule = classify_wait(&spelled.seen);
	free(spelled.text);
	return rule ? rule->name : NULL;
}

static bool would_match(const char *name, const struct fixture *fixture)
{
	const struct rule *rule = rule_find(name);
	struct spelled spelled;
	bool matches;

	assert_non_null(rule);
	spell(&spelled, fixture);
	matches = rule->matches(&spelled.seen);
	free(spelled.text);
	return matches;
}

static bool same(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

static size_t place(const char *name)
{
	for (size_t i = 0; rules[i]; i++)
		if (!strcmp(rules[i]->name, name))
			return i;
	return SIZE_MAX;
}

static void each_wait_is_decided_by_its_rule(void **state)
{
	unsigned wrong = 0;

	(void)state;
	FOR_EACH_FIXTURE(row) {
		const char *rule = decided(row);

		if (same(rule, row->rule))
			continue;
		print_error("%s: %s instead of %s\n", row->sentence, rule ? rule : "unknown",
			    row->rule ? row->rule : "unknown");
		wrong++;
	}
	assert_int_equal(wrong, 0);
}

static void a_near_miss_is_a_miss(void **state)
{
	unsigned wrong = 0;

	(void)state;
	FOR_EACH_FIXTURE(row) {
		if (!row->near || !would_match(row->near, row))
			continue;
		print_error("%s: matches %s\n", row->sentence, row->near);
		wrong++;
	}
	assert_int_equal(wrong, 0);
}

static void where_two_rules_match_the_earlier_decides(void **state)
{
	unsigned wrong = 0;

	(void)state;
	FOR_EACH_FIXTURE(row) {
		if (!row->beats || (would_match(row->beats, row) && place(row->rule) < place(row->beats)))
			continue;
		print_error("%s: no conflict of %s with %s\n", row->sentence, row->rule, row->beats);
		wrong++;
	}
	assert_int_equal(wrong, 0);
}

static void each_rule_has_a_match_and_a_near_miss(void **state)
{
	unsigned wrong = 0;

	(void)state;
	for (const struct rule *const *rule = rules; *rule; rule++) {
		bool match = false, miss = false;

		FOR_EACH_FIXTURE(row) {
			match |= same(row->rule, (*rule)->name);
			miss |= same(row->near, (*rule)->name);
		}
		if (match && miss)
			continue;
		print_error("%s: no %s\n", (*rule)->name, match ? "near miss" : "match");
		wrong++;
	}
	assert_int_equal(wrong, 0);
}

static void each_row_says_what_it_is(void **state)
{
	(void)state;
	for (const struct rule *const *rule = rules; *rule; rule++) {
		const struct rule *row = *rule;
		const struct dimension_row *class;

		assert_ptr_equal(rule_find(row->name), row);
		assert_true(strlen(row->summary) > 0 && strlen(row->summary) < 72);
		class = row->part ? dimension_row_find(row->state, row->part) : dimension_row_find(NULL, row->state);
		assert_non_null(class);
		assert_true(class->kind == DIMENSION_WAITING || class->kind == DIMENSION_IDLE);
		assert_non_null(row->matches);
	}
	assert_null(rule_find("no-such-rule"));
}

/* Disk, lock, paging and child waits never become idle, whatever is outstanding. */
static void only_idle_waits_are_ambiguous(void **state)
{
	(void)state;
	for (const struct rule *const *rule = rules; *rule; rule++)
		if ((*rule)->ambiguous)
			assert_string_equal((*rule)->state, "idle");
}

static void a_lost_record_proves_nothing(void **state)
{
	(void)state;
	FOR_EACH_FIXTURE(row) {
		struct fixture lost = *row;

		lost.seen.flags |= EVIDENCE_LOST;
		assert_null(decided(&lost));
	}
}

/* The probe's own frames, which some kernels put above the sleeper's, change nothing. */
static void frames_above_the_sleepers_change_nothing(void **state)
{
	(void)state;
	FOR_EACH_FIXTURE(row) {
		struct fixture deeper = *row;
		char *frames;

		if (!row->frames)
			continue;
		frames = xasprintf("bpf_prog_0123456789abcdef_leave bpf_trace_run4 __schedule %s "
				   "do_syscall_64 entry_SYSCALL_64_after_hwframe", row->frames);
		deeper.frames = frames;
		assert_true(same(decided(&deeper), row->rule));
		free(frames);
	}
}

static void a_function_is_found_whatever_the_compiler_adds(void **state)
{
	static const char *const frames[] = { "schedule", "__mutex_lock.constprop.0", "pipe_read+0x1f", "vfs_read" };
	const struct wait_seen seen = { .kernel_frames = frames, .kernel_frame_count = ARRAY_LENGTH(frames) };

	(void)state;
	assert_true(wait_calls(&seen, "__mutex_lock"));
	assert_true(wait_calls(&seen, "pipe_read"));
	assert_true(wait_calls(&seen, "vfs_read"));
	assert_false(wait_calls(&seen, "__mutex"));
	assert_false(wait_calls(&seen, "vfs_read_iter"));
	assert_true(wait_calls_prefix(&seen, "__mutex"));
	assert_false(wait_calls_prefix(&seen, "mutex"));
}

static struct evidence_id add(struct profile *profile, const struct fixture *fixture)
{
	struct file_id kernel = profile_file(profile, "[kernel]", NULL);
	struct wait_evidence seen = fixture->seen;
	struct spelled spelled;
	struct evidence_id id;

	spell(&spelled, fixture);
	seen.file_release = profile_string(profile, fixture->release);
	for (size_t i = spelled.seen.kernel_frame_count; i-- > 0;) {
		struct frame frame = { .file = kernel, .offset = 0x1000 * (i + 1), .method = METHOD_KERNEL,
				       .name = profile_string(profile, spelled.frames[i]) };

		seen.kernel_stack = profile_stack(profile, seen.kernel_stack, profile_frame(profile, frame),
						  STACK_COMPLETE);
	}
	id = profile_evidence(profile, &seen);
	free(spelled.text);
	return id;
}

static void assert_class(const struct profile *profile, struct evidence_id id, const char *name)
{
	const struct evidence *evidence = profile_evidence_at(profile, id.index);
	const struct rule *rule = name ? rule_find(name) : NULL;
	struct dimension_id class;

	if (!rule)
		class = profile_dimension_find(profile, NULL, "unknown");
	else if (rule->part)
		class = profile_dimension_find(profile, rule->state, rule->part);
	else
		class = profile_dimension_find(profile, NULL, rule->state);
	assert_int_not_equal(class.index, 0);
	assert_int_equal(evidence->class.index, class.index);
	assert_string_equal(profile_text(profile, evidence->rule), name ? name : "");
	assert_int_equal(evidence->ambiguous, rule && rule->ambiguous);
}

static void a_profile_gets_the_class_of_each_wait(void **state)
{
	CLEANUP(profile) struct profile *profile = profile_new();
	struct evidence_id ids[512];
	size_t count = 0;

	(void)state;
	FOR_EACH_FIXTURE(row) {
		assert_true(count < ARRAY_LENGTH(ids));
		ids[count++] = add(profile, row);
	}
	classify_profile(profile, false);
	count = 0;
	FOR_EACH_FIXTURE(row)
		assert_class(profile, ids[count++], row->rule);
	profile_freeze(profile);
	assert_null(profile_broken(profile));
}

static void a_class_stays_unless_asked_again(void **state)
{
	static const struct fixture sleep = { "nanosleep", .seen = { .task_state = ASLEEP, .syscall = 35 } };
	CLEANUP(profile) struct profile *profile = profile_new();
	struct evidence_id id = add(profile, &sleep);
	struct dimension_id other = profile_dimension(profile, dimension_row_find("disk", "read"));

	(void)state;
	profile_evidence_class(profile, id, other, profile_string(profile, "disk-read"), false);
	classify_profile(profile, false);
	assert_class(profile, id, "disk-read");
	classify_profile(profile, true);
	assert_class(profile, id, "timer-sleep");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_wait_is_decided_by_its_rule),
		cmocka_unit_test(a_near_miss_is_a_miss),
		cmocka_unit_test(where_two_rules_match_the_earlier_decides),
		cmocka_unit_test(each_rule_has_a_match_and_a_near_miss),
		cmocka_unit_test(each_row_says_what_it_is),
		cmocka_unit_test(only_idle_waits_are_ambiguous),
		cmocka_unit_test(a_lost_record_proves_nothing),
		cmocka_unit_test(frames_above_the_sleepers_change_nothing),
		cmocka_unit_test(a_function_is_found_whatever_the_compiler_adds),
		cmocka_unit_test(a_profile_gets_the_class_of_each_wait),
		cmocka_unit_test(a_class_stays_unless_asked_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
