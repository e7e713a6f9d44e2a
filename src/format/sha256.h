/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * SHA-256 (FIPS 180-4) for the digest chain of capture files. Our own hundred lines, because none
 * of the libraries that the file needs anyway (SQLite, zstd, zlib) offers a digest that stands
 * against tampering, and because anyone can check one of these with sha256sum.
 */
#include <stddef.h>
#include <stdint.h>

enum { SHA256_SIZE = 32 };

struct sha256 {
	uint32_t state[8];
	uint64_t size;
	unsigned char block[64];
};

void sha256_init(struct sha256 *sha);
void sha256_add(struct sha256 *sha, const void *bytes, size_t size);
void sha256_end(struct sha256 *sha, unsigned char ret[SHA256_SIZE]);
