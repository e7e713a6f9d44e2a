/* SPDX-License-Identifier: Apache-2.0 */
/* Hits of a USDT probe that a program's authors left in it: each is one completion. Its semaphore, if it has one, is held. */
#include "work/work.h"

#include "base/cleanup.h"
#include "base/memory.h"
#include "work/place.h"

#include <stdlib.h>
#include <string.h>

#include "crosscut.skel.h"

static int usdt_check(const char *argument, struct error *err)
{
	return place_check(argument, 3, "usdt:PATH:PROVIDER:NAME", err);
}

static void usdt_name(unsigned class, char *text, size_t size)
{
	(void)class;
	(void)size;
	*text = '\0';
}

static enum outcome usdt_judge(const struct work_state *state, unsigned class)
{
	(void)state;
	(void)class;
	return OUTCOME_CORRECT;
}

static int usdt_open(const struct work_options *options, struct work_state **ret, struct error *err)
{
	CLEANUP_TEXT char *path = xstrdup(options->argument);
	char *name = strrchr(path, ':'), *provider;
	struct work_state *state = responses_new(options, usdt_name, usdt_judge);
	int r;

	*name++ = '\0';
	provider = strrchr(path, ':');
	*provider++ = '\0';
	r = place_attach_usdt(state, options->bpf->progs.place_passed, path, provider, name, err);
	if (r < 0) {
		responses_close(state);
		return r;
	}
	*ret = state;
	return 0;
}

extern const struct work work_usdt;
const struct work work_usdt = {
	.name = "usdt", .summary = "hits of a USDT probe of a program",
	.unit = "hit", .synopsis = "usdt:PATH:PROVIDER:NAME",
	.programs = { { "place_passed", NULL, 400 } },
	.check = usdt_check, .open = usdt_open, .collect = responses_collect, .close = responses_close,
};
