/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * Who a trace's events are of. Process and thread ids may be numbers, numbers in strings, or names; a thread without an id
 * is the one that has its process'. Names come at any time, by events of their own.
 */
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "format/json.h"
#include "profile/id.h"

struct map;
struct profile;

struct chrome_threads {
	struct profile *into;
	struct map *processes, *threads;             /* by id, to the profile's */
	uint32_t made_up;                            /* processes whose id is a name */
	struct text scratch;
};

struct chrome_threads chrome_threads_new(struct profile *into);
void chrome_threads_done(struct chrome_threads *threads);
struct thread_id chrome_thread(struct chrome_threads *threads, struct json_value event);
struct process_id chrome_process(struct chrome_threads *threads, struct json_value event);
/* The events "process_name" and "thread_name". */
void chrome_threads_name(struct chrome_threads *threads, struct json_value event);
