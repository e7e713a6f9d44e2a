/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * A cursor over bytes of a perf.data file, in the byte order of the machine that wrote it. Reading past the end gives zeros
 * and sets `failed`, so that a caller may read a whole structure and ask once. All perf_*.c read through it.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct perf_bytes {
	const uint8_t *at, *end;
	bool swapped;                   /* written by a machine of the other byte order */
	bool failed;                    /* something was asked for that is not there */
};

/* Of NULL there are none, whatever its size. */
static inline struct perf_bytes perf_bytes_of(const void *bytes, size_t size, bool swapped)
{
	return (struct perf_bytes){ .at = bytes, .end = bytes ? (const uint8_t *)bytes + size : bytes, .swapped = swapped };
}

static inline size_t perf_bytes_left(const struct perf_bytes *bytes)
{
	return (size_t)(bytes->end - bytes->at);
}

/* The bytes skipped, or NULL where there are not as many; then nothing is left either. */
static inline const uint8_t *perf_take(struct perf_bytes *bytes, uint64_t size)
{
	const uint8_t *taken = bytes->at;

	if (size > perf_bytes_left(bytes)) {
		bytes->failed = true;
		bytes->at = bytes->end;
		return NULL;
	}
	bytes->at += size;
	return taken;
}

static inline uint64_t perf_word(const void *at, bool swapped)
{
	uint64_t word;

	memcpy(&word, at, sizeof(word));
	return swapped ? __builtin_bswap64(word) : word;
}

static inline uint64_t perf_u64(struct perf_bytes *bytes)
{
	const uint8_t *at = perf_take(bytes, 8);

	return at ? perf_word(at, bytes->swapped) : 0;
}

static inline uint32_t perf_u32(struct perf_bytes *bytes)
{
	const uint8_t *at = perf_take(bytes, 4);
	uint32_t word = 0;

	if (at)
		memcpy(&word, at, sizeof(word));
	return bytes->swapped ? __builtin_bswap32(word) : word;
}

static inline uint16_t perf_u16(struct perf_bytes *bytes)
{
	const uint8_t *at = perf_take(bytes, 2);
	uint16_t word = 0;

	if (at)
		memcpy(&word, at, sizeof(word));
	return bytes->swapped ? __builtin_bswap16(word) : word;
}

/* A text that ends in a zero byte, or at the end of the bytes: its size is what is returned. The cursor stays. */
static inline size_t perf_text_size(const struct perf_bytes *bytes, const char **ret)
{
	*ret = (const char *)bytes->at;
	return strnlen(*ret, perf_bytes_left(bytes));
}

/* A text with its padded length before it, as header features hold them. */
static inline size_t perf_text(struct perf_bytes *bytes, const char **ret)
{
	uint32_t room = perf_u32(bytes);
	const uint8_t *at = perf_take(bytes, room);

	*ret = at ? (const char *)at : "";
	return at ? strnlen(*ret, room) : 0;
}
