/* SPDX-License-Identifier: Apache-2.0 */
#include "format/schedule_stack.h"

#include "base/map.h"
#include "profile/profile.h"
#include "test.h"

static struct stack_id grown(struct profile *profile, struct stack_id parent, uint64_t address, enum frame_method method)
{
	return profile_stack(profile, parent, profile_frame(profile, (struct frame){ .offset = address, .method = method }),
			     STACK_COMPLETE);
}

TEST(the_kernels_part_is_the_same_whoever_called)
{
	CLEANUP(profile) struct profile *profile = profile_new();
	CLEANUP(map) struct map *known = map_new(sizeof(uint32_t));
	struct stack_id parts[2], kernel;

	for (uint64_t i = 0; i < 2; i++) {
		struct stack_id stack = grown(profile, (struct stack_id){ 0 }, 100 + i, METHOD_FRAME_POINTER);

		stack = grown(profile, stack, 50, METHOD_LEAF);
		stack = grown(profile, stack, 0xffffffff81000020, METHOD_KERNEL);
		stack = grown(profile, stack, 0xffffffff81000010, METHOD_LEAF);
		parts[i] = schedule_kernel_stack(profile, known, stack);
		assert_int_equal(schedule_kernel_stack(profile, known, stack).index, parts[i].index);
	}
	assert_int_equal(parts[0].index, parts[1].index);
	kernel = profile_stack_at(profile, parts[0].index).parent;
	assert_int_equal(profile_frame_at(profile, profile_stack_at(profile, kernel.index).frame.index)->offset, 0xffffffff81000020);
	assert_int_equal(profile_stack_at(profile, kernel.index).parent.index, 0);
}

TEST(a_stack_of_user_code_alone_has_none)
{
	CLEANUP(profile) struct profile *profile = profile_new();
	CLEANUP(map) struct map *known = map_new(sizeof(uint32_t));
	struct stack_id stack = grown(profile, (struct stack_id){ 0 }, 1, METHOD_FRAME_POINTER);

	stack = grown(profile, stack, 2, METHOD_LEAF);
	assert_int_equal(schedule_kernel_stack(profile, known, stack).index, 0);
	assert_int_equal(schedule_kernel_stack(profile, known, (struct stack_id){ 0 }).index, 0);
}
