/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * Bytes of a perf.data file by their place. Its header names sections before and behind the records, so whoever reads it
 * jumps about: a file on disk is read through a window that moves, and only what cannot be read twice (a pipe, a compressed
 * file) is kept in memory whole.
 */
#include <stddef.h>
#include <stdint.h>

struct perf_file {
	int fd;                         /* -1: all of it is in bytes */
	uint64_t size;
	const uint8_t *bytes;
	uint8_t *window;
	uint64_t window_start;
	size_t window_size, window_room;
};

void perf_file_done(struct perf_file *file);
/* size bytes, valid until the next call; NULL where the file does not hold them or cannot be read. */
const uint8_t *perf_file_at(struct perf_file *file, uint64_t offset, size_t size);
