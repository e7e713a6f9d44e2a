/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes the teaching captures that the golden files are about, by the same writer as `crosscut record`: a slice at a
 * time, facts dropped after each, then sealed.
 *
 *	fixture DIRECTORY      baseline.xcut, candidate.xcut, unsealed.xcut, and whole.xcut, whose stacks are complete;
 *	                       six pairs a-1.xcut and b-1.xcut …, and c-1.xcut …, which are like a; other.xcut, another state;
 *	                       asked.xcut and asked-later.xcut, which hold requests: a tenth of them writes, which wait for the disk
 */
#include "base/error.h"
#include "base/memory.h"
#include "format/native.h"
#include "unit/profile_builder.h"

static void add_requests(struct profile *profile, struct slice_id slice, struct thread_id thread, uint64_t disk_ns)
{
	const uint64_t start_ns = profile_slice_at(profile, slice.index)->start_ns;

	for (uint32_t i = 0; i < 50; i++) {
		bool writes = i % 10 == 9;
		uint64_t opened_ns = start_ns + i * 100000000ull, running_ns = 1000000 + i * 1000;

		profile_add_request(profile, (struct request){
			.thread = thread, .class = profile_string(profile, writes ? "POST /item" : "GET /item"), .one_in = 10, .status = 200,
			.outcome = profile_string(profile, "correct"), .overlap = i % 10 == 4, .opened_ns = opened_ns,
			.closed_ns = opened_ns + running_ns + (writes ? disk_ns : 0) });
		profile_add_part(profile, (struct part){ .request = i, .ns = running_ns, .dimension = built_dimension(profile, "oncpu") });
		if (writes)
			profile_add_part(profile, (struct part){ .request = i, .ns = disk_ns,
				.evidence = built_evidence(profile, "disk/read", EVIDENCE_IOWAIT, WAKE_SOFTIRQ) });
	}
}

/* id: NULL for the one that mercury_meta() gives. disk_ns: of each request that writes; 0: it holds no requests. */
static int write_capture(const struct mercury *which, const char *path, const char *id, const char *state, bool seal, uint64_t disk_ns,
			 struct error *err)
{
	CLEANUP(profile) struct profile *profile = profile_new();
	CLEANUP(native) struct native *native = native_new();
	struct process_id process;
	struct thread_id first = mercury_threads(profile, &process);
	int r;

	mercury_meta(profile, which);
	profile_set_meta(profile, "label.state", state);
	if (id)
		profile_set_meta(profile, "capture.id", id);
	if (!seal)
		profile_set_meta(profile, "capture.sealed", "0");
	r = native_create(native, path, true, 1 << 30, err);
	for (uint32_t i = 0; i < MERCURY_SLICES && r >= 0; i++) {
		struct slice_id slice = mercury_slice_at(profile, i);

		mercury_slice(profile, which, slice, process, first);
		if (disk_ns)
			add_requests(profile, slice, first, disk_ns);
		r = native_slice(native, profile, slice, err);
		profile_clear_facts(profile);
	}
	if (r < 0 || !seal)
		return r;
	profile_freeze(profile);
	return native_seal(native, profile, err);
}

/* Runs of one program differ: by a percent or two, the same way each time this runs. */
static struct mercury varied(const struct mercury *which, unsigned pair, unsigned side)
{
	static const double factors[] = { 1.004, 0.996, 1.008, 1.0, 0.993, 1.002, 0.999, 1.006, 0.995, 1.001, 1.003, 0.998 };
	struct mercury run = *which;
	double factor = factors[(pair * 5 + side * 7) % 12];

	run.status = STACK_COMPLETE;
	run.oncpu_ns = (uint64_t)((double)run.oncpu_ns * factor);
	run.runnable_ns = (uint64_t)((double)run.runnable_ns * factor);
	run.lock_ns = (uint64_t)((double)run.lock_ns / factor);
	run.disk_ns = (uint64_t)((double)run.disk_ns * factor);
	run.parse_samples += pair % 3;
	run.lookup_samples += (pair + side) % 3;
	return run;
}

static int write_pairs(const char *directory, struct error *err)
{
	static const struct mercury *const arms[] = { &mercury_baseline, &mercury_candidate, &mercury_baseline };
	int r = 0;

	for (unsigned pair = 0; pair < 6; pair++)
		for (unsigned side = 0; side < 3 && r >= 0; side++) {
			struct mercury run = varied(arms[side], pair, side);
			CLEANUP_TEXT char *id = xasprintf("%c-%u", "abc"[side], pair + 1);
			CLEANUP_TEXT char *path = xasprintf("%s/%s.xcut", directory, id);

			r = write_capture(&run, path, id, "nominal", true, 0, err);
		}
	return r;
}

int main(int argc, char **argv)
{
	struct mercury verified = mercury_candidate;
	const struct {
		const struct mercury *which;
		const char *name, *state;
		bool seal;
		uint64_t disk_ns;
		const char *id;
	} captures[] = { { &mercury_baseline, "baseline", "nominal", true, 0, "6512bd43" },
			 { &mercury_candidate, "candidate", "nominal", true, 0, NULL },
			 { &mercury_candidate, "unsealed", "nominal", false, 0, NULL },
			 { &mercury_candidate, "other", "overload", true, 0, NULL },
			 { &verified, "whole", "nominal", true, 0, NULL },
			 { &verified, "asked", "nominal", true, 4000000, NULL },
			 { &verified, "asked-later", "nominal", true, 9000000, "asked-later" } };
	struct error err = { 0 };

	verified.status = STACK_COMPLETE;
	for (size_t i = 0; argc == 2 && i < ARRAY_LENGTH(captures); i++) {
		CLEANUP_TEXT char *path = xasprintf("%s/%s.xcut", argv[1], captures[i].name);

		if (write_capture(captures[i].which, path, captures[i].id, captures[i].state, captures[i].seal,
				  captures[i].disk_ns, &err) < 0) {
			(void)fprintf(stderr, "fixture: %s: %s\n", err.what, err.why);
			return 1;
		}
	}
	if (argc == 2 && write_pairs(argv[1], &err) < 0) {
		(void)fprintf(stderr, "fixture: %s: %s\n", err.what, err.why);
		return 1;
	}
	return argc != 2;
}
