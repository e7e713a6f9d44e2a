/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A switch is recorded with the stack of who leaves: the kernel's functions at the leaf say what it waits
 * for. They are put into a stack of their own, so that waits of the same kind share their evidence,
 * whichever function of the program it was that called.
 */
#include "format/schedule_stack.h"

#include "base/map.h"
#include "profile/profile.h"

#include <stdbool.h>

enum { KERNEL_FRAMES = 128 };

/* The leaf is exact, whatever it is; it is the kernel's where its caller is. */
static size_t kernel_frames(const struct profile *profile, struct stack_id id, struct frame_id frames[static KERNEL_FRAMES])
{
	size_t count = 0;

	while (id.index && count < KERNEL_FRAMES) {
		struct stack stack = profile_stack_at(profile, id.index);
		enum frame_method method = profile_frame_at(profile, stack.frame.index)->method;

		if (method != METHOD_KERNEL && (count || method != METHOD_LEAF))
			break;
		frames[count++] = stack.frame;
		id = stack.parent;
	}
	return count == 1 && profile_frame_at(profile, frames[0].index)->method == METHOD_LEAF ? 0 : count;
}

struct stack_id schedule_kernel_stack(struct profile *profile, struct map *known, struct stack_id stack)
{
	struct frame_id frames[KERNEL_FRAMES];
	struct stack_id kernel = { 0 };
	uint32_t *remembered;
	size_t count;
	bool added;

	if (!stack.index)
		return kernel;
	remembered = map_put(known, &stack.index, &added);
	if (!added)
		return (struct stack_id){ *remembered };
	count = kernel_frames(profile, stack, frames);
	while (count-- > 0)
		kernel = profile_stack(profile, kernel, frames[count], STACK_COMPLETE);
	*remembered = kernel.index;
	return kernel;
}
