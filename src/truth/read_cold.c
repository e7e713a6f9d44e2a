/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads that the page cache cannot answer: through it, from a file that was dropped from memory,
 * and past it. Each page is visited once, in an order in which nothing is read ahead.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "truth/cold_file.h"
#include "truth/stage.h"

struct reader {
	int fd;
	void *page;
	bool once;                      /* a page that was read is in memory from then on */
};

static void read_pages(struct actor *actor)
{
	struct reader *reader = actor->prop;

	for (uint64_t n = 0; stage_more(actor->context) && !(reader->once && n == COLD_FILE_PAGES);
	     n++) {
		off_t at = (off_t)(cold_file_page(n) * COLD_FILE_PAGE);

		stage_wait_begin(actor->self);
		(void)!pread(reader->fd, reader->page, COLD_FILE_PAGE, at);
		stage_wait_end(actor->self);
	}
}

static int stage_reader(struct truth_context *context, int fd, bool once, struct error *err)
{
	struct reader reader = { .fd = fd,
				 .page = aligned_alloc(COLD_FILE_PAGE, COLD_FILE_PAGE),
				 .once = once };

	if (fd < 0 || !reader.page)
		return fail(err, FAILURE_WORK, fd < 0 ? fd : -ENOMEM,
			    "cannot read past the page cache");
	memset(reader.page, 1, COLD_FILE_PAGE);
	return stage_threads(context, 1, read_pages, NULL, &reader, err);
}

static int stage_cold(struct truth_context *context, struct error *err)
{
	return stage_reader(context, context->files[0], true, err);
}

static int stage_direct(struct truth_context *context, struct error *err)
{
	return stage_reader(context, cold_file_reopen(context, O_RDONLY | O_DIRECT), false, err);
}

static int possible_direct(const struct truth_context *context, struct error *err)
{
	int r = cold_file_possible(context, err), fd;

	if (r < 0)
		return r;
	fd = openat(context->directory, ".", O_TMPFILE | O_RDWR | O_DIRECT | O_CLOEXEC, 0600);
	if (fd < 0)
		return fail(err, FAILURE_CANNOT, -errno, "cannot open a file with O_DIRECT");
	(void)close(fd);
	return 0;
}

const struct truth truth_read_cold = {
	.name = "read-cold",
	.summary = "reads of a file that is not in memory",
	.state = "disk", .part = "read", .thread = "t-read-cold", .default_ms = 800,
	.possible = cold_file_possible, .prepare = cold_file_prepare, .stage = stage_cold,
};

const struct truth truth_read_direct = {
	.name = "read-direct",
	.summary = "reads with O_DIRECT, past the page cache",
	.state = "disk", .part = "read", .thread = "t-read-direct", .default_ms = 800,
	.possible = possible_direct, .prepare = cold_file_prepare, .stage = stage_direct,
};
