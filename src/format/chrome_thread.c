/* SPDX-License-Identifier: Apache-2.0 */
/* Ids to processes and threads. */
#include "format/chrome_thread.h"

#include "base/map.h"
#include "profile/profile.h"

#include <string.h>

enum { NAME_LIMIT = 4096, PEOPLE_LIMIT = 1 << 20 };

/* A number, or a name: that of a string which is none. */
struct who { int64_t number; uint32_t name, unused; };

struct chrome_threads chrome_threads_new(struct profile *into)
{
	return (struct chrome_threads){ .into = into, .processes = map_new(sizeof(struct who)),
					.threads = map_new(2 * sizeof(struct who)), .scratch = TEXT(NAME_LIMIT) };
}

void chrome_threads_done(struct chrome_threads *threads)
{
	map_free(threads->processes);
	map_free(threads->threads);
	text_done(&threads->scratch);
}

static struct who who_of(struct chrome_threads *threads, struct json_value event, const char *key, struct who otherwise)
{
	struct json_value value = json_get(event, key);
	struct who who = { 0 };

	if (json_decimal(value, 0, &who.number))
		return who;
	if (value.kind != JSON_STRING)
		return otherwise;
	who.name = profile_string(threads->into, json_decoded(value, &threads->scratch)).index;
	return who;
}

static struct process_id process_of(struct chrome_threads *threads, const struct who *who)
{
	bool added = false;
	uint32_t *known = map_count(threads->processes) < PEOPLE_LIMIT ? map_put(threads->processes, who, &added)
								      : map_find(threads->processes, who);
	struct process process = { .pid = (uint32_t)who->number, .comm.index = who->name };

	if (!added)
		return (struct process_id){ known ? *known : 0 };
	if (who->name || who->number < 0 || who->number > UINT32_MAX) {
		process.pid = 0;
		process.generation = ++threads->made_up;
	}
	return (struct process_id){ *known = profile_process(threads->into, process).index };
}

struct process_id chrome_process(struct chrome_threads *threads, struct json_value event)
{
	struct who who = who_of(threads, event, "pid", (struct who){ 0 });

	return process_of(threads, &who);
}

struct thread_id chrome_thread(struct chrome_threads *threads, struct json_value event)
{
	struct who who[2] = { who_of(threads, event, "pid", (struct who){ 0 }) };
	struct thread thread = { .process = process_of(threads, &who[0]) };
	bool added = false;
	uint32_t *known;

	who[1] = who_of(threads, event, "tid", who[0]);
	known = map_count(threads->threads) < PEOPLE_LIMIT ? map_put(threads->threads, who, &added)
							  : map_find(threads->threads, who);
	if (!added)
		return (struct thread_id){ known ? *known : 0 };
	thread.tid = who[1].number > 0 && who[1].number <= UINT32_MAX ? (uint32_t)who[1].number : 0;
	thread.comm.index = who[1].name;
	return (struct thread_id){ *known = profile_thread(threads->into, thread).index };
}

void chrome_threads_name(struct chrome_threads *threads, struct json_value event)
{
	struct json_value type = json_get(event, "name"), name = json_path(event, "args", "name", NULL);
	struct string_id text;

	if (name.kind != JSON_STRING)
		return;
	if (json_is(type, "process_name")) {
		struct process_id id = chrome_process(threads, event);

		text = profile_string(threads->into, json_decoded(name, &threads->scratch));
		if (id.index)
			profile_process_edit(threads->into, id)->comm = text;
	} else if (json_is(type, "thread_name")) {
		struct thread_id id = chrome_thread(threads, event);

		text = profile_string(threads->into, json_decoded(name, &threads->scratch));
		if (id.index)
			profile_thread_edit(threads->into, id)->comm = text;
	}
}
