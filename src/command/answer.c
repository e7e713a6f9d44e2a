/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Chooses the view and its style, so that no command asks the terminal anything.
 */
#include "command/answer.h"

#include "base/error.h"
#include "base/output.h"
#include "base/terminal.h"
#include "view/view.h"

#include <stdio.h>
#include <string.h>

int answer_print(const struct document *document, bool json, struct error *err)
{
	struct view_style style = { .colour = terminal_colour(fileno(stdout)), .width = terminal_width(fileno(stdout)) };
	const struct view *view = view_find(json ? "json" : "text");
	struct output to;
	int r, finished;

	output_to_file(&to, stdout);
	r = view->render(document, &style, &to);
	if (r < 0)
		fail(err, FAILURE_WORK, r, "cannot draw the answer");
	finished = output_finish(&to, r < 0 ? &(struct error){ 0 } : err);
	return r < 0 ? r : finished;
}

const struct view *answer_view_of(const char *path)
{
	size_t size = strlen(path);

	for (const struct view *const *view = views; *view; view++) {
		size_t suffix = (*view)->suffix ? strlen((*view)->suffix) : 0;

		if (suffix && size > suffix && !strcmp(path + size - suffix, (*view)->suffix))
			return *view;
	}
	return view_find("text");
}

int answer_write(const struct document *document, const struct view *view, const char *path, bool force, struct error *err)
{
	struct output to;
	int finished, r = output_open(&to, path, force ? OUTPUT_REPLACE : 0, err);

	if (r < 0)
		return r;
	r = view->render(document, &(struct view_style){ 0 }, &to);
	if (r < 0)
		(void)fail(err, FAILURE_WORK, r, "cannot draw '%s'", path);
	finished = output_finish(&to, r < 0 ? &(struct error){ 0 } : err);
	return r < 0 ? r : finished;
}
