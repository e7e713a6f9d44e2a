/* SPDX-License-Identifier: Apache-2.0 */
/* The file is the target's own: every offset is checked, and a walk over entries ends. */
#include "interpreter/java_counters.h"

#include "base/memory.h"

#include <endian.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct prologue {
	uint8_t magic[4], byte_order, major, minor, accessible;
	uint32_t used, overflow;
	uint64_t modified;
	uint32_t first, count;
};
_Static_assert(sizeof(struct prologue) == 32, "as HotSpot lays it out");

struct entry { uint32_t length, name, vector_length; uint8_t type, flags, unit, variability; uint32_t data; };
_Static_assert(sizeof(struct entry) == 20, "as HotSpot lays it out");

enum { LITTLE_ENDIAN_FIRST = 1, VERSION = 2, TYPE_LONG = 'J', ENTRIES_MOST = 4096 };

static bool has_name(const unsigned char *entry, size_t length, uint32_t at, const char *name)
{
	size_t size = strlen(name) + 1;

	return at <= length && length - at >= size && !memcmp(entry + at, name, size);
}

bool java_counter(const unsigned char *bytes, size_t size, const char *name, uint64_t *ret)
{
	static const uint8_t magic[] = { 0xca, 0xfe, 0xc0, 0xc0 };
	struct prologue head;
	size_t at;

	if (size < sizeof(head))
		return false;
	memcpy(&head, bytes, sizeof(head));
	if (memcmp(head.magic, magic, sizeof(magic)) != 0 || head.byte_order != LITTLE_ENDIAN_FIRST || head.major != VERSION)
		return false;
	at = le32toh(head.first);
	for (uint32_t i = 0; i < le32toh(head.count) && i < ENTRIES_MOST; i++) {
		struct entry entry;
		uint32_t length, data;
		uint64_t value;

		if (at > size || size - at < sizeof(entry))
			return false;
		memcpy(&entry, bytes + at, sizeof(entry));
		length = le32toh(entry.length);
		data = le32toh(entry.data);
		if (length < sizeof(entry) || length > size - at)
			return false;
		if (entry.type == TYPE_LONG && !entry.vector_length && has_name(bytes + at, length, le32toh(entry.name), name) &&
		    data <= length && length - data >= sizeof(value)) {
			memcpy(&value, bytes + at + data, sizeof(value));
			*ret = le64toh(value);
			return true;
		}
		at += length;
	}
	return false;
}

bool java_counter_of_file(const char *path, const char *name, uint64_t *ret)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	unsigned char *bytes = NULL;
	struct stat status;
	bool found = false;

	if (fd >= 0 && !fstat(fd, &status) && S_ISREG(status.st_mode) && status.st_size > 0 && status.st_size <= JAVA_COUNTERS_LIMIT) {
		ssize_t got;

		bytes = xcalloc(1, (size_t)status.st_size);
		got = read(fd, bytes, (size_t)status.st_size);
		found = got > 0 && java_counter(bytes, (size_t)got, name, ret);
	}
	free(bytes);
	if (fd >= 0)
		(void)close(fd);
	return found;
}
