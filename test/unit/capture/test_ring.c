/* SPDX-License-Identifier: Apache-2.0 */
/* A file in memory stands for the kernel's ring: the same pages in the same order. */
#include "test.h"

#include "base/error.h"
#include "capture/ring.h"

#include <linux/bpf.h>
#include <sys/mman.h>
#include <unistd.h>

enum { SIZE = 8192, MOST = 16 };

struct fake { int fd; size_t page; uint64_t at; };

static struct fake fake_new(uint64_t start)
{
	struct fake fake = { .fd = memfd_create("ring", 0), .page = (size_t)sysconf(_SC_PAGESIZE), .at = start };

	assert_int_equal(ftruncate(fake.fd, (off_t)(2 * fake.page + SIZE)), 0);
	assert_int_equal(pwrite(fake.fd, &start, sizeof(start), 0), sizeof(start));
	assert_int_equal(pwrite(fake.fd, &start, sizeof(start), (off_t)fake.page), sizeof(start));
	return fake;
}

static void write_byte(struct fake *fake, uint64_t at, unsigned char byte)
{
	assert_int_equal(pwrite(fake->fd, &byte, 1, (off_t)(2 * fake->page + at % SIZE)), 1);
}

/* Every byte of a record is its number. */
static void fake_put(struct fake *fake, unsigned char number, uint32_t size, uint32_t flags)
{
	uint32_t word = size | flags;

	for (unsigned i = 0; i < 4; i++)
		write_byte(fake, fake->at + i, (unsigned char)(word >> 8 * i));
	for (uint32_t i = 0; i < size; i++)
		write_byte(fake, fake->at + BPF_RINGBUF_HDR_SZ + i, number);
	fake->at += (size + BPF_RINGBUF_HDR_SZ + 7) & ~7u;
	assert_int_equal(pwrite(fake->fd, &fake->at, sizeof(fake->at), (off_t)fake->page), sizeof(fake->at));
}

static uint64_t reader_of(const struct fake *fake)
{
	uint64_t at = 0;

	assert_int_equal(pread(fake->fd, &at, sizeof(at), 0), sizeof(at));
	return at;
}

struct seen { size_t count, sizes[MOST]; unsigned char numbers[MOST]; };

static void see(void *context, const void *record, size_t size)
{
	struct seen *seen = context;
	const unsigned char *bytes = record;

	for (size_t i = 1; i < size; i++)
		assert_int_equal(bytes[i], bytes[0]);
	seen->numbers[seen->count] = bytes[0];
	seen->sizes[seen->count++] = size;
}

TEST(records_come_in_order_and_their_room_is_given_back)
{
	CLEANUP(ring) struct ring *ring = NULL;
	struct fake fake = fake_new(0);
	struct seen seen = { 0 };
	struct error err;

	assert_int_equal(ring_map(&ring, fake.fd, SIZE, &err), 0);
	fake_put(&fake, 1, 16, 0);
	fake_put(&fake, 2, 21, 0);
	ring_read(ring, see, &seen);
	assert_int_equal(seen.count, 2);
	assert_int_equal(seen.numbers[1], 2);
	assert_int_equal(seen.sizes[1], 21);
	assert_int_equal(reader_of(&fake), fake.at);
	ring_read(ring, see, &seen);
	assert_int_equal(seen.count, 2);
	(void)close(fake.fd);
}

TEST(a_record_that_wraps_is_whole)
{
	CLEANUP(ring) struct ring *ring = NULL;
	struct fake fake = fake_new(5 * SIZE - 64);
	struct seen seen = { 0 };
	struct error err;

	assert_int_equal(ring_map(&ring, fake.fd, SIZE, &err), 0);
	fake_put(&fake, 7, 200, 0);
	fake_put(&fake, 8, 8, 0);
	ring_read(ring, see, &seen);
	assert_int_equal(seen.count, 2);
	assert_int_equal(seen.sizes[0], 200);
	assert_int_equal(seen.numbers[0], 7);
	assert_int_equal(seen.numbers[1], 8);
	(void)close(fake.fd);
}

TEST(what_was_discarded_is_left_out_and_what_is_being_written_is_waited_for)
{
	CLEANUP(ring) struct ring *ring = NULL;
	struct fake fake = fake_new(0);
	struct seen seen = { 0 };
	struct error err;
	uint64_t busy;

	assert_int_equal(ring_map(&ring, fake.fd, SIZE, &err), 0);
	fake_put(&fake, 1, 32, BPF_RINGBUF_DISCARD_BIT);
	fake_put(&fake, 2, 32, 0);
	busy = fake.at;
	fake_put(&fake, 3, 32, BPF_RINGBUF_BUSY_BIT);
	fake_put(&fake, 4, 32, 0);
	ring_read(ring, see, &seen);
	assert_int_equal(seen.count, 1);
	assert_int_equal(seen.numbers[0], 2);
	assert_int_equal(reader_of(&fake), busy);
	write_byte(&fake, busy + 3, 0);
	ring_read(ring, see, &seen);
	assert_int_equal(seen.count, 3);
	assert_int_equal(seen.numbers[2], 4);
	(void)close(fake.fd);
}

