/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CRC-32 from eight tables ("slicing by eight"): each table has a byte's effect that many bytes
 * later, so that eight bytes are looked up at once instead of one after the other.
 */
#include "checksum.h"

#include <string.h>

static uint32_t tables[8][256];

__attribute__((constructor)) static void tables_fill(void)
{
	for (uint32_t i = 0; i < 256; i++) {
		uint32_t crc = i;

		for (int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (0xedb88320u & -(crc & 1));
		tables[0][i] = crc;
	}
	for (int table = 1; table < 8; table++)
		for (uint32_t i = 0; i < 256; i++)
			tables[table][i] = tables[table - 1][i] >> 8 ^
					   tables[0][tables[table - 1][i] & 255];
}

static uint32_t checksum_eight(uint32_t crc, const unsigned char *bytes)
{
	crc ^= (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
	       (uint32_t)bytes[3] << 24;
	return tables[7][crc & 255] ^ tables[6][crc >> 8 & 255] ^ tables[5][crc >> 16 & 255] ^
	       tables[4][crc >> 24] ^ tables[3][bytes[4]] ^ tables[2][bytes[5]] ^
	       tables[1][bytes[6]] ^ tables[0][bytes[7]];
}

uint32_t checksum(const void *bytes, size_t size)
{
	const unsigned char *at = bytes;
	uint32_t crc = ~0u;

	for (; size >= 8; size -= 8, at += 8)
		crc = checksum_eight(crc, at);
	for (; size; size--, at++)
		crc = crc >> 8 ^ tables[0][(crc ^ *at) & 255];
	return ~crc;
}
