/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * What makes the flight recorder keep what it holds: alternatives with a comma between them.
 *
 *	trigger     = alternative { "," alternative }
 *	alternative = "request>" TIME               a decomposed request took longer, from its read to its response: request>200ms
 *	            | "gate:" NAME                  this gate fails on one slice by itself: gate:lost-events (crosscut list gates)
 *	            | "signal"                      SIGUSR1 comes to the recorder
 *
 * Asked once per slice, of that slice alone. SIGUSR1 is watched wherever a trigger is, since without the word it would end us.
 */
#include <stdbool.h>
#include <stdint.h>

struct error;
struct gate;
struct profile;

enum { TRIGGER_GATES_MOST = 8, TRIGGER_REASON_SIZE = 256 };

struct trigger {
	uint64_t request_ns;                 /* 0: not asked */
	const struct gate *gates[TRIGGER_GATES_MOST];
	unsigned gate_count;
	bool signal;
};

int trigger_parse(const char *text, struct trigger *ret, struct error *err);
/* What is left of it where no request is taken apart any more: nothing can fire it then, or only its other alternatives. */
bool trigger_needs_requests(const struct trigger *trigger);
bool trigger_has_others(const struct trigger *trigger);
/* Does the slice at hand fire it? Then reason says in words what did. */
bool trigger_fires(const struct trigger *trigger, const struct profile *profile, bool signalled, char reason[TRIGGER_REASON_SIZE]);
