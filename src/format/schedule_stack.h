/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/* The kernel's part of a whole stack: evidence of a wait, of which there may be but so many. */
#include "profile/id.h"

struct map;
struct profile;

/* known: remembers stacks by id (uint32_t). None where the stack was not taken in the kernel. */
struct stack_id schedule_kernel_stack(struct profile *profile, struct map *known, struct stack_id stack);
