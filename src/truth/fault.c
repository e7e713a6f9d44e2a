/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pages that are touched for the first time, and counted: fresh ones of memory, given back and touched again, and pages of a file
 * that is not in memory.
 */
#include <errno.h>
#include <sys/mman.h>

#include "truth/cold_file.h"
#include "truth/stage.h"

enum { FRESH_PAGES = 4096, LEAST_PAGES = 100000 };

static void count(struct actor *actor, uint64_t pages)
{
	struct truth_report *report = &actor->context->report;

	report->amounts[0] = (struct truth_amount){ .tid = actor->self->tid, .value = pages };
	report->amount_count = 1;
}

/* So many at least that what is counted by samples is known to a few per cent. */
static void touch_fresh(struct actor *actor)
{
	volatile char *bytes = actor->prop;
	uint64_t pages = 0;

	do {
		for (size_t page = 0; page < FRESH_PAGES; page++)
			bytes[page * COLD_FILE_PAGE] = 1;
		(void)madvise(actor->prop, (size_t)FRESH_PAGES * COLD_FILE_PAGE, MADV_DONTNEED);
		pages += FRESH_PAGES;
	} while (stage_more(actor->context) || pages < LEAST_PAGES);
	count(actor, pages);
}

static int stage_minor(struct truth_context *context, struct error *err)
{
	size_t size = (size_t)FRESH_PAGES * COLD_FILE_PAGE;
	void *bytes = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (bytes == MAP_FAILED)
		return fail(err, FAILURE_WORK, -errno, "cannot map memory for '%s'", context->row->name);
	(void)madvise(bytes, size, MADV_NOHUGEPAGE);            /* a kernel without them has none */
	return stage_threads(context, 1, touch_fresh, NULL, bytes, err);
}

static void touch_file(struct actor *actor)
{
	const volatile char *bytes = actor->prop;
	uint64_t pages = 0;

	for (; pages < COLD_FILE_PAGES && stage_more(actor->context); pages++)
		(void)bytes[cold_file_page(pages) * COLD_FILE_PAGE];
	count(actor, pages);
}

static int stage_major(struct truth_context *context, struct error *err)
{
	void *bytes = mmap(NULL, TRUTH_FILE_BYTES, PROT_READ, MAP_SHARED, context->files[0], 0);

	if (bytes == MAP_FAILED || madvise(bytes, TRUTH_FILE_BYTES, MADV_RANDOM) < 0)
		return fail(err, FAILURE_WORK, -errno, "cannot map the file of '%s'", context->row->name);
	return stage_threads(context, 1, touch_file, NULL, bytes, err);
}

const struct truth truth_fault_major = {
	.name = "fault-major",
	.summary = "pages of a file that are read when they are touched: how many",
	.state = "page-faults", .part = "major", .thread = "t-fault-major", .unit = "faults", .default_ms = 800,
	.measure = TRUTH_FAULTS, .with = "faults",
	.possible = cold_file_possible, .prepare = cold_file_prepare, .stage = stage_major,
};

const struct truth truth_fault_minor = {
	.name = "fault-minor",
	.summary = "fresh pages that are touched: how many",
	.state = "page-faults", .part = "minor", .thread = "t-fault-minor", .unit = "faults", .default_ms = 400,
	.measure = TRUTH_FAULTS, .with = "faults", .stage = stage_minor,
};
