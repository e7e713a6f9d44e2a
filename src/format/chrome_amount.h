/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * Counters that we wrote ourselves: what a profile counted in a second, of amounts, or had at its end, of levels. They come
 * back as what they were, save those that the slices of the trace add up to as well.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "format/json.h"
#include "profile/profile.h"

struct import;

#define CHROME_AMOUNT "crosscut.amount"            /* the categories of such counters */
#define CHROME_LEVEL "crosscut.level"

struct chrome_amount { struct dimension_id dimension; enum weighting weighting; uint64_t at_ns, count, value; };

struct chrome_amounts {
	struct import *import;
	struct chrome_amount *rows;
	size_t count, room;
	struct text name, parent, unit;
};

struct chrome_amounts chrome_amounts_new(struct import *import);
void chrome_amounts_done(struct chrome_amounts *amounts);
bool chrome_amount_is(struct json_value event);
/* False where it is damaged. */
bool chrome_amount_read(struct chrome_amounts *amounts, struct json_value event, int64_t at_ns);
/* Adds them to the profile, whose intervals are all there. */
void chrome_amounts_finish(struct chrome_amounts *amounts);
