/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rows of the set of media. A new medium is one file that ends in a `struct view`, and one line here.
 */
#include "view/view.h"

#include <stddef.h>
#include <string.h>

extern const struct view view_csv, view_html, view_json, view_markdown, view_svg, view_text;

/* Sorted by name. */
const struct view *const views[] = {
	&view_csv,
	&view_html,
	&view_json,
	&view_markdown,
	&view_svg,
	&view_text,
	NULL,
};

const struct view *view_find(const char *name)
{
	for (size_t i = 0; views[i]; i++) {
		if (!strcmp(views[i]->name, name))
			return views[i];
	}
	return NULL;
}
