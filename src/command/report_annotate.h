/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/* `crosscut report --annotate FUNCTION`: source lines and instructions with their weight. */

struct document;
struct error;
struct question;

/* Adds the sections "annotation", "lines" and "instructions". */
int report_annotate(const struct question *question, const char *function, struct document *into, struct error *err);
