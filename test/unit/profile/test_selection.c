/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two threads of two processes in two slices of a second; each ran, and one waited on a stack.
 */
#include "profile/selection.h"

#include "base/error.h"
#include "unit/profile_builder.h"
#include "test.h"

struct scene {
	struct profile *profile;
	struct selection *selection;
	struct error err;
};

static void add_worker(struct profile *profile, struct process_id process, uint32_t tid,
		       const char *comm)
{
	struct thread_id thread = built_thread(profile, process, tid, comm, BUILDER_START,
					       BUILDER_START + 2ull * BUILDER_SECOND);

	for (uint32_t i = 0; i < 2; i++) {
		struct slice_id slice =
			built_slice(profile, BUILDER_START + i * 1ull * BUILDER_SECOND,
				    BUILDER_START + (i + 1) * 1ull * BUILDER_SECOND);
		struct evidence_id read = built_evidence(profile, "disk/read", 0, WAKE_SOFTIRQ);

		built_total(profile, slice, thread, "oncpu", 600000000, 10, 0);
		built_wait(profile, slice, thread, read, 400000000, 4, 0);
		built_wait_stack(profile, slice, thread, read,
				 built_stack(profile, "main;load;?libc.so", STACK_UNVERIFIED),
				 (struct thread_id){ 0 }, 0, 400000000, 4);
		built_completions(profile, slice, process, "200", OUTCOME_CORRECT, 10);
	}
}

static struct scene scene(void)
{
	struct scene it = { .profile = profile_new(), .selection = selection_new() };
	struct process_id first = built_process(it.profile, 10, "nginx"),
			  second = built_process(it.profile, 20, "redis");

	profile_set_meta_number(it.profile, "capture.start_ns", BUILDER_START);
	profile_set_meta_number(it.profile, "capture.end_ns",
				BUILDER_START + 2ull * BUILDER_SECOND);
	add_worker(it.profile, first, 11, "nginx");
	add_worker(it.profile, second, 21, "io");
	profile_freeze(it.profile);
	assert_null(profile_broken(it.profile));
	return it;
}

static void end(struct scene *it)
{
	selection_free(it->selection);
	profile_free(it->profile);
}

static size_t cells(const struct scene *it)
{
	size_t count = 0;

	for (size_t i = 0; i < profile_cell_count(it->profile); i++)
		count += selection_has_cell(it->selection, it->profile,
					    profile_cell_at(it->profile, i));
	return count;
}

static size_t completions(const struct scene *it)
{
	size_t count = 0;

	for (size_t i = 0; i < profile_completion_count(it->profile); i++)
		count += selection_has_completion(it->selection, it->profile,
						  profile_completion_at(it->profile, i));
	return count;
}

static void where(struct scene *it, const char *key_value)
{
	assert_int_equal(selection_where(it->selection, key_value, &it->err), 0);
}

TEST(a_new_selection_has_everything)
{
	struct scene it = scene();

	assert_true(selection_is_whole(it.selection));
	assert_int_equal(cells(&it), profile_cell_count(it.profile));
	assert_int_equal(cells(&it), 12);
	assert_int_equal(completions(&it), 4);
	end(&it);
}

TEST(each_key_of_threads_selects_that_threads_cells_and_its_process_completions)
{
	static const char *const of_second[] = { "pid=20",     "tid=21",    "comm=io",
						 "comm=redis", "thread=io", "process=redis" };

	for (size_t i = 0; i < ARRAY_LENGTH(of_second); i++) {
		struct scene it = scene();

		where(&it, of_second[i]);
		assert_false(selection_is_whole(it.selection));
		assert_false(selection_by_cell(it.selection));
		assert_int_equal(cells(&it), 6);
		assert_int_equal(completions(&it), 2);
		assert_false(selection_has_thread(it.selection, it.profile,
						  profile_thread_at(it.profile, 1)));
		assert_true(selection_has_thread(it.selection, it.profile,
						 profile_thread_at(it.profile, 2)));
		end(&it);
	}
}

TEST(one_key_given_twice_means_either_and_two_keys_mean_both)
{
	struct scene it = scene();

	where(&it, "pid=10");
	where(&it, "pid=20");
	assert_int_equal(cells(&it), 12);
	where(&it, "thread=io");
	assert_int_equal(cells(&it), 6);
	end(&it);
}

TEST(a_state_means_its_parts_and_a_class_means_waits)
{
	struct scene it = scene();

	where(&it, "state=disk");
	assert_true(selection_by_cell(it.selection));
	assert_int_equal(cells(&it), 8);
	where(&it, "class=disk/read");
	assert_int_equal(cells(&it), 8);
	where(&it, "dimension=disk/write");
	assert_int_equal(cells(&it), 0);
	assert_int_equal(completions(&it), 4);
	end(&it);
}

TEST(a_state_that_begins_like_another_is_not_that_one)
{
	struct scene it = scene();

	where(&it, "state=dis");
	assert_int_equal(cells(&it), 0);
	end(&it);
}

TEST(a_window_takes_every_slice_it_touches)
{
	struct scene it = scene();

	assert_int_equal(selection_window(it.selection, 1000000000, 0, NULL), 0);
	assert_int_equal(cells(&it), 6);
	assert_int_equal(completions(&it), 2);
	assert_int_equal(selection_elapsed_ns(it.selection, it.profile), BUILDER_SECOND);
	assert_int_equal(
		selection_lifetime_ns(it.selection, it.profile, profile_thread_at(it.profile, 1)),
		BUILDER_SECOND);
	end(&it);
	it = scene();
	assert_int_equal(selection_window(it.selection, 0, 1000000001, NULL), 0);
	assert_int_equal(cells(&it), 12);
	end(&it);
}

TEST(focus_keeps_stacks_with_a_matching_frame_and_ignore_drops_them)
{
	struct scene it = scene();

	assert_int_equal(selection_focus(it.selection, "^lo(a|b)d$", &it.err), 0);
	assert_true(selection_by_stack(it.selection));
	assert_int_equal(cells(&it), 4);
	assert_int_equal(selection_ignore(it.selection, "main", &it.err), 0);
	assert_int_equal(cells(&it), 0);
	end(&it);
}

TEST(a_frame_without_a_name_is_found_by_its_module)
{
	struct scene it = scene();

	assert_int_equal(selection_focus(it.selection, "libc", &it.err), 0);
	assert_int_equal(cells(&it), 4);
	end(&it);
}

TEST(a_key_added_after_asking_is_heard)
{
	struct scene it = scene();

	where(&it, "pid=10");
	assert_int_equal(completions(&it), 2);
	where(&it, "tid=21");
	assert_int_equal(completions(&it), 0);
	end(&it);
}

TEST(what_was_asked_wrongly_is_refused_with_a_reason)
{
	static const char *const wrong[] = { "",	   "comm",    "comm=",		"=nginx",
					     "colour=red", "pid=abc", "pid=99999999999" };
	struct scene it = scene();

	for (size_t i = 0; i < ARRAY_LENGTH(wrong); i++) {
		struct error err = { 0 };

		assert_true(selection_where(it.selection, wrong[i], &err) < 0);
		assert_int_equal(err.kind, FAILURE_USAGE);
		assert_true(*err.why);
	}
	assert_true(selection_is_whole(it.selection));
	assert_true(selection_where(it.selection, "cgruop=/a", &it.err) < 0);
	assert_non_null(strstr(it.err.next, "cgroup"));
	assert_true(selection_focus(it.selection, "a(b", &it.err) < 0);
	assert_true(*it.err.why);
	assert_false(selection_by_stack(it.selection));
	end(&it);
}

TEST(the_text_says_all_that_was_selected)
{
	struct scene it = scene();
	char *text = selection_text(it.selection);

	assert_string_equal(text, "");
	free(text);
	where(&it, "comm=nginx");
	assert_int_equal(selection_window(it.selection, 0, 2000000000, NULL), 0);
	assert_int_equal(selection_ignore(it.selection, "memcpy", &it.err), 0);
	text = selection_text(it.selection);
	assert_string_equal(text, "comm=nginx, 0 ns to 2 s, ignore memcpy");
	free(text);
	end(&it);
}

TEST(a_part_of_the_time_is_refused_of_a_profile_that_knows_none)
{
	struct scene it = scene();
	CLEANUP(profile) struct profile *timeless = profile_new();

	built_total(timeless, built_slice(timeless, 0, 0),
		    built_thread(timeless, built_process(timeless, 1, "a"), 1, "a", 0, 0), "oncpu", 1, 1, 0);
	profile_freeze(timeless);
	assert_int_equal(selection_check(it.selection, timeless, "a.folded", &it.err), 0);
	assert_int_equal(selection_window(it.selection, 0, BUILDER_SECOND, NULL), 0);
	assert_int_equal(selection_check(it.selection, it.profile, "a.xcut", &it.err), 0);
	assert_true(selection_check(it.selection, timeless, "a.folded", &it.err) < 0);
	assert_int_equal(it.err.kind, FAILURE_USAGE);
	assert_string_equal(it.err.why, "it does not say when anything happened");
	end(&it);
}

TEST(no_time_lies_in_a_window_that_ends_before_it_begins)
{
	CLEANUP(selection) struct selection *selection = selection_new();
	struct error err = { 0 };

	assert_true(selection_window(selection, 10000000000, 5000000000, &err) < 0);
	assert_int_equal(err.kind, FAILURE_USAGE);
	assert_non_null(strstr(err.what, "10 s"));
	assert_non_null(strstr(err.what, "5 s"));
	assert_false(selection_by_time(selection));
	assert_true(selection_window(selection, 5, 5, &err) < 0);
}

static struct profile *three_slices(bool whole)
{
	struct profile *profile = profile_new();
	struct process_id process = built_process(profile, 1, "service");

	profile_set_meta_number(profile, "capture.start_ns", BUILDER_START);
	for (uint32_t i = 0; i < 3; i++) {
		struct slice_id slice = built_slice(profile, BUILDER_START + i * (uint64_t)BUILDER_SECOND,
						    BUILDER_START + (i + 1) * (uint64_t)BUILDER_SECOND);

		if (!whole || i == 2)
			built_completions(profile, slice, process, "200", OUTCOME_CORRECT, 10);
	}
	profile_freeze(profile);
	return profile;
}

/* Told at the end by who sent the load: a third of the time has not a third of them, nor all. */
TEST(completions_of_the_whole_are_of_no_part_of_it)
{
	CLEANUP(selection) struct selection *all = selection_new(), *late = selection_new();
	CLEANUP(profile) struct profile *whole = three_slices(true), *counted = three_slices(false);

	assert_int_equal(selection_window(late, 2ull * BUILDER_SECOND, 0, NULL), 0);
	assert_true(selection_has_completion(all, whole, profile_completion_at(whole, 0)));
	assert_false(selection_has_completion(late, whole, profile_completion_at(whole, 0)));
	assert_true(selection_has_completion(late, counted, profile_completion_at(counted, 2)));
	assert_false(selection_has_completion(late, counted, profile_completion_at(counted, 1)));
}

TEST(a_window_behind_the_end_is_a_mistake_of_the_question)
{
	CLEANUP(selection) struct selection *behind = selection_new();
	CLEANUP(profile) struct profile *profile = three_slices(false);
	struct error err = { 0 };

	assert_int_equal(selection_window(behind, 3600ull * BUILDER_SECOND, 0, NULL), 0);
	assert_true(selection_check(behind, profile, "a.xcut", &err) < 0);
	assert_int_equal(err.kind, FAILURE_USAGE);
	assert_non_null(strstr(err.why, "3 s after its start"));
}
