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
