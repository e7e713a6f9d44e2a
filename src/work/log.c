/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A line of a log that matches is a completion. What the first group of the expression matches is its class, and --correct
 * says which classes are correct; without it, a line that matches is a correct completion.
 */
#include "work/work.h"

#include <errno.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/intern.h"
#include "base/memory.h"
#include "work/follow.h"

enum { CLASS_SIZE = 64, CLASS_LIMIT = 1024 };        /* distinct classes; beyond, they are counted as "other" */

struct work_state {
	struct follow *follow;
	regex_t expression;
	char *correct;                               /* NULL: every line that matches */
	struct intern *classes;
	uint64_t *counts;                            /* by class, since the last collection */
};

/* FILE:REGEX; the expression may hold colons, the path may not. */
static const char *expression_of(const char *argument)
{
	const char *colon = argument ? strchr(argument, ':') : NULL;

	return colon && colon != argument && colon[1] ? colon + 1 : NULL;
}

static int compile(const char *argument, regex_t *ret, struct error *err)
{
	const char *expression = expression_of(argument);
	char why[256];
	int code;

	if (!expression) {
		(void)fail(err, FAILURE_USAGE, -EINVAL, "'%s' names no log with an expression", argument ? argument : "");
		(void)error_because(err, "it is written FILE:REGEX");
		return error_try(err, "--work 'log:/var/log/app.log:done status=([0-9]+)'");
	}
	code = regcomp(ret, expression, REG_EXTENDED);
	if (!code)
		return 0;
	(void)regerror(code, ret, why, sizeof(why));
	(void)fail(err, FAILURE_USAGE, -EINVAL, "'%s' is no regular expression", expression);
	(void)error_because(err, "%s", why);
	return error_try(err, "man 7 regex describes extended regular expressions");
}

static int log_check(const char *argument, struct error *err)
{
	regex_t expression;
	int r = compile(argument, &expression, err);

	if (r == 0)
		regfree(&expression);
	return r;
}

static void log_close(struct work_state *state)
{
	if (!state)
		return;
	follow_free(state->follow);
	regfree(&state->expression);
	intern_free(state->classes);
	free(state->counts);
	free(state->correct);
	free(state);
}

static int log_open(const struct work_options *options, struct work_state **ret, struct error *err)
{
	struct work_state *state = xcalloc(1, sizeof(*state));
	CLEANUP_TEXT char *path = NULL;
	int r = compile(options->argument, &state->expression, err);

	if (r < 0) {
		free(state);
		return r;
	}
	path = xstrndup(options->argument, strcspn(options->argument, ":"));
	state->classes = intern_new();
	state->counts = xcalloc(CLASS_LIMIT + 1, sizeof(*state->counts));
	state->correct = options->correct ? xstrdup(options->correct) : NULL;
	r = follow_open(path, &state->follow, err);
	if (r < 0)
		log_close(state);
	else
		*ret = state;
	return r;
}

static void count_line(void *context, const char *line, size_t size)
{
	struct work_state *state = context;
	regmatch_t groups[2] = { { .rm_so = 0, .rm_eo = (regoff_t)size } };
	char name[CLASS_SIZE + 1] = "";
	uint32_t class;

	if (regexec(&state->expression, line, ARRAY_LENGTH(groups), groups, REG_STARTEND) != 0)
		return;
	if (state->expression.re_nsub && groups[1].rm_so >= 0)
		(void)snprintf(name, sizeof(name), "%.*s", (int)(groups[1].rm_eo - groups[1].rm_so), line + groups[1].rm_so);
	class = intern_count(state->classes) < CLASS_LIMIT ? intern_put(state->classes, name) : intern_find(state->classes, name);
	state->counts[class < CLASS_LIMIT ? class : CLASS_LIMIT]++;
}

static void hand_class(struct work_state *state, size_t class, void (*add)(void *to, const struct work_count *count), void *to)
{
	const char *name = class == CLASS_LIMIT ? "other" : intern_text(state->classes, (uint32_t)class);
	bool correct = !state->correct || work_class_listed(state->correct, name);

	add(to, &(struct work_count){ .class = name, .count = state->counts[class],
				      .outcome = correct ? OUTCOME_CORRECT : OUTCOME_INCORRECT });
	state->counts[class] = 0;
}

static int log_collect(struct work_state *state, bool last, void (*add)(void *to, const struct work_count *count), void *to,
		       struct error *err)
{
	int r = follow_read(state->follow, count_line, state, err);

	(void)last;
	for (size_t i = 0; i <= CLASS_LIMIT; i++)
		if (state->counts[i])
			hand_class(state, i, add, to);
	return r;
}

extern const struct work work_log;
const struct work work_log = {
	.name = "log", .summary = "lines of a log that match an expression",
	.unit = "line", .synopsis = "log:FILE:REGEX",
	.exposes = "the lines added to the log; only what the expression's first group matches is kept",
	.check = log_check, .open = log_open, .collect = log_collect, .close = log_close,
};
