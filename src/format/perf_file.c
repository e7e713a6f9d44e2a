/* SPDX-License-Identifier: Apache-2.0 */
/* Not mapped: a file that is cut short under a mapping would kill us. */
#include "format/perf_file.h"

#include "base/memory.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

enum { WINDOW_BYTES = 1 << 20 };

void perf_file_done(struct perf_file *file)
{
	free(file->window);
}

static size_t read_all(int fd, uint8_t *into, size_t size, uint64_t offset)
{
	size_t done = 0;

	while (done < size) {
		ssize_t got = pread(fd, into + done, size - done, (off_t)(offset + done));

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		done += (size_t)got;
	}
	return done;
}

static void window_move(struct perf_file *file, uint64_t offset, size_t size)
{
	size_t most = size > WINDOW_BYTES ? size : WINDOW_BYTES;

	if (most > file->size - offset)
		most = (size_t)(file->size - offset);
	if (most > file->window_room) {
		free(file->window);
		file->window = xmalloc(most);
		file->window_room = most;
	}
	file->window_start = offset;
	file->window_size = read_all(file->fd, file->window, most, offset);
}

const uint8_t *perf_file_at(struct perf_file *file, uint64_t offset, size_t size)
{
	if (offset > file->size || size > file->size - offset)
		return NULL;
	if (file->fd < 0)
		return file->bytes + offset;
	if (offset < file->window_start || offset + size > file->window_start + file->window_size)
		window_move(file, offset, size);
	return offset + size <= file->window_start + file->window_size ? file->window + (offset - file->window_start) : NULL;
}
