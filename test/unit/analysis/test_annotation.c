/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include "analysis/analysis.h"
#include "analysis/annotation.h"
#include "base/error.h"
#include "profile/selection.h"
#include "unit/profile_builder.h"

TEST(a_function_is_meant_without_parameters_arguments_and_namespaces)
{
	assert_true(function_is_named("parse", "parse"));
	assert_true(function_is_named("shop::parse(int, char**)", "parse"));
	assert_true(function_is_named("shop::parse(int, char**)", "shop::parse"));
	assert_true(function_is_named("shop::parse(int, char**)", "shop::parse(int, char**)"));
	assert_true(function_is_named("void shop::parse<std::pair<int, char> >(int)", "parse"));
	assert_true(function_is_named("void shop::parse<std::pair<int, char> >(int)", "shop::parse"));
	assert_true(function_is_named("(anonymous namespace)::parse(int)", "parse"));
	assert_true(function_is_named("main::{lambda(int)#1}::operator()(int) const", "operator()"));
	assert_true(function_is_named("core::str::count::do_count_chars", "do_count_chars"));
	assert_false(function_is_named("reparse", "parse"));
	assert_false(function_is_named("parse_more(int)", "parse"));
	assert_false(function_is_named("use(parse)", "parse"));
	assert_false(function_is_named("list<shop::parse>::next()", "parse"));
	assert_false(function_is_named("parse", ""));
	assert_false(function_is_named("", "parse"));
}

struct world { struct profile *profile; struct thread_id thread; struct slice_id slice; struct file_id file; };

static struct world begin(void)
{
	struct world world = { .profile = profile_new() };
	struct process_id process = built_process(world.profile, 1, "x");

	world.slice = built_slice(world.profile, BUILDER_START, BUILDER_START + BUILDER_SECOND);
	world.thread = built_thread(world.profile, process, 1, "x", BUILDER_START, BUILDER_START + BUILDER_SECOND);
	world.file = profile_file(world.profile, "/x", "aa");
	built_total(world.profile, world.slice, world.thread, "oncpu", BUILDER_SECOND, 1, 1);
	return world;
}

static struct frame_id frame_at(const struct world *world, uint64_t offset, bool leaf)
{
	return profile_frame(world->profile, (struct frame){
		.file = world->file, .offset = offset, .method = leaf ? METHOD_LEAF : METHOD_CFI });
}

static void name(const struct world *world, struct frame_id frame, uint32_t depth, const char *function, uint32_t line)
{
	profile_add_symbol(world->profile, (struct symbol){
		.frame = frame, .depth = depth, .name = profile_string(world->profile, function),
		.path = profile_string(world->profile, "/x.c"), .line = line });
}

static struct annotation *annotate(const struct world *world, const char *function, struct error *err)
{
	CLEANUP(selection) struct selection *selection = selection_new();
	struct question question = { .profile = world->profile, .selection = selection };

	profile_freeze(world->profile);
	return annotation_new(&question, function, err);
}

TEST(a_recursion_counts_each_line_once_per_sample)
{
	struct world world = begin();
	struct frame_id call = frame_at(&world, 0x20, false), leaf = frame_at(&world, 0x10, true);
	struct stack_id stack = { 0 };
	struct error err;

	name(&world, call, 0, "walk", 7);
	name(&world, leaf, 0, "walk", 5);
	for (int i = 0; i < 4; i++)
		stack = profile_stack(world.profile, stack, call, STACK_COMPLETE);
	built_samples(world.profile, world.slice, world.thread, "oncpu/user",
		      profile_stack(world.profile, stack, leaf, STACK_COMPLETE), 3);
	CLEANUP(annotation) struct annotation *annotation = annotate(&world, "walk", &err);

	assert_int_equal(annotation->line_count, 2);
	assert_int_equal(annotation->lines[0].line, 5);
	assert_int_equal(annotation->lines[0].samples, 3);
	assert_true(annotation->lines[0].self == 3.0 * BUILDER_PERIOD);
	assert_int_equal(annotation->lines[1].line, 7);
	assert_int_equal(annotation->lines[1].samples, 3);
	assert_true(annotation->lines[1].self == 0);
	assert_true(annotation->total == 3.0 * BUILDER_PERIOD && annotation->self == annotation->total);
	profile_free(world.profile);
}

TEST(instructions_of_what_was_inlined_are_the_functions_own)
{
	struct world world = begin();
	struct frame_id leaf = frame_at(&world, 0x10, true), other = frame_at(&world, 0x30, true);
	struct error err;

	name(&world, leaf, 0, "inner", 2);
	name(&world, leaf, 1, "outer", 9);
	name(&world, other, 0, "other", 1);
	built_samples(world.profile, world.slice, world.thread, "oncpu/user",
		      profile_stack(world.profile, (struct stack_id){ 0 }, leaf, STACK_COMPLETE), 2);
	built_samples(world.profile, world.slice, world.thread, "oncpu/user",
		      profile_stack(world.profile, (struct stack_id){ 0 }, other, STACK_COMPLETE), 5);
	CLEANUP(annotation) struct annotation *annotation = annotate(&world, "outer", &err);

	assert_int_equal(annotation->samples, 2);
	assert_true(annotation->self == 0 && annotation->all == 7.0 * BUILDER_PERIOD);
	assert_int_equal(annotation->address_count, 1);
	assert_int_equal(annotation->addresses[0].offset, 0x10);
	assert_int_equal(annotation->addresses[0].line, 9);
	assert_string_equal(profile_text(world.profile, annotation->addresses[0].inlined), "inner");
	profile_free(world.profile);
}

TEST(a_function_that_did_not_run_is_said)
{
	struct world world = begin();
	struct error err = { 0 };

	assert_null(annotate(&world, "missing", &err));
	assert_int_equal(err.kind, FAILURE_USAGE);
	profile_free(world.profile);
}
