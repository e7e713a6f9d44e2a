/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/* The parts of the text view. Each draws one shape, indented by `indent` columns. */
#include <stdbool.h>

struct ink;
struct record;
struct table;
struct timeline;
struct tree;
struct value;

/* A value in few words, as a new text: numbers scaled by unit, what is nested in short. */
char *cell_text(const struct value *value, const char *unit, unsigned hints);
bool value_is_number(const struct value *value);
double value_as_number(const struct value *value);       /* NAN where it is none */

void text_draw_record(struct ink *ink, const struct record *record, unsigned indent);
void text_draw_table(struct ink *ink, const struct table *table, unsigned indent);
void text_draw_timeline(struct ink *ink, const struct timeline *timeline, unsigned indent);
void text_draw_tree(struct ink *ink, const struct tree *tree, unsigned indent);
