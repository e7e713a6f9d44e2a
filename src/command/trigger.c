/* SPDX-License-Identifier: Apache-2.0 */
/* Words are taken one by one; whatever is wrong says where, and what may stand there. */
#include "command/trigger.h"

#include "base/cleanup.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/quantity.h"
#include "gate/gate.h"
#include "profile/profile.h"
#include "profile/summary.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static int unknown(const char *word, const char *why, struct error *err)
{
	(void)fail(err, FAILURE_USAGE, -EINVAL, "cannot trigger on '%.64s'", word);
	(void)error_because(err, "%s", why);
	return error_try(err, "--trigger 'request>200ms', --trigger gate:lost-events, --trigger signal, or several with commas between");
}

static int parse_gate(const char *word, struct trigger *ret, struct error *err)
{
	const struct gate *gate = gate_find(word + strlen("gate:"));

	if (!gate || gate->between)
		return unknown(word, gate ? "that gate compares two captures" : "there is no gate of that name (crosscut list gates)", err);
	if (!strcmp(gate->name, "unresolved-frames"))
		return unknown(word, "frames get their names when a capture has ended", err);
	if (ret->gate_count == TRIGGER_GATES_MOST)
		return unknown(word, "more gates than can be watched at once", err);
	ret->gates[ret->gate_count++] = gate;
	return 0;
}

static int parse_word(const char *word, struct trigger *ret, struct error *err)
{
	uint64_t request_ns;

	if (!strncmp(word, "request>", strlen("request>"))) {
		if (quantity_parse_duration(word + strlen("request>"), &request_ns, err) < 0 || !request_ns)
			return unknown(word, "a request is compared with a time above zero", err);
		if (!ret->request_ns || request_ns < ret->request_ns)           /* either fires, so the shorter does */
			ret->request_ns = request_ns;
		return 0;
	}
	if (!strncmp(word, "gate:", strlen("gate:")))
		return parse_gate(word, ret, err);
	if (strcmp(word, "signal") != 0)
		return unknown(word, "it is neither request>TIME nor gate:NAME nor signal", err);
	ret->signal = true;
	return 0;
}

int trigger_parse(const char *text, struct trigger *ret, struct error *err)
{
	CLEANUP_TEXT char *words = xstrdup(text);
	char *rest = words, *word;
	int r = 0;

	*ret = (struct trigger){ 0 };
	while (!r && (word = strsep(&rest, ",")))
		r = parse_word(word, ret, err);
	return r;
}

bool trigger_needs_requests(const struct trigger *trigger)
{
	return trigger->request_ns > 0;
}

bool trigger_has_others(const struct trigger *trigger)
{
	return trigger->gate_count > 0 || trigger->signal;
}

static bool request_fires(const struct trigger *trigger, const struct profile *profile, char reason[TRIGGER_REASON_SIZE])
{
	uint64_t longest_ns = 0;
	char took[QUANTITY_SIZE];

	for (size_t i = 0; i < profile_request_count(profile); i++) {
		const struct request *request = profile_request_at(profile, i);

		if (request->closed_ns - request->opened_ns > longest_ns)
			longest_ns = request->closed_ns - request->opened_ns;
	}
	if (!trigger->request_ns || longest_ns <= trigger->request_ns)
		return false;
	(void)snprintf(reason, TRIGGER_REASON_SIZE, "a request took %s", quantity_print(took, (double)longest_ns, "ns"));
	return true;
}

static bool gate_fires(const struct trigger *trigger, const struct profile *profile, char reason[TRIGGER_REASON_SIZE])
{
	struct summary summary;

	if (!trigger->gate_count)
		return false;
	summary_of(profile, &summary);
	for (unsigned i = 0; i < trigger->gate_count; i++) {
		struct reading reading;

		gate_read(trigger->gates[i], trigger->gates[i]->limit, &summary, NULL, &reading);
		if (reading.verdict == VERDICT_FAIL) {
			(void)snprintf(reason, TRIGGER_REASON_SIZE, "the gate %s failed: %.200s", trigger->gates[i]->name, reading.why);
			return true;
		}
	}
	return false;
}

bool trigger_fires(const struct trigger *trigger, const struct profile *profile, bool signalled, char reason[TRIGGER_REASON_SIZE])
{
	if (trigger->signal && signalled) {
		(void)snprintf(reason, TRIGGER_REASON_SIZE, "SIGUSR1 came");
		return true;
	}
	return request_fires(trigger, profile, reason) || gate_fires(trigger, profile, reason);
}
