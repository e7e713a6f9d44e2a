/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes the teaching captures that the golden files are about, by the same writer as `crosscut record`: a slice at a
 * time, facts dropped after each, then sealed.
 *
 *	fixture DIRECTORY      baseline.xcut, candidate.xcut, unsealed.xcut, and whole.xcut, whose stacks are complete
 */
#include "base/error.h"
#include "base/memory.h"
#include "format/native.h"
#include "unit/profile_builder.h"

static int write_capture(const struct mercury *which, const char *path, bool seal, struct error *err)
{
	CLEANUP(profile) struct profile *profile = profile_new();
	CLEANUP(native) struct native *native = native_new();
	struct process_id process;
	struct thread_id first = mercury_threads(profile, &process);
	int r;

	mercury_meta(profile, which);
	if (!seal)
		profile_set_meta(profile, "capture.sealed", "0");
	r = native_create(native, path, true, 1 << 30, err);
	for (uint32_t i = 0; i < MERCURY_SLICES && r >= 0; i++) {
		struct slice_id slice = mercury_slice_at(profile, i);

		mercury_slice(profile, which, slice, process, first);
		r = native_slice(native, profile, slice, err);
		profile_clear_facts(profile);
	}
	if (r < 0 || !seal)
		return r;
	profile_freeze(profile);
	return native_seal(native, profile, err);
}

int main(int argc, char **argv)
{
	struct mercury verified = mercury_candidate;
	const struct {
		const struct mercury *which;
		const char *name;
		bool seal;
	} captures[] = { { &mercury_baseline, "baseline", true },
			 { &mercury_candidate, "candidate", true },
			 { &mercury_candidate, "unsealed", false },
			 { &verified, "whole", true } };
	struct error err = { 0 };

	verified.status = STACK_COMPLETE;
	for (size_t i = 0; argc == 2 && i < ARRAY_LENGTH(captures); i++) {
		CLEANUP_TEXT char *path = xasprintf("%s/%s.xcut", argv[1], captures[i].name);

		if (write_capture(captures[i].which, path, captures[i].seal, &err) < 0) {
			(void)fprintf(stderr, "fixture: %s: %s\n", err.what, err.why);
			return 1;
		}
	}
	return argc != 2;
}
