/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes the captures of the simulated incident, Mercury: six matched pairs of a baseline of 100,000 and a candidate of 80,000
 * correct completions, by the writer that `crosscut record` uses. Nothing was measured for them. Each pair differs from the
 * mean by a share of its own, which both arms have in common and which sums to nothing, so that the means are the story's:
 * CPU 8.0 to 7.4 ms, parse 3.2 to 3.5, disk +32, runnable +16, lock +8 ms per correct completion.
 *
 *	generate DIRECTORY [KEY=VALUE]...       baseline-1.xcut to candidate-6.xcut, and candidate-1.json with its p99 of 180 ms
 */
#include "base/error.h"
#include "base/memory.h"
#include "format/native.h"
#include "unit/profile_builder.h"

enum { PAIRS = 6 };

/* What both arms of a pair share, and what only the candidate has, in thousandths. */
static const int shared[PAIRS] = { 12, -9, 4, -15, 10, -2 }, own[PAIRS] = { -3, 2, 4, -1, 1, -3 };

static uint64_t scaled(uint64_t value, int thousandths)
{
	return (uint64_t)((int64_t)value + (int64_t)value * thousandths / 1000);
}

static struct mercury varied(const struct mercury *which, unsigned pair, bool is_candidate)
{
	int by = shared[pair] + (is_candidate ? own[pair] : 0);
	struct mercury mercury = *which;

	mercury.status = STACK_COMPLETE;
	mercury.oncpu_ns = scaled(mercury.oncpu_ns, by);
	mercury.runnable_ns = scaled(mercury.runnable_ns, by);
	mercury.lock_ns = scaled(mercury.lock_ns, by);
	mercury.disk_ns = scaled(mercury.disk_ns, by);
	return mercury;
}

/* The contract is under the capture's digests: a packet that states another one is found out by it. */
static void add_contract(struct profile *profile, unsigned pair, bool is_candidate)
{
	static const char *const pairs[][2] = {
		{ "contract.workload", "interactive lookups, matched mix and offered load, simulated" },
		{ "contract.tenant", "interactive" },
		{ "contract.endpoint", "GET /item" },
		{ "contract.outcome", "correct responses" },
		{ "contract.state", "nominal" },
		{ "contract.unit", "correct response" },
		{ "contract.suspected", "disk" },
		{ "contract.decision", "run a canary with the old store access and the new parser before anything is optimised" },
	};
	char id[32];

	for (size_t i = 0; i < sizeof(pairs) / sizeof(*pairs); i++)
		profile_set_meta(profile, pairs[i][0], pairs[i][1]);
	profile_set_meta(profile, "contract.build", is_candidate ? "412" : "411");
	profile_set_meta(profile, "capture.simulated", "1");
	profile_set_meta(profile, "work.unit", "response");
	(void)snprintf(id, sizeof(id), "simulated-%c%u", is_candidate ? 'c' : 'b', pair + 1);
	profile_set_meta(profile, "capture.id", id);
}

static void add_facts(struct profile *profile, char *const *facts)
{
	for (; *facts; facts++) {
		CLEANUP_TEXT char *key = xstrdup(*facts);
		char *equals = strchr(key, '=');

		if (!equals)
			continue;
		*equals = '\0';
		profile_set_meta(profile, key, equals + 1);
	}
}

static int write_capture(const char *path, unsigned pair, bool is_candidate, char *const *facts, struct error *err)
{
	const struct mercury which = varied(is_candidate ? &mercury_candidate : &mercury_baseline, pair, is_candidate);
	CLEANUP(profile) struct profile *profile = profile_new();
	CLEANUP(native) struct native *native = native_new();
	struct process_id process;
	struct thread_id first = mercury_threads(profile, &process);
	int r;

	mercury_meta(profile, &which);
	add_contract(profile, pair, is_candidate);
	add_facts(profile, facts);
	r = native_create(native, path, true, 1 << 30, err);
	for (uint32_t i = 0; i < MERCURY_SLICES && r >= 0; i++) {
		struct slice_id slice = mercury_slice_at(profile, i);

		mercury_slice(profile, &which, slice, process, first);
		r = native_slice(native, profile, slice, err);
		profile_clear_facts(profile);
	}
	if (r < 0)
		return r;
	profile_freeze(profile);
	return native_seal(native, profile, err);
}

int main(int argc, char **argv)
{
	struct error err = { 0 };
	FILE *objective;

	for (unsigned i = 0; argc > 1 && i < 2 * PAIRS; i++) {
		bool is_candidate = i % 2;
		CLEANUP_TEXT char *path = xasprintf("%s/%s-%u.xcut", argv[1], is_candidate ? "candidate" : "baseline", i / 2 + 1);

		if (write_capture(path, i / 2, is_candidate, argv + 2, &err) < 0) {
			(void)fprintf(stderr, "generate: %s: %s\n", err.what, err.why);
			return 1;
		}
	}
	for (unsigned i = 0; argc > 1 && i < PAIRS; i++) {
		CLEANUP_TEXT char *path = xasprintf("%s/candidate-%u.json", argv[1], i + 1);

		objective = fopen(path, "we");
		if (!objective)
			return 1;
		(void)fprintf(objective, "{\"schema\":\"mercury.load/1\",\"simulated\":true,\"correct\":80000,\"latency_ns\":{\"p99\":180000000}}\n");
		(void)fclose(objective);
	}
	return argc < 2;
}
