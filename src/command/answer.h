/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/* How a command gives its answer: on stdout, as text that fits the terminal or as JSON; or into a file, as its name ends. */
#include <stdbool.h>

struct document;
struct error;
struct view;

int answer_print(const struct document *document, bool json, struct error *err);
const struct view *answer_view_of(const char *path);          /* by its suffix; text where it has none */
/* A file of mode 0600; one that is there is replaced only by force. */
int answer_write(const struct document *document, const struct view *view, const char *path, bool force, struct error *err);
