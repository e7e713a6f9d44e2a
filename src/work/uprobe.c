/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of a function in a program: each is one completion, of which nothing but the number is kept. */
#include "work/work.h"

#include "base/cleanup.h"
#include "base/memory.h"
#include "work/place.h"

#include <stdlib.h>
#include <string.h>

#include "crosscut.skel.h"

static int uprobe_check(const char *argument, struct error *err)
{
	return place_check(argument, 2, "uprobe:PATH:FUNCTION", err);
}

static void uprobe_name(unsigned class, char *text, size_t size)
{
	(void)class;
	(void)size;
	*text = '\0';
}

static enum outcome uprobe_judge(const struct work_state *state, unsigned class)
{
	(void)state;
	(void)class;
	return OUTCOME_CORRECT;
}

static int uprobe_open(const struct work_options *options, struct work_state **ret, struct error *err)
{
	CLEANUP_TEXT char *path = xstrdup(options->argument);
	char *function = strrchr(path, ':');
	struct work_state *state = responses_new(options, uprobe_name, uprobe_judge);
	int r;

	*function++ = '\0';
	r = place_attach_function(state, options->bpf->progs.place_passed, path, function, err);
	if (r < 0) {
		responses_close(state);
		return r;
	}
	*ret = state;
	return 0;
}

extern const struct work work_uprobe;
const struct work work_uprobe = {
	.name = "uprobe", .summary = "calls of a function, where the kernel can probe it cheaply",
	.unit = "call", .synopsis = "uprobe:PATH:FUNCTION",
	.programs = { { "place_passed", NULL, 400 } },
	.check = uprobe_check, .open = uprobe_open, .collect = responses_collect, .close = responses_close,
};
