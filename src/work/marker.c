/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs that say themselves where their work begins and ends, by two lines of include/crosscut.h. In the target's own image,
 * or in the file (a library, a plug-in) that the argument names.
 */
#include "work/work.h"

#include "base/error.h"
#include "work/place.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "crosscut.skel.h"

static void marker_name(unsigned outcome, char *text, size_t size)
{
	(void)snprintf(text, size, "%s", outcome ? "" : "unjudged");
}

static enum outcome marker_judge(const struct work_state *state, unsigned outcome)
{
	static const enum outcome outcomes[] = { OUTCOME_UNJUDGED, OUTCOME_CORRECT, OUTCOME_INCORRECT, OUTCOME_REJECTED };

	(void)state;
	return outcome < sizeof(outcomes) / sizeof(*outcomes) ? outcomes[outcome] : OUTCOME_UNJUDGED;
}

static void marker_class_of(const char *prefix, size_t size, struct work_class *ret)
{
	*ret = (struct work_class){ .name = "" };
	for (size_t i = 0; i < size && i < sizeof(ret->name) - 1 && prefix[i]; i++)
		ret->name[i] = prefix[i] >= ' ' && prefix[i] <= '~' ? prefix[i] : '?';
}

static int marker_open(const struct work_options *options, struct work_state **ret, struct error *err)
{
	const char *path = options->argument ? options->argument : options->executable;
	struct work_state *state;
	int r;

	if (!path) {
		fail(err, FAILURE_USAGE, -EINVAL, "--work marker: whose?");
		error_because(err, "only a process or a command has an image to look for markers in");
		return error_try(err, "--work marker:/usr/lib/x.so");
	}
	state = responses_new(options, marker_name, marker_judge);
	r = place_attach_usdt(state, options->bpf->progs.marker_ended, path, "crosscut", "end", err);
	if (!r && options->bpf->rodata->requests)
		r = place_attach_usdt(state, options->bpf->progs.marker_begun, path, "crosscut", "begin", err);
	if (r < 0) {
		responses_close(state);
		return r;
	}
	*ret = state;
	return 0;
}

extern const struct work work_marker;
const struct work work_marker = {
	.name = "marker", .summary = "work that a program marks by crosscut.h: begin, end, outcome, class",
	.unit = "request", .synopsis = "marker[:PATH]", .exposes = "the classes that the program names",
	.programs = { { "marker_ended", NULL, 400 } }, .request_programs = { { "marker_begun", NULL, 400 } },
	.class_of = marker_class_of, .judge = marker_judge,
	.open = marker_open, .collect = responses_collect, .close = responses_close,
};
