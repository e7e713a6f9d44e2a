/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/* A view draws any document on one medium. It knows shapes, never profiles. */
#include <stdbool.h>

struct document;
struct output;

struct view_style {
	bool colour;                 /* the medium can show colour and the user wants it */
	unsigned width;              /* columns of the terminal; 0 = unknown: 100 */
};

struct view {
	const char *name;            /* "text", "json", "html" */
	const char *summary;
	const char *suffix;          /* ".html"; a file of this name is drawn by this view */
	int (*render)(const struct document *document, const struct view_style *style, struct output *to);
};

extern const struct view *const views[];         /* NULL-terminated, sorted by name */
const struct view *view_find(const char *name);
