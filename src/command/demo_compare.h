/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/* Two arms side by side, per correct completion: the demo's answer as a document. */
#include "compare/objective.h"

struct document;
struct error;

enum { DEMO_PAIRS_MOST = 32 };

struct demo_arm {
	const char *name;                    /* "baseline" */
	char *capture;                       /* the file; NULL: none */
	struct objective load;
};
struct demo_pair { struct demo_arm baseline, candidate; };

/* The ledgers, trees and gates of the shown pair's captures, and a table "comparison" over all pairs with intervals from
 * two pairs on. */
int demo_compare(const struct demo_pair *pairs, unsigned count, const struct demo_pair *shown, struct document *into,
		 struct error *err);
/* The load's own figures alone, where nothing could be captured. */
void demo_compare_loads(const struct demo_pair *pairs, unsigned count, struct document *into);
