/* SPDX-License-Identifier: Apache-2.0 */
/*
 * live
 * What devices did: of records, and of a child that reads blocks one by one from a disk past all caches. Each of its waits must
 * be matched to its own request, and the links of the chain must not be longer than the waits they are links of.
 */
#include "unit/recorded.h"

#include "base/error.h"
#include "capture/batch.h"
#include "command/recording.h"
#include "format/format.h"
#include "probe/decoder.h"
#include "profile/profile.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/loop.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BLOCK = 4096, BLOCKS = 1024, DURATION_NS = 1200000000 };

static uint64_t sum_of(const struct profile *profile, const char *parent, const char *name, const char *object)
{
	struct dimension_id id = profile_dimension_find(profile, parent, name);
	uint64_t sum = 0;

	for (size_t i = 0; i < profile_cell_count(profile); i++) {
		const struct cell *cell = profile_cell_at(profile, i);
		const char *of = profile_text(profile, profile_object_at(profile, cell->object.index)->name);

		if (id.index && profile_cell_dimension(profile, cell).index == id.index && (!object || strstr(of, object)))
			sum += cell->value;
	}
	return sum;
}

TEST(what_a_device_did_is_an_amount_of_the_device_and_the_operation)
{
	struct profile *profile = profile_new();
	struct decoder *decoder = decoder_new(profile);
	struct batch batch = { 0 };
	struct wire_slice slice = { .start_ns = 1000, .end_ns = 2000 };
	struct wire_io wire = { .key = { 254, 0, 1, 0 }, .value = { .count = 3, .bytes = 12288, .device_ns = 900,
								     .device_maximum_ns = 500, .errors = 1, .waits = 2, .wait_wake_ns = 40 } };

	batch_put(&batch, WIRE_SLICE, 0, &slice, sizeof(slice), NULL);
	batch_put(&batch, WIRE_IO, 0, &wire, sizeof(wire), (const char *const[]){ "vda", NULL });
	assert_int_equal(decoder_feed(decoder, batch.bytes, batch.size), 0);
	assert_null(profile_broken(profile));
	assert_int_equal(sum_of(profile, NULL, "block-operations", "vda write"), 3);
	assert_int_equal(sum_of(profile, NULL, "block-bytes", "vda write"), 12288);
	assert_int_equal(sum_of(profile, "block-operations", "device", "vda write"), 900);
	assert_int_equal(sum_of(profile, "block-operations", "errors", "vda write"), 1);
	assert_int_equal(sum_of(profile, "block-operations", "wait-wake", "vda write"), 40);
	assert_int_equal(sum_of(profile, "block-operations", "retries", NULL), 0);
	decoder_free(decoder);
	profile_free(profile);
	batch_done(&batch);
}

static int open_direct(void)
{
	static char zeros[BLOCK];
	char path[] = "./crosscut-block-XXXXXX";
	int writer = mkstemp(path), file;

	for (int i = 0; i < BLOCKS && writer >= 0; i++)
		if (write(writer, zeros, BLOCK) != BLOCK)
			break;
	(void)fsync(writer);
	(void)close(writer);
	file = open(path, O_RDONLY | O_DIRECT);
	(void)unlink(path);
	return file;
}

static _Noreturn void read_forever(int file)
{
	void *block;

	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (posix_memalign(&block, BLOCK, BLOCK))
		_exit(1);
	for (unsigned i = 0;; i++)
		if (pread(file, block, BLOCK, (off_t)(i * 769 % BLOCKS) * BLOCK) != BLOCK)
			_exit(1);
}

/* A loop device over a file that was cut short behind its back: each read of it fails. Negative where there is none to be had. */
static int open_broken(char *name, size_t size)
{
	char path[] = "./crosscut-loop-XXXXXX";
	int control = open("/dev/loop-control", O_RDWR), backing = mkstemp(path), number, device = -1;

	(void)unlink(path);
	number = control >= 0 && !ftruncate(backing, BLOCKS * BLOCK) ? ioctl(control, LOOP_CTL_GET_FREE) : -1;
	(void)snprintf(name, size, "/dev/loop%d", number);
	if (number >= 0)
		device = open(name, O_RDWR | O_DIRECT);
	if (device >= 0 && (ioctl(device, LOOP_SET_FD, backing) || ftruncate(backing, 0))) {
		(void)close(device);
		device = -1;
	}
	(void)close(backing);
	(void)close(control);
	return device;
}

static _Noreturn void fail_forever(int device, unsigned *failed)
{
	void *block;

	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (posix_memalign(&block, BLOCK, BLOCK))
		_exit(1);
	for (unsigned i = 0;; i++) {
		(void)usleep(1000);
		*failed += pread(device, block, BLOCK, (off_t)(i % BLOCKS) * BLOCK) < 0 && errno == EIO;
	}
}

static struct profile *capture_reader(int file, unsigned *failed)
{
	char path[] = "/tmp/crosscut-block-XXXXXX";
	pid_t child = fork();
	struct recording recording = {
		.capture = { .population = { .kind = POPULATION_PROCESSES, .ids = &child, .id_count = 1 } },
		.duration_ns = DURATION_NS };
	struct recording_result result = { 0 };
	struct error err = { 0 };
	int r;

	if (!child && failed)
		fail_forever(file, failed);
	if (!child)
		read_forever(file);
	r = recorded_run(&recording, path, &result, &err);
	return recorded_profile(r, path, child, &result, &err);
}

TEST(direct_reads_are_matched_to_the_requests_that_the_thread_made_itself)
{
	int file = open_direct();
	struct profile *profile;
	uint64_t waits = 0, matched = 0, waited_ns = 0, links, chained;

	if (file < 0)
		skip();
	profile = capture_reader(file, NULL);
	(void)close(file);
	if (!profile)
		skip();
	for (size_t i = 0; i < profile_cell_count(profile); i++) {
		const struct cell *cell = profile_cell_at(profile, i);
		const struct evidence *evidence = profile_evidence_at(profile, cell->evidence.index);
		struct dimension_id disk = profile_dimension_find(profile, "disk", "read");

		if (!cell->evidence.index || !disk.index || evidence->class.index != disk.index ||
		    profile_measure_at(profile, cell->measure.index)->role != ROLE_TOTAL ||
		    (evidence->seen.flags & (EVIDENCE_CUT_START | EVIDENCE_CUT_END)))
			continue;
		waits += cell->count;
		waited_ns += cell->value;
		matched += evidence->seen.flags & EVIDENCE_OWN_BIO_DONE ? cell->count : 0;
	}
	if (waits < 50) {                               /* a disk that answers before anybody can wait */
		profile_free(profile);
		skip();
	}
	chained = sum_of(profile, "block-operations", "waits", NULL);
	links = sum_of(profile, "block-operations", "wait-device", NULL) + sum_of(profile, "block-operations", "wait-queue", NULL) +
		sum_of(profile, "block-operations", "wait-wake", NULL);
	print_message("# %lu waits, %lu matched, %lu with a chain of %.1f us of %.1f us waited\n", (unsigned long)waits,
		      (unsigned long)matched, (unsigned long)chained, (double)links / (double)chained / 1e3,
		      (double)waited_ns / (double)waits / 1e3);
	assert_true((double)matched >= 0.99 * (double)waits);
	assert_true((double)chained >= 0.9 * (double)matched);       /* near the window's ends there is none */
	assert_true(links > 0 && sum_of(profile, "block-operations", "wait-runnable", NULL) > 0);
	assert_true(sum_of(profile, NULL, "block-operations", "read") >= chained);
	assert_true(sum_of(profile, NULL, "block-bytes", "read") >= chained * BLOCK);
	assert_int_equal(sum_of(profile, "block-operations", "errors", "read"), 0);
	profile_free(profile);
}

/* The child fails before and after the window as well: never more errors are seen than it had. */
TEST(known_errors_of_a_device_are_counted_as_errors)
{
	unsigned *failed = mmap(NULL, sizeof(*failed), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	char name[32];
	int device = open_broken(name, sizeof(name));
	struct profile *profile;
	uint64_t errors;

	if (device < 0)
		skip();
	profile = capture_reader(device, failed);
	(void)ioctl(device, LOOP_CLR_FD, 0);
	(void)close(device);
	if (!profile)
		skip();
	errors = sum_of(profile, "block-operations", "errors", strrchr(name, '/') + 1);
	print_message("# %u reads of %s failed, %lu errors seen\n", *failed, name, (unsigned long)errors);
	assert_int_equal(sum_of(profile, NULL, "block-operations", strrchr(name, '/') + 1), errors);
	assert_true(errors > 0 && errors <= *failed);
	profile_free(profile);
	(void)munmap(failed, sizeof(*failed));
}
