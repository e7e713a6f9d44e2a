/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A thread that asks for memory at three places and gives back what it got at one of them. The allocator is the heap shim's, which a
 * command would have preloaded: here it is loaded by the process that performs, and asked by name.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "truth/stage.h"

/* In rounds, so that the recorder keeps up: each sample carries a copy of the stack. */
enum { SMALL = 64, LARGE = 1 << 20, SMALL_COUNT = 10000, LARGE_COUNT = 1, PASSING_COUNT = 1000, ROUNDS = 24 };

struct allocator {
	void *(*get)(size_t size);
	void (*give_back)(void *memory);
	void *volatile kept;                    /* a chain: who keeps nothing could be optimised away */
};

#define PLACE static __attribute__((noipa))     /* a function of its own, under its own name, on the stack */

static void keep(struct allocator *allocator, void *memory)
{
	*(void **)memory = allocator->kept;
	allocator->kept = memory;
}

PLACE void leak_small(struct allocator *allocator)
{
	for (unsigned i = 0; i < SMALL_COUNT; i++)
		keep(allocator, allocator->get(SMALL));
}

PLACE void leak_large(struct allocator *allocator)
{
	for (unsigned i = 0; i < LARGE_COUNT; i++)
		keep(allocator, allocator->get(LARGE));
}

PLACE void leak_nothing(struct allocator *allocator)
{
	for (unsigned i = 0; i < PASSING_COUNT; i++) {
		void *memory = allocator->get(SMALL + i % 800);

		*(void *volatile *)memory = NULL;
		allocator->give_back(memory);
	}
}

static void leak(struct actor *actor)
{
	struct truth_report *report = &actor->context->report;
	struct allocator *allocator = actor->prop;

	for (unsigned i = 0; i < ROUNDS; i++) {
		leak_small(allocator);
		leak_nothing(allocator);
		leak_large(allocator);
		stage_sleep_ns(10 * STAGE_PACE_NS);
	}
	report->amounts[0] = (struct truth_amount){ .name = "leak_small", .value = (uint64_t)SMALL * SMALL_COUNT * ROUNDS };
	report->amounts[1] = (struct truth_amount){ .name = "leak_large", .value = (uint64_t)LARGE * LARGE_COUNT * ROUNDS };
	report->amounts[2] = (struct truth_amount){ .name = "leak_nothing", .value = 0 };
	report->amount_count = 3;
	while (stage_more(actor->context))
		stage_sleep_ns(STAGE_PACE_NS);
}

static int cannot(const struct truth_context *context, struct error *err, const char *why)
{
	(void)fail(err, FAILURE_CANNOT, -ENOTSUP, "cannot stage '%s'", context->row->name);
	return error_because(err, "%s", why);
}

/* "LD_PRELOAD=shim:others": the shim is the first. */
static int stage_leaks(struct truth_context *context, struct error *err)
{
	struct allocator allocator = { 0 };
	char *path = NULL, *value;
	void *shim;

	for (unsigned i = 0; i < TRUTH_VARIABLES; i++) {
		value = strchr(context->environment[i], '=');
		if (!value)
			continue;
		*value++ = '\0';
		if (!strcmp(context->environment[i], "LD_PRELOAD"))
			path = value;
		else
			(void)setenv(context->environment[i], value, 1);
	}
	if (!path)
		return cannot(context, err, "nobody listens to the heap shim");
	path[strcspn(path, ":")] = '\0';
	shim = dlopen(path, RTLD_NOW);
	if (!shim)
		return cannot(context, err, dlerror());
	*(void **)&allocator.get = dlsym(shim, "malloc");
	*(void **)&allocator.give_back = dlsym(shim, "free");
	if (!allocator.get || !allocator.give_back)
		return cannot(context, err, "the heap shim has no malloc()");
	return stage_threads(context, 1, leak, NULL, &allocator, err);
}

const struct truth truth_leak = {
	.name = "leak",
	.summary = "memory that is asked for at three places and kept at two",
	.state = "inuse_space", .thread = "t-leak", .unit = "bytes", .default_ms = 600,
	.measure = TRUTH_RETAINED, .with = "heap", .stage = stage_leaks,
};
