/* SPDX-License-Identifier: Apache-2.0 */
#include "interpreter/java_counters.h"

#include <string.h>

#include "test.h"

enum { FIRST = 32, ENTRY = 20, NAME = 32, LENGTH = ENTRY + NAME + 8 };

static void put32(unsigned char *at, uint32_t value)
{
	memcpy(at, &value, sizeof(value));
}

/* A file of two counters of 64 bits. */
static size_t make(unsigned char *bytes, const char *name, uint64_t value)
{
	static const unsigned char head[] = { 0xca, 0xfe, 0xc0, 0xc0, 1, 2, 0, 1 };

	memset(bytes, 0, FIRST + 2 * LENGTH);
	memcpy(bytes, head, sizeof(head));
	put32(bytes + 24, FIRST);
	put32(bytes + 28, 2);
	for (int i = 0; i < 2; i++) {
		unsigned char *entry = bytes + FIRST + i * LENGTH;

		put32(entry, LENGTH);
		put32(entry + 4, ENTRY);
		entry[12] = 'J';
		put32(entry + 16, ENTRY + NAME);
		memcpy(entry + ENTRY, i ? name : "sun.gc.other", strlen(i ? name : "sun.gc.other") + 1);
		memcpy(entry + ENTRY + NAME, &value, sizeof(value));
	}
	return FIRST + 2 * LENGTH;
}

TEST(a_counter_is_found_by_its_name)
{
	unsigned char bytes[FIRST + 2 * LENGTH];
	size_t size = make(bytes, "sun.gc.metaspace.capacity", 12345678);
	uint64_t value = 0;

	assert_true(java_counter(bytes, size, "sun.gc.metaspace.capacity", &value));
	assert_int_equal(value, 12345678);
	assert_false(java_counter(bytes, size, "sun.gc.metaspace.used", &value));
	assert_false(java_counter(bytes, size, "sun.gc.metaspace.capacit", &value));
}

TEST(a_file_that_is_cut_or_no_such_file_tells_nothing)
{
	unsigned char bytes[FIRST + 2 * LENGTH];
	size_t size = make(bytes, "sun.gc.metaspace.capacity", 1);
	uint64_t value = 0;

	for (size_t shorter = 0; shorter < size; shorter++)
		assert_false(java_counter(bytes, shorter, "sun.gc.metaspace.capacity", &value));
	bytes[5] = 3;
	assert_false(java_counter(bytes, size, "sun.gc.metaspace.capacity", &value));
}

TEST(an_entry_that_does_not_advance_ends_the_walk)
{
	unsigned char bytes[FIRST + 2 * LENGTH];
	size_t size = make(bytes, "sun.gc.metaspace.capacity", 1);
	uint64_t value = 0;

	put32(bytes + FIRST, 0);
	assert_false(java_counter(bytes, size, "sun.gc.metaspace.capacity", &value));
	put32(bytes + FIRST, ~0u);
	assert_false(java_counter(bytes, size, "sun.gc.metaspace.capacity", &value));
	assert_int_equal(value, 0);
}
