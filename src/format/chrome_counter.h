/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * Counters of a trace: each series of each process becomes one level, with how often it was set, its last value and its
 * largest. What it was in between has no place in a profile.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "format/json.h"
#include "profile/id.h"

struct import;
struct map;

struct chrome_counter { struct process_id process; struct object_id object; uint64_t count, last, maximum; bool fraction; };

struct chrome_counters {
	struct import *import;
	struct map *known;
	struct chrome_counter *rows;
	size_t count, room;
	struct text name, scratch;
};

struct chrome_counters chrome_counters_new(struct import *import);
void chrome_counters_done(struct chrome_counters *counters);
void chrome_counter_read(struct chrome_counters *counters, struct json_value event, struct process_id process);
/* Adds them to the profile. */
void chrome_counters_finish(struct chrome_counters *counters);
