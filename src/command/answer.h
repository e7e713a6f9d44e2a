/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/* How a command gives its answer: on stdout, as text that fits the terminal or as JSON. */
#include <stdbool.h>

struct document;
struct error;

int answer_print(const struct document *document, bool json, struct error *err);
