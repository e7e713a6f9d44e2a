/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Completions that the caller counted: a benchmark knows what it did better than any probe. They belong to the window as a
 * whole, so they are handed over once, at its end.
 */
#include "work/work.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/quantity.h"

struct work_state {
	uint64_t counts[OUTCOME_COUNT];
	bool told;
};

/* One part: "1000", "correct:1000", "rejected:7" … */
static int parse_part(const char *part, struct work_state *state, struct error *err)
{
	size_t size = strcspn(part, ":");

	for (enum outcome outcome = OUTCOME_CORRECT; part[size] && outcome < OUTCOME_COUNT; outcome++)
		if (strlen(outcome_name(outcome)) == size && !strncmp(part, outcome_name(outcome), size))
			return quantity_parse_count(part + size + 1, &state->counts[outcome], err);
	return quantity_parse_count(part, &state->counts[OUTCOME_CORRECT], err);
}

static int parse(const char *argument, struct work_state *state, struct error *err)
{
	CLEANUP_TEXT char *copy = xstrdup(argument ? argument : "");
	char *rest = copy, *part;
	int r = copy[0] ? 0 : -EINVAL;

	while (r == 0 && (part = strsep(&rest, ",")))
		r = parse_part(part, state, err);
	if (r == 0)
		return 0;
	(void)fail(err, FAILURE_USAGE, -EINVAL, "'%s' is no number of completions", argument ? argument : "");
	(void)error_because(err, "it is a number, or numbers by outcome: correct, incorrect, rejected, retried, abandoned");
	return error_try(err, "--work count:100000, or --work correct:99990,incorrect:10");
}

static int count_check(const char *argument, struct error *err)
{
	struct work_state state = { 0 };

	return parse(argument, &state, err);
}

static int count_open(const struct work_options *options, struct work_state **ret, struct error *err)
{
	struct work_state state = { 0 };
	int r = parse(options->argument, &state, err);

	if (r < 0)
		return r;
	*ret = xmalloc(sizeof(state));
	**ret = state;
	return 0;
}

static int count_collect(struct work_state *state, bool last, void (*add)(void *to, const struct work_count *count), void *to,
			 struct error *err)
{
	(void)err;
	if (!last || state->told)
		return 0;
	state->told = true;
	for (enum outcome outcome = OUTCOME_CORRECT; outcome < OUTCOME_COUNT; outcome++)
		if (state->counts[outcome])
			add(to, &(struct work_count){ .class = "", .outcome = outcome, .count = state->counts[outcome] });
	return 0;
}

static void count_close(struct work_state *state)
{
	free(state);
}

extern const struct work work_count_row;
const struct work work_count_row = {
	.name = "count", .summary = "completions that the caller counted",
	.unit = "completion", .synopsis = "count:N or correct:N,incorrect:M,rejected:…",
	.check = count_check, .open = count_open, .collect = count_collect, .close = count_close,
};
