/* SPDX-License-Identifier: Apache-2.0 */
#include "format/sha256.h"

#include "test.h"

#include <stdio.h>
#include <string.h>

static const char *hex(const unsigned char digest[SHA256_SIZE])
{
	static char text[2 * SHA256_SIZE + 1];

	for (int i = 0; i < SHA256_SIZE; i++)
		(void)snprintf(text + 2 * i, 3, "%02x", digest[i]);
	return text;
}

static const char *sha256_of(const char *text, size_t piece)
{
	unsigned char digest[SHA256_SIZE];
	size_t size = strlen(text);
	struct sha256 sha;

	sha256_init(&sha);
	for (size_t at = 0; at < size; at += piece)
		sha256_add(&sha, text + at, size - at < piece ? size - at : piece);
	sha256_end(&sha, digest);
	return hex(digest);
}

TEST(the_examples_of_the_standard_hold)
{
	assert_string_equal(sha256_of("", 1),
			    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
	assert_string_equal(sha256_of("abc", 3),
			    "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	assert_string_equal(
		sha256_of("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 56),
		"248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

TEST(a_million_letters_in_pieces_of_any_size)
{
	static char letters[1000001];

	memset(letters, 'a', 1000000);
	for (size_t piece = 1; piece < 200000; piece = piece * 7 + 1)
		assert_string_equal(
			sha256_of(letters, piece),
			"cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}
