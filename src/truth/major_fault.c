/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pages of a mapped file that are not in memory, touched by the program itself and by the kernel on
 * its behalf: a system call that copies from such a page faults inside the call, and waits for a
 * page, not for what it was asked.
 */
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "truth/cold_file.h"
#include "truth/stage.h"

struct mapped {
	const volatile char *bytes;
	int into;                       /* where the system call copies to; in memory */
};

static void touch(struct actor *actor)
{
	const struct mapped *mapped = actor->prop;

	for (uint64_t n = 0; n < COLD_FILE_PAGES && stage_more(actor->context); n++) {
		const volatile char *byte = mapped->bytes + cold_file_page(n) * COLD_FILE_PAGE;

		stage_wait_begin(actor->self);
		(void)*byte;
		stage_wait_end(actor->self);
	}
}

static void copy(struct actor *actor)
{
	const struct mapped *mapped = actor->prop;

	for (uint64_t n = 0; n < COLD_FILE_PAGES && stage_more(actor->context); n++) {
		const char *page = (const char *)mapped->bytes + cold_file_page(n) * COLD_FILE_PAGE;

		stage_wait_begin(actor->self);
		(void)!pwrite(mapped->into, page, COLD_FILE_PAGE, 0);
		stage_wait_end(actor->self);
	}
}

static int stage_with(struct truth_context *context, void (*body)(struct actor *),
		      struct error *err)
{
	struct mapped mapped = { .into = memfd_create("truth", MFD_CLOEXEC) };
	void *bytes = mmap(NULL, TRUTH_FILE_BYTES, PROT_READ, MAP_SHARED, context->files[0], 0);

	if (bytes == MAP_FAILED || mapped.into < 0 ||
	    madvise(bytes, TRUTH_FILE_BYTES, MADV_RANDOM) < 0)
		return fail(err, FAILURE_WORK, -errno, "cannot map the file of '%s'",
			    context->row->name);
	mapped.bytes = bytes;
	return stage_threads(context, 1, body, NULL, &mapped, err);
}

static int stage_touch(struct truth_context *context, struct error *err)
{
	return stage_with(context, touch, err);
}

static int stage_copy(struct truth_context *context, struct error *err)
{
	return stage_with(context, copy, err);
}

const struct truth truth_fault_in_call = {
	.name = "fault-in-call",
	.summary = "a system call that copies from a page not in memory",
	.why = "the page is what is missing, whichever call wants it",
	.state = "paging", .part = "major-fault", .thread = "t-fault-call", .default_ms = 800,
	.possible = cold_file_possible, .prepare = cold_file_prepare, .stage = stage_copy,
};

const struct truth truth_mmap_cold = {
	.name = "mmap-cold",
	.summary = "touching a mapped file that is not in memory",
	.state = "paging", .part = "major-fault", .thread = "t-mmap-cold", .default_ms = 800,
	.possible = cold_file_possible, .prepare = cold_file_prepare, .stage = stage_touch,
};
