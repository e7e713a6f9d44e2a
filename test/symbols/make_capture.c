/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes a capture as `crosscut record` would leave it where no symbols were found: on-CPU samples at given offsets of one
 * file. Standard input has a line per stack: its count of samples, and the offsets from the root to the leaf, in hex.
 *
 *	make_capture OUT PATH BUILD_ID
 */
#include "base/error.h"
#include "format/native.h"
#include "unit/profile_builder.h"

static void add_stack(struct profile *profile, struct file_id file, struct slice_id slice, struct thread_id thread, char *line)
{
	struct stack_id stack = { 0 };
	char *rest = line, *word = strsep(&rest, " "), *next = strsep(&rest, " ");
	uint64_t count = strtoull(word, NULL, 10);

	for (word = next; word; word = next) {
		next = strsep(&rest, " ");
		stack = profile_stack(profile, stack, profile_frame(profile, (struct frame){
			.file = file, .offset = strtoull(word, NULL, 16), .method = next ? METHOD_CFI : METHOD_LEAF }),
			STACK_COMPLETE);
	}
	built_samples(profile, slice, thread, "oncpu/user", stack, count);
}

int main(int argc, char **argv)
{
	CLEANUP(profile) struct profile *profile = profile_new();
	CLEANUP(native) struct native *native = native_new();
	struct error err = { 0 };
	struct process_id process;
	struct thread_id thread;
	struct slice_id slice;
	struct file_id file;
	char line[4096];
	int r;

	if (argc != 4)
		return 2;
	process = built_process(profile, 100, "shop");
	slice = built_slice(profile, BUILDER_START, BUILDER_START + BUILDER_SECOND);
	thread = built_thread(profile, process, 101, "shop", BUILDER_START, BUILDER_START + BUILDER_SECOND);
	file = profile_file(profile, argv[2], argv[3]);
	built_total(profile, slice, thread, "oncpu", BUILDER_SECOND, 10, 1000000);
	while (fgets(line, sizeof(line), stdin)) {
		line[strcspn(line, "\n")] = '\0';
		add_stack(profile, file, slice, thread, line);
	}
	profile_set_meta_number(profile, "capture.start_ns", BUILDER_START);
	profile_set_meta_number(profile, "capture.end_ns", BUILDER_START + BUILDER_SECOND);
	r = native_create(native, argv[1], true, 1 << 30, &err);
	r = r < 0 ? r : native_slice(native, profile, slice, &err);
	profile_clear_facts(profile);
	profile_freeze(profile);
	r = r < 0 ? r : native_seal(native, profile, &err);
	if (r < 0)
		(void)fprintf(stderr, "make_capture: %s: %s\n", err.what, err.why);
	return r < 0;
}
